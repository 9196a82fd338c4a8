//go:build unix

package main

import (
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
