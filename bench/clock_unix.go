//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// cpuTime returns how long this process has computed, in all its threads.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there is no way that it fails
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// maxResident reads how much memory a process took at most, in bytes, from what the
// system says of it.
func maxResident(usage any) int64 {
	u, ok := usage.(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
