package rewrite

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// errNoKey is the error of a record without a value for split --by.
var errNoKey = errors.New("want a value to divide by, got none")

// A keyReader makes keys of records from the values of features. It belongs to one goroutine.
type keyReader struct {
	names []string            // the features
	typ   example.MessageType // of the records
	kinds []example.Kind      // for appendSorted: kind of each feature in previous records; Unset: not known yet

	// The values of the feature that lookup decoded last; at most one slice has elements.
	ints    []int64
	floats  []float32 // of a FloatList
	strings [][]byte  // of a BytesList; they alias the record
}

func newKeyReader(t example.MessageType, names []string) *keyReader {
	return &keyReader{names: names, typ: t, kinds: make([]example.Kind, len(names))}
}

// lookup decodes the values of a feature. A missing feature has the kind Unset and no values.
func (k *keyReader) lookup(rec []byte, name string) (kind example.Kind, err error) {
	k.ints, k.floats, k.strings = k.ints[:0], k.floats[:0], k.strings[:0]
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
		k.strings, err = f.AppendBytes(k.strings)
	default:
		err = f.Validate()
	}
	if e, ok := errors.AsType[*example.Error](err); ok && e.Feature == "" {
		e.Feature = name
	}
	return kind, err
}

// appendText appends the key for split --by: the value of the feature, with numbers in decimal. Each of several
// features or values is preceded by its length and a colon, like a netstring without the comma.
func (k *keyReader) appendText(dst, rec []byte) ([]byte, error) {
	for _, name := range k.names {
		kind, err := k.lookup(rec, name)
		if err != nil {
			return dst, err
		}
		n := len(k.ints) + len(k.floats) + len(k.strings)
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
				value = k.strings[i]
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

// appendExact appends the key for dedup --by. Two records have the same key if all features have the same kind
// and the same values, bit for bit, in any encoding.
func (k *keyReader) appendExact(dst, rec []byte) ([]byte, error) {
	for _, name := range k.names {
		kind, err := k.lookup(rec, name)
		if err != nil {
			return dst, err
		}
		dst = append(dst, byte(kind))
		dst = binary.AppendUvarint(dst, uint64(len(k.ints)+len(k.floats)+len(k.strings)))
		for _, v := range k.ints {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
		}
		for _, v := range k.floats {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}
		for _, v := range k.strings {
			dst = append(binary.AppendUvarint(dst, uint64(len(v))), v...)
		}
	}
	return dst, nil
}

// appendSorted appends the key for sort: byte order of keys is the order of the records. Records are compared
// feature by feature, then value by value; a prefix of a list comes before the list, so a record without the
// feature comes first. Numbers are in numeric order, NaN last; strings are in byte order.
func (k *keyReader) appendSorted(dst, rec []byte) ([]byte, error) {
	const end, more = 0, 1
	for i, name := range k.names {
		kind, err := k.lookup(rec, name)
		if err != nil {
			return dst, err
		}
		if n := len(k.ints) + len(k.floats) + len(k.strings); n > 0 {
			if k.kinds[i] == example.Unset {
				k.kinds[i] = kind
			}
			if k.kinds[i] != kind {
				return dst, &example.Error{Path: example.PathTo("", name), Err: example.ErrKind, Want: k.kinds[i].String() + ", as in previous records", Got: kind.String()}
			}
		}
		for _, v := range k.ints {
			dst = binary.BigEndian.AppendUint64(append(dst, more), uint64(v)^1<<63)
		}
		for _, v := range k.floats {
			dst = binary.BigEndian.AppendUint32(append(dst, more), sortedFloat(v))
		}
		for _, v := range k.strings {
			dst = append(dst, more)
			for _, c := range v { // escape 0, so that the end sorts before any byte
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

// sortedFloat maps floats to integers in the same order. -0 maps to the integer of 0, and every NaN to the largest.
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
