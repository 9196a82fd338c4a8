// Package domain finds out what the values of a feature mean: images, text, or
// moments in time.
package domain

import (
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// The least number of values, and the part of them, that must look like a domain.
const (
	enough = 100
	ratio  = 0.8
)

// A Stat is one finding: text, a number, or labels with counts.
type Stat struct {
	Name   string
	Text   string
	Number float64
	Labels []sketch.Label
}

// A Detector looks at the values of one feature. The zero value has seen none.
type Detector struct {
	images imageCounts
	text   textCounts
	time   timeCounts
}

// AddBytes looks at a value.
func (d *Detector) AddBytes(v []byte) {
	d.images.formats[decodable(v)]++
	valid := utf8.Valid(v)
	d.text.add(v, valid)
	if !valid {
		d.time.invalid = true
	} else if !d.time.invalid {
		d.time.addText(v)
	}
}

// AddInt looks at a value.
func (d *Detector) AddInt(v int64) {
	d.images.invalid, d.text.invalid = true, true
	d.time.addInt(v)
}

// AddFloat looks at a value.
func (d *Detector) AddFloat() {
	d.images.invalid, d.text.invalid, d.time.invalid = true, true, true
}

// Merge adds what o has seen.
func (d *Detector) Merge(o *Detector) {
	d.images.merge(&o.images)
	d.text.merge(&o.text)
	d.time.merge(&o.time)
}

// Stats returns the findings, under the names that TensorFlow Data Validation
// gives them.
func (d *Detector) Stats() []Stat {
	out := d.images.stats()
	out = append(out, d.text.stats()...)
	return append(out, d.time.stats()...)
}

// AppendState appends all that d holds.
func (d *Detector) AppendState(b []byte) []byte {
	b = sketch.AppendBool(b, d.images.invalid)
	b = d.images.formats.AppendState(b)
	b = sketch.AppendBool(b, d.text.invalid)
	b = sketch.AppendUint(b, d.text.considered)
	b = sketch.AppendUint(b, d.text.matched)
	b = sketch.AppendBool(b, d.time.invalid)
	b = sketch.AppendUint(b, d.time.considered)
	b = sketch.AppendUint(b, uint64(len(d.time.matches)))
	for _, n := range d.time.matches {
		b = sketch.AppendUint(b, n)
	}
	for _, n := range d.time.units {
		b = sketch.AppendUint(b, n)
	}
	return b
}

// Read reads a Detector.
func Read(in *sketch.Decoder) *Detector {
	d := &Detector{}
	d.images.invalid = in.Bool()
	d.images.formats = *ReadCounts(in)
	d.text.invalid = in.Bool()
	d.text.considered = in.Uint()
	d.text.matched = in.Uint()
	d.time.invalid = in.Bool()
	d.time.considered = in.Uint()
	if n := in.Count(1); n == len(formats()) {
		d.time.matches = make([]uint64, n)
		for i := range d.time.matches {
			d.time.matches[i] = in.Uint()
		}
	} else if n != 0 {
		in.Fail()
	}
	for i := range d.time.units {
		d.time.units[i] = in.Uint()
	}
	return d
}

// imageCounts counts formats of images; the last is for all other values.
type imageCounts struct {
	invalid bool
	formats Counts
}

func (c *imageCounts) merge(o *imageCounts) {
	c.invalid = c.invalid || o.invalid
	c.formats.Merge(&o.formats)
}

func (c *imageCounts) stats() []Stat {
	var total uint64
	for _, n := range c.formats {
		total += n
	}
	others := c.formats[len(imageFormats)]
	if c.invalid || total < enough || 1-float64(others)/float64(total) < ratio {
		return nil
	}
	return []Stat{{Name: "domain_info", Text: "image_domain {}"}, c.formats.Stat(&Check{images: true})}
}

// imageFormats are the formats of images that TensorFlow Data Validation tells apart, by their first bytes. Its name for one is
// that of the format in lower case.
var imageFormats = [...]struct {
	name   string
	format sniff.Format
}{{"bmp", sniff.BMP}, {"gif", sniff.GIF}, {"jpeg", sniff.JPEG}, {"png", sniff.PNG}}

// unknownImage is the index of the values that are not images.
const unknownImage = len(imageFormats)

// imageFormat returns the index of the format that the first bytes of a value announce.
func imageFormat(v []byte) int {
	format := sniff.ImageFormat(v)
	for i, f := range imageFormats {
		if f.format == format {
			return i
		}
	}
	return unknownImage
}

// decodable is imageFormat, and unknownImage for an image that is cut off or has a header that TensorFlow refuses.
func decodable(v []byte) int {
	i := imageFormat(v)
	if i == unknownImage {
		return i
	}
	if im, ok := sniff.DetectImage(v); !ok || !im.Whole {
		return unknownImage
	}
	return i
}

// textCounts counts values that are at least three words of ordinary length.
type textCounts struct {
	invalid             bool
	considered, matched uint64
}

const textLength = 100 // of a value that is looked at

func (c *textCounts) add(v []byte, valid bool) {
	if !valid {
		c.invalid = true
	}
	if c.invalid {
		return
	}
	c.considered++
	if len(v) > textLength {
		v = v[:textLength]
	}
	words, letters, in := 0, 0, false
	for _, b := range v {
		if b == ' ' || '\t' <= b && b <= '\r' {
			in = false
			continue
		}
		if !in {
			in = true
			words++
		}
		letters++
	}
	if words >= 3 {
		if mean := float64(letters) / float64(words); mean >= 2.5 && mean <= 8 {
			c.matched++
		}
	}
}

func (c *textCounts) merge(o *textCounts) {
	c.invalid = c.invalid || o.invalid
	c.considered += o.considered
	c.matched += o.matched
}

func (c *textCounts) stats() []Stat {
	if c.invalid || c.considered < enough {
		return nil
	}
	rate := float64(c.matched) / float64(c.considered)
	if rate < ratio {
		return nil
	}
	return []Stat{{Name: "domain_info", Text: "natural_language_domain {}"}, {Name: "natural_language_match_rate", Number: rate}}
}

// timeCounts counts values by the formats and units that they fit.
type timeCounts struct {
	invalid    bool
	considered uint64
	matches    []uint64 // by format; nil before the first text
	units      [len(timeUnits)]uint64
}

// timeUnits are the units of time since 1970, by the names of the schema, and
// what is from 1990 to 2030 in them.
var timeUnits = [...]struct {
	number   int // of IntegerTimeFormat
	from, to int64
}{
	{5, 7305, 21915}, // days
	{1, 631152000, 1893456000},
	{2, 631152000 * 1e3, 1893456000 * 1e3},
	{3, 631152000 * 1e6, 1893456000 * 1e6},
	{4, 631152000 * 1e9, 1893456000 * 1e9},
}

func (c *timeCounts) addInt(v int64) {
	c.considered++
	for i, u := range timeUnits {
		if u.from <= v && v < u.to {
			c.units[i]++
		}
	}
}

func (c *timeCounts) addText(v []byte) {
	c.considered++
	if len(v) < 4 {
		return // shorter than any of the formats
	}
	for i, f := range formats() {
		if f.match(v) {
			if c.matches == nil {
				c.matches = make([]uint64, len(formats()))
			}
			c.matches[i]++
		}
	}
}

func (c *timeCounts) merge(o *timeCounts) {
	c.invalid = c.invalid || o.invalid
	c.considered += o.considered
	if c.matches == nil && o.matches != nil {
		c.matches = make([]uint64, len(o.matches))
	}
	for i, n := range o.matches {
		c.matches[i] += n
	}
	for i, n := range o.units {
		c.units[i] += n
	}
}

func (c *timeCounts) stats() []Stat {
	if c.invalid || c.considered < enough {
		return nil
	}
	best, info := uint64(0), ""
	for i, n := range c.matches {
		if n > best {
			best, info = n, "time_domain {string_format: '"+formats()[i].text+"'}"
		}
	}
	for i, n := range c.units {
		if n > best {
			best, info = n, "time_domain {integer_format: "+strconv.Itoa(timeUnits[i].number)+"}"
		}
	}
	rate := float64(best) / float64(c.considered)
	if rate < ratio {
		return nil
	}
	return []Stat{{Name: "domain_info", Text: info}, {Name: "time_match_ratio", Number: rate}}
}
