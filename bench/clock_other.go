//go:build !unix

package main

import "time"

// cpuTime returns elapsed time: these systems do not report processor time.
func cpuTime() time.Duration { return time.Since(began) }

// maxResident returns 0: these systems do not report how much memory a process used.
func maxResident(any) int64 { return 0 }
