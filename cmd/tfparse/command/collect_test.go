package command

import "testing"

// A small live heap may grow to minHeap, a larger one by gcPercent, a very large one by largeHeapPercent. How often the
// runtime collects depends on the machine, so that is not tested.
func TestPercentFor(t *testing.T) {
	for alive, want := range map[int64]int{
		0: 800, 1: 800, 1 << 20: 800, 4 << 20: 700, 16 << 20: 100, 24 << 20: gcPercent, largeHeap: gcPercent, 1 << 30: largeHeapPercent,
	} {
		if got := percentFor(alive, true); got != want {
			t.Errorf("with %d bytes alive, %d percent, want %d", alive, got, want)
		}
	}
}
