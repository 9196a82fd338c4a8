package expr_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
)

// sequence yields records, and an error for a nil record.
func sequence(records ...[]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, rec := range records {
			var err error
			if rec == nil {
				err = io.ErrUnexpectedEOF
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

func TestSelect(t *testing.T) {
	f, err := expr.Compile("x > 1")
	if err != nil {
		t.Fatal(err)
	}
	var records [][]byte
	for _, v := range []example.Value{example.Int64s(1), example.Int64s(2), example.Strings("a"), example.Int64s(3)} {
		records = append(records, encoded(t, example.Example{"x": v}))
	}
	records = append(records, nil, records[1])
	var got []string
	for rec, err := range f.Select(example.TypeExample, sequence(records...)) {
		switch e, ok := errors.AsType[*example.Error](err); {
		case ok:
			got = append(got, fmt.Sprint("record ", e.Record))
		case err != nil:
			got = append(got, err.Error())
		default:
			var x example.Example
			if err := x.UnmarshalBinary(rec); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(x["x"].Int64s))
		}
	}
	if want := "[[2] record 2 [3] unexpected EOF [2]]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for range 2 { // a loop that ends early
		for rec, err := range f.Select(example.TypeSequence, sequence(records...)) {
			if err != nil || string(rec) != string(records[1]) {
				t.Errorf("the first is %x, %v", rec, err)
			}
			break
		}
	}
}

func ExampleFilter_Select() {
	f, err := expr.Compile("label == 3")
	if err != nil {
		fmt.Println(err)
		return
	}
	var records [][]byte
	for label := range int64(5) {
		msg, err := example.Example{"label": example.Int64s(label)}.MarshalBinary()
		if err != nil {
			fmt.Println(err)
			return
		}
		records = append(records, msg)
	}
	for rec, err := range f.Select(example.TypeExample, sequence(records...)) { // or files.Records(ctx).All() of package dataset
		fmt.Printf("%x %v\n", rec, err)
	}
	// Output: 0a100a0e0a056c6162656c12051a030a0103 <nil>
}
