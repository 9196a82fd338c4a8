package featurepb

import (
	"encoding/binary"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/parserconfigpb"
)

// tensor returns the values of a default, or the zero Value if there are none. The shape of the
// tensor only determines the number of values, which must match the shape of the feature.
//
// The values are in tensor_content, or in the list of their type. A list shorter than the shape
// repeats its last value, and an empty list means zeros. TensorFlow ignores surplus values and lists
// of other types; here they are faults.
func (r *configReader) tensor(what string, d feature.DType, t *pb.TensorProto) example.Value {
	if t == nil {
		return example.Value{}
	}
	before := r.count
	if got := r.dtype(what, t.GetDtype()); r.count == before && got != d {
		r.addf("%s has dtype %s, the feature %s", what, got, d)
	}
	n := 1
	if t.GetTensorShape().GetUnknownRank() {
		r.addf("%s: the rank of its shape is unknown", what)
	}
	for i, dim := range t.GetTensorShape().GetDim() {
		m, ok := size(dim.GetSize())
		switch {
		case !ok:
			r.addf("%s: dimension %d is %d, want 0 to %d", what, i, dim.GetSize(), math.MaxInt32)
		case m > 0 && n > maxDefault/m:
			r.addf("%s has more than %d values", what, maxDefault)
			return example.Value{}
		default:
			n *= m
		}
	}
	if other := otherLists(d, t); other != nil {
		r.addf("%s has dtype %s, but has %s", what, t.GetDtype(), strings.Join(other, ", "))
	}
	if r.count > before || !r.reserve(what, n) {
		return example.Value{}
	}
	if content := t.GetTensorContent(); len(content) > 0 {
		if len(t.GetInt64Val())+len(t.GetFloatVal())+len(t.GetStringVal()) > 0 {
			r.addf("%s has both tensor_content and a list of values", what)
			return example.Value{}
		}
		return r.content(what, d, n, content)
	}
	switch d {
	case feature.Int64:
		if v, ok := fill(r, what, t.GetInt64Val(), n); ok {
			return example.Int64s(v...)
		}
	case feature.Float32:
		if v, ok := fill(r, what, t.GetFloatVal(), n); ok {
			return example.Floats(v...)
		}
	case feature.String:
		if v, ok := fill(r, what, t.GetStringVal(), n); ok {
			return example.Bytes(v...)
		}
	}
	return example.Value{}
}

// otherLists returns the names of the lists of t that have values of other types.
func otherLists(d feature.DType, t *pb.TensorProto) (names []string) {
	for _, l := range []struct {
		name string
		n    int
		d    feature.DType
	}{
		{"float_val", len(t.GetFloatVal()), feature.Float32}, {"string_val", len(t.GetStringVal()), feature.String},
		{"int64_val", len(t.GetInt64Val()), feature.Int64}, {"half_val", len(t.GetHalfVal()), 0},
		{"double_val", len(t.GetDoubleVal()), 0}, {"int_val", len(t.GetIntVal()), 0},
		{"scomplex_val", len(t.GetScomplexVal()), 0}, {"bool_val", len(t.GetBoolVal()), 0},
		{"dcomplex_val", len(t.GetDcomplexVal()), 0}, {"uint32_val", len(t.GetUint32Val()), 0},
		{"uint64_val", len(t.GetUint64Val()), 0}, {"float8_val", len(t.GetFloat8Val()), 0},
	} {
		if l.n > 0 && l.d != d {
			names = append(names, l.name)
		}
	}
	return names
}

// fill extends v to n values by repeating its last value. ok is false if n is 0 or v has more than
// n values.
func fill[T any](r *configReader, what string, v []T, n int) (filled []T, ok bool) {
	if len(v) > n {
		r.addf("%s has %d values, but its shape has %d", what, len(v), n)
		return nil, false
	}
	var last T
	if len(v) > 0 {
		last = v[len(v)-1]
	}
	for len(v) < n {
		v = append(v, last)
	}
	return v, n > 0
}

// content decodes tensor_content: values of a fixed size in little-endian order; or the lengths of
// all strings as varints, then the strings.
func (r *configReader) content(what string, d feature.DType, n int, b []byte) example.Value {
	var v example.Value
	width := map[feature.DType]int{feature.Int64: 8, feature.Float32: 4}[d]
	switch {
	case d == feature.String:
		if v, ok := stringContent(n, b); ok {
			return example.Bytes(v...)
		}
		r.addf("%s: %d bytes of tensor_content are not %d strings", what, len(b), n)
		return v
	case len(b) != n*width:
		r.addf("%s: tensor_content has %d bytes, but %d values need %d", what, len(b), n, n*width)
		return v
	}
	for ; len(b) > 0; b = b[width:] {
		if d == feature.Int64 {
			v.Int64s = append(v.Int64s, int64(binary.LittleEndian.Uint64(b)))
		} else {
			v.Floats = append(v.Floats, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	}
	return v
}

func stringContent(n int, b []byte) (v [][]byte, ok bool) {
	if n == 0 || n > len(b) { // every length is at least a byte
		return nil, false
	}
	lengths := make([]uint64, n)
	for i := range lengths {
		length, size := protowire.ConsumeVarint(b)
		if size < 0 {
			return nil, false
		}
		lengths[i], b = length, b[size:]
	}
	for _, length := range lengths {
		if length > uint64(len(b)) {
			return nil, false
		}
		v, b = append(v, b[:length:length]), b[length:]
	}
	return v, len(b) == 0
}
