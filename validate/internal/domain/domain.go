// Package domain detects the semantic domain of the values of a feature, such as images, text or times, and checks
// values against a given domain.
package domain

import (
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A domain is reported if the feature has at least minValues values, and at least minShare of the values match it.
const (
	minValues = 100
	minShare  = 0.8
)

// A Stat is a custom statistic: a text, a number, or labels with counts.
type Stat struct {
	Name   string
	Text   string         // "": the statistic is Labels or Number
	Number float64        // used if Text and Labels are not set
	Labels []sketch.Label // nil: the statistic is Text or Number
}

// A Detector detects the semantic domain of one feature from its values. The zero value is ready to use.
type Detector struct {
	images imageCounts
	text   textCounts
	time   timeCounts
}

// AddBytes adds a value.
func (d *Detector) AddBytes(v []byte) {
	d.images.formats[decodableFormat(v)]++
	valid := utf8.Valid(v)
	d.text.addText(v, valid)
	if !valid {
		d.time.invalid = true
	} else if !d.time.invalid {
		d.time.addText(v)
	}
}

// AddInt adds a value.
func (d *Detector) AddInt(v int64) {
	d.images.invalid, d.text.invalid = true, true
	d.time.addInt(v)
}

// AddFloat adds a value. No domain has floats, so its value does not matter.
func (d *Detector) AddFloat() {
	d.images.invalid, d.text.invalid, d.time.invalid = true, true, true
}

// Merge adds the counts of o.
func (d *Detector) Merge(o *Detector) {
	d.images.mergeImages(&o.images)
	d.text.mergeText(&o.text)
	d.time.mergeTimes(&o.time)
}

// Stats returns the detected domain as custom statistics, with the names that TensorFlow Data Validation uses.
func (d *Detector) Stats() []Stat {
	out := d.images.stats()
	out = append(out, d.text.stats()...)
	return append(out, d.time.stats()...)
}

// AppendState appends the encoding of d.
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

// Read decodes a Detector.
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

// imageCounts counts values by image format.
type imageCounts struct {
	invalid bool   // a value is not bytes: never report a domain
	formats Counts // the last element counts values that are not images
}

func (c *imageCounts) mergeImages(o *imageCounts) {
	c.invalid = c.invalid || o.invalid
	c.formats.Merge(&o.formats)
}

func (c *imageCounts) stats() []Stat {
	var total uint64
	for _, n := range c.formats {
		total += n
	}
	others := c.formats[len(imageFormats)]
	if c.invalid || total < minValues || 1-float64(others)/float64(total) < minShare {
		return nil
	}
	return []Stat{{Name: "domain_info", Text: "image_domain {}"}, c.formats.Stat(&Check{images: true})}
}

// imageFormats are the image formats that TensorFlow Data Validation distinguishes, with the names that it uses.
var imageFormats = [...]struct {
	name   string
	format sniff.Format
}{{"bmp", sniff.BMP}, {"gif", sniff.GIF}, {"jpeg", sniff.JPEG}, {"png", sniff.PNG}}

// unknownImage is the index in Counts of values that are not images.
const unknownImage = len(imageFormats)

// imageFormat returns the index in imageFormats of the format of v, by its first bytes, or unknownImage.
func imageFormat(v []byte) int {
	format := sniff.ImageFormat(v)
	for i, f := range imageFormats {
		if f.format == format {
			return i
		}
	}
	return unknownImage
}

// decodableFormat is imageFormat for complete images only: it returns unknownImage if the image is truncated or
// TensorFlow refuses its header.
func decodableFormat(v []byte) int {
	i := imageFormat(v)
	if i == unknownImage {
		return i
	}
	if im, ok := sniff.DetectImage(v); !ok || !im.Whole {
		return unknownImage
	}
	return i
}

// textCounts counts values that look like natural language: at least three words of usual length.
type textCounts struct {
	invalid             bool   // a value is not UTF-8 text: never report a domain
	considered, matched uint64 // number of values, and number of values that look like natural language
}

const maxTextBytes = 100 // bytes of a value that are examined

func (c *textCounts) addText(v []byte, valid bool) {
	if !valid {
		c.invalid = true
	}
	if c.invalid {
		return
	}
	c.considered++
	if len(v) > maxTextBytes {
		v = v[:maxTextBytes]
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

func (c *textCounts) mergeText(o *textCounts) {
	c.invalid = c.invalid || o.invalid
	c.considered += o.considered
	c.matched += o.matched
}

func (c *textCounts) stats() []Stat {
	if c.invalid || c.considered < minValues {
		return nil
	}
	rate := float64(c.matched) / float64(c.considered)
	if rate < minShare {
		return nil
	}
	return []Stat{{Name: "domain_info", Text: "natural_language_domain {}"}, {Name: "natural_language_match_rate", Number: rate}}
}

// timeCounts counts values by the formats and units of time that they match.
type timeCounts struct {
	invalid    bool                   // a value is neither UTF-8 text nor an integer: never report a domain
	considered uint64                 // number of values
	matches    []uint64               // number of matches of each format, by index in formats(); nil before the first match
	units      [len(timeUnits)]uint64 // number of matches of each unit, by index in timeUnits
}

// timeUnits are the units of integer times since 1970, each with the range from 1990 to 2030.
var timeUnits = [...]struct {
	number   int   // value of the enum IntegerTimeFormat
	from, to int64 // integers that match; to is excluded
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
		return // all formats are longer
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

func (c *timeCounts) mergeTimes(o *timeCounts) {
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
	if c.invalid || c.considered < minValues {
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
	if rate < minShare {
		return nil
	}
	return []Stat{{Name: "domain_info", Text: info}, {Name: "time_match_ratio", Number: rate}}
}
