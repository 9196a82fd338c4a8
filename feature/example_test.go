package feature_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
)

// records has the content of a file or a socket.
func records() [][]byte {
	var out [][]byte
	for _, e := range []example.Example{
		{"age": example.Int64s(31), "tags": example.Strings("new", "vip"), "items/v": example.Floats(1, 2, 3), "items/len": example.Int64s(2, 0, 1)},
		{"tags": example.Strings(), "items/v": example.Floats(4), "items/len": example.Int64s(1)},
	} {
		b, err := e.MarshalBinary()
		if err != nil {
			log.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

var spec = feature.Spec{Features: feature.Features{
	"age":  feature.FixedLen{DType: feature.Int64, Default: example.Int64s(-1)},
	"tags": feature.VarLen{DType: feature.String},
	"items": feature.Ragged{DType: feature.Float32, ValueKey: "items/v",
		Partitions: []feature.Partition{feature.RowLengths("items/len")}},
}}

func Example() {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	b, err := p.Parse(records()...)
	if err != nil {
		log.Fatal(err)
	}
	age, err := feature.ColumnOf[int64](b.Columns(), "age")
	if err != nil {
		log.Fatal(err)
	}
	items, err := feature.ColumnOf[float32](b.Columns(), "items")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(age.Values())
	fmt.Println(items.Shape(), items.Partition(0).AppendSplits(nil), items.Partition(1).AppendSplits(nil), items.Values())
	for i, row := range items.Rows() {
		for _, list := range row.Rows() {
			fmt.Println(i, list.Values())
		}
	}
	// Output:
	// [31 -1]
	// [2 -1 -1] [0 3 4] [0 2 2 3 4] [1 2 3 4]
	// 0 [1 2]
	// 0 []
	// 0 [3]
	// 1 [4]
}

// The values of one column, in a batch and in a row.
func ExampleColumnOf() {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	b, err := p.Parse(records()...)
	if err != nil {
		log.Fatal(err)
	}
	ages, err := feature.ColumnOf[int64](b.Columns(), "age")
	if err != nil {
		log.Fatal(err)
	}
	age, err := feature.ColumnOf[int64](b.Row(0), "age")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ages.Values(), age.Item())
	_, err = feature.ColumnOf[string](b.Columns(), "age")
	fmt.Println(err)
	// Output:
	// [31 -1] 31
	// feature: no such column: "age" holds int64, not string
}

// Parse one request at a time: the tensors have no batch axis and share no memory.
func ExampleParser_ParseSingle() {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	request := records()[0]
	row, err := p.ParseSingle(request)
	if err != nil {
		log.Fatal(err)
	}
	age, err := feature.ColumnOf[int64](row, "age")
	if err != nil {
		log.Fatal(err)
	}
	tags, err := feature.ColumnOf[string](row, "tags")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(age.Item(), tags.Values())
	for name, column := range row.All() {
		values, err := column.Slices() // for any type
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, values)
	}
	// Output:
	// 31 [new vip]
	// age 31
	// items [[1 2] [] [3]]
	// tags [new vip]
}

// A service that keeps a batch for each goroutine allocates nothing.
func ExampleBatch_Row() {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	b := p.NewBatch()
	for _, request := range records() {
		b.Reset()
		if err := b.Append(request); err != nil {
			log.Fatal(err)
		}
		age, err := feature.ColumnOf[int64](b.Row(0), "age")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(age.Item())
	}
	// Output:
	// 31
	// -1
}

// A record that is an error adds nothing, so the caller may skip it.
func ExampleBatch_Append() {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	bad, err := example.Example{"items/v": example.Floats(1, 2), "items/len": example.Int64s(1)}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	b := p.NewBatch()
	for _, r := range append(records(), bad) {
		if err := b.Append(r); err != nil {
			fmt.Println(err)
			if e, ok := errors.AsType[*feature.Error](err); ok {
				fmt.Println(e.Feature, e.Key, e.Partition, errors.Is(err, ragged.ErrPartition))
			}
		}
	}
	fmt.Println(b.Len(), "rows")
	// Output:
	// feature "items" (key "items/len"): partition 0: invalid row partition: row_lengths: want lengths that add up to the 2 items, got 1 (byte 17)
	// items items/len 0 true
	// 2 rows
}

// Encode ragged tensors as Examples, and parse these.
func ExampleParser_Assemble() {
	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"words": feature.Ragged{DType: feature.String, ValueKey: "words/values",
			Partitions: []feature.Partition{feature.RowSplits("words/splits")}},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	// Two documents: [[to be] [or]] and [[not] [to be]].
	documents, err := ragged.FromRowSplits([]int64{0, 2, 4})
	if err != nil {
		log.Fatal(err)
	}
	sentences, err := ragged.FromRowSplits([]int64{0, 2, 3, 4, 6})
	if err != nil {
		log.Fatal(err)
	}
	words, err := ragged.New([]string{"to", "be", "or", "not", "to", "be"}, nil, documents, sentences)
	if err != nil {
		log.Fatal(err)
	}
	batch, err := p.Assemble(feature.Table{Features: map[string]feature.Column{"words": feature.NewColumn(words)}})
	if err != nil {
		log.Fatal(err)
	}
	encoded, err := batch.Encode()
	if err != nil {
		log.Fatal(err)
	}
	var first example.Example
	if err := first.UnmarshalBinary(encoded[0]); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %d\n", first["words/values"].Bytes, first["words/splits"].Int64s)
	b, err := p.Parse(encoded...)
	if err != nil {
		log.Fatal(err)
	}
	again, err := feature.ColumnOf[string](b.Columns(), "words")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ragged.Equal(words, again))
	// Output:
	// [to be or] [0 2 3]
	// true
}

// A column in the form that TensorFlow returns.
func ExampleSparseOf() {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	b, err := p.Parse(records()...)
	if err != nil {
		log.Fatal(err)
	}
	for name, c := range b.Columns().All() {
		fmt.Println(name, c.DType(), c.Form())
	}
	tags, err := b.Columns().Column("tags")
	if err != nil {
		log.Fatal(err)
	}
	s, ok := feature.SparseOf[string](tags)
	if !ok {
		log.Fatal("tags is not a sparse column of strings")
	}
	fmt.Println(s.Indices, s.Values, s.Shape)
	t, ok := feature.TensorOf[string](tags) // the same in ragged form
	if !ok {
		log.Fatal("tags is not a column of strings")
	}
	fmt.Println(t.Partition(0).AppendSplits(nil), t.Values())
	// Output:
	// age int64 dense
	// items float32 ragged
	// tags string sparse
	// [0 0 0 1] [new vip] [2 2]
	// [0 2 2] [new vip]
}

// A FixedLenSequence is padded to the longest row.
func ExampleColumn_Ragged() {
	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"tags": feature.FixedLenSequence{DType: feature.String, Default: example.Strings("-")},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	b, err := p.Parse(records()...)
	if err != nil {
		log.Fatal(err)
	}
	c, err := b.Columns().Column("tags")
	if err != nil {
		log.Fatal(err)
	}
	padded, ok1 := feature.TensorOf[string](c)
	plain, ok2 := feature.TensorOf[string](c.Ragged())
	lengths, ok3 := c.Lengths()
	if !ok1 || !ok2 || !ok3 {
		log.Fatal("tags is not a fixed_len_sequence of strings")
	}
	fmt.Println(padded.Shape(), padded.Values())
	fmt.Println(plain.Shape(), plain.Values())
	fmt.Println(lengths.Values())
	// Output:
	// [2 2] [new vip - -]
	// [2 -1] [new vip]
	// [2 0]
}

// A spec can be read from JSON, checked, and written again.
func ExampleSpec_UnmarshalJSON() {
	var s feature.Spec
	err := json.Unmarshal([]byte(`{"features": {
		"age":  {"fixed_len": {"dtype": "int64", "shape": [], "default": 0}},
		"tags": {"var_len": {"dtype": "string"}}}}`), &s)
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	err = json.Unmarshal([]byte(`{"features": {
		"age":  {"fixed_len": {"dtype": "int32", "shape": []}},
		"tags": {"varlen": {"dtype": "string"}}}}`), &s)
	fmt.Println(err)
	// Output:
	// {"features":{"age":{"fixed_len":{"dtype":"int64","shape":[],"default":[0]}},"tags":{"var_len":{"dtype":"string"}}}}
	// feature "age": dtype "int32": want int64, float32 or string
	// feature "tags": unknown kind "varlen": want fixed_len, fixed_len_sequence, var_len, sparse or ragged; is it "var_len"?
}

// A list of examples with a context, as ranking models read it.
func ExampleParser_Parse_listOfExamples() {
	p, err := feature.NewParser(feature.Spec{
		Context:  feature.Features{"query": feature.FixedLen{DType: feature.String}},
		Examples: feature.Features{"score": feature.FixedLen{DType: feature.Float32}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	record, err := example.ExampleList{
		Context:    example.Example{"query": example.Strings("shoes")},
		HasContext: true,
		Examples:   []example.Example{{"score": example.Floats(0.5)}, {"score": example.Floats(0.25)}},
	}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	b, err := p.Parse(record)
	if err != nil {
		log.Fatal(err)
	}
	query, err := feature.ColumnOf[string](b.Columns(), "query")
	if err != nil {
		log.Fatal(err)
	}
	score, err := feature.ColumnOf[float32](b.Columns(), "score")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(query.Values(), score.Shape(), score.Row(0).Values())
	// Output: [shoes] [1 -1] [0.5 0.25]
}

func ExampleDecodedOf() {
	// Many programs write images as the pixels of NumPy's tobytes, and a size beside them.
	record, err := example.Example{
		"image":  example.Strings("\x00\x01\x02\x03\x04\x05"),
		"height": example.Int64s(2),
	}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	p, err := feature.NewParser(feature.Spec{Features: feature.Features{
		"height": feature.FixedLen{DType: feature.Int64},
		"image": feature.FixedLen{DType: feature.String, Decode: feature.DecodeRaw{
			DType: tensor.Uint8, Shape: []feature.Dimension{feature.SizeOf("height"), feature.Size(-1)}}},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	columns, err := p.ParseSingle(record)
	if err != nil {
		log.Fatal(err)
	}
	column, err := columns.Column("image")
	if err != nil {
		log.Fatal(err)
	}
	image, err := feature.DecodedOf[uint8](column, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(image.Shape(), image.Values())
	// Output:
	// [2 3] [0 1 2 3 4 5]
}
