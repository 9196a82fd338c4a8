package command

import "testing"

// Little that is alive lets garbage gather up to gcLeast, and much of it no more than
// gcPercent, or far less where it is very much. How often the runtime then collects depends on how busy the machine is, and is no
// matter of a test.
func TestPercentFor(t *testing.T) {
	for alive, want := range map[int64]int{
		0: 800, 1: 800, 1 << 20: 800, 4 << 20: 700, 16 << 20: 100, 24 << 20: gcPercent, gcMuch: gcPercent, 1 << 30: gcMuchPart,
	} {
		if got := percentFor(alive, true); got != want {
			t.Errorf("with %d bytes alive, %d percent, want %d", alive, got, want)
		}
	}
}
