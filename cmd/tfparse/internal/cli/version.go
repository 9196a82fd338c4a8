package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
)

func versionCommand() *Command {
	return &Command{
		Name: "version",
		Run: func(e *Env, args []string) error {
			if len(args) > 0 {
				return Usagef("no arguments are taken")
			}
			version := "(unknown)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			stores := "without object stores"
			if schemes := storage.Schemes(); len(schemes) > 0 {
				stores = "with " + strings.Join(schemes, ", ")
			}
			return e.print(fmt.Sprintf("tfparse %s %s %s/%s %s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, stores))
		},
	}
}
