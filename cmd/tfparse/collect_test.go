package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

var kept []byte

// TestCollectLater proves that little garbage is left alone, that much is collected, and
// that all is as before in the end.
func TestCollectLater(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("skipped: GOGC is set")
	}
	old := debug.SetGCPercent(gcPercent)
	defer debug.SetGCPercent(old)
	collections := func(megabytes int) uint32 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range megabytes << 10 {
			kept = make([]byte, 1<<10)
		}
		runtime.ReadMemStats(&after)
		return after.NumGC - before.NumGC
	}
	const size = 600 // a collection that is late, as on a busy machine, is one of many
	runtime.GC()
	often := collections(size)
	stop := collectLater()
	runtime.GC()
	seldom := collections(size)
	stop()
	if seldom < 6 || seldom*2 > often {
		t.Errorf("%d MB of garbage are collected %d times, wanted at least 6, and less than half of %d", size, seldom, often)
	}
	if now := debug.SetGCPercent(gcPercent); now != gcPercent {
		t.Errorf("the collector is left at %d percent", now)
	}
}
