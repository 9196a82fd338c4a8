package sketch

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrState: bytes that no state of this package has written.
var ErrState = errors.New("not the state of an accumulator")

// A Decoder reads what the Append functions wrote. After a fault it gives zeros,
// and Err says so. It asks for no memory by a number before that many bytes are
// there.
type Decoder struct {
	b   []byte
	err error
}

// NewDecoder returns a Decoder of b, which it aliases.
func NewDecoder(b []byte) *Decoder { return &Decoder{b: b} }

// Err is ErrState, if there was a fault.
func (d *Decoder) Err() error { return d.err }

// Len is the number of bytes that are left.
func (d *Decoder) Len() int { return len(d.b) }

// Fail notes a fault.
func (d *Decoder) Fail() {
	d.b, d.err = nil, ErrState
}

// Uint reads what AppendUint wrote.
func (d *Decoder) Uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// Int reads what AppendInt wrote.
func (d *Decoder) Int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.Fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// Count reads the number of things that take at least size bytes each.
func (d *Decoder) Count(size int) int {
	v := d.Uint()
	if v > uint64(len(d.b)/size) {
		d.Fail()
		return 0
	}
	return int(v)
}

// Float reads what AppendFloat wrote.
func (d *Decoder) Float() float64 {
	if len(d.b) < 8 {
		d.Fail()
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return v
}

// Bool reads what AppendBool wrote.
func (d *Decoder) Bool() bool {
	v := d.Uint()
	if v > 1 {
		d.Fail()
	}
	return v == 1
}

// String reads what AppendString wrote.
func (d *Decoder) String() string {
	n := d.Count(1)
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// AppendUint appends v.
func AppendUint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// AppendInt appends v.
func AppendInt(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

// AppendFloat appends v, bit for bit.
func AppendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendBool appends v.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// AppendString appends v with its length.
func AppendString(b []byte, v string) []byte { return append(AppendUint(b, uint64(len(v))), v...) }

// AppendState appends s.
func (s Sum) AppendState(b []byte) []byte { return AppendFloat(AppendFloat(b, s.Hi), s.Lo) }

// Sum reads a Sum.
func (d *Decoder) Sum() Sum { return Sum{d.Float(), d.Float()} }

// AppendState appends m.
func (m Moments) AppendState(b []byte) []byte {
	return m.Square.AppendState(m.Value.AppendState(m.Weight.AppendState(b)))
}

// Moments reads Moments.
func (d *Decoder) Moments() Moments { return Moments{d.Sum(), d.Sum(), d.Sum()} }

// number reads a number that is not NaN.
func (d *Decoder) number() float64 {
	v := d.Float()
	if v != v {
		d.Fail()
		return 0
	}
	return v
}

// AppendState appends all that l holds.
func (l *Labels) AppendState(b []byte) []byte {
	b = AppendBool(AppendFloat(AppendBool(b, l.lossy), l.lost), l.omits)
	b = AppendUint(b, uint64(l.table.n))
	for x := range l.table.all() {
		b = AppendUint(b, uint64(x.size))
		b = AppendFloat(append(b, l.table.key(x)...), x.count)
	}
	b = AppendUint(b, l.least.limit)
	b = AppendUint(b, uint64(len(l.least.hashes)))
	for _, h := range l.least.hashes {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	return b
}

// Labels reads Labels that NewLabels has returned for shown.
func (d *Decoder) Labels(shown int) *Labels {
	l := NewLabels(shown)
	l.lossy, l.lost, l.omits = d.Bool(), d.number(), d.Bool()
	for range d.Count(9) {
		size := d.Count(1)
		key := d.b[:size]
		d.b = d.b[size:]
		n := d.number()
		if d.err != nil {
			return l
		}
		x, fresh := l.table.at(key)
		if !fresh {
			d.Fail()
			return l
		}
		x.count = n
	}
	l.least.limit = d.Uint()
	n := d.Count(8)
	if !l.lossy && (n > 0 || l.least.limit != 0 || l.lost != 0 || l.omits || l.full()) || n > 2*mostHashes {
		d.Fail()
		return l
	}
	for range n {
		l.least.hashes = append(l.least.hashes, math.Float64bits(d.Float()))
	}
	return l
}
