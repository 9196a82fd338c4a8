package feature_test

import (
	"errors"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// TestColumnOf finds columns of a spec that has the same name in two groups.
func TestColumnOf(t *testing.T) {
	p := parser(t, everySpec(example.TypeSequence))
	b := must(p.Parse(everyRecord(t, example.TypeSequence, 2)))
	for name, err := range map[string]error{
		"in two groups":   second(feature.ColumnOf[string](b.Columns(), "var")),
		"of another type": second(feature.ColumnOf[int64](b.Columns(), "text")),
		"unknown":         second(feature.ColumnOf[int64](b.Columns(), "none")),
		"in one group":    second(feature.ColumnOf[string](b.Columns().In(feature.InSequence), "text")),
		"of no batch":     second(feature.ColumnOf[string](feature.Columns{}, "text")),
	} {
		if !errors.Is(err, feature.ErrNoColumn) {
			t.Errorf("a name that is %s: got %v", name, err)
		}
	}
	for _, g := range []feature.Group{feature.InContext, feature.InSequence} {
		c := must(b.Columns().In(g).Column("var"))
		want, _ := feature.TensorOf[string](c)
		if got := must(feature.ColumnOf[string](b.Columns().In(g), "var")); c.Group() != g || !ragged.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", g, got, want)
		}
		if got := must(feature.ColumnOf[string](b.Row(0).In(g), "var")); !ragged.Equal(got, want.Row(0)) {
			t.Errorf("%v, row 0: got %v, want %v", g, got, want.Row(0))
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestRecordOfError: if several records are parsed or encoded, a field of the error has the index of the wrong one.
func TestRecordOfError(t *testing.T) {
	p := parser(t, feature.Spec{Features: feature.Features{
		"a": feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: []feature.Partition{feature.ValueRowIDs("ids")}},
	}})
	good := marshal(t, example.Example{"v": example.Int64s(1), "ids": example.Int64s(0)})
	bad := marshal(t, example.Example{"v": example.Int64s(1), "ids": example.Int64s(1, 1)})
	_, parse := p.Parse(good, good, bad)
	var batches error
	records := func(yield func([]byte, error) bool) {
		for _, r := range [][]byte{good, good, bad} {
			if !yield(r, nil) {
				return
			}
		}
	}
	for _, err := range p.Batches(records, 2) {
		batches = err
	}
	for name, err := range map[string]error{"Parse": parse, "Batches": batches} {
		e, ok := errors.AsType[*feature.Error](err)
		if !ok || e.Record != 2 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
