package command

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
// Where much is alive, as with thousands of features, less garbage may gather: half of it would be far more than
// all that small files need.
const (
	gcPercent  = 50
	gcLeast    = int64(32 << 20)
	gcMuch     = int64(96 << 20) // alive
	gcMuchPart = 20              // percent of that much
)

// setCollector sets how often garbage is collected, unless the environment does.
func setCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// limitHeap makes the garbage collector run before the process takes more than a number of bytes, however
// busy the machine is, unless the environment sets a limit. It lasts until restore is called.
func limitHeap(bytes int64) (restore func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(bytes)
	return func() { debug.SetMemoryLimit(before) }
}

// collectLater lets garbage gather up to gcLeast as long as less than that is alive, until
// restore is called. Statistics of small files are all garbage: to collect it for every two
// megabytes takes as long as all the rest.
func collectLater() (restore func()) {
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
		debug.SetGCPercent(percentFor(int64(live[0].Value.Uint64())))
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

// percentFor is how much garbage may gather, in percent of the bytes that are alive, so that
// both together reach gcLeast.
func percentFor(alive int64) int {
	const least = 4 << 20 // what the runtime waits for at 100 percent, however little is alive
	if alive > gcMuch {
		return gcMuchPart
	}
	alive = max(alive, 1)
	return int(min(max(gcPercent, (gcLeast-alive)*100/alive), gcLeast*100/least))
}
