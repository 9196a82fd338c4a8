package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/sniff"
)

// Contents counts the formats of the byte strings of a feature. A nil Contents has none.
type Contents map[sniff.Format]formatSummary

// formatSummary sums up the byte strings of one format.
type formatSummary struct {
	values        int    // number of byte strings
	cut           int    // number of images that are truncated or that decode_image refuses
	width, height Spread // sizes of the images, as far as their headers have them
}

// add adds a byte string.
func (c *Contents) add(v []byte) {
	if *c == nil {
		*c = Contents{}
	}
	content := sniff.Detect(v)
	sum := (*c)[content.Format]
	sum.values++
	if im := content.Image; im.Format != sniff.Raw {
		if !im.Whole {
			sum.cut++
		}
		if im.Height > 0 {
			sum.width.Add(int64(im.Width))
			sum.height.Add(int64(im.Height))
		}
	}
	(*c)[content.Format] = sum
}

// merge adds the byte strings of o.
func (c *Contents) merge(o Contents) {
	if *c == nil && o != nil {
		*c = Contents{}
	}
	for format, add := range o {
		sum := (*c)[format]
		sum.values += add.values
		sum.cut += add.cut
		sum.width.Merge(add.width)
		sum.height.Merge(add.height)
		(*c)[format] = sum
	}
}

// String returns the formats, with the size or range of sizes of images, such as "JPEG 64x48 to 640x480|PNG 8x8". It
// leaves out empty strings if there are others. It returns "" without byte strings.
func (c Contents) String() string {
	var texts []string
	for _, format := range slices.Sorted(maps.Keys(c)) {
		sum := c[format]
		if format == sniff.Empty && len(c) > 1 {
			continue
		}
		text := format.String()
		if w, h := sum.width, sum.height; w.N > 0 {
			text += fmt.Sprintf(" %dx%d", w.Min, h.Min)
			if w.Min < w.Max || h.Min < h.Max {
				text += fmt.Sprintf(" to %dx%d", w.Max, h.Max)
			}
		}
		switch {
		case sum.cut == sum.values:
			text += " (cut)"
		case sum.cut > 0:
			text += " (some cut)"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "|")
}

// maxValues is the number of byte strings per feature and message that are inspected.
const maxValues = 4

// addFeature adds the first byte strings of the Feature b[i:].
func (c *Contents) addFeature(b []byte, i int) {
	if i == len(b) || b[i] != canonical.BytesTag {
		return
	}
	i, ok := canonical.List(b, i)
	for n := 0; ok && i < len(b) && n < maxValues; n++ {
		var lo int
		if lo, i, ok = canonical.Message(b, i, canonical.Tag1); ok {
			c.add(b[lo:i])
		}
	}
}

// addList adds byte strings of the first steps of the FeatureList b[i:].
func (c *Contents) addList(b []byte, i int) {
	for n := 0; i < len(b) && n < maxValues; n++ {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok {
			return
		}
		c.addFeature(b[:hi], lo)
		i = hi
	}
}
