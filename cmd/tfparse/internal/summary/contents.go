package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/tensor"
)

// Contents counts the formats of the byte strings of a feature. A nil Contents has none.
type Contents map[sniff.Format]formatSummary

// formatSummary sums up the byte strings of one format.
type formatSummary struct {
	values int    // number of byte strings
	length Spread // sizes in bytes

	cut                             int    // number of images that are truncated or that decode_image refuses, except for their size
	tooLarge                        int    // number of images that decode_image refuses for their size
	width, height, channels, frames Spread // of the images, as far as their headers have them

	dtype string  // of all TensorProtos; "": they have several
	shape []int64 // of all TensorProtos, -1 for a dimension that varies; nil with dtype "" or several ranks: unknown
	ranks bool    // the TensorProtos have several ranks

	numbers sniff.Numbers // of bytes of unknown format: which numbers they may be
	fits    []sizeFit     // of bytes of unknown format: features that may hold the shape of all

	inside *Table // the features in Examples; else nil
}

// add adds a byte string of a feature. sizes may hold its shape.
func (c *Contents) add(v []byte, name string, sizes []sizeFeature) {
	if *c == nil {
		*c = Contents{}
	}
	content := sniff.Detect(v)
	sum := formatSummary{values: 1}
	sum.length.Add(int64(len(v)))
	sum.dtype, sum.shape = content.Tensor.DType, content.Tensor.Shape
	if content.Format == sniff.Example {
		sum.inside = NewTable(example.TypeExample)
		_ = sum.inside.Add(v) // sniff has checked that v decodes
	}
	if content.Format == sniff.Raw {
		sum.numbers.Add(v)
		sum.fits = fitSizes(name, len(v), sizes)
	}
	if im := content.Image; im.Format != sniff.Raw {
		switch {
		case im.TooLarge:
			sum.tooLarge++
		case !im.Whole:
			sum.cut++
		}
		if im.Height > 0 {
			sum.width.Add(int64(im.Width))
			sum.height.Add(int64(im.Height))
			sum.channels.Add(int64(im.Channels))
			sum.frames.Add(int64(im.Frames))
		}
	}
	c.merge(Contents{content.Format: sum})
}

// merge adds the byte strings of o.
func (c *Contents) merge(o Contents) {
	if *c == nil && o != nil {
		*c = Contents{}
	}
	for format, add := range o {
		sum, ok := (*c)[format]
		if !ok {
			(*c)[format] = add
			continue
		}
		sum.values += add.values
		sum.length.Merge(add.length)
		sum.cut += add.cut
		sum.tooLarge += add.tooLarge
		sum.width.Merge(add.width)
		sum.height.Merge(add.height)
		sum.channels.Merge(add.channels)
		sum.frames.Merge(add.frames)
		sum.numbers.Merge(&add.numbers)
		sum.fits = commonFits(sum.fits, add.fits)
		if sum.dtype != add.dtype {
			sum.dtype = ""
		}
		if sum.ranks = sum.ranks || add.ranks || len(sum.shape) != len(add.shape); sum.ranks {
			sum.shape = nil
		}
		for i, n := range sum.shape {
			if n != add.shape[i] {
				sum.shape = slices.Clone(sum.shape)
				sum.shape[i] = -1
			}
		}
		if sum.inside != nil {
			sum.inside.Merge(add.inside)
		}
		(*c)[format] = sum
	}
}

// Tensors returns how the byte strings decode if all are TensorProtos of one dtype and rank. A dimension that varies is -1.
func (c Contents) Tensors() (d feature.DecodeTensor, ok bool) {
	sum := c[sniff.TensorProto]
	if len(c) != 1 || sum.dtype == "" || sum.ranks {
		return d, false
	}
	d.Shape = append(tensor.Shape{}, sum.shape...)
	return d, d.DType.UnmarshalText([]byte(sum.dtype)) == nil
}

// Images returns the format, "jpeg" or "png", and the number of channels of the byte strings, if they are images of one format.
func (c Contents) Images() (format string, channels int, ok bool) {
	for f, name := range map[sniff.Format]string{sniff.JPEG: "jpeg", sniff.PNG: "png"} {
		sum, found := c[f]
		if found && len(c) == 1 && sum.channels.N > 0 && sum.channels.Min == sum.channels.Max {
			return name, int(sum.channels.Min), true
		}
	}
	return "", 0, false
}

// HasImages reports whether a byte string is an image of known size.
func (c Contents) HasImages() bool {
	for _, sum := range c {
		if sum.width.N > 0 {
			return true
		}
	}
	return false
}

// Inside returns the features of Examples among the byte strings.
func (c Contents) Inside() []Feature {
	if t := c[sniff.Example].inside; t != nil {
		return t.Features()
	}
	return nil
}

// RawLength returns the size of the byte strings in bytes if they are of unknown format and have one size.
func (c Contents) RawLength() (n int64, ok bool) {
	sum := c[sniff.Raw]
	return sum.length.Min, len(c) == 1 && sum.values > 1 && sum.length.Min == sum.length.Max
}

// String returns the formats, with the size or range of sizes of images and the dtype and shape of tensors, such as
// "JPEG 64x48x3 to 640x480x3|TensorProto float32 [-1,3]" or "raw, perhaps uint8 [height,width,3]". It leaves out empty strings if there are others. It returns "" without
// byte strings.
func (c Contents) String() string {
	var texts []string
	for _, format := range slices.Sorted(maps.Keys(c)) {
		sum := c[format]
		if format == sniff.Empty && len(c) > 1 {
			continue
		}
		text := format.String()
		switch format {
		case sniff.TensorProto:
			if sum.dtype != "" {
				text += " " + sum.dtype
			}
			if sum.ranks {
				text += " of several ranks"
			} else {
				text += " " + sniff.ShapeText(sum.shape)
			}
		case sniff.Raw:
			if n, ok := c.RawLength(); ok {
				text += fmt.Sprintf(", all %d bytes long", n)
			}
			if d := c.raw(); d != nil {
				text += ", perhaps " + rawText(d)
			}
		}
		if w, h, d := sum.width, sum.height, sum.channels; w.N > 0 {
			text += fmt.Sprintf(" %dx%dx%d", w.Min, h.Min, d.Min)
			if w.Min < w.Max || h.Min < h.Max || d.Min < d.Max {
				text += fmt.Sprintf(" to %dx%dx%d", w.Max, h.Max, d.Max)
			}
		}
		if f := sum.frames; f.Max > 1 {
			text += fmt.Sprintf(" %d", f.Min)
			if f.Min < f.Max {
				text += fmt.Sprintf(" to %d", f.Max)
			}
			text += " frames"
		}
		switch {
		case sum.cut == sum.values: // never without images, since values is positive
			text += " (cut)"
		case sum.cut > 0:
			text += " (some cut)"
		}
		switch {
		case sum.tooLarge == sum.values:
			text += " (too large)"
		case sum.tooLarge > 0:
			text += " (some too large)"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "|")
}

// MaxValues is the number of byte strings per feature and message that are inspected.
const MaxValues = 4

// addFeature adds the first byte strings of the Feature b[i:]. sizes may hold their shape.
func (c *Contents) addFeature(b []byte, i int, name string, sizes []sizeFeature) {
	if i == len(b) || b[i] != canonical.BytesTag {
		return
	}
	i, ok := canonical.List(b, i)
	for n := 0; ok && i < len(b) && n < MaxValues; n++ {
		var lo int
		if lo, i, ok = canonical.Message(b, i, canonical.Tag1); ok {
			c.add(b[lo:i], name, sizes)
		}
	}
}

// addList adds byte strings of the first steps of the FeatureList b[i:]. sizes may hold their shape.
func (c *Contents) addList(b []byte, i int, name string, sizes []sizeFeature) {
	for n := 0; i < len(b) && n < MaxValues; n++ {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok {
			return
		}
		c.addFeature(b[:hi], lo, name, sizes)
		i = hi
	}
}
