package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

func versionCommand() *command {
	return &command{
		name:  "version",
		short: "print the version of tfparse",
		long: `
Print the version of tfparse, the version of Go that built it, and the platform.`,
		examples: []string{
			"tfparse version",
			"tfparse version | cut -d ' ' -f 2",
		},
		run: func(e *env, args []string) error {
			if len(args) > 0 {
				return usagef("no arguments are taken")
			}
			version := "(unknown)"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				version = info.Main.Version
			}
			return e.print(fmt.Sprintf("tfparse %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		},
	}
}
