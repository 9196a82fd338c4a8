//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// canRenameOpen: a file can be renamed while it is open.
const canRenameOpen = true

// claimHidden locks a new hidden file while it is open, so that other processes do not take it for the file of a
// killed process. It returns false if another process did so before the lock and removes the file. On a file system
// without locks removeUnclaimed removes no file.
func claimHidden(f *os.File) bool {
	if errors.Is(tryLock(f), syscall.EWOULDBLOCK) {
		return false
	}
	here, err1 := os.Lstat(f.Name())
	mine, err2 := f.Stat()
	return err1 == nil && err2 == nil && os.SameFile(here, mine)
}

// removeUnclaimed removes a hidden file unless a process has claimed it.
func removeUnclaimed(name string) {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close() // after the removal: until then no other process can claim the file
	if tryLock(f) == nil {
		os.Remove(name)
	}
}

// tryLock locks a file if no other open file has it locked.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err
		}
	}
}
