package scan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChoose: each of the ten sets of two of five numbers comes as often as the others.
func TestChoose(t *testing.T) {
	const rounds = 20_000
	seen := map[string]int{}
	for seed := range uint64(rounds) {
		seen[fmt.Sprint(chooseOrdinals(5, 2, seed))]++
	}
	if len(seen) != 10 {
		t.Errorf("%d sets, want 10: %v", len(seen), seen)
	}
	for set, n := range seen {
		if n < rounds/10*8/10 || n > rounds/10*12/10 { // 10 standard deviations
			t.Errorf("%s came %d times of %d", set, n, rounds)
		}
	}
	for total, want := range map[int64]string{0: "[]", 1: "[0]", 3: "[0 1 2]"} {
		if got := fmt.Sprint(chooseOrdinals(total, 3, 1)); got != want {
			t.Errorf("three of %d: %s, want %s", total, got, want)
		}
	}
}

// What is kept of records that are read once is what an index would find, within the memory.
func TestKept(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		total, n, most := random.Int64N(60), random.Int64N(20), random.Int64N(400)
		seed := random.Uint64()
		sizes := make([]int, total)
		tail, sample := &tailBuffer{n: n, maxBytes: most}, &sampleBuffer{keySampler: newKeySampler(n, seed), maxBytes: most}
		rec := make([]byte, 30)
		for i := range total {
			sizes[i] = random.IntN(30)
			k := sampledRecord{ordinal: i, record: rec[:sizes[i]]}
			tail.add(k)
			sample.add(k)
			if tail.bytes > most || sample.bytes > most {
				t.Fatalf("%d and %d bytes are kept, of %d", tail.bytes, sample.bytes, most)
			}
		}
		end := make([]int64, min(n, total))
		for i := range end {
			end[i] = total - int64(len(end)) + int64(i)
		}
		for _, c := range []struct {
			recordSampler
			want []int64
		}{{tail, end}, {sample, chooseOrdinals(total, n, seed)}} {
			bytes := 0
			for _, i := range c.want {
				bytes += sizes[i]
			}
			chosen, want := c.all()
			var got []int64
			for _, k := range chosen {
				got = append(got, k.ordinal)
			}
			fits := int64(bytes) <= most
			if want != int64(len(c.want)) || fits != (len(got) == len(c.want)) || fits && !slices.Equal(got, c.want) {
				t.Fatalf("%T of %d records of %d, %d bytes in %d: got %v, want %v", c.recordSampler, n, total, bytes, most, got, c.want)
			}
		}
	}
}
