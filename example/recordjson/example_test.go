package recordjson_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/tfrecord"
)

func ExamplePrinter() {
	msg, err := example.Example{
		"age":  example.Int64s(41),
		"name": example.Strings("Ada", "\xff"),
		"tags": example.Bytes(),
	}.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, opts := range []recordjson.Options{{}, {Typed: true}, {Position: true, Select: []string{"age"}}} {
		p := recordjson.NewPrinter(example.TypeExample, &opts)
		line, err := p.Append(nil, msg, tfrecord.Position{Name: "people.tfrecord", Record: 7, Offset: 512})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", line)
	}
	// Output:
	// {"age":[41],"name":["Ada",{"b64":"/w=="}],"tags":[]}
	// {"age":{"int64":[41]},"name":{"string":["Ada",{"b64":"/w=="}]},"tags":{"string":[]}}
	// {"_file":"people.tfrecord","_record":7,"_offset":512,"age":[41]}
}

func ExampleEncoder() {
	lines := bufio.NewScanner(strings.NewReader(`{"age":[41],"height":[1.75]}
{"age":[12],"height":[2]}
{"age":[12,"?"]}
`))
	e := recordjson.NewEncoder(example.TypeAuto, map[string]example.Kind{"height": example.FloatList})
	var msg []byte
	for n := 1; lines.Scan(); n++ {
		var err error
		if msg, err = e.Append(msg[:0], lines.Bytes()); err != nil {
			fmt.Printf("line %d: %v\n", n, err)
			break
		}
		var record example.Example
		if err := record.UnmarshalBinary(msg); err != nil {
			fmt.Fprintln(os.Stderr, err)
			break
		}
		fmt.Println(record["age"].Int64s, record["height"].Floats)
	}
	// Output:
	// [41] [1.75]
	// [12] [2]
	// line 3: column 12: feature "age": value 1: a string among numbers
}
