package domain

import (
	"slices"
	"strings"
	"sync"
)

// A format is a way to write a moment, in the directives of strptime.
type format struct {
	text  string
	parts []part
}

// A part is a text that stands as it is, or a directive.
type part struct {
	text      string
	directive byte
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
		out[i].text = text
		for rest := text; rest != ""; {
			at := strings.IndexByte(rest, '%')
			switch {
			case at < 0:
				at = len(rest)
				fallthrough
			case at > 0:
				out[i].parts = append(out[i].parts, part{text: rest[:at]})
				rest = rest[at:]
			default:
				out[i].parts = append(out[i].parts, part{directive: rest[1]})
				rest = rest[2:]
			}
		}
	}
	return out
})

// match reports whether the whole of v is of the format.
func (f format) match(v []byte) bool {
	if len(v) > 64 || len(v) < 4 {
		return false
	}
	return match(f.parts, string(v))
}

func match(parts []part, v string) bool {
	if len(parts) == 0 {
		return v == ""
	}
	p, rest := parts[0], parts[1:]
	if p.directive == 0 {
		v, ok := strings.CutPrefix(v, p.text)
		return ok && match(rest, v)
	}
	for _, name := range names[p.directive] {
		if tail, ok := strings.CutPrefix(v, name); ok && match(rest, tail) {
			return true
		}
	}
	r, ok := numbers[p.directive]
	if !ok {
		return false
	}
	for n := r.most; n >= r.least; n-- {
		if len(v) >= n && r.holds(v[:n]) && match(rest, v[n:]) {
			return true
		}
	}
	return false
}

var names = map[byte][]string{
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
