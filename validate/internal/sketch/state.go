package sketch

import (
	"bytes"
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

// Bytes reads n bytes, which it copies.
func (d *Decoder) Bytes(n int) []byte {
	if len(d.b) < n {
		d.Fail()
		return nil
	}
	out := bytes.Clone(d.b[:n])
	d.b = d.b[n:]
	return out
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
func (d *Decoder) Moments() Moments { return Moments{d.Wide(), d.Wide(), d.Wide()} }

// AppendState appends s.
func (s Wide) AppendState(b []byte) []byte {
	return AppendFloat(AppendFloat(AppendFloat(b, s.Hi), s.Mid), s.Lo)
}

// Wide reads a Wide.
func (d *Decoder) Wide() Wide { return Wide{d.Float(), d.Float(), d.Float()} }

// AppendState appends all that q holds.
func (q *Quantiles) AppendState(b []byte) []byte {
	b = AppendUint(b, uint64(q.block))
	b = AppendBool(b, q.lossy)
	b = AppendUint(b, uint64(len(q.buf)))
	for i, v := range q.buf {
		b = AppendFloat(AppendFloat(b, v), q.weights[i])
	}
	b = AppendUint(b, uint64(len(q.levels)))
	for _, s := range q.levels {
		b = AppendUint(b, uint64(len(s)))
		for _, e := range s {
			b = AppendFloat(AppendFloat(AppendFloat(AppendFloat(b, e.V), e.W), e.Min), e.Max)
		}
	}
	return b
}

// Quantiles reads Quantiles that NewQuantiles has returned for epsilon.
func (d *Decoder) Quantiles(epsilon float64) *Quantiles {
	q := NewQuantiles(epsilon)
	whole, block := q.block, d.Uint()
	for uint64(q.block) > block && q.block >= 2*leastBlock {
		q.block /= 2
	}
	q.lossy = d.Bool()
	n := d.Count(16)
	if block != uint64(q.block) || !q.lossy && q.block != whole || n > 2*q.block {
		d.Fail()
		return q
	}
	for range n {
		v, w := d.number(), d.number()
		if !(w > 0) {
			d.Fail()
		}
		q.buf, q.weights = append(q.buf, v), append(q.weights, w)
	}
	levels := d.Count(1)
	if levels > 64 {
		d.Fail()
		return q
	}
	for range levels {
		n := d.Count(32)
		var s Summary
		for i := range n {
			e := Entry{d.number(), d.number(), d.number(), d.number()}
			if i > 0 && !(s[i-1].V < e.V) {
				d.Fail()
			}
			s = append(s, e)
		}
		q.levels = append(q.levels, s)
		q.entries += n
	}
	return q
}

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
	b = AppendUint(b, uint64(l.stage))
	b = AppendBool(AppendFloat(b, l.lost), l.omits)
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
	stage := d.Uint()
	if stage > lastStage {
		d.Fail()
		return l
	}
	l.stage = int(stage)
	l.lost, l.omits = d.number(), d.Bool()
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
	exact := l.stage == 0
	if exact && (n > 0 || l.least.limit != 0 || l.lost != 0 || l.omits) || !exact && n > 2*l.hashes() {
		d.Fail()
		return l
	}
	for range n {
		l.least.hashes = append(l.least.hashes, math.Float64bits(d.Float()))
	}
	return l
}
