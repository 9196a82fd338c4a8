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

// many has functions that return the i-th record of a kind of data. The data have so many distinct values that all statistics
// are approximate.
var many = map[string]func(rnd *rand.Rand, i int) example.Example{
	"words": func(rnd *rand.Rand, i int) example.Example {
		return example.Example{"x": example.Strings(fmt.Sprintf("%x", i), fmt.Sprintf("%08x", rnd.Uint32()), fmt.Sprintf("word %d", rnd.Uint64()))}
	},
	"long words": func(rnd *rand.Rand, i int) example.Example {
		return example.Example{"x": example.Strings(fmt.Sprintf("%0*d", rnd.IntN(2000), i))}
	},
	"images": func(rnd *rand.Rand, i int) example.Example {
		b := make([]byte, 20000)
		for k := range b {
			b[k] = byte(rnd.Uint32())
		}
		return example.Example{"x": {Bytes: [][]byte{b}}}
	},
	"integers": func(rnd *rand.Rand, i int) example.Example {
		return example.Example{"x": example.Int64s(int64(rnd.Uint64()), int64(i), rnd.Int64N(100))}
	},
	"floats": func(rnd *rand.Rand, i int) example.Example {
		return example.Example{"x": example.Floats(rnd.Float32(), float32(rnd.NormFloat64()), float32(i))}
	},
	"weighted": func(rnd *rand.Rand, i int) example.Example {
		return example.Example{"x": example.Floats(rnd.Float32(), float32(rnd.NormFloat64())), "w": example.Floats(float32(rnd.ExpFloat64()))}
	},
	"slices": func(rnd *rand.Rand, i int) example.Example {
		return example.Example{"x": example.Floats(rnd.Float32(), float32(i)), "s": example.Int64s(rnd.Int64N(3))}
	},
}

// manyOptions returns the options for a kind of data in many.
func manyOptions(name string) *stats.Options {
	o := &stats.Options{}
	switch name {
	case "weighted":
		o.Weight = "w"
	case "slices":
		o.Slices = []stats.Slice{{"s": nil}}
	}
	return o
}

// TestBounds checks the bounds of memory in the package comment, for added and for merged records.
func TestBounds(t *testing.T) {
	if testkit.Race {
		t.Skip("skipped: the race detector takes memory of its own")
	}
	size, divisions := 9<<20, []int{4}
	if testkit.Long(t, "80 MB of each sort, and in one part") {
		size, divisions = 80<<20, []int{1, 4}
	}
	const numbers, strings = 300 << 10, 6500 << 10
	bounds := map[string]int64{"words": strings, "long words": strings, "images": strings, "integers": numbers, "floats": numbers, "weighted": 4 * numbers, "slices": 8 * numbers}
	for name, next := range many {
		for _, parts := range divisions {
			size := size
			if bounds[name] < strings {
				size /= 3 // still more than the bound
			}
			rnd := rand.New(rand.NewPCG(1, 1))
			before := heap()
			all, err := stats.New(manyOptions(name))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for range parts {
				part := all
				if parts > 1 {
					part = all.Fresh()
				}
				for wire := 0; wire < size/parts; n++ {
					rec := record(next(rnd, n))
					wire += len(rec)
					if err := part.Add(rec); err != nil {
						t.Fatal(err)
					}
				}
				if parts > 1 {
					if err := all.Merge(part); err != nil {
						t.Fatal(err)
					}
				}
			}
			took := heap() - before
			t.Logf("%s in %d parts: %d KB of at most %d", name, parts, took>>10, bounds[name]>>10)
			if took > bounds[name]+64<<10 { // the accumulator itself takes up to 64 KiB
				t.Errorf("%s in %d parts: it takes %d bytes, wanted at most %d", name, parts, took, bounds[name])
			}
			if exact := all.Errors() == (stats.Errors{}); exact || all.Examples() != uint64(n) {
				t.Errorf("%s in %d parts: %d records of %d; exact: %t", name, parts, all.Examples(), n, exact)
			}
			runtime.KeepAlive(all)
		}
	}
}

// heap returns the bytes of the heap in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMaxFeatures checks that one feature too many ends the run, in Add and in Merge, and that the error names the feature.
func TestMaxFeatures(t *testing.T) {
	one := func(name string) []byte {
		return record(example.Example{name: example.Int64s(1), "part": example.Int64s(1)})
	}
	for _, c := range []struct {
		name    string
		opts    stats.Options
		records []string
		fails   string // the feature that is named
	}{
		{"as many as there may be", stats.Options{MaxFeatures: 4}, []string{"a", "b", "c"}, ""},
		{"one more", stats.Options{MaxFeatures: 3}, []string{"a", "b", "c"}, "c"},
		{"with slices", stats.Options{MaxFeatures: 6, Slices: []stats.Slice{{"part": nil}}}, []string{"a", "b"}, ""},
		{"one more with slices", stats.Options{MaxFeatures: 5, Slices: []stats.Slice{{"part": nil}}}, []string{"a", "b"}, "b"},
		{"names that are not listed", stats.Options{MaxFeatures: 3, Features: []string{"a"}}, []string{"a", "b", "c"}, "c"},
	} {
		for _, parts := range []bool{false, true} {
			all, err := stats.New(&c.opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range c.records {
				if err = all.Add(one(name)); parts && err == nil {
					part := all.Fresh()
					if err = part.Add(one(name)); err == nil {
						err = all.Merge(part)
					}
				}
				if err != nil {
					break
				}
			}
			if c.fails == "" {
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				continue
			}
			if !errors.Is(err, stats.ErrFeatures) || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.fails)) {
				t.Errorf("%s: %v, wanted an error about %q", c.name, err, c.fails)
			}
			if _, again := all.Statistics(); !errors.Is(again, stats.ErrFeatures) {
				t.Errorf("%s: statistics are made: %v", c.name, again)
			}
			if again := all.Add(one("a")); !errors.Is(again, stats.ErrFeatures) {
				t.Errorf("%s: records are taken: %v", c.name, again)
			}
		}
	}
}

// TestFresh checks that accumulators made by Fresh, and merged accumulators that are used again, behave like new accumulators.
func TestFresh(t *testing.T) {
	size := testkit.Rounds(1 << 20)
	for name, next := range many {
		o := manyOptions(name)
		sum := func(fresh func(*stats.Accumulator) *stats.Accumulator) string {
			rnd := rand.New(rand.NewPCG(3, 3))
			all, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for range 4 {
				part := fresh(all)
				for wire := 0; wire < size; n++ {
					rec := record(next(rnd, n))
					wire += len(rec)
					if err := part.Add(rec); err != nil {
						t.Fatal(err)
					}
				}
				if err := all.Merge(part); err != nil {
					t.Fatal(err)
				}
			}
			return string(state(t, all))
		}
		other := func(*stats.Accumulator) *stats.Accumulator {
			a, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		want := sum(other)
		if sum((*stats.Accumulator).Fresh) != want {
			t.Errorf("%s: another sum", name)
		}
		if sum(usedAgain()) != want {
			t.Errorf("%s: another sum with a part that is used again", name)
		}
	}
}
