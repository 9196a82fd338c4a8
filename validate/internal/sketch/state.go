package sketch

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrState means that bytes are not an encoded state of this package.
var ErrState = errors.New("not the state of an accumulator")

// A Decoder decodes states, which the AppendState methods encode. After an error it returns zeros, and Err returns
// ErrState. It allocates memory only in proportion to the remaining bytes.
type Decoder struct {
	b   []byte
	err error
}

// NewDecoder returns a Decoder of b. It does not copy b.
func NewDecoder(b []byte) *Decoder { return &Decoder{b: b} }

// Err returns ErrState if a value could not be decoded.
func (d *Decoder) Err() error { return d.err }

// Len returns the number of remaining bytes.
func (d *Decoder) Len() int { return len(d.b) }

// Fail sets the error.
func (d *Decoder) Fail() {
	d.b, d.err = nil, ErrState
}

// Uint decodes the output of AppendUint.
func (d *Decoder) Uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// Int decodes the output of AppendInt.
func (d *Decoder) Int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// Count decodes the length of a list whose items take at least size bytes each.
func (d *Decoder) Count(size int) int {
	v := d.Uint()
	if v > uint64(len(d.b)/size) {
		d.Fail()
		return 0
	}
	return int(v)
}

// Float decodes the output of AppendFloat.
func (d *Decoder) Float() float64 {
	if len(d.b) < 8 {
		d.Fail()
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return v
}

// Bool decodes the output of AppendBool.
func (d *Decoder) Bool() bool {
	v := d.Uint()
	if v > 1 {
		d.Fail()
	}
	return v == 1
}

// String decodes the output of AppendString.
func (d *Decoder) String() string {
	n := d.Count(1)
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// AppendUint appends v as a varint.
func AppendUint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// AppendInt appends v as a zigzag varint.
func AppendInt(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

// AppendFloat appends the 8 bytes of v.
func AppendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendBool appends v as one byte.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// AppendString appends v with its length.
func AppendString(b []byte, v string) []byte { return append(AppendUint(b, uint64(len(v))), v...) }

// AppendState appends the encoding of s.
func (s Sum) AppendState(b []byte) []byte { return AppendFloat(AppendFloat(b, s.Hi), s.Lo) }

// Sum decodes a Sum.
func (d *Decoder) Sum() Sum { return Sum{d.Float(), d.Float()} }

// AppendState appends the encoding of m.
func (m Moments) AppendState(b []byte) []byte {
	return m.Square.AppendState(m.Value.AppendState(m.Weight.AppendState(b)))
}

// Moments decodes Moments.
func (d *Decoder) Moments() Moments { return Moments{d.Sum(), d.Sum(), d.Sum()} }

// readNumber decodes a number that is not NaN.
func (d *Decoder) readNumber() float64 {
	v := d.Float()
	if v != v {
		d.Fail()
		return 0
	}
	return v
}

// AppendState appends the encoding of l.
func (l *Labels) AppendState(b []byte) []byte {
	b = AppendBool(AppendFloat(AppendBool(b, l.approximate), l.maxMissed), l.omittedAny)
	b = AppendUint(b, uint64(l.table.itemCount))
	for x := range l.table.allItems() {
		b = AppendUint(b, uint64(x.size))
		b = AppendFloat(append(b, l.table.keyOf(x)...), x.count)
	}
	b = AppendUint(b, l.hashes.limit)
	b = AppendUint(b, uint64(len(l.hashes.hashes)))
	for _, h := range l.hashes.hashes {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	return b
}

// Labels decodes the state of Labels that NewLabels returned for shown.
func (d *Decoder) Labels(shown int) *Labels {
	l := NewLabels(shown)
	l.approximate, l.maxMissed, l.omittedAny = d.Bool(), d.readNumber(), d.Bool()
	for range d.Count(9) {
		size := d.Count(1)
		key := d.b[:size]
		d.b = d.b[size:]
		n := d.readNumber()
		if d.err != nil {
			return l
		}
		x, fresh := l.table.findOrAdd(key)
		if !fresh {
			d.Fail()
			return l
		}
		x.count = n
	}
	l.hashes.limit = d.Uint()
	n := d.Count(8)
	if !l.approximate && (n > 0 || l.hashes.limit != 0 || l.maxMissed != 0 || l.omittedAny || l.exceedsExact()) || n > 2*maxHashes {
		d.Fail()
		return l
	}
	for range n {
		l.hashes.hashes = append(l.hashes.hashes, math.Float64bits(d.Float()))
	}
	return l
}
