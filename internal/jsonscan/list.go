package jsonscan

import (
	"slices"
)

// These methods read a whole list of values of one kind in one pass, as most lists are. They read nothing of any
// other list: the caller reads it value by value, and finds its error.

// first returns where the first element of the list at the cursor begins. It skips an empty list and returns 0. It
// returns -1 if there is no list.
func (c *Cursor) first() int {
	if c.Peek() != '[' {
		return -1
	}
	i := SkipSpace(c.Line, c.Pos+1)
	if i < len(c.Line) && c.Line[i] == ']' {
		c.Pos = SkipSpace(c.Line, i+1)
		return 0
	}
	return i
}

// next returns where the next element begins, after the element that ends at i. At the end of the list it skips the
// whole list and returns 0. It returns -1 if neither follows.
func (c *Cursor) next(i int) int {
	if i < len(c.Line) && c.Line[i] <= ' ' {
		i = SkipSpace(c.Line, i)
	}
	switch {
	case i == len(c.Line):
		return -1
	case c.Line[i] == ',':
		return SkipSpace(c.Line, i+1)
	case c.Line[i] == ']':
		c.Pos = SkipSpace(c.Line, i+1)
		return 0
	}
	return -1
}

// Int64List appends the integers of the list at the cursor. ok is false, and
// nothing was read, if there is anything else in it.
func (c *Cursor) Int64List(dst []int64) (v []int64, ok bool) {
	line, i := c.Line, c.first()
	v = dst
	for i > 0 {
		negative := i < len(line) && line[i] == '-'
		if negative {
			i++
		}
		start := i
		m, end := digits(line, i)
		if n := end - start; n == 0 || n > 18 && !fitsInt64(line[start:end], m) || (n > 1 || negative) && line[start] == '0' {
			return dst, false
		}
		if negative {
			m = -m
		}
		if len(v) == cap(v) {
			v = growList(v, end-c.Pos, len(line)-end)
		}
		v = append(v, int64(m))
		i = c.next(end)
	}
	if i != 0 {
		return dst, false
	}
	return v, true
}

// growList grows the capacity of v for the numbers that follow: the estimate is left bytes of the line, with
// numbers as long as those in used bytes. append alone leaves garbage of five times the size of the list, which
// showed in the memory of records of a million integers. The capacity becomes at most four times the length.
func growList[T any](v []T, used, left int) []T {
	const short = 1024
	if len(v) < short {
		return v
	}
	rest := int64(left)*int64(len(v))/int64(used) + 1
	return slices.Grow(v, int(min(rest, 3*int64(len(v)))))
}

// fitsInt64 reports whether m, which was read from more than 18 digits, is an
// int64. -2^63, which fits only with its sign, is left to strconv.
func fitsInt64(digits []byte, m uint64) bool {
	return len(digits) == 19 && m < 1<<63 // 19 digits are less than 2^64
}

// Float32List appends the numbers of the list at the cursor, each rounded to the
// nearest float32. integers is true if no number has a point or an exponent. ok is
// false, and nothing was read, if there is anything else in the list.
func (c *Cursor) Float32List(dst []float32) (v []float32, integers, ok bool) {
	line, i := c.Line, c.first()
	v, integers = dst, true
	for i > 0 {
		d, ok := ScanNumber(line, i)
		if !ok {
			return dst, false, false
		}
		f, ok := d.float32()
		if !ok {
			var err error
			if f, err = ParseFloat32(line[i:d.End]); err != nil {
				return dst, false, false
			}
		}
		integers = integers && d.Integer
		if len(v) == cap(v) {
			v = growList(v, i-c.Pos, len(line)-i)
		}
		v = append(v, f)
		i = c.next(d.End)
	}
	if i < 0 {
		return dst, false, false
	}
	return v, integers, true
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

// EmptyList skips the list at the cursor if it is empty, and reports whether it is.
func (c *Cursor) EmptyList() bool { return c.first() == 0 }
