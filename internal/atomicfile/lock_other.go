//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package atomicfile

import "os"

const renamesOpen = false

func claim(*os.File) bool { return true }

// removeUnlocked leaves the file: there is no way to know whether a process writes it.
func removeUnlocked(string) {}
