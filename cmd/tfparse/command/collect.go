package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Settings of the garbage collector. Most records become garbage quickly, so a small heap costs little time, and keeps
// memory under 64 MB with records of up to 1 MB. If the live heap is large, as with statistics of thousands of features,
// 50 percent of garbage would be more than the total for small files.
const (
	gcPercent        = 50              // GOGC: maximum garbage in percent of the live heap
	minHeap          = int64(32 << 20) // while relaxed: collect only when the heap reaches this size, in bytes
	largeHeap        = int64(96 << 20) // live heap above which largeHeapPercent applies, in bytes
	largeHeapPercent = 20
)

// setDefaultGC sets GOGC to gcPercent, unless the environment sets it.
func setDefaultGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// limitHeap sets a soft memory limit until restore is called, unless the environment sets one. With the limit, the
// collector keeps up even on a busy machine.
func limitHeap(bytes int64) (restore func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(bytes)
	return func() { debug.SetMemoryLimit(before) }
}

// relaxGC lets the heap grow to minHeap before a collection, until restore is called. For statistics of small files the
// live heap is tiny; collecting every two megabytes took as long as all the other work. From the first call on,
// largeHeapPercent applies to large heaps, since results can be as large as the statistics they are made from.
func relaxGC() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	tuner.addRelaxed(1)
	return func() { tuner.addRelaxed(-1) }
}

// A heapTuner sets GOGC after each garbage collection.
type heapTuner struct {
	mu         sync.Mutex
	relaxed    int  // calls of relaxGC without restore
	registered bool // afterCollection will be called after the next garbage collection
}

var tuner heapTuner

func (w *heapTuner) addRelaxed(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.relaxed += n
	w.setPercent()
}

func (w *heapTuner) afterCollection(struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.registered = false
	w.setPercent()
}

func (w *heapTuner) setPercent() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentFor(int64(live[0].Value.Uint64()), w.relaxed > 0))
	if !w.registered {
		w.registered = true
		runtime.AddCleanup(new([16]byte), w.afterCollection, struct{}{})
	}
}

// percentFor returns GOGC for a live heap of some bytes: less for a large heap; if relaxed, enough for the heap to reach
// minHeap.
func percentFor(alive int64, relaxed bool) int {
	const least = 4 << 20 // the runtime's minimum heap at GOGC=100
	if alive > largeHeap {
		return largeHeapPercent
	}
	if !relaxed {
		return gcPercent
	}
	alive = max(alive, 1)
	return int(min(max(gcPercent, (minHeap-alive)*100/alive), minHeap*100/least))
}
