//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package atomicfile

import "os"

const canRenameOpen = false

func claimHidden(*os.File) bool { return true }

// removeUnclaimed leaves the file: there is no way to know whether a process writes it.
func removeUnclaimed(string) {}
