package scan

import (
	"slices"
	"testing"
)

// TestComponents reads the names of components in the order of tf.nest, from element specs that TensorFlow 2.21 wrote with
// Dataset.save. Cut and flipped specs do not crash.
func TestComponents(t *testing.T) {
	for _, c := range []struct {
		spec string
		want []string
	}{
		{"\xaa\x03\x3b\x0a\x0f\x0a\x04name\x12\x07\x8a\x02\x04\x12\x00\x18\x07\x0a\x16\x0a\x01z\x12\x11\xaa\x03\x0e\x0a\x0c\x0a\x01w\x12\x07\x8a\x02\x04\x12\x00\x18\x01" +
			"\x0a\x10\x0a\x01x\x12\x0b\x8a\x02\x08\x12\x04\x12\x02\x08\x02\x18\x03", []string{"name", "x", "z/w"}},
		{"\xa2\x03\x12\n\x07\x8a\x02\x04\x12\x00\x18\x03\n\x07\x8a\x02\x04\x12\x00\x18\x01", []string{"0", "1"}},
		{"\xb2\x03-\n\x01P\x12\x0c\n\x01b\x12\x07\x8a\x02\x04\x12\x00\x18\x03\x12\x1a\n\x01a\x12\x15\xa2\x03\x12\n\x07\x8a\x02\x04\x12\x00\x18\x03\n\x07\x8a\x02\x04\x12\x00\x18\x03",
			[]string{"b", "a/0", "a/1"}},
	} {
		names, ok := appendComponents(nil, "", []byte(c.spec), 0)
		if !ok || !slices.Equal(names, c.want) {
			t.Errorf("%q: %v, %v", c.spec, names, ok)
		}
		for i := range c.spec {
			appendComponents(nil, "", []byte(c.spec[:i]), 0)
			for bit := range 8 {
				b := []byte(c.spec)
				b[i] ^= 1 << bit
				appendComponents(nil, "", b, 0)
			}
		}
	}
}
