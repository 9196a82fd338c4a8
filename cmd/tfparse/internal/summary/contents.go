package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/sniff"
)

// Contents say what the byte strings of a feature hold, by those that were looked at. The nil Contents are of none.
type Contents map[sniff.Format]images

// images sum up byte strings of one format, and the sizes of images among them.
type images struct {
	values        int
	cut           int    // images without their end, or that decode_image refuses
	width, height Spread // of images whose header says them
}

// add adds one byte string.
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

// String names the formats, with the size of images or the range of their sizes, as JPEG 64x48 to 640x480|PNG 8x8. Empty strings
// are named if there are no others. It is empty for no byte strings.
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

// valuesPerFeature is how many byte strings of one feature in one message are looked at.
const valuesPerFeature = 4

// addFeature adds the first byte strings of the Feature b[i:], if it has any.
func (c *Contents) addFeature(b []byte, i int) {
	if i == len(b) || b[i] != canonical.BytesTag {
		return
	}
	i, ok := canonical.List(b, i)
	for n := 0; ok && i < len(b) && n < valuesPerFeature; n++ {
		var lo int
		if lo, i, ok = canonical.Message(b, i, canonical.Tag1); ok {
			c.add(b[lo:i])
		}
	}
}

// addList adds byte strings of the first steps of the FeatureList b[i:].
func (c *Contents) addList(b []byte, i int) {
	for n := 0; i < len(b) && n < valuesPerFeature; n++ {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok {
			return
		}
		c.addFeature(b[:hi], lo)
		i = hi
	}
}
