package infer_test

import (
	"fmt"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
)

// levels returns a record of n sections, which have steps, which have pairs of numbers.
func levels(n int) example.Example {
	var splits, lengths, values []int64
	for i := range int64(n) + 1 {
		splits = append(splits, 2*i)
	}
	for i := range 2 * int64(n) {
		lengths = append(lengths, i%3+1)
		for range 2 * (i%3 + 1) {
			values = append(values, 7*i)
		}
	}
	return example.Example{
		"sections/splits": example.Int64s(splits...), "steps/lengths": example.Int64s(lengths...), "steps/points": example.Int64s(values...),
		"title": example.Strings("x"),
	}
}

func addAll(t *testing.T, in *infer.Inferrer, records ...interface{ MarshalBinary() ([]byte, error) }) {
	t.Helper()
	for _, r := range records {
		msg, err := r.MarshalBinary()
		if err == nil {
			err = in.Add(msg)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func text(t *testing.T, s feature.Spec) string {
	t.Helper()
	b, err := s.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The declaration of a pair is its column in the whole spec.
func TestDeclare(t *testing.T) {
	in := infer.New(example.TypeExample, nil)
	for n := range 20 {
		addAll(t, in, levels(n+1))
	}
	spec, err := in.Spec()
	if err != nil {
		t.Fatal(err)
	}
	column, ok := spec.Features["steps/points"].(feature.Ragged)
	if !ok || len(column.Partitions) < 2 {
		t.Fatalf("the column is %v", spec.Features["steps/points"])
	}
	want := text(t, feature.Spec{Features: feature.Features{"steps/points": column}})
	chosen := 0
	r := in.Report()
	for _, p := range r.Pairs {
		if !p.Chosen {
			continue
		}
		chosen++
		if got, ok := r.Declare(p); !ok || text(t, got) != want {
			t.Errorf("%v of %s: %v, wanted %s", p.Partition, p.Of, got, want)
		}
	}
	if chosen != 2 {
		t.Errorf("%d pairs, wanted 2", chosen)
	}
}

// A pair that fails in some records has no column, but Declare returns the spec for it.
func TestDeclareBroken(t *testing.T) {
	row := func(n, wrong int64) example.Example {
		return example.Example{"w/values": example.Floats(make([]float32, n+3)...), "w/lengths": example.Int64s(n, 3+wrong)}
	}
	const want = `"w/values":{"ragged":{"dtype":"float32","partitions":[{"row_lengths":"w/lengths"}]}}}}`
	for mt, group := range map[example.MessageType]string{example.TypeExample: "features", example.TypeExampleList: "examples"} {
		in := infer.New(mt, nil)
		for n := range int64(40) {
			e := row(n, n/39)
			if mt == example.TypeExampleList {
				addAll(t, in, &example.ExampleList{Examples: []example.Example{e}})
			} else {
				addAll(t, in, e)
			}
		}
		r, told := in.Report(), 0
		for _, p := range r.Pairs {
			if p.Against == 0 {
				continue
			}
			told++
			if got, ok := r.Declare(p); !ok || text(t, got) != fmt.Sprintf(`{"%s":{`, group)+want {
				t.Errorf("%s: %v %v, wanted %s", mt, got, ok, want)
			}
		}
		if told != 1 {
			t.Errorf("%s: %d pairs do not hold, wanted 1: %v", mt, told, r.Pairs)
		}
	}
}

func TestDeclareNothing(t *testing.T) {
	in := infer.New(example.TypeExample, nil)
	addAll(t, in, example.Example{"mixed": example.Int64s(1), "n": example.Int64s(1)}, example.Example{"mixed": example.Strings("x"), "n": example.Int64s(1)})
	r := in.Report()
	for name, p := range map[string]infer.Pair{
		"values of several types": {Group: feature.InFeatures, Partition: feature.RowLengths("n"), Of: "mixed"},
		"values that are unknown": {Group: feature.InFeatures, Partition: feature.RowLengths("n"), Of: "x"},
		"rows that are unknown":   {Group: feature.InFeatures, Partition: feature.RowLengths("n"), Of: "x", Rows: feature.RowLengths("x")},
	} {
		if got, ok := r.Declare(p); ok {
			t.Errorf("%s: %v", name, got)
		}
	}
}
