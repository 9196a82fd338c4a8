package domain

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A format is a way to write a moment, in the directives of strptime.
type format struct {
	text  string
	parts []part
	fold  bool // letters match in both cases
}

// A part is a literal text, or a directive.
type part struct {
	text      string
	directive byte
}

// newFormat compiles a format. The error names a directive that it does not know.
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
			if directive == "" || !known(directive[0]) {
				return format{}, fmt.Errorf("unknown directive %%%s", directive)
			}
			f.parts = append(f.parts, part{directive: directive[0]})
			rest = rest[2:]
		}
	}
	return f, nil
}

// known reports whether match has a rule for a directive.
func known(directive byte) bool {
	_, number := numbers[directive]
	return number || names[directive] != nil || directive == 'z' || directive == 'Z'
}

var dates = []string{
	"%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%y-%m-%d", "%y/%m/%d",
	"%m-%d-%Y", "%m/%d/%Y", "%m%d%Y", "%m-%d-%y", "%m/%d/%y",
	"%d-%m-%Y", "%d/%m/%Y", "%d%m%Y", "%d-%B-%Y", "%d-%m-%y", "%d/%m/%y", "%d-%B-%y",
}

var times = []string{"%H:%M", "%H:%M:%S", "%H:%M:%S.%f"}

// formats lists dates, times, and both together; the more usual ones first.
var formats = sync.OnceValue(func() []format {
	texts := slices.Concat(dates, times, []string{"%a %b %d %H:%M:%S %Y"})
	for _, d := range dates {
		for _, t := range times {
			texts = append(texts, d+"T"+t, d+" "+t)
		}
	}
	out := make([]format, len(texts))
	for i, text := range texts {
		out[i], _ = newFormat(text) // all directives are known
	}
	return out
})

// longest is the length of the longest text that match accepts: one bit of a word for each position.
const longest = 63

// match reports whether the whole of v is of the format.
func (f format) match(v []byte) bool {
	if len(v) > longest {
		return false
	}
	text, ends := string(v), uint64(1) // the positions at which the parts so far may end
	for _, p := range f.parts {
		next := uint64(0)
		for from := ends; from != 0; from &= from - 1 {
			i := bits.TrailingZeros64(from)
			next |= p.lengths(text[i:], f.fold) << i
		}
		if ends = next; ends == 0 {
			return false
		}
	}
	return ends>>len(text)&1 == 1
}

// lengths returns the lengths that a part may have at the beginning of v, as bits.
func (p part) lengths(v string, fold bool) (out uint64) {
	texts := names[p.directive]
	if p.directive == 0 {
		texts = []string{p.text}
	}
	for _, text := range texts {
		if strings.HasPrefix(v, text) || fold && len(v) >= len(text) && strings.EqualFold(v[:len(text)], text) {
			out |= 1 << len(text)
		}
	}
	if r, ok := numbers[p.directive]; ok {
		for n := r.least; n <= min(r.most, len(v)); n++ {
			if r.holds(v[:n]) {
				out |= 1 << n
			}
		}
	}
	switch p.directive {
	case 'z': // +hhmm, with colons and seconds if it likes
		if n := len(offset.FindString(v)); n > 0 {
			out |= 1 << n
		}
	case 'Z':
		for n := 1; n <= len(v) && (v[n-1]|0x20 >= 'a' && v[n-1]|0x20 <= 'z'); n++ {
			out |= 1 << n
		}
	}
	return out
}

var offset = regexp.MustCompile(`^(Z|[+-]\d\d:?[0-5]\d(:?[0-5]\d(\.\d{1,6})?)?)`)

var names = map[byte][]string{
	'A': {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
	'p': {"AM", "PM", "am", "pm"},
	'a': {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
	'b': {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	'B': {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
}

// A digits is a number of least to most digits, from min to max.
type digits struct {
	least, most, min, max int
	space                 bool // may stand for a leading zero
}

var numbers = map[byte]digits{
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

func (d digits) holds(v string) bool {
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
