package sniff

import (
	"math/bits"

	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/wire"
)

// Tensor describes a TensorProto by its header. No value is decoded.
type Tensor struct {
	DType string  // TensorFlow's name, such as float32
	Shape []int64 // dimensions; none for a scalar
}

// dataTypes are the dtypes that tf.io.parse_tensor reads, by their numbers in types.proto, and the bytes of an element in
// tensor_content; 0 for strings.
var dataTypes = map[uint64]struct {
	name  string
	width uint64
}{
	1: {"float32", 4}, 2: {"float64", 8}, 3: {"int32", 4}, 4: {"uint8", 1}, 5: {"int16", 2}, 6: {"int8", 1}, 7: {"string", 0},
	8: {"complex64", 8}, 9: {"int64", 8}, 10: {"bool", 1}, 11: {"qint8", 1}, 12: {"quint8", 1}, 13: {"qint32", 4}, 14: {"bfloat16", 2},
	15: {"qint16", 2}, 16: {"quint16", 2}, 17: {"uint16", 2}, 18: {"complex128", 16}, 19: {"float16", 2}, 22: {"uint32", 4}, 23: {"uint64", 8},
}

// maxTensorRank is the largest number of dimensions that TensorFlow reads.
const maxTensorRank = 254

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
	typ, ok := dataTypes[dtype]
	if t.DType = typ.name; !ok || len(t.Shape) > maxTensorRank {
		return Tensor{}, false
	}
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
	if over, size := bits.Mul64(elements, typ.width); len(content) > 0 && typ.width > 0 && (over > 0 || size != uint64(len(content))) {
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
