package recordcsv_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordcsv"
)

// A file is read twice: for the types of its columns, then for its rows.
func Example() {
	const file = "fare,tags,city\n12,new|late,Oslo\n7.5,,\"Bergen, Norway\"\n"
	options := &recordcsv.Options{Multivalent: []string{"tags"}, SecondaryDelimiter: '|'}

	inferrer := recordcsv.NewInferrer(options)
	if err := inferrer.Read(strings.NewReader(file), nil); err != nil {
		log.Fatal(err)
	}
	columns := inferrer.Columns(nil)
	for _, c := range columns {
		fmt.Println(c.Name, c.Kind)
	}

	r := recordcsv.NewReader(strings.NewReader(file), columns, options)
	for {
		record, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		var e example.Example
		if err := e.UnmarshalBinary(record); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v %q %q\n", e["fare"].Floats, e["tags"].Bytes, e["city"].Bytes)
	}
	// Output:
	// fare float_list
	// tags bytes_list
	// city bytes_list
	// [12] ["new" "late"] ["Oslo"]
	// [7.5] [] ["Bergen, Norway"]
}

// Skipped reports whether reading can continue after an error.
func ExampleReader_Skipped() {
	const file = "id,fare\n1,12.5\n2\n3,7\n"
	columns := []recordcsv.Column{{Name: "id", Kind: example.Int64List}, {Name: "fare", Kind: example.FloatList}}
	r := recordcsv.NewReader(strings.NewReader(file), columns, nil)
	for {
		_, err := r.Next()
		row, offset := r.Pos()
		if err == io.EOF {
			break
		} else if err == nil {
			fmt.Printf("row %d begins at byte %d\n", row, offset)
			continue
		}
		_, end := r.Skipped()
		if end < 0 {
			log.Fatal(err)
		}
		fmt.Printf("row %d, bytes %d to %d: %v\n", row, offset, end, err)
	}
	// Output:
	// row 0 begins at byte 8
	// row 1, bytes 15 to 17: line 3: 1 cell, want 2
	// row 2 begins at byte 17
}
