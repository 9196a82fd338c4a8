package stats_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestSampleRate checks that a sample has about the expected number of records, and does not depend on their order or
// on how they are split.
func TestSampleRate(t *testing.T) {
	const n = 8000 // few enough for exact quantiles
	records := make([][]byte, n)
	for i := range records {
		records[i] = ints(int64(i))
	}
	rnd := rand.New(rand.NewPCG(6, 6))
	for _, rate := range []float64{.01, .1, .5, .9, 1} {
		o := stats.Options{SampleRate: rate}
		whole := run(t, &o, records)
		count := whole.Examples()
		if far := math.Abs(float64(count) - rate*n); far > 5*math.Sqrt(n*rate*(1-rate)) || count+whole.Skipped() != n {
			t.Errorf("%v: %d of %d, and %d skipped", rate, count, n, whole.Skipped())
		}
		want := list(t, whole)
		other := slices.Clone(records)
		rnd.Shuffle(n, func(i, j int) { other[i], other[j] = other[j], other[i] })
		for _, ends := range [][]int{nil, {1, 2, 7000, 7001}} {
			a := run(t, &o, other, ends...)
			if a.Skipped() != n-count || !proto.Equal(list(t, a), want) {
				t.Errorf("%v: in another order, split at %v, it is another sample", rate, ends)
			}
		}
		var again stats.Accumulator
		if err := again.UnmarshalBinary(state(t, whole)); err != nil || again.Skipped() != whole.Skipped() {
			t.Errorf("%v: read, %d are skipped, and %d before: %v", rate, again.Skipped(), whole.Skipped(), err)
		}
	}
	same := slices.Repeat(records[:1], 100)
	if n := run(t, &stats.Options{SampleRate: .5}, same).Examples(); n != 0 && n != 100 {
		t.Errorf("%d of 100 equal records are in the sample", n)
	}
	if a, b := run(t, nil, records[:9]), run(t, &stats.Options{SampleRate: 1}, records[:9]); !bytes.Equal(state(t, a), state(t, b)) {
		t.Error("a sample of all is not as none")
	}
	for _, rate := range []float64{-.1, math.SmallestNonzeroFloat64 - 1, 1.0001, math.NaN(), math.Inf(1)} {
		if _, err := stats.New(&stats.Options{SampleRate: rate}); !errors.Is(err, stats.ErrOptions) {
			t.Errorf("a rate of %v: %v", rate, err)
		}
	}
}

// TestSampleOfBadRecords checks that records outside the sample are not decoded, that bad records in the sample count
// as bad, and that the ordinals of records count all records.
func TestSampleOfBadRecords(t *testing.T) {
	const n = 1000
	sum, err := stats.New(&stats.Options{SampleRate: .5})
	if err != nil {
		t.Fatal(err)
	}
	bad := uint64(0)
	for i := range byte(250) {
		a := sum.Fresh()
		if err := a.Add([]byte{0xff, i}); err != nil {
			bad++
		} else if a.Skipped() != 1 {
			t.Error("a damaged record is neither bad nor skipped")
		}
		if err := sum.Merge(a); err != nil {
			t.Fatal(err)
		}
	}
	if bad < 80 || bad > 170 || sum.Bad() != bad || sum.Skipped() != 250-bad {
		t.Errorf("of 250 damaged records %d are bad, and %d skipped", bad, sum.Skipped())
	}
	var records [][]byte
	for i := range n {
		records = append(records, ints(int64(i)))
	}
	records = append(records, floats(1), floats(2), floats(3), floats(4), floats(5), floats(6), floats(7))
	o := stats.Options{SampleRate: .5}
	for _, ends := range [][]int{nil, {300, 900}, {n, n}} {
		c := run(t, &o, records, ends...).Conflicts()
		if len(c) != 1 || c[0].First[example.FloatList] < n || c[0].First[example.FloatList] >= n+7 {
			t.Errorf("split at %v: the first float of those in the sample is in %v, wanted from record %d on", ends, c, n)
		}
	}
}
