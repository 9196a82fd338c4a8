package jsonscan

import (
	"encoding/binary"
	"slices"
)

// These read a whole list of values of one kind in one pass, which is what most
// lists are. Of any other list they read nothing: the caller reads it value by
// value, and finds what is wrong with it.

// Int64List appends the integers of the list at the cursor. ok is false, and
// nothing was read, if there is anything else in it.
func (c *Cursor) Int64List(dst []int64) (v []int64, ok bool) {
	line, i := c.Line, c.Pos
	if i >= len(line) || line[i] != '[' {
		return dst, false
	}
	v = dst
	for i = SkipSpace(line, i+1); i < len(line); i = SkipSpace(line, i+1) {
		negative := line[i] == '-'
		if negative {
			i++
		}
		start := i
		m, n := uint64(0), 0
		if len(line)-i >= 8 {
			m, n = eightDigits(binary.LittleEndian.Uint64(line[i:]))
		}
		if i += n; n%8 == 0 { // none, or perhaps more
			m, i = scanDigits(line, i, m)
		}
		switch n := i - start; {
		case n == 0 && !negative && len(v) == len(dst) && i < len(line) && line[i] == ']':
			c.Pos = SkipSpace(line, i+1)
			return v, true
		case n == 0, n > 18 && !fitsInt64(line[start:i], m), (n > 1 || negative) && line[start] == '0':
			return dst, false
		}
		if negative {
			m = -m
		}
		if len(v) == cap(v) {
			v = growList(v, i-c.Pos, len(line)-i)
		}
		v = append(v, int64(m))
		if i < len(line) && line[i] <= ' ' {
			i = SkipSpace(line, i)
		}
		if i < len(line) && line[i] == ',' {
			continue
		}
		if i < len(line) && line[i] == ']' {
			c.Pos = SkipSpace(line, i+1)
			return v, true
		}
		break
	}
	return dst, false
}

// growList makes room in a list for the numbers that follow, as many as the rest
// of the line would hold if they were as long as those so far. append alone leaves
// five times the list behind as garbage, which showed in the memory of records of
// a million integers. The list becomes at most four times as long.
func growList[T any](v []T, used, left int) []T {
	const short = 1024
	if len(v) < short {
		return v
	}
	rest := int64(left)*int64(len(v))/int64(used) + 1
	return slices.Grow(v, int(min(rest, 3*int64(len(v)))))
}

// fitsInt64 reports whether m, which was read from more than 18 digits, is an
// int64. The one that is only an int64 with its sign is left to strconv.
func fitsInt64(digits []byte, m uint64) bool {
	return len(digits) == 19 && m < 1<<63 // 19 digits are less than 2^64
}

// Float32List appends the numbers of the list at the cursor, each rounded to the
// nearest float32. integers reports that none has a point or an exponent. ok is
// false, and nothing was read, if there is anything else in the list.
func (c *Cursor) Float32List(dst []float32) (v []float32, integers, ok bool) {
	line, i := c.Line, c.Pos
	if i >= len(line) || line[i] != '[' {
		return dst, false, false
	}
	v, integers = dst, true
	i = SkipSpace(line, i+1)
	if i < len(line) && line[i] == ']' {
		c.Pos = SkipSpace(line, i+1)
		return v, true, true
	}
	for ; i < len(line); i = SkipSpace(line, i+1) {
		d, ok := ScanNumber(line, i)
		if !ok {
			break
		}
		f, ok := d.float32()
		if !ok {
			var err error
			if f, err = ParseFloat32(line[i:d.End]); err != nil {
				break
			}
		}
		integers = integers && d.Integer
		if len(v) == cap(v) {
			v = growList(v, i-c.Pos, len(line)-i)
		}
		v = append(v, f)
		i = d.End
		if i < len(line) && line[i] <= ' ' {
			i = SkipSpace(line, i)
		}
		if i < len(line) && line[i] == ',' {
			continue
		}
		if i < len(line) && line[i] == ']' {
			c.Pos = SkipSpace(line, i+1)
			return v, integers, true
		}
		break
	}
	return dst, false, false
}

// SkipSpace returns where, from line[i] on, white space ends.
func SkipSpace(line []byte, i int) int {
	for i < len(line) {
		switch line[i] {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
	return i
}

// EmptyList steps over the list at the cursor, if there is nothing in it.
func (c *Cursor) EmptyList() bool {
	i := SkipSpace(c.Line, c.Pos+1)
	if i == len(c.Line) || c.Line[i] != ']' {
		return false
	}
	c.Pos = SkipSpace(c.Line, i+1)
	return true
}
