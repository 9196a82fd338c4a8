package model_test

import (
	"fmt"
	"log"

	"github.com/tfparse/tfparse/model"
)

func ExampleOpen() {
	m, err := model.Open("../testdata/models/nested_dict")
	if err != nil {
		log.Fatal(err)
	}
	for _, sig := range m.Signatures() {
		fmt.Println(sig.Name)
		for _, in := range sig.Inputs {
			fmt.Println(" ", in)
		}
	}
	// Output:
	// serving_default
	//   feats/a: ragged int64 [?, ?] = feats, feats_1
	//   feats/b: dense float32 [?] = bee
	//   feats/c/d e: ragged float32 [?, ?, 2], ragged rank 1 = feats_2, feats_3
}

func ExampleModel_Signature() {
	m, err := model.Open("../testdata/models/keras2_dict")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range sig.Inputs[1].Components {
		fmt.Println(c.Name, c.Part, c.DType, c.Shape)
	}
	_, err = m.Signature("predict")
	fmt.Println(err)
	// Output:
	// args_0_1 values int64 [?]
	// args_0_2 row_splits int64 [?]
	// model: signature "predict": no such signature: the model has "serving_default"
}

func ExampleSignature_CheckServing() {
	m, err := model.Open("../testdata/models/ragged3")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sig.CheckServing())
	// Output:
	// model: signature "serving_default": output "twice" is a ragged tensor, which TensorFlow Serving cannot return: return flat_values and nested_row_splits as outputs of their own
}

func ExampleTensorSpec_unknown() {
	m, err := model.Open("../testdata/models/two_signatures")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	for _, in := range sig.Inputs {
		fmt.Println(in)
		if in.Unknown != "" {
			fmt.Println(" ", in.Unknown)
		}
	}
	// Output:
	// ids: unknown = ids, ids_1
	//   its structure was not saved, since the function of the signature is no attribute of the saved object
	// w: dense int64 [?] = w
}

func ExampleAppendTensor() {
	t, err := model.NewTensor([]float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	b, err := model.AppendTensor(nil, t) // a tensorflow.TensorProto
	if err != nil {
		log.Fatal(err)
	}
	back, err := model.DecodeTensor(b)
	if err != nil {
		log.Fatal(err)
	}
	values, err := model.ValuesOf[float32](back)
	fmt.Println(back.DType, back.Shape, values, err)
	// Output:
	// float32 [2, 2] [1 2 3 4] <nil>
}

func ExampleNewTensor_scalar() {
	t, err := model.NewTensor([]string{"one"}, []int64{}...)
	fmt.Println(t.Shape, t.Strings, err)
	// Output:
	// [] [one] <nil>
}
