package rewrite

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
)

// errNoKey is the error of a record without a value for split --by.
var errNoKey = errors.New("want a value to divide by, got none")

// A keyReader makes keys of records from the values of features. It belongs to one goroutine.
type keyReader struct {
	names []string            // the features
	typ   example.MessageType // of the records
	kinds []example.Kind      // for appendSorted: kind of each feature in previous records; Unset: not known yet

	scan.Values // of the current feature
}

func newKeyReader(t example.MessageType, names []string) *keyReader {
	return &keyReader{names: names, typ: t, kinds: make([]example.Kind, len(names))}
}

// appendText appends the key for split --by: the value of the feature, with numbers in decimal. Each of several
// features or values is preceded by its length and a colon, like a netstring without the comma.
func (k *keyReader) appendText(dst, rec []byte) ([]byte, error) {
	for _, name := range k.names {
		kind, err := k.Lookup(k.typ, rec, name)
		if err != nil {
			return dst, err
		}
		n := len(k.Ints) + len(k.Floats) + len(k.Strings)
		if n == 0 {
			return dst, &example.Error{Path: example.PathTo("", name), Err: errNoKey}
		}
		alone := n == 1 && len(k.names) == 1
		var text [32]byte
		for i := range n {
			var value []byte
			switch kind {
			case example.Int64List:
				value = strconv.AppendInt(text[:0], k.Ints[i], 10)
			case example.FloatList:
				value = strconv.AppendFloat(text[:0], float64(k.Floats[i]), 'g', -1, 32)
			default:
				value = k.Strings[i]
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
		kind, err := k.Lookup(k.typ, rec, name)
		if err != nil {
			return dst, err
		}
		dst = append(dst, byte(kind))
		dst = binary.AppendUvarint(dst, uint64(len(k.Ints)+len(k.Floats)+len(k.Strings)))
		for _, v := range k.Ints {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
		}
		for _, v := range k.Floats {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}
		for _, v := range k.Strings {
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
		kind, err := k.Lookup(k.typ, rec, name)
		if err != nil {
			return dst, err
		}
		if n := len(k.Ints) + len(k.Floats) + len(k.Strings); n > 0 {
			if k.kinds[i] == example.Unset {
				k.kinds[i] = kind
			}
			if k.kinds[i] != kind {
				return dst, &example.Error{Path: example.PathTo("", name), Err: example.ErrKind, Want: k.kinds[i].String() + ", as in previous records", Got: kind.String()}
			}
		}
		for _, v := range k.Ints {
			dst = binary.BigEndian.AppendUint64(append(dst, more), uint64(v)^1<<63)
		}
		for _, v := range k.Floats {
			dst = binary.BigEndian.AppendUint32(append(dst, more), sortedFloat(v))
		}
		for _, v := range k.Strings {
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
