package stats_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/tfparse/tfparse/example"
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
}

// TestMemoryIsTrue proves that what the accumulator says it takes is what it takes, and
// that it stays near the limit, whatever the records want, added or merged.
func TestMemoryIsTrue(t *testing.T) {
	const limit, slack = 8 << 20, 2 << 20
	for name, next := range hostile {
		for _, parts := range []int{1, 6} {
			rnd := rand.New(rand.NewPCG(1, 1))
			o := &stats.Options{Memory: limit}
			if name == "slices" {
				o.Slices = []stats.Slice{{"slice": nil}}
			}
			before := heap()
			all, err := stats.New(o)
			if err != nil {
				t.Fatal(err)
			}
			most, cut, n := int64(0), false, 0
			for range parts {
				part := all
				if parts > 1 {
					part = all.Fresh()
				}
				for wire := 0; wire < 16<<20/parts; n++ {
					rec := record(next(rnd, n))
					wire += len(rec)
					cut = part.Add(rec) != nil || cut
					if n%100 == 0 {
						most = max(most, part.Size())
					}
				}
				if parts > 1 {
					if err := all.Merge(part); err != nil {
						t.Fatal(err)
					}
				}
				most = max(most, all.Size())
			}
			took := heap() - before
			if said := all.Size(); took > said+said/8+slack {
				t.Errorf("%s in %d parts: it says that it takes %d bytes, and takes %d", name, parts, said, took)
			}
			if most > limit+slack {
				t.Errorf("%s in %d parts: it has taken %d bytes, %d are allowed", name, parts, most, limit)
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

// heap is what is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
