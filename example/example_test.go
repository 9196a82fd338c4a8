package example_test

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/example"
)

func Example() {
	msg, err := example.Example{
		"age":  example.Int64s(42),
		"tags": example.Strings("go", "data"),
	}.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var e example.Example
	if err := e.UnmarshalBinary(msg); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e["age"].Int64s, len(e["tags"].Bytes), e["missing"].Kind())
	// Output: [42] 2 no kind
}

func ExampleScan() {
	var b example.Builder
	b.Add("label", example.Int64s(1))
	b.Add("embedding", example.Floats(0.5, -1, 2))
	msg, err := b.AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var floats []float32 // reused for all messages
	s := example.TypeExample.Scan(msg)
	for s.Next() {
		f := s.Feature()
		fmt.Printf("%s: %v", s.Name(), f.Kind())
		if string(s.Name()) == "embedding" {
			if floats, err = f.AppendFloats(floats[:0]); err != nil {
				fmt.Println(err)
				return
			}
			fmt.Print(" ", floats)
		}
		fmt.Println()
	}
	if err := s.Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// embedding: float_list [0.5 -1 2]
	// label: int64_list
}

func ExampleScanFeatureLists() {
	msg, err := example.Sequence{
		Context: example.Example{"user": example.Strings("u1")},
		Lists: map[string][]example.Value{
			"clicks": {example.Int64s(3, 5), {}, example.Int64s(8)},
		},
	}.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	s := example.ScanFeatureLists(msg)
	for s.Next() {
		steps := s.List().Scan()
		for steps.Next() {
			v, err := steps.Feature().AppendInt64s(nil)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%s %d\n", s.Name(), v)
		}
		if err := steps.Err(); err != nil {
			fmt.Println(err)
		}
	}
	if err := s.Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// clicks [3 5]
	// clicks []
	// clicks [8]
}

func ExampleScanExamples() {
	msg, err := example.ExampleList{
		Context:    example.Example{"query": example.Strings("shoes")},
		HasContext: true,
		Examples:   []example.Example{{"relevance": example.Floats(1)}, {"relevance": example.Floats(0)}},
	}.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	s := example.ScanExamples(msg)
	for s.Next() {
		f, ok, err := example.TypeExample.Lookup(s.Example(), "relevance")
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := f.AppendFloats(nil)
		fmt.Println(s.Index(), ok, v, err)
	}
	if err := s.Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 true [1] <nil>
	// 1 true [0] <nil>
}

func ExampleCollect() {
	// The concatenation of two Examples is an Example with the entries of both. The last entry of a name counts.
	var msg []byte
	for _, e := range []example.Example{{"b": example.Int64s(1), "a": example.Floats(2)}, {"b": example.Int64s(3, 4)}} {
		var err error
		if msg, err = e.AppendBinary(msg); err != nil {
			fmt.Println(err)
			return
		}
	}
	entries, err := example.TypeExample.Collect(nil, msg)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range entries {
		n, err := e.Feature.Len()
		fmt.Printf("%s %v %d %v\n", e.Name, e.Feature.Kind(), n, err)
	}
	// Output:
	// a float_list 1 <nil>
	// b int64_list 2 <nil>
}

func ExampleBuilder() {
	var b example.Builder
	for i := range 2 {
		b.Reset()
		b.AddStrings("name", fmt.Sprint("row ", i))
		b.Add("id", example.Int64s(int64(i)))
		msg, err := b.AppendBinary(nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%x\n", msg)
	}
	// Output:
	// 0a200a0b0a02696412051a030a01000a110a046e616d6512090a070a05726f772030
	// 0a200a0b0a02696412051a030a01010a110a046e616d6512090a070a05726f772031
}

func ExampleError() {
	msg := []byte("\n\x0b\n\t\n\x01a\x12\x04\x1a\x02\n\x01") // the length of the list is one byte too large
	err := example.TypeExample.Validate(msg)
	if e, ok := errors.AsType[*example.Error](err); ok {
		fmt.Println(e.Feature, e.Byte)
	}
	fmt.Println(err)
	// Output:
	// a 11
	// example: feature "a": unexpected EOF at byte 11: want 1 bytes, got 0 left
}

func ExampleEdit() {
	msg, err := example.Example{
		"id":    example.Int64s(7),
		"image": example.Bytes(make([]byte, 1000)),
		"lable": example.Strings("cat"), // a typing error in a data set
	}.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	var edit example.Edit // reused for all records
	edit.Rename("lable", "label")
	edit.Delete("image")
	edit.Set("split", example.Strings("train"))
	out, err := edit.Append(nil, msg, example.TypeExample)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := example.TypeExample.Scan(out)
	for s.Next() {
		fmt.Printf("%s: %v\n", s.Name(), s.Feature().Kind())
	}
	// Output:
	// id: int64_list
	// label: bytes_list
	// split: bytes_list
}
