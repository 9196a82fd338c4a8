package stats_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/validate/stats"
)

// numbered returns n records with numbers of all sizes, one or several in a feature, sometimes of another kind, and
// with names of all lengths.
func numbered(rnd *rand.Rand, n int) (out [][]byte) {
	for range n {
		e := example.Example{}
		for f := range 12 {
			name := fmt.Sprintf("%0*d", 1+3*f, f)
			v := make([]int64, []int{1, 1, 1, 0, 5, 300}[min(rnd.IntN(20), 5)*(f%3)/2])
			for i := range v {
				v[i] = int64(rnd.Uint64()) >> (rnd.IntN(8) * 8 % 64)
			}
			x := make([]float32, len(v))
			for i := range x {
				x[i] = rnd.Float32()
			}
			switch {
			case rnd.IntN(30) == 0:
			case f%4 == 3 != (rnd.IntN(100) == 0):
				e[name] = example.Value{Floats: x}
			default:
				e[name] = example.Value{Int64s: v}
			}
		}
		out = append(out, record(e))
	}
	return out
}

// TestEncodings checks that records give the same statistics in canonical encoding and with an unknown field, and that
// rejected records add nothing, even if some of their features were decoded.
func TestEncodings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	count := 2000
	if testkit.Long(t, "6,000 records") {
		count = 6000
	}
	records := numbered(rnd, count)
	accs := make([]*stats.Accumulator, 3)
	for i := range accs {
		var err error
		if accs[i], err = stats.New(nil); err != nil {
			t.Fatal(err)
		}
	}
	for i, rec := range records {
		if err := accs[0].Add(rec); err != nil {
			t.Fatal(err)
		}
		if err := accs[1].Add(append(slices.Clip(rec), 0x78, 1)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // a truncated record, and a record whose last entry is not a valid message
			cut := rec[:1+rnd.IntN(len(rec)-1)]
			if err := accs[2].Add(cut); err == nil {
				t.Fatalf("record %d is not refused when it is cut at %d of %d", i, len(cut), len(rec))
			}
			odd := append(slices.Clip(rec), 0x0a, 4, 0x0a, 2, 0x0a, 7)
			if err := accs[2].Add(odd); err == nil {
				t.Fatalf("record %d is not refused with an entry that is not sound", i)
			}
		}
		if err := accs[2].Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	want := list(t, accs[0])
	for i, what := range []string{"with an unknown field", "between others that are refused"} {
		if got := list(t, accs[i+1]); !proto.Equal(got, want) {
			t.Errorf("records %s add\n%v\nwanted\n%v", what, got, want)
		}
	}
}

// TestRefusedRecords checks that Add accepts the records that Validate accepts, except for additional rules of
// statistics, and that it returns the error of Validate for all other records.
func TestRefusedRecords(t *testing.T) {
	count := 300
	if testkit.Long(t, "2,000 specs") {
		count = 2000
	}
	refused := 0
	for seed := range uint64(count) {
		g := random.New(nil, seed)
		spec := g.Spec()
		typ := random.Pick(g, example.TypeExample, example.TypeSequence)
		a, err := stats.New(&stats.Options{Message: typ})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			rec := g.Record(spec, true)
			switch at := g.N(len(rec) + 1); {
			case g.OneIn(4):
				rec = append(slices.Clip(rec), g.Record(spec, true)...)
			case g.OneIn(2):
				rec = rec[:at]
			case at < len(rec):
				rec[at] ^= byte(1 << g.N(8))
			}
			err, want := a.Add(rec), typ.Validate(rec)
			if err != nil {
				refused++
			}
			if !errors.Is(err, stats.ErrKind) && fmt.Sprint(err) != fmt.Sprint(want) {
				t.Fatalf("seed %d: % x: %v, wanted %v", seed, rec, err, want)
			}
		}
	}
	if refused < count {
		t.Errorf("%d records are refused", refused)
	}
}

// TestOtherFeatures checks that the values of features that are not selected are not decoded.
func TestOtherFeatures(t *testing.T) {
	const feature = "\x12\x0c\x0a\x0a\x0a\x01l\x12\x05\x0a\x03\x1a\x01\x07" // whose step has a kind that is cut
	for _, odd := range []string{"", "\x78\x01"} {
		a, err := stats.New(&stats.Options{Message: example.TypeSequence, Features: []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		rec := string(ints(7)) + feature + odd
		if err := a.Add([]byte(rec)); err != nil {
			t.Errorf("%q: %v", rec, err)
		}
		if err := example.TypeSequence.Validate([]byte(rec)); err == nil {
			t.Errorf("%q is sound", rec)
		}
		if n := numbers(list(t, a)); n.GetMean() != 7 {
			t.Errorf("%q: %v", rec, n)
		}
	}
}
