package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/tfparse/tfparse/feature"
)

// sequence returns sessions of users. A session has 3 context features and 1 to 200 steps; each step has a number,
// a vector of 16 floats, 0 to 8 ints and a string. The set is read without padding, and with the padding that dense
// tensors need.
func sequence() Set {
	context := feature.Features{
		"user":    feature.FixedLen{DType: feature.Int64},
		"weight":  feature.FixedLen{DType: feature.Float32},
		"country": feature.FixedLen{DType: feature.String},
	}
	ragged := feature.Features{
		"price":  feature.Ragged{DType: feature.Float32},
		"vector": feature.Ragged{DType: feature.Float32, Partitions: []feature.Partition{feature.UniformRowLength(16)}},
		"items":  feature.Ragged{DType: feature.Int64},
		"page":   feature.Ragged{DType: feature.String},
	}
	padded := feature.Features{
		"price":  feature.FixedLenSequence{DType: feature.Float32},
		"vector": feature.FixedLenSequence{DType: feature.Float32, Shape: []int{16}},
		"items":  feature.Ragged{DType: feature.Int64},
		"page":   feature.FixedLenSequence{DType: feature.String},
	}
	views := []View{
		{Name: "sequence", Spec: feature.Spec{Context: context, Sequence: ragged}},
		{Name: "sequence-padded", Spec: feature.Spec{Context: context, Sequence: padded}, Padded: true},
	}
	return Set{"sequence", 20_000, views, func(w *writer, rnd *rand.Rand) {
		w.bytes(fmt.Appendf(nil, "c%d", rnd.IntN(200)))
		w.named("country")
		w.ints(rnd.Int64())
		w.named("user")
		w.floats(rnd.Float32())
		w.named("weight")
		steps := 1 + rnd.IntN(200)
		w.list = w.list[:0]
		for range steps {
			items := w.numbers[0][:0]
			for range rnd.IntN(9) {
				items = append(items, rnd.Int64N(1<<20))
			}
			w.numbers[0] = items
			w.ints(items...)
			w.step()
		}
		w.endList("items")
		for range steps {
			w.bytes(fmt.Appendf(nil, "page-%d", rnd.IntN(10_000)))
			w.step()
		}
		w.endList("page")
		for range steps {
			w.floats(100 * rnd.Float32())
			w.step()
		}
		w.endList("price")
		for range steps {
			w.vector = w.vector[:0]
			for range 16 {
				w.vector = append(w.vector, float32(rnd.NormFloat64()))
			}
			w.floats(w.vector...)
			w.step()
		}
		w.endList("vector")
		w.sequence()
	}}
}
