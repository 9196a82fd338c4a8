//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, in all its threads.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it cannot fail with these arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// maxResident returns the largest amount of memory that a process used, in bytes, according to the system.
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
