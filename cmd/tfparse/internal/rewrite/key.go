package rewrite

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// errNoKey is the reason of a record without the feature that it is to be divided by.
var errNoKey = errors.New("want a value of the feature that records are divided by, got none")

// A keyReader finds the values of features. It belongs to one goroutine.
type keyReader struct {
	names []string
	typ   example.MessageType // of the records
	kinds []example.Kind      // of the features of records before, where they must agree

	ints   []int64
	floats []float32
	bytes  [][]byte
}

func newKeyReader(t example.MessageType, names []string) *keyReader {
	return &keyReader{names: names, typ: t, kinds: make([]example.Kind, len(names))}
}

// lookup decodes a feature; Unset if it is missing.
func (k *keyReader) lookup(rec []byte, name string) (kind example.Kind, err error) {
	k.ints, k.floats, k.bytes = k.ints[:0], k.floats[:0], k.bytes[:0]
	f, ok, err := k.typ.Lookup(rec, name)
	if err != nil || !ok {
		return example.Unset, err
	}
	switch kind = f.Kind(); kind {
	case example.Unset:
	case example.Int64List:
		k.ints, err = f.AppendInt64s(k.ints)
	case example.FloatList:
		k.floats, err = f.AppendFloats(k.floats)
	case example.BytesList:
		k.bytes, err = f.AppendBytes(k.bytes)
	default:
		err = f.Validate()
	}
	if e, ok := errors.AsType[*example.Error](err); ok && e.Feature == "" {
		e.Feature = name
	}
	return kind, err
}

// appendText appends a key to divide records by: the value of the feature, an integer or a float as decimal
// digits. Of several features or values each one follows its length and a colon, as netstrings do without
// their commas.
func (k *keyReader) appendText(dst, rec []byte) ([]byte, error) {
	for _, name := range k.names {
		kind, err := k.lookup(rec, name)
		if err != nil {
			return dst, err
		}
		n := len(k.ints) + len(k.floats) + len(k.bytes)
		if n == 0 {
			return dst, &example.Error{Path: example.PathTo("", name), Err: errNoKey}
		}
		alone := n == 1 && len(k.names) == 1
		var text [32]byte
		for i := range n {
			var value []byte
			switch kind {
			case example.Int64List:
				value = strconv.AppendInt(text[:0], k.ints[i], 10)
			case example.FloatList:
				value = strconv.AppendFloat(text[:0], float64(k.floats[i]), 'g', -1, 32)
			default:
				value = k.bytes[i]
			}
			if !alone {
				dst = append(strconv.AppendInt(dst, int64(len(value)), 10), ':')
			}
			dst = append(dst, value...)
		}
		if len(k.names) > 1 {
			dst = append(dst, ';')
		}
	}
	return dst, nil
}

// appendExact appends a key that two records share if all features have the same kind and the same
// values, bit for bit, however they are encoded.
func (k *keyReader) appendExact(dst, rec []byte) ([]byte, error) {
	for _, name := range k.names {
		kind, err := k.lookup(rec, name)
		if err != nil {
			return dst, err
		}
		dst = append(dst, byte(kind))
		dst = binary.AppendUvarint(dst, uint64(len(k.ints)+len(k.floats)+len(k.bytes)))
		for _, v := range k.ints {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
		}
		for _, v := range k.floats {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}
		for _, v := range k.bytes {
			dst = append(binary.AppendUvarint(dst, uint64(len(v))), v...)
		}
	}
	return dst, nil
}

// appendSorted appends a key whose bytes are in the order of the values: features one after
// the other, the values of each one after the other, a list before a longer one that begins with it. So a
// record without the feature comes first. Integers and floats are in the order of numbers, NaN behind all others,
// strings in that of their bytes.
func (k *keyReader) appendSorted(dst, rec []byte) ([]byte, error) {
	const end, more = 0, 1
	for i, name := range k.names {
		kind, err := k.lookup(rec, name)
		if err != nil {
			return dst, err
		}
		if n := len(k.ints) + len(k.floats) + len(k.bytes); n > 0 {
			if k.kinds[i] == example.Unset {
				k.kinds[i] = kind
			}
			if k.kinds[i] != kind {
				return dst, &example.Error{Path: example.PathTo("", name), Err: example.ErrKind, Want: k.kinds[i].String() + ", as in the records before", Got: kind.String()}
			}
		}
		for _, v := range k.ints {
			dst = binary.BigEndian.AppendUint64(append(dst, more), uint64(v)^1<<63)
		}
		for _, v := range k.floats {
			dst = binary.BigEndian.AppendUint32(append(dst, more), sortedFloat(v))
		}
		for _, v := range k.bytes {
			dst = append(dst, more)
			for _, c := range v { // 0 is escaped, so that the end is less than any byte
				if dst = append(dst, c); c == 0 {
					dst = append(dst, 0xff)
				}
			}
			dst = append(dst, 0, 0)
		}
		dst = append(dst, end)
	}
	return dst, nil
}

// sortedFloat returns a number in whose order floats are: -0 is 0, and all NaNs are one.
func sortedFloat(v float32) uint32 {
	if v != v {
		return math.MaxUint32
	}
	if v == 0 {
		v = 0
		return 1 << 31
	}
	u := math.Float32bits(v)
	if u>>31 == 1 {
		return ^u
	}
	return u | 1<<31
}
