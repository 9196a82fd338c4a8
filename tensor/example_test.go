package tensor_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/tensor"
)

func ExampleAppend() {
	t, err := tensor.New([]float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	b, err := tensor.Append(nil, t) // a tensorflow.TensorProto
	if err != nil {
		log.Fatal(err)
	}
	back, err := tensor.Decode(b)
	if err != nil {
		log.Fatal(err)
	}
	values, err := tensor.ValuesOf[float32](back)
	fmt.Println(back.DType, back.Shape, values, err)
	// Output:
	// float32 [2, 2] [1 2 3 4] <nil>
}

func ExampleDecode() {
	proto := []byte("\x08\x09\x12\x04\x12\x02\x08\x03\x52\x01\x07") // DT_INT64, shape [3], int64_val: 7
	t, err := tensor.Decode(proto)
	if err != nil {
		log.Fatal(err)
	}
	values, err := tensor.ValuesOf[int64](t) // the last value is repeated
	fmt.Println(t.DType, t.Shape, values, err)
	// Output:
	// int64 [3] [7 7 7] <nil>
}

func ExampleTensor_Float32s() {
	t := tensor.Tensor{DType: tensor.BFloat16, Shape: tensor.Shape{2}, Bytes: []byte{0x80, 0x3f, 0x20, 0xc0}} // from a response
	values, err := t.Float32s()
	fmt.Println(values, err)
	// Output:
	// [1 -2.5] <nil>
}

func ExampleNew_scalar() {
	t, err := tensor.New([]string{"one"}, []int64{}...)
	fmt.Println(t.Shape, t.Strings, err)
	// Output:
	// [] [one] <nil>
}
