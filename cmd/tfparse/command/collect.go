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
// megabytes takes as long as all the rest. From the first call on, less garbage gathers where much is alive: what is
// made of statistics is as large as they are.
func collectLater() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	collector.relax(1)
	return func() { collector.relax(-1) }
}

// A heapWatch sets how much garbage may gather, whenever some has been collected.
type heapWatch struct {
	mu      sync.Mutex
	relaxed int  // calls of collectLater that were not restored
	watches bool // collected is called after the next garbage collection
}

var collector heapWatch

func (w *heapWatch) relax(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.relaxed += n
	w.adjust()
}

func (w *heapWatch) collected(struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watches = false
	w.adjust()
}

func (w *heapWatch) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentFor(int64(live[0].Value.Uint64()), w.relaxed > 0))
	if !w.watches {
		w.watches = true
		runtime.AddCleanup(new([16]byte), w.collected, struct{}{})
	}
}

// percentFor is how much garbage may gather, in percent of the bytes that are alive: little where these are many, and if relaxed, so much
// that both together reach gcLeast.
func percentFor(alive int64, relaxed bool) int {
	const least = 4 << 20 // what the runtime waits for at 100 percent, however little is alive
	if alive > gcMuch {
		return gcMuchPart
	}
	if !relaxed {
		return gcPercent
	}
	alive = max(alive, 1)
	return int(min(max(gcPercent, (gcLeast-alive)*100/alive), gcLeast*100/least))
}
