package feature

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
)

// MarshalJSON returns the spec in the form of UnmarshalJSON: names sorted, members in a
// fixed order. The error is that of Validate.
func (s Spec) MarshalJSON() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return appendSpec(nil, s), nil
}

// appendSpec appends a valid spec as JSON.
func appendSpec(b []byte, s Spec) []byte {
	b = append(b, '{')
	comma := false
	for g, fs := range s.Groups() {
		b = appendGroup(b, &comma, g, fs)
	}
	if s.Examples != nil && len(s.Examples) == 0 {
		b = appendGroup(b, &comma, InExamples, nil)
	}
	return append(b, '}')
}

func appendGroup(b []byte, comma *bool, g Group, fs Features) []byte {
	b = appendMember(b, comma, g.String())
	b = append(b, '{')
	first := false
	for name, f := range fs.sorted() {
		if first {
			b = append(b, ',')
		}
		first = true
		b = append(appendName(b, name), ':')
		b = appendFeature(b, f)
	}
	return append(b, '}')
}

// appendMember appends a member's name, after a comma from the second member on.
func appendMember(b []byte, comma *bool, name string) []byte {
	if *comma {
		b = append(b, ',')
	}
	*comma = true
	return append(appendString(b, name), ':')
}

func appendFeature(b []byte, f Feature) []byte {
	b = append(append(append(b, `{"`...), kindName(f)...), `":{"dtype":"`...)
	b = append(append(b, f.dtype().String()...), '"')
	switch f := f.(type) {
	case FixedLen:
		b = appendList(append(b, `,"shape":`...), f.Shape)
		if f.Default.Kind() != example.Unset {
			b = appendValues(append(b, `,"default":`...), f.Default)
		}
	case FixedLenSequence:
		b = appendList(append(b, `,"shape":`...), f.Shape)
		if f.Default.Kind() != example.Unset {
			b = appendValues(append(b, `,"default":`...), f.Default)
		}
		if f.AllowMissing {
			b = append(b, `,"allow_missing":true`...)
		}
	case Sparse:
		b = append(b, `,"index_key":[`...)
		for i, k := range f.IndexKeys {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendName(b, k)
		}
		b = appendName(append(b, `],"value_key":`...), f.ValueKey)
		b = appendList(append(b, `,"size":`...), f.Size)
		if f.Sorted {
			b = append(b, `,"already_sorted":true`...)
		}
	case Ragged:
		if f.ValueKey != "" {
			b = appendName(append(b, `,"value_key":`...), f.ValueKey)
		}
		b = append(b, `,"partitions":[`...)
		for i, p := range f.Partitions {
			if i > 0 {
				b = append(b, ',')
			}
			name, key := PartitionKey(p)
			b = append(append(append(b, `{"`...), name...), `":`...)
			if n, ok := p.(UniformRowLength); ok {
				b = strconv.AppendInt(b, int64(n), 10)
			} else {
				b = appendName(b, key)
			}
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	return append(appendDecode(b, DecodeOf(f)), "}}"...)
}

func appendList[T int | int64](b []byte, v []T) []byte {
	b = append(b, '[')
	for i, n := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}

// appendValues appends a default as a flat list.
func appendValues(b []byte, v example.Value) []byte {
	if v.Int64s != nil {
		return appendList(b, v.Int64s)
	}
	b = append(b, '[')
	for i, f := range v.Floats {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendFloat(b, f)
	}
	for i, s := range v.Bytes {
		if i > 0 {
			b = append(b, ',')
		}
		if utf8.Valid(s) {
			b = appendString(b, string(s))
		} else {
			b = append(b, `{"b64":"`...)
			b = append(base64.StdEncoding.AppendEncode(b, s), `"}`...)
		}
	}
	return append(b, ']')
}

func appendFloat(b []byte, f float32) []byte {
	switch x := float64(f); {
	case math.IsNaN(x):
		return append(b, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, float64(f), 'g', -1, 32)
}
