//go:build !unix

package main

import "time"

// cpuTime returns the time by the clock on the wall, where there is no other.
func cpuTime() time.Duration { return time.Since(began) }
