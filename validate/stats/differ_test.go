package stats_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestMergeOfOtherOptions holds that the option is named, with both values.
func TestMergeOfOtherOptions(t *testing.T) {
	schema := &metadatapb.Schema{Feature: []*metadatapb.Feature{{}}}
	for _, c := range []struct {
		a, b *stats.Options
		want stats.OptionError
		text string
	}{
		{nil, &stats.Options{TopValues: 5}, stats.OptionError{Option: "top_values", Have: "20", Got: "5"}, "stats: options: the accumulators have a different top_values: 20 and 5"},
		{&stats.Options{MaxFeatures: 200}, &stats.Options{MaxFeatures: 100}, stats.OptionError{Option: "max_features", Have: "200", Got: "100"}, ""},
		{&stats.Options{Weight: "w"}, nil, stats.OptionError{Option: "weight", Have: `"w"`}, `stats: options: the accumulators have a different weight: "w" and not set`},
		{nil, &stats.Options{Slices: []stats.Slice{{"a": nil}}}, stats.OptionError{Option: "slices", Got: `[{"a":null}]`}, ""},
		{nil, &stats.Options{Schema: schema}, stats.OptionError{Option: "schema"}, "stats: options: the accumulators have a different schema"},
		{nil, &stats.Options{Message: example.TypeSequence}, stats.OptionError{Option: "message", Have: `"example"`, Got: `"sequence"`}, ""},
	} {
		a, errA := stats.New(c.a)
		b, errB := stats.New(c.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		err := a.Merge(b)
		e, ok := errors.AsType[*stats.OptionError](err)
		if !ok || *e != c.want || !errors.Is(err, stats.ErrOptions) || c.text != "" && err.Error() != c.text {
			t.Errorf("%v, wanted %+v %s", err, c.want, c.text)
		}
	}
}

// TestFeatures holds that all features are named, in any state, and none of a record that
// was refused.
func TestFeatures(t *testing.T) {
	a, err := stats.New(&stats.Options{Message: example.TypeSequence, Features: []string{"b"}, Weight: "w"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []example.Sequence{
		{Context: example.Example{"w": example.Int64s(1), "b": example.Int64s(1)}, Lists: map[string][]example.Value{"x": {example.Int64s(1)}}},
		{Context: example.Example{"w": example.Int64s(1), "a": example.Value{}}},
		{Context: example.Example{"refused": example.Int64s(1)}},
	} {
		b, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		_ = a.Add(b) // the last one has no weight
	}
	var again stats.Accumulator
	if err := again.UnmarshalBinary(state(t, a)); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*stats.Accumulator{a, &again} {
		want := [][]string{{"a"}, {"b"}, {"w"}, {"##SEQUENCE##", "x"}}
		if got := a.Features(); a.Bad() != 1 || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}
