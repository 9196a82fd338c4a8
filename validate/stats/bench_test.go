package stats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/validate/stats"
)

// benchRecords are records of 40 features: integers of few and of many values,
// floats, and strings of few and of many values, one or several a record.
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

// BenchmarkAdd compares adding records, and making statistics of what was added, with
// parsing them into columns.
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
	for _, tfdv := range []bool{false, true} {
		b.Run(fmt.Sprintf("do=stats/tfdv=%v", tfdv), func(b *testing.B) {
			b.SetBytes(int64(size))
			for range b.N {
				a, err := stats.New(&stats.Options{TFDV: tfdv})
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
}
