package sniff

import (
	"math"
	"math/bits"

	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// Tensor describes a TensorProto by its header. No value is decoded.
type Tensor struct {
	DType string  // TensorFlow's name, such as float32
	Shape []int64 // dimensions; none for a scalar
}

// DetectTensor describes the TensorProto in v. ok is false for other bytes. Many messages decode as a TensorProto without
// values, so the dtype must be one that exists, and the content must have the size that dtype and shape say.
func DetectTensor(v []byte) (t Tensor, ok bool) {
	if detect.Identify([][]byte{v}) != "tensor" { // so each field of v is intact and has its wire type
		return Tensor{}, false
	}
	var content []byte
	var dtype uint64
	for i := 0; i < len(v); {
		f, next := wire.Next(v, i)
		switch i = next; f.Num {
		case 1:
			dtype, _ = wire.Varint(v, f.Lo)
		case 2:
			t.Shape = dimensions(v[f.Lo:f.Hi])
		case 4:
			content = v[f.Lo:f.Hi]
		}
	}
	if dtype > math.MaxUint8 || tensor.DType(dtype).Size() == 0 || len(t.Shape) > tensor.MaxRank {
		return Tensor{}, false
	}
	typ := tensor.DType(dtype)
	t.DType = typ.String()
	elements, empty := uint64(1), false
	for _, size := range t.Shape {
		over, product := bits.Mul64(elements, max(uint64(size), 1))
		if size < 0 || over > 0 || product >= 1<<63 {
			return Tensor{}, false
		}
		elements, empty = product, empty || size == 0
	}
	if empty {
		elements = 0
	}
	if over, size := bits.Mul64(elements, uint64(typ.Size())); len(content) > 0 && typ != tensor.String && (over > 0 || size != uint64(len(content))) {
		return Tensor{}, false
	}
	return t, true
}

// dimensions returns the sizes in a TensorShapeProto.
func dimensions(v []byte) (shape []int64) {
	for i := 0; i < len(v); {
		f, next := wire.Next(v, i)
		if i = next; f.Num != 2 {
			continue
		}
		size := uint64(0)
		for j, dim := 0, v[f.Lo:f.Hi]; j < len(dim); {
			f, next := wire.Next(dim, j)
			if j = next; f.Num == 1 {
				size, _ = wire.Varint(dim, f.Lo)
			}
		}
		shape = append(shape, int64(size))
	}
	return shape
}
