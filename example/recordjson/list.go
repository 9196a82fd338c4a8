package recordjson

import (
	"encoding/binary"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// These read a whole list of values of one kind in one pass, which is what most
// lists are. Of any other list they read nothing: the caller reads it value by
// value, and finds what is wrong with it.

// Int64List appends the integers of the list at the cursor. ok is false, and
// nothing was read, if there is anything else in it.
func (c *Cursor) Int64List(dst []int64) (v []int64, ok bool) {
	line, i := c.line, c.pos
	if i >= len(line) || line[i] != '[' {
		return dst, false
	}
	v = dst
	for i = skipSpace(line, i+1); i < len(line); i = skipSpace(line, i+1) {
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
			c.pos = skipSpace(line, i+1)
			return v, true
		case n == 0, n > 18 && !fitsInt64(line[start:i], m), (n > 1 || negative) && line[start] == '0':
			return dst, false
		}
		if negative {
			m = -m
		}
		if len(v) == cap(v) {
			v = growList(v, i-c.pos, len(line)-i)
		}
		v = append(v, int64(m))
		if i < len(line) && line[i] <= ' ' {
			i = skipSpace(line, i)
		}
		if i < len(line) && line[i] == ',' {
			continue
		}
		if i < len(line) && line[i] == ']' {
			c.pos = skipSpace(line, i+1)
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
	line, i := c.line, c.pos
	if i >= len(line) || line[i] != '[' {
		return dst, false, false
	}
	v, integers = dst, true
	i = skipSpace(line, i+1)
	if i < len(line) && line[i] == ']' {
		c.pos = skipSpace(line, i+1)
		return v, true, true
	}
	for ; i < len(line); i = skipSpace(line, i+1) {
		d, ok := scanNumber(line, i)
		if !ok {
			break
		}
		f, ok := d.float32()
		if !ok {
			var err error
			if f, err = parseFloat32(line[i:d.end]); err != nil {
				break
			}
		}
		integers = integers && d.integer
		if len(v) == cap(v) {
			v = growList(v, i-c.pos, len(line)-i)
		}
		v = append(v, f)
		i = d.end
		if i < len(line) && line[i] <= ' ' {
			i = skipSpace(line, i)
		}
		if i < len(line) && line[i] == ',' {
			continue
		}
		if i < len(line) && line[i] == ']' {
			c.pos = skipSpace(line, i+1)
			return v, integers, true
		}
		break
	}
	return dst, false, false
}

// stringList appends the byte strings of the list at the cursor, each as a field
// of a BytesList. special reports that all of them are "NaN", "Infinity" and
// "-Infinity", which may also be floats. ok is false, and nothing was read, if
// there is anything else in the list. text is scratch memory.
func (c *Cursor) stringList(dst []byte, text *[]byte) (fields []byte, special, ok bool) {
	start := *c
	fields, special = dst, true
	if c.Peek() != '[' {
		return dst, false, false
	}
	c.Open()
	for c.More(']') {
		var v []byte
		var err error
		quoted := c.Peek() == '"'
		if quoted {
			v, *text, err = c.text((*text)[:0])
		} else {
			v, *text, err = c.Bytes((*text)[:0])
		}
		if err != nil {
			*c = start
			return dst, false, false
		}
		if special {
			_, special = notFinite(v)
			special = special && quoted
		}
		fields = append(wire.AppendHeader(fields, 1, int64(len(v))), v...)
	}
	if c.bad {
		*c = start
		return dst, false, false
	}
	return fields, special, true
}

// skipSpace returns where, from line[i] on, white space ends.
func skipSpace(line []byte, i int) int {
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
