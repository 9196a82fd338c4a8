package stats_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/validate/stats"
)

// hostile are records that want much memory, each in its own way.
var hostile = map[string]func(rnd *rand.Rand, i int) example.Example{
	"words": func(rnd *rand.Rand, i int) example.Example {
		var words [][]byte
		for k := range 20 {
			words = append(words, fmt.Appendf(nil, "%x", i*20+k))
		}
		return example.Example{"short": {Bytes: words}, "long": {Bytes: [][]byte{fmt.Appendf(nil, "%0200d", rnd.Int())}}}
	},
	"images": func(rnd *rand.Rand, i int) example.Example {
		b := make([]byte, 20000)
		for k := range b {
			b[k] = byte(rnd.Uint32())
		}
		return example.Example{"image": {Bytes: [][]byte{b}}}
	},
	"numbers": func(rnd *rand.Rand, i int) example.Example {
		e := example.Example{}
		for f := range 10 {
			v, x := make([]int64, 20), make([]float32, 20)
			for k := range v {
				v[k], x[k] = int64(rnd.Uint64()), rnd.Float32()
			}
			e[fmt.Sprint("int", f)] = example.Value{Int64s: v}
			e[fmt.Sprint("float", f)] = example.Value{Floats: x}
		}
		return e
	},
	"pages": func(rnd *rand.Rand, i int) example.Example {
		v := make([]int64, 2000)
		for k := range v {
			v[k] = int64(i)<<12 + rnd.Int64N(1000)
		}
		return example.Example{"x": {Int64s: v}}
	},
	"features": func(rnd *rand.Rand, i int) example.Example {
		e := example.Example{}
		for f := range 20 {
			e[fmt.Sprint(i*20+f)] = example.Value{Int64s: []int64{1}}
		}
		return e
	},
	"slices": func(rnd *rand.Rand, i int) example.Example {
		return example.Example{"slice": {Int64s: []int64{int64(i)}}, "x": {Floats: []float32{rnd.Float32(), 1, 2}}, "s": {Bytes: [][]byte{fmt.Append(nil, i)}}}
	},
	"few slices": func(rnd *rand.Rand, i int) example.Example {
		e := example.Example{"slice": {Int64s: []int64{rnd.Int64N(30)}}}
		for f := range 10 {
			e[fmt.Sprint(f)] = example.Value{Bytes: [][]byte{fmt.Append(nil, rnd.Int())}}
			e[fmt.Sprint("x", f)] = example.Value{Int64s: []int64{rnd.Int64()}}
		}
		return e
	},
	"many of all sorts": func(rnd *rand.Rand, i int) example.Example {
		e := example.Example{}
		for f := range 40 {
			f += 40 * rnd.IntN(4)
			name := fmt.Sprintf("feature number %d", f)
			switch f % 5 {
			case 0:
				e[name] = example.Value{Int64s: []int64{int64(rnd.Uint64())}}
			case 1:
				e[name] = example.Value{Floats: []float32{rnd.Float32()}}
			case 2:
				e[name] = example.Value{Bytes: [][]byte{fmt.Appendf(nil, "%x", rnd.Uint32())}}
			case 3:
				e[name] = example.Value{Bytes: [][]byte{fmt.Appendf(nil, "%0*d", 20+rnd.IntN(1000), rnd.Int())}}
			default:
				e[name] = example.Value{Int64s: make([]int64, rnd.IntN(2000))}
			}
		}
		return e
	},
	"weights": func(rnd *rand.Rand, i int) example.Example {
		e := example.Example{"weight": {Floats: []float32{rnd.Float32()}}}
		for f := range 60 {
			e[fmt.Sprint("x", f)] = example.Value{Floats: []float32{rnd.Float32(), rnd.Float32()}}
			e[fmt.Sprint("s", f)] = example.Value{Bytes: [][]byte{fmt.Append(nil, rnd.IntN(5000))}}
		}
		return e
	},
	"kinds": func(rnd *rand.Rand, i int) example.Example {
		e := example.Example{}
		for f := range 100 {
			e[fmt.Sprint(f)] = []example.Value{{Int64s: []int64{rnd.Int64()}}, {Floats: []float32{rnd.Float32()}}, {Bytes: [][]byte{fmt.Append(nil, rnd.Int())}}}[rnd.IntN(3)]
		}
		return e
	},
}

// wanted are the options that hostile records are described with.
func wanted(name string, limit int64) *stats.Options {
	o := &stats.Options{Memory: limit}
	switch {
	case strings.HasSuffix(name, "slices"):
		o.Slices = []stats.Slice{{"slice": nil}}
	case name == "weights":
		o.WeightFeature = "weight"
	}
	return o
}

// TestMemoryIsTrue proves that what the accumulator says it takes is what it takes, and
// that this is no more than it may, but for what the last records have brought, whatever the
// records want, added or merged, and that no record is described by halves.
func TestMemoryIsTrue(t *testing.T) {
	if testkit.Race {
		t.Skip("skipped: the race detector takes memory of its own")
	}
	const perByte = 16 // that a byte of a record takes at most until memory is looked at
	limits := []int64{1 << 20}
	if testkit.Long(t, "a limit of 3 MiB") {
		limits = append(limits, 3<<20)
	}
	for name, next := range hostile {
		for _, limit := range limits {
			slack := perByte * min(max(limit/16, 16<<10), 256<<10)
			for _, parts := range []int{1, 6} {
				rnd := rand.New(rand.NewPCG(1, 1))
				before := heap()
				all, err := stats.New(wanted(name, limit))
				if err != nil {
					t.Fatal(err)
				}
				cut, n, added, refused := false, 0, uint64(0), uint64(0)
				check := func(a *stats.Accumulator, slack int64) {
					if size := a.Size(); size > limit+slack {
						t.Fatalf("%s in %d parts: after %d records it takes %d bytes, %d and %d more are allowed", name, parts, n, size, limit, slack)
					}
				}
				for range parts {
					part := all
					if parts > 1 {
						part = all.Fresh()
					}
					for wire := 0; wire < int(2*limit)/parts; n++ {
						rec := record(next(rnd, n))
						wire += len(rec)
						if err := part.Add(rec); err != nil && !errors.Is(err, stats.ErrMemory) {
							t.Fatal(err)
						} else if err != nil {
							refused++
						} else {
							added++
						}
						if n%8 == 0 || wanted(name, limit).Slices == nil { // which are many
							check(part, slack+perByte*int64(len(rec)))
						}
					}
					if parts > 1 {
						if err := all.Merge(part); err != nil {
							t.Fatal(err)
						}
						check(all, 0)
					}
				}
				cut = refused+all.LeftOut() > 0
				if all.Examples() != added || all.Bad() != refused {
					t.Errorf("%s in %d parts: %d records and %d bad ones, wanted %d and %d", name, parts, all.Examples(), all.Bad(), added, refused)
				}
				said := all.Size() // which ends chunks
				took := heap() - before
				if took > said+said/4+128<<10 {
					t.Errorf("%s in %d parts: it says that it takes %d bytes, and takes %d", name, parts, said, took)
				} else if said > 2*took+128<<10 {
					t.Errorf("%s in %d parts: it says that it takes %d bytes, and takes only %d", name, parts, said, took)
				}
				if all.Exact() && !cut {
					t.Errorf("%s in %d parts: nothing was cut", name, parts)
				}
				if _, err := all.Statistics(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestSlicesThatGrow proves that where slices have grown beyond the memory those of the Slice that has the most are left out,
// and that what is left has all its records.
func TestSlicesThatGrow(t *testing.T) {
	a, err := stats.New(&stats.Options{Memory: 1 << 20, Slices: []stats.Slice{{"part": nil}, {"half": nil}}})
	if err != nil {
		t.Fatal(err)
	}
	const records = 45000
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range records {
		e := example.Example{"part": example.Int64s(int64(i % 20)), "half": example.Int64s(int64(i % 2))}
		for f := range 24 {
			e[fmt.Sprint(f)] = example.Int64s(rnd.Int64())
		}
		if err := a.Add(record(e)); err != nil {
			t.Fatal(err)
		}
		if i == 300 && len(a.LostSlices()) > 0 {
			t.Fatal("there is no memory for slices that are small: the test proves nothing")
		}
	}
	if got, want := fmt.Sprint(numberOf(t, a)), "map[All Examples:45000 half_0:22500 half_1:22500]"; got != want {
		t.Errorf("got %s, wanted %s", got, want)
	}
	if got, want := fmt.Sprint(a.LostSlices()), "[{map[part:[]] true}]"; got != want {
		t.Errorf("%s is left out, wanted %s", got, want)
	}
}

// heap is what is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
