//go:build !windows

package console

import "os"

func isConsole(*os.File) bool { return false }
