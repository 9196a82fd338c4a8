package domain

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A format is a compiled format of times, with the directives of strptime.
type format struct {
	text     string // the source
	parts    []part
	foldCase bool // ignore the case of letters
}

// A part is a literal text or a directive of a format.
type part struct {
	text      string // literal, if directive is 0
	directive byte   // the letter after %
}

// newFormat compiles a format. The error names an unknown directive.
func newFormat(text string) (format, error) {
	f := format{text: text}
	rest := strings.NewReplacer("%F", "%Y-%m-%d", "%T", "%H:%M:%S", "%e", "%d").Replace(text)
	for rest != "" {
		at := strings.IndexByte(rest, '%')
		switch {
		case at < 0:
			at = len(rest)
			fallthrough
		case at > 0:
			f.parts = append(f.parts, part{text: rest[:at]})
			rest = rest[at:]
		case len(rest) > 1 && rest[1] == '%':
			f.parts = append(f.parts, part{text: "%"})
			rest = rest[2:]
		default:
			directive := rest[1:min(2, len(rest))]
			if directive == "" || !isDirective(directive[0]) {
				return format{}, fmt.Errorf("unknown directive %%%s", directive)
			}
			f.parts = append(f.parts, part{directive: directive[0]})
			rest = rest[2:]
		}
	}
	return f, nil
}

// isDirective reports whether a directive is supported.
func isDirective(directive byte) bool {
	_, number := directiveNumbers[directive]
	return number || directiveNames[directive] != nil || directive == 'z' || directive == 'Z'
}

// The formats of dates and times that TensorFlow Data Validation detects.
var dateFormats = []string{
	"%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%y-%m-%d", "%y/%m/%d",
	"%m-%d-%Y", "%m/%d/%Y", "%m%d%Y", "%m-%d-%y", "%m/%d/%y",
	"%d-%m-%Y", "%d/%m/%Y", "%d%m%Y", "%d-%B-%Y", "%d-%m-%y", "%d/%m/%y", "%d-%B-%y",
}

var timeFormats = []string{"%H:%M", "%H:%M:%S", "%H:%M:%S.%f"}

// formats returns the formats of dates, of times, and of dates with times. If several formats match equally often, the first
// of them is reported.
var formats = sync.OnceValue(func() []format {
	texts := slices.Concat(dateFormats, timeFormats, []string{"%a %b %d %H:%M:%S %Y"})
	for _, d := range dateFormats {
		for _, t := range timeFormats {
			texts = append(texts, d+"T"+t, d+" "+t)
		}
	}
	out := make([]format, len(texts))
	for i, text := range texts {
		out[i], _ = newFormat(text) // all directives are known
	}
	return out
})

// maxTextLength is the maximum length of a text that match accepts: a uint64 has one bit for each position.
const maxTextLength = 63

// match reports whether all of v matches the format.
func (f format) match(v []byte) bool {
	if len(v) > maxTextLength {
		return false
	}
	text, ends := string(v), uint64(1) // bit i: the parts so far can match v[:i]
	for _, p := range f.parts {
		next := uint64(0)
		for from := ends; from != 0; from &= from - 1 {
			i := bits.TrailingZeros64(from)
			next |= p.lengths(text[i:], f.foldCase) << i
		}
		if ends = next; ends == 0 {
			return false
		}
	}
	return ends>>len(text)&1 == 1
}

// lengths returns the lengths that a part can match at the beginning of v: bit n for length n.
func (p part) lengths(v string, fold bool) (out uint64) {
	texts := directiveNames[p.directive]
	if p.directive == 0 {
		texts = []string{p.text}
	}
	for _, text := range texts {
		if strings.HasPrefix(v, text) || fold && len(v) >= len(text) && strings.EqualFold(v[:len(text)], text) {
			out |= 1 << len(text)
		}
	}
	if r, ok := directiveNumbers[p.directive]; ok {
		for n := r.least; n <= min(r.most, len(v)); n++ {
			if r.accepts(v[:n]) {
				out |= 1 << n
			}
		}
	}
	switch p.directive {
	case 'z': // Z or +hhmm, with optional colons and seconds
		if n := len(utcOffset.FindString(v)); n > 0 {
			out |= 1 << n
		}
	case 'Z':
		for n := 1; n <= len(v) && (v[n-1]|0x20 >= 'a' && v[n-1]|0x20 <= 'z'); n++ {
			out |= 1 << n
		}
	}
	return out
}

// utcOffset matches a UTC offset.
var utcOffset = regexp.MustCompile(`^(Z|[+-]\d\d:?[0-5]\d(:?[0-5]\d(\.\d{1,6})?)?)`)

// directiveNames lists the texts of the directives that match names.
var directiveNames = map[byte][]string{
	'A': {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
	'p': {"AM", "PM", "am", "pm"},
	'a': {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
	'b': {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	'B': {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
}

// A digitRule is the rule of a directive that matches a number.
type digitRule struct {
	least, most int  // number of digits
	min, max    int  // value
	space       bool // a space may replace a leading zero
}

// directiveNumbers has the rules of the directives that match numbers.
var directiveNumbers = map[byte]digitRule{
	'f': {least: 1, most: 6, max: 999999},
	'd': {least: 1, most: 2, min: 1, max: 31, space: true},
	'I': {least: 1, most: 2, min: 1, max: 12},
	'j': {least: 1, most: 3, min: 1, max: 366},
	'H': {least: 1, most: 2, max: 23},
	'y': {least: 2, most: 2, max: 99},
	'Y': {least: 4, most: 4, max: 9999},
	'm': {least: 1, most: 2, min: 1, max: 12},
	'M': {least: 1, most: 2, max: 59},
	'S': {least: 1, most: 2, max: 60},
}

// accepts reports whether v, which has a valid length, is a number in range.
func (d digitRule) accepts(v string) bool {
	if d.space && len(v) > 1 && v[0] == ' ' {
		v = v[1:]
	}
	n := 0
	for _, c := range []byte(v) {
		if c < '0' || c > '9' {
			return false
		}
		n = 10*n + int(c-'0')
	}
	return n >= d.min && n <= d.max
}
