package raggedjson_test

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// steps returns a parser, and the records of two recipes whose steps are lists of words.
func steps() (*feature.Parser, [][]byte) {
	spec := feature.Spec{Features: feature.Features{
		"title": feature.FixedLen{DType: feature.String, Shape: []int{}},
		"steps": feature.Ragged{DType: feature.String, ValueKey: "words", Partitions: []feature.Partition{feature.RowLengths("lengths")}},
	}}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		panic(err)
	}
	var records [][]byte
	for _, e := range []example.Example{
		{"title": example.Strings("Tea"), "words": example.Strings("boil", "water", "pour"), "lengths": example.Int64s(2, 1)},
		{"title": example.Strings("Toast"), "words": example.Strings("toast"), "lengths": example.Int64s(1)},
	} {
		rec, err := e.MarshalBinary()
		if err != nil {
			panic(err)
		}
		records = append(records, rec)
	}
	return parser, records
}

func ExamplePrinter() {
	parser, records := steps()
	batch := parser.NewBatch()
	for _, rec := range records {
		if err := batch.Append(rec); err != nil {
			fmt.Println(err)
		}
	}
	p := raggedjson.NewPrinter(parser, nil)
	p.Load(batch)
	var line []byte
	for i := range batch.Len() {
		var err error
		if line, err = p.AppendRow(line[:0], i, tfrecord.Position{}); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("%s\n", line)
	}
	line, err := p.AppendBatch(line[:0], nil)
	fmt.Printf("%s %v\n", line, err)
	// Output:
	// {"steps":[["boil","water"],["pour"]],"title":"Tea"}
	// {"steps":[["toast"]],"title":"Toast"}
	// {"rows":2,"columns":{"steps":{"ragged":{"partitions":[{"row_splits":[0,2,3]},{"row_splits":[0,2,3,4]}],"flat_values":{"dtype":"string","shape":[4],"values":["boil","water","pour","toast"]}}},"title":{"dense":{"dtype":"string","shape":[2],"values":["Tea","Toast"]}}}} <nil>
}

func ExampleAppendNested() {
	parser, records := steps()
	batch := parser.NewBatch()
	for _, rec := range records {
		if err := batch.Append(rec); err != nil {
			fmt.Println(err)
		}
	}
	for name, column := range batch.Columns().All() {
		text, err := raggedjson.AppendNested(nil, column, nil)
		fmt.Printf("%s: %s %v\n", name, text, err)
		slices, err := column.Slices()
		fmt.Printf("%s: %T %v\n", name, slices, err)
	}
	// Output:
	// steps: [[["boil","water"],["pour"]],[["toast"]]] <nil>
	// steps: [][][]string <nil>
	// title: ["Tea","Toast"] <nil>
	// title: []string <nil>
}

func ExampleReader() {
	parser, _ := steps() // records are not needed
	r := raggedjson.NewReader(parser)
	for _, line := range []string{`{"title":"Tea","steps":[["boil","water"],["pour"]]}`, `{"steps":[]}`, `{"title":"Toast","steps":["toast"]}`} {
		if err := r.Append([]byte(line)); err != nil {
			fmt.Println(err)
		}
	}
	batch, err := r.Batch()
	if err != nil {
		fmt.Println(err)
		return
	}
	rec, err := batch.AppendRecord(nil, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	var e example.Example
	fmt.Println(batch.Len(), e.UnmarshalBinary(rec), e["lengths"].Int64s)
	// Output:
	// column 13: feature "title": feature is missing and has no default
	// column 27: feature "steps": [0]: want a list of values
	// 1 <nil> [2 1]
}
