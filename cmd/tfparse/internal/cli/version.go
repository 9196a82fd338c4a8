package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

func versionCommand() *Command {
	return &Command{
		Name:  "version",
		Short: "print the version of tfparse",
		Long: `
Print the version of tfparse, the version of Go that built it, and the platform.`,
		Examples: []string{
			"tfparse version",
			"tfparse version | cut -d ' ' -f 2",
		},
		Run: func(e *Env, args []string) error {
			if len(args) > 0 {
				return Usagef("no arguments are taken")
			}
			version := "(unknown)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			return e.print(fmt.Sprintf("tfparse %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		},
	}
}
