package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// gcPercent is how much garbage may gather, in percent of what is alive, and gcLeast how
// much there may be of both together, however little is alive. Records come and go: a
// tighter heap costs little, and keeps the whole under 64 MB with records of up to 1 MB.
const (
	gcPercent = 50
	gcLeast   = int64(32 << 20)
)

// setCollector sets how often garbage is collected, unless the environment does.
func setCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// heapLimit is near what the whole may take while records are of up to a megabyte. Names of
// many features are kept while one is looked at, and left behind.
const (
	heapLimit   = 48 << 20
	largeRecord = 1 << 20
)

// limitHeap has garbage collected before the whole is above heapLimit, however busy the machine
// is, until stop is called.
func limitHeap() (stop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(heapLimit)
	return func() { debug.SetMemoryLimit(before) }
}

// collectLater lets garbage gather up to gcLeast as long as less than that is alive, until
// stop is called. Statistics of small files are all garbage: to collect it for every two
// megabytes takes as long as all the rest.
func collectLater() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	var mu sync.Mutex
	stopped := false
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var watch func(struct{})
	watch = func(struct{}) { // called whenever garbage has been collected
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		metrics.Read(live)
		const least = 4 << 20 // of the runtime, for 100 percent
		alive := max(int64(live[0].Value.Uint64()), 1)
		debug.SetGCPercent(int(min(max(gcPercent, (gcLeast-alive)*100/alive), gcLeast*100/least)))
		runtime.AddCleanup(new([16]byte), watch, struct{}{})
	}
	watch(struct{}{})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		debug.SetGCPercent(gcPercent)
	}
}
