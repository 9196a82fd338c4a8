package schema

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// A reservoir samples the requested number of records, uniformly over the stream, and copies them.
func TestReservoir(t *testing.T) {
	for _, total := range []int64{0, 1, 5, 6, 1000, 200_000} {
		const n = 5
		thirds := [3]int{}
		looked := 0
		for seed := range uint64(60) {
			r := newReservoir(n)
			for range seed { // another sequence each time
				r.randomPositive()
			}
			rec := make([]byte, 8)
			for i := range total {
				binary.LittleEndian.PutUint64(rec, uint64(i))
				if r.wantsNext() {
					looked++
					r.addRecord(rec, tfrecord.Position{Record: i})
				} else {
					r.addRecord(nil, tfrecord.Position{Record: i})
				}
			}
			clear(rec)
			got := r.sortedSamples()
			if int64(len(got)) != min(n, total) {
				t.Fatalf("%d of %d records", len(got), total)
			}
			last := int64(-1)
			for _, c := range got {
				if c.ordinal <= last || c.pos.Record != c.ordinal || binary.LittleEndian.Uint64(c.record) != uint64(c.ordinal) {
					t.Fatalf("record %d at %d holds %x, after %d", c.ordinal, c.pos.Record, c.record, last)
				}
				last = c.ordinal
				thirds[c.ordinal*3/total]++
			}
		}
		if total == 200_000 {
			for i, count := range thirds { // 100 expected in each, with a deviation of 8
				if count < 60 || count > 140 {
					t.Errorf("third %d: %d of 300 records", i, count)
				}
			}
			if looked > 60*200 { // 5 + 5 ln(200000/5) = 58 expected
				t.Errorf("%d records were looked at", looked)
			}
		}
	}
}

// Sampled records are not neighbours, and the sample is the same each time.
func TestSample(t *testing.T) {
	sample := func() (numbers []int64) {
		r := newReservoir(20)
		for i := range int64(10_000) {
			r.addRecord([]byte{}, tfrecord.Position{Record: i})
		}
		for _, c := range r.sortedSamples() {
			numbers = append(numbers, c.ordinal)
		}
		return numbers
	}
	first := sample()
	if again := sample(); len(first) != 20 || !slices.Equal(first, again) {
		t.Errorf("%v, and then %v", first, again)
	}
	for i := 1; i < len(first); i++ {
		if first[i] == first[i-1]+1 {
			t.Errorf("%v: neighbours, as in a batch", first)
		}
	}
}
