package model_test

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
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

func ExampleRead() {
	file, err := os.ReadFile("../testdata/models/ragged3/saved_model.pb") // or of an archive, or a store of objects
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Signatures()[0].Inputs[0])
	// Output:
	// tokens: ragged int64 [?, ?, ?] = tokens, tokens_1, tokens_2
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
	// model: signature "serving_default": output "twice": TensorFlow Serving cannot return a ragged tensor: return flat_values and nested_row_splits
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
	//   its structure was not saved: save the function as an attribute, with an input_signature
	// w: dense int64 [?] = w
}

func ExampleBind() {
	m, err := model.Open("../testdata/models/ragged_int32")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	spec := feature.Spec{Features: feature.Features{
		"words": feature.VarLen{DType: feature.String},
		"w":     feature.FixedLen{DType: feature.Float32},
	}}
	binding, err := model.Bind(sig, spec, nil) // once
	if err != nil {
		log.Fatal(err)
	}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	record, err := example.Example{"words": example.Strings("a", "b"), "w": example.Floats(0.5)}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	batch, err := parser.Parse(record, record)
	if err != nil {
		log.Fatal(err)
	}
	feeds, err := binding.Feeds(nil, batch) // for each batch
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range feeds {
		fmt.Println(f.Name, f.DType, f.Shape)
	}
	fmt.Println(feeds[0].Strings, feeds[1].Int32s, feeds[2].Floats)
	// Output:
	// words string [4]
	// words_1 int32 [3]
	// w float32 [2]
	// [a b a b] [0 2 4] [0.5 0.5]
}

func ExampleBindOptions() {
	m, err := model.Open("../testdata/models/numbers")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	spec := feature.Spec{Features: feature.Features{
		"ids":   feature.VarLen{DType: feature.Int64}, // int32 in the model
		"on":    feature.FixedLen{DType: feature.Int64},
		"price": feature.FixedLen{DType: feature.Float32},
		"score": feature.VarLen{DType: feature.Float32},
		"pixel": feature.FixedLen{DType: feature.Int64, Shape: []int{2}},
	}}
	_, err = model.Bind(sig, spec, nil)
	fmt.Println(len(err.(interface{ Unwrap() []error }).Unwrap()), "inputs of other types")
	_, err = model.Bind(sig, spec, &model.BindOptions{Convert: model.ExactValues})
	fmt.Println(err)
	// Output:
	// 5 inputs of other types
	// <nil>
}

func ExampleBinding_Feeds_rows() {
	m, err := model.Open("../testdata/models/static_rows")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	parser, err := feature.NewParser(feature.Spec{Features: feature.Features{"x": feature.VarLen{DType: feature.Float32}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	binding, err := model.Bind(sig, parser.Spec(), nil)
	if err != nil {
		log.Fatal(err)
	}
	_, err = binding.Feeds(nil, parser.NewBatch())
	fmt.Println(err)
	// Output:
	// model: input "x": want 4 rows, got a batch of 0
}

func ExampleAppendPredictRequest() {
	feeds := []model.Feed{ // of Binding.Feeds
		{Name: "words", DType: tensor.String, Shape: []int64{3}, Strings: []string{"a", "b", "c"}},
		{Name: "words_1", DType: tensor.Int64, Shape: []int64{3}, Int64s: []int64{0, 2, 3}},
	}
	// The body of a call to tensorflow.serving.PredictionService/Predict.
	grpc, err := model.AppendPredictRequest(nil, model.ModelSpec{Name: "ranker"}, feeds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(grpc), "bytes")
	// Output:
	// 85 bytes
}

func ExampleAppendRESTRequest() {
	feeds := []model.Feed{ // of Binding.Feeds
		{Name: "words", DType: tensor.String, Shape: []int64{3}, Strings: []string{"a", "b", "c"}},
		{Name: "words_1", DType: tensor.Int64, Shape: []int64{3}, Int64s: []int64{0, 2, 3}},
	}
	// The body of a POST to /v1/models/ranker:predict.
	rest, err := model.AppendRESTRequest(nil, model.ModelSpec{}, feeds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", rest)
	// Output:
	// {"inputs":{"words":["a","b","c"],"words_1":[0,2,3]}}
}

func ExampleAppendExamplesRequest() {
	record, err := example.Example{"age": example.Int64s(29)}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	// The body of a call to Classify or Regress.
	body, err := model.AppendExamplesRequest(nil, model.ModelSpec{Name: "clicks", Version: 3}, record)
	fmt.Println(len(body), "bytes,", err)
	// Output:
	// 36 bytes, <nil>
}

func ExampleAppendRESTExamplesRequest() {
	record, err := example.Example{"age": example.Int64s(29), "rating": example.Floats(4)}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	// The body of a POST to /v1/models/clicks:classify or :regress.
	body, err := model.AppendRESTExamplesRequest(nil, model.ModelSpec{}, record)
	fmt.Printf("%s %v\n", body, err)
	// Output:
	// {"examples":[{"age":[29],"rating":[4.0]}]} <nil>
}

func ExampleAppendRESTExampleListRequest() {
	list := example.ExampleList{
		Context: example.Example{"query": example.Strings("bread")}, HasContext: true,
		Examples: []example.Example{{"clicks": example.Int64s(3)}, {"clicks": example.Int64s(0)}},
	}
	record, err := list.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	body, err := model.AppendRESTExampleListRequest(nil, model.ModelSpec{}, record)
	fmt.Printf("%s %v\n", body, err)
	// Output:
	// {"context":{"query":["bread"]},"examples":[{"clicks":[3]},{"clicks":[0]}]} <nil>
}

func ExampleParseResponse() {
	// A response with flat values and row_splits, encoded as by a server.
	flat, _ := tensor.New([]float32{0.5, 0.25, 1})
	splits, _ := tensor.New([]int64{0, 2, 3})
	var answer []byte
	for _, o := range []model.Output{{Name: "scores", Tensor: flat}, {Name: "scores_splits", Tensor: splits}} {
		tensor, err := tensor.Append(nil, o.Tensor)
		if err != nil {
			log.Fatal(err)
		}
		entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), o.Name)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), tensor)
		answer = protowire.AppendBytes(protowire.AppendTag(answer, 1, protowire.BytesType), entry)
	}

	response, err := model.ParseResponse(answer)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range response.Outputs {
		fmt.Println(o.Name, o.Tensor.DType, o.Tensor.Shape)
	}
	scores, err := model.RaggedOutput[float32](response, "scores", "scores_splits")
	fmt.Println(scores, err)
	// Output:
	// scores float32 [3]
	// scores_splits int64 [3]
	// [[0.500000, 0.250000], [1.000000]] <nil>
}

func ExampleRaggedOutput() {
	flat, _ := tensor.New([]string{"mix", "bake", "cool"})
	splits, _ := tensor.New([]int64{0, 1, 3})
	response := &model.Response{Outputs: []model.Output{{Name: "words", Tensor: flat}, {Name: "words_splits", Tensor: splits}}} // from ParseResponse
	words, err := model.RaggedOutput[string](response, "words", "words_splits")
	fmt.Println(words, err)
	// Output:
	// [['mix'], ['bake', 'cool']] <nil>
}

func ExampleAppendPredictionLog() {
	m, err := model.Open("../testdata/models/tf1_classify")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	record, err := example.Example{"x": example.Floats(1)}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	request, err := model.AppendExamplesRequest(nil, model.ModelSpec{Name: "scores"}, record)
	if err != nil {
		log.Fatal(err)
	}
	warmup, err := model.AppendPredictionLog(nil, sig.Call(), request)
	if err != nil {
		log.Fatal(err)
	}
	// tfrecord.Writer.WriteRecord writes it to model.WarmupFile.
	fmt.Println(sig.Call(), len(request), len(warmup))
	// Output: Classify 33 37
}

func ExampleAppendWarmup() {
	m, err := model.Open("../testdata/models/ragged_int32")
	if err != nil {
		log.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		log.Fatal(err)
	}
	feeds := []model.Feed{ // or those of a Binding
		{Name: "words", DType: tensor.String, Shape: []int64{2}, Strings: []string{"a", "b"}},
		{Name: "words_1", DType: tensor.Int32, Shape: []int64{3}, Int32s: []int32{0, 2, 3}},
		{Name: "w", DType: tensor.Float32, Shape: []int64{2}, Floats: []float32{0.5, 1}},
	}
	_, err = model.AppendWarmup(nil, sig, model.ModelSpec{Name: "words"}, feeds)
	fmt.Println(err)
	feeds[1].Int32s[2] = 2
	record, err := model.AppendWarmup(nil, sig, model.ModelSpec{Name: "words"}, feeds)
	// tfrecord.Writer.WriteRecord writes it to model.WarmupFile.
	fmt.Println(len(record), err)
	// Output:
	// model: input "words": want 3 rows, the last entry of the outer row_splits, got 2
	// 98 <nil>
}
