package jsonscan

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A Decimal is a JSON number before rounding: mantissa * 10^exponent.
type Decimal struct {
	End      int    // end of its text in the line
	mantissa uint64 // the digits; wrong if there are more than 19
	digits   int    // at least the number of digits of mantissa
	exponent int    // exponent of 10; the written exponent is limited to ±1e6
	negative bool   // it begins with a minus sign, as -0 does
	Integer  bool   // it has neither point nor exponent
}

// ScanNumber reads the number at line[i]. ok is false if there is no number. NaN, Infinity and -Infinity, which Python's
// json.dumps writes, are numbers here: without them every line of such a file is an error.
func ScanNumber(line []byte, i int) (d Decimal, ok bool) {
	if i < len(line) && line[i] == '-' {
		d.negative = true
		i++
	}
	start := i
	m, i := digits(line, i)
	whole := i - start
	if whole == 0 {
		word := notFiniteAt(line, start)
		d.End, d.digits = start+len(word), 20 // more digits than float32 reads, so that ParseFloat32 does
		return d, word == "Infinity" || word == "NaN" && !d.negative
	}
	if whole > 1 && line[start] == '0' {
		return d, false
	}
	d.digits, d.Integer = whole, true
	if line[start] == '0' {
		d.digits = 0
	}
	if i < len(line) && line[i] == '.' {
		i++
		point := i
		n := 0
		if len(line)-i >= 8 {
			var v uint64
			v, n = eightDigits(binary.LittleEndian.Uint64(line[i:]))
			m = m*uint64Powers[n] + v
		}
		if i += n; n%8 == 0 && (n == 0 || i < len(line) && line[i]-'0' <= 9) {
			m, i = scanDigits(line, i, m)
		}
		if i == point {
			return d, false
		}
		d.digits += i - point
		d.exponent, d.Integer = -(i - point), false
	}
	if i < len(line) && line[i]|0x20 == 'e' {
		i++
		negative := false
		if i < len(line) && (line[i] == '+' || line[i] == '-') {
			negative = line[i] == '-'
			i++
		}
		first, e := i, 0
		for i < len(line) && line[i]-'0' <= 9 {
			e = min(e*10+int(line[i]-'0'), 1e6)
			i++
		}
		if i == first {
			return d, false
		}
		if negative {
			e = -e
		}
		d.exponent, d.Integer = d.exponent+e, false
	}
	d.End, d.mantissa = i, m
	return d, true
}

// digits reads the digits at line[i], modulo 2^64, and returns where they end.
func digits(line []byte, i int) (m uint64, end int) {
	if len(line)-i < 8 {
		return scanDigits(line, i, 0)
	}
	m, n := eightDigits(binary.LittleEndian.Uint64(line[i:]))
	if n < 8 {
		return m, i + n
	}
	return scanDigits(line, i+8, m)
}

// scanDigits reads the digits from line[i] on, and returns m with them appended, modulo 2^64, and where they end.
// It reads eight digits at a time: a loop with one branch per digit, which is mispredicted at the end of most
// numbers, takes twice the time on a list of numbers below 1e6. TestScanDigits compares the two.
func scanDigits(line []byte, i int, m uint64) (v uint64, end int) {
	for len(line)-i >= 8 {
		v, n := eightDigits(binary.LittleEndian.Uint64(line[i:]))
		m = m*uint64Powers[n] + v
		i += n
		if n < 8 {
			return m, i
		}
	}
	for i < len(line) && line[i]-'0' <= 9 {
		m = m*10 + uint64(line[i]-'0')
		i++
	}
	return m, i
}

// eightDigits reads the n digits that eight bytes of text begin with.
func eightDigits(text uint64) (v uint64, n int) {
	x := text ^ 0x3030303030303030
	// The lowest byte above 9 is where the digits end; carries go to higher ones only.
	n = bits.TrailingZeros64((x+0x7676767676767676|x)&0x8080808080808080) / 8
	x <<= uint(64 - 8*n) // shift out the bytes after the digits; zeros enter as leading digits
	x = x*10 + x>>8
	const pairs = 0x000000ff000000ff // in every second byte there is a number of two digits
	return (x&pairs*(100+1e6<<32) + x>>16&pairs*(1+1e4<<32)) >> 32, n
}

// uint64Powers holds powers of ten.
var uint64Powers = [...]uint64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// Number skips a number and returns its text.
func (c *Cursor) Number() []byte {
	d, ok := ScanNumber(c.Line, c.Pos)
	if !ok {
		c.stop()
		return nil
	}
	text := c.Line[c.Pos:d.End]
	c.Pos = d.End
	c.space()
	return text
}

// int64 reads a number that is an int64.
func (c *Cursor) int64() (int64, error) {
	d, ok := ScanNumber(c.Line, c.Pos)
	if !ok {
		c.stop()
		return 0, ErrGrammar
	}
	text := c.Line[c.Pos:d.End]
	c.Pos = d.End
	c.space()
	if v, ok := d.int64(); ok {
		return v, nil
	}
	return parseInt64(text)
}

// int64 returns the number, if it is an int64 of at most 18 digits.
func (d *Decimal) int64() (v int64, ok bool) {
	v = int64(d.mantissa)
	if d.negative {
		v = -v
	}
	return v, d.Integer && d.digits <= 18 && (v != 0 || !d.negative)
}

// float32 reads a number, rounded to the nearest float32, and whether it has
// neither point nor exponent.
func (c *Cursor) float32() (v float32, integer bool, err error) {
	d, ok := ScanNumber(c.Line, c.Pos)
	if !ok {
		c.stop()
		return 0, false, ErrGrammar
	}
	text := c.Line[c.Pos:d.End]
	c.Pos = d.End
	c.space()
	if v, ok := d.float32(); ok {
		return v, d.Integer, nil
	}
	v, err = ParseFloat32(text)
	return v, d.Integer, err
}

// float32 returns the nearest float32, if one multiplication or division finds it: a mantissa below 2^53 and the
// powers of ten up to 10^22 are float64s without rounding, so the result is the number rounded once. Rounding it
// once more, to a float32, gives the nearest float32 to the number itself, unless the result is in the middle
// between two: then the number may be on either side of the middle. These numbers, all other numbers, and numbers
// near the ends of the range are left to strconv. This takes a quarter of the time of strconv.ParseFloat, which
// would be most of the time of reading columns of floats; TestFloat32InPlace compares the two.
func (d *Decimal) float32() (v float32, ok bool) {
	const largest = len(float64Powers) - 1
	if d.digits > 19 || d.mantissa >= 1<<53 || d.exponent < -largest || d.exponent > largest {
		return 0, false
	}
	f := float64(d.mantissa)
	if d.exponent < 0 {
		f /= float64Powers[-d.exponent]
	} else {
		f *= float64Powers[d.exponent]
	}
	const middle, below = 1 << 28, 1<<29 - 1 // of the bits that a float32 lacks
	if math.Float64bits(f)&below == middle || (f < 0x1p-126 || f > 0x1p127) && d.mantissa != 0 {
		return 0, false
	}
	if d.negative {
		f = -f
	}
	return float32(f), true
}

// float64Powers holds the powers of ten that a float64 holds without rounding.
var float64Powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}
