package stats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// numberOf returns the number of records in each slice.
func numberOf(t *testing.T, a *stats.Accumulator) map[string]uint64 {
	t.Helper()
	count := map[string]uint64{}
	for _, d := range list(t, a).GetDatasets() {
		count[d.GetName()] = d.GetNumExamples()
	}
	return count
}

// TestMaxSlices checks that only the Slice that exceeds the limit loses its slices, and not a Slice with one of the
// same feature's values, for any split of the records and any order of merging.
func TestMaxSlices(t *testing.T) {
	const most = 80
	opts := &stats.Options{MaxSlices: most, Slices: []stats.Slice{{"city": nil}, {"id": nil}, {"id": {"7", "8"}}, {"city": nil, "id": {"7"}}}}
	cases := map[string]struct {
		ids  int
		want string
	}{
		"as many as there may be": {most, "[]"},
		"one more":                {most + 1, "[map[id:[]]]"},
		"far more":                {5000, "[map[id:[]]]"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 9))
			var records [][]byte
			truth := map[string]uint64{"All Examples": 6000}
			for i := range 6000 {
				id := i % c.ids
				e := example.Example{"id": example.Int64s(int64(id))}
				if c.ids == most {
					truth[fmt.Sprint("id_", id)]++
				} else if id == 7 || id == 8 {
					truth[fmt.Sprint("id_", id)]++
				}
				if i > 1500 {
					city := fmt.Sprint("c", i%3)
					e["city"] = example.Strings(city)
					truth["city_"+city]++
					if id == 7 {
						truth["city_"+city+"_id_7"]++
					}
				}
				records = append(records, record(e))
			}
			one := run(t, opts, records)
			if got := numberOf(t, one); fmt.Sprint(got) != fmt.Sprint(truth) {
				t.Errorf("in one run: got %v, wanted %v", got, truth)
			}
			if got := fmt.Sprint(one.LostSlices()); got != c.want {
				t.Errorf("in one run %s is left out, wanted %s", got, c.want)
			}
			outside, _ := one.OutsideSlices()
			for range 5 {
				var parts []*stats.Accumulator
				for portion := range slices.Chunk(records, 500+rnd.IntN(2000)) {
					parts = append(parts, again(t, run(t, opts, portion)))
				}
				rnd.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
				for len(parts) > 1 { // neighbours, in any order
					i := rnd.IntN(len(parts) - 1)
					if err := parts[i].Merge(parts[i+1]); err != nil {
						t.Fatal(err)
					}
					parts[i] = again(t, parts[i])
					parts = slices.Delete(parts, i+1, i+2)
				}
				_, details, err := parts[0].Detailed(1)
				if err != nil {
					t.Fatal(err)
				}
				if got, _ := parts[0].OutsideSlices(); got != outside || details.OutsideSlices != got {
					t.Errorf("in parts %d records are in slices that are left out, in one run %d", got, outside)
				}
				if got := fmt.Sprint(parts[0].LostSlices()); got != c.want {
					t.Errorf("in parts %s is left out, wanted %s", got, c.want)
				}
				if !proto.Equal(list(t, parts[0]), list(t, one)) {
					t.Error("statistics of parts differ from those of one run")
				}
			}
		})
	}
}

// TestSlicesOfOneName checks two Slices whose names and values are equal when joined, so that they share a slice. If
// one Slice is dropped, so is the other, since the shared slice would lack records.
func TestSlicesOfOneName(t *testing.T) {
	opts := &stats.Options{MaxSlices: 2, Slices: []stats.Slice{{"a": nil}, {"a_b": nil}, {"c": nil}}}
	var records [][]byte
	for _, v := range []string{"b_x", "x", "y"} {
		records = append(records, record(example.Example{"a": example.Strings(v), "a_b": example.Strings("x"), "c": example.Strings("z")}))
	}
	a := run(t, opts, records)
	if got, want := fmt.Sprint(a.LostSlices()), "[map[a:[]] map[a_b:[]]]"; got != want {
		t.Errorf("%s is left out, wanted %s", got, want)
	}
	if got, want := fmt.Sprint(numberOf(t, a)), "map[All Examples:3 c_z:3]"; got != want {
		t.Errorf("got %s, wanted %s", got, want)
	}
}

// again returns an accumulator after encoding and decoding.
func again(t *testing.T, a *stats.Accumulator) *stats.Accumulator {
	t.Helper()
	b, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	out := &stats.Accumulator{}
	if err := out.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if c, err := out.MarshalBinary(); err != nil || string(c) != string(b) {
		t.Fatalf("read back it is another: %v", err)
	}
	return out
}
