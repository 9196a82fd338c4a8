package stats_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/validate/stats"
)

// benchRecords returns n records of 40 features and their spec: integers, floats and strings with few and with many
// distinct values, one or several in a record.
func benchRecords(n int) (records [][]byte, spec feature.Spec) {
	rnd := rand.New(rand.NewPCG(1, 2))
	spec = feature.Spec{Features: feature.Features{}}
	for range n {
		e := example.Example{}
		for f := range 40 {
			name := fmt.Sprintf("feature_%02d", f)
			switch f % 5 {
			case 0:
				e[name] = example.Value{Int64s: []int64{rnd.Int64N(100)}}
			case 1:
				e[name] = example.Value{Floats: []float32{rnd.Float32()}}
			case 2:
				e[name] = example.Value{Bytes: [][]byte{fmt.Appendf(nil, "label_%d", rnd.IntN(50))}}
			case 3:
				e[name] = example.Value{Int64s: []int64{rnd.Int64N(1 << 40), rnd.Int64N(1 << 40), rnd.Int64N(1 << 40)}}
			case 4:
				e[name] = example.Value{Floats: make([]float32, 8)}
				for i := range e[name].Floats {
					e[name].Floats[i] = rnd.Float32() * 1000
				}
			}
		}
		b, err := e.MarshalBinary()
		if err != nil {
			panic(err)
		}
		records = append(records, b)
	}
	for f := range 40 {
		name := fmt.Sprintf("feature_%02d", f)
		switch f % 5 {
		case 0, 3:
			spec.Features[name] = feature.VarLen{DType: feature.Int64}
		case 1, 4:
			spec.Features[name] = feature.VarLen{DType: feature.Float32}
		default:
			spec.Features[name] = feature.VarLen{DType: feature.String}
		}
	}
	return records, spec
}

// BenchmarkAdd measures adding records and computing their statistics, against parsing the records into columns.
func BenchmarkAdd(b *testing.B) {
	records, spec := benchRecords(20000)
	size := 0
	for _, r := range records {
		size += len(r)
	}
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("do=parse", func(b *testing.B) {
		b.SetBytes(int64(size))
		for range b.N {
			for i := 0; i < len(records); i += 500 {
				if _, err := parser.Parse(records[i : i+500]...); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("do=finish", func(b *testing.B) {
		a := run(b, nil, records)
		b.SetBytes(int64(size))
		b.ResetTimer()
		for range b.N {
			list(b, a)
		}
	})
	b.Run("do=stats", func(b *testing.B) {
		b.SetBytes(int64(size))
		for range b.N {
			a, err := stats.New(nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, r := range records {
				if err := a.Add(r); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// sparseRecords returns n records with 20 of the given number of features each. All names have the same length, so that
// the size of the data does not depend on the number of names.
func sparseRecords(n, names int) (records [][]byte) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range n {
		e := example.Example{}
		for len(e) < 20 {
			f := rnd.IntN(names)
			name := fmt.Sprintf("feature%05d", f)
			switch f % 8 {
			case 0:
				e[name] = example.Floats(rnd.Float32())
			case 1:
				e[name] = example.Strings(fmt.Sprintf("label_%02d", rnd.IntN(50)))
			default:
				e[name] = example.Int64s(rnd.Int64N(100))
			}
		}
		b, err := e.MarshalBinary()
		if err != nil {
			panic(err)
		}
		records = append(records, b)
	}
	return records
}

// BenchmarkSparse measures the statistics of the same number of values in few and in many features. As in the command,
// portions of the records are merged.
func BenchmarkSparse(b *testing.B) {
	for _, names := range []int{120, 1000, 8000} {
		records := sparseRecords(100_000, names)
		size := 0
		for _, r := range records {
			size += len(r)
		}
		b.Run(fmt.Sprintf("names=%d", names), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				all := inPortions(b, records, usedAgain())
				if _, err := all.Statistics(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// inPortions adds each portion of the records to a separate accumulator, and merges all accumulators.
func inPortions(tb testing.TB, records [][]byte, fresh func(*stats.Accumulator) *stats.Accumulator) *stats.Accumulator {
	all, err := stats.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	for portion := range slices.Chunk(records, 4000) { // of about 2 MB
		part := fresh(all)
		for _, r := range portion {
			if err := part.Add(r); err != nil {
				tb.Fatal(err)
			}
		}
		if err := all.Merge(part); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

// usedAgain returns a function that returns the same accumulator for every portion.
func usedAgain() func(*stats.Accumulator) *stats.Accumulator {
	var part *stats.Accumulator
	return func(all *stats.Accumulator) *stats.Accumulator {
		if part == nil {
			part = all.Fresh()
		}
		return part
	}
}

// TestSparse checks the results of BenchmarkSparse: statistics of thousands of features with few values in a portion
// need few allocations for each feature and portion, and take at most 5 to 8 times as long as the same number of values
// in few features, depending on the load of the machine's caches. The aim is 4.
func TestSparse(t *testing.T) {
	const portions, many = 4, 8000
	n := portions * 4000
	timed := testkit.Timing(t, "the time that many features take")
	if timed {
		n = 40_000
	}
	sparse := sparseRecords(n, many)
	allocations := testing.AllocsPerRun(1, func() { inPortions(t, sparse[:portions*4000], (*stats.Accumulator).Fresh) })
	if most := 8.0; allocations > most*portions*many {
		t.Errorf("%.1f allocations for each feature of a portion, wanted at most %v", allocations/portions/many, most)
	}
	again := testing.AllocsPerRun(1, func() { inPortions(t, sparse[:portions*4000], usedAgain()) })
	if again > allocations*3/4 { // the columns of the first portion are handed over
		t.Errorf("%.0f allocations with a part that is used again, and %.0f with new ones", again, allocations)
	}
	if !timed {
		return
	}
	spent := func(records [][]byte) (least time.Duration) {
		for i := range 3 {
			start := time.Now()
			if _, err := inPortions(t, records, usedAgain()).Statistics(); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); i == 0 || took < least {
				least = took
			}
		}
		return least
	}
	if ratio := float64(spent(sparse)) / float64(spent(sparseRecords(n, 120))); ratio > 12 {
		t.Errorf("%d features take %.1f times as long as 120 with as many values", many, ratio)
	}
}

// TestSharedNames checks that accumulators with shared names give the same bytes as accumulators without, even if
// records with some of the names are rejected.
func TestSharedNames(t *testing.T) {
	records := sparseRecords(12_000, 500)
	state := func(fresh func(*stats.Accumulator) *stats.Accumulator) []byte {
		all := inPortions(t, records, func(a *stats.Accumulator) *stats.Accumulator {
			part := fresh(a)
			for _, r := range records[:3] {
				if err := part.Add(r[:len(r)-1]); err == nil {
					t.Error("a record is not refused that is cut")
				}
			}
			return part
		})
		b, err := all.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	alone := state(func(*stats.Accumulator) *stats.Accumulator {
		a, err := stats.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	})
	if !bytes.Equal(state((*stats.Accumulator).Fresh), alone) {
		t.Error("portions that share names give another state")
	}
}
