package ragged_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// The text of long strings, such as images, is appended to one slice. When each part was copied
// into the next larger part, it took more than the limit here.
func TestStringMemory(t *testing.T) {
	images := make([]string, 32)
	for i := range images {
		images[i] = string(bytes.Repeat([]byte{0xff, byte(i), 'x', 0}, 16<<10))
	}
	v := ragged.Vector(images...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := v.String()
	runtime.ReadMemStats(&after)
	if took := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(text)); took > 10 {
		t.Errorf("a text of %d bytes took %.1f times its size", len(text), took)
	}
}
