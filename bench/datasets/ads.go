package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/tfparse/tfparse/feature"
)

// An ad is one feature of the ads: its name, and a function that draws its values.
type ad struct {
	name  string
	dtype feature.DType
	list  bool
	write func(w *writer, rnd *rand.Rand)
}

// ads returns requests of a ranking service: 13 float scalars, 20 int64 scalars, 5 lists of int64 and 2 short
// strings.
func ads(shuffled bool) Set {
	fs := adFeatures()
	spec := feature.Features{}
	for _, f := range fs {
		if f.list {
			spec[f.name] = feature.Ragged{DType: f.dtype}
		} else {
			spec[f.name] = feature.FixedLen{DType: f.dtype}
		}
	}
	name := "ads"
	if shuffled {
		name = "ads-shuffled"
	}
	body := func(w *writer, rnd *rand.Rand) {
		w.order = w.order[:0]
		for i := range fs {
			w.order = append(w.order, i)
		}
		if shuffled {
			rnd.Shuffle(len(fs), func(i, j int) { w.order[i], w.order[j] = w.order[j], w.order[i] })
		}
		for _, i := range w.order {
			fs[i].write(w, rnd)
			w.named(fs[i].name)
		}
		w.example()
	}
	return Set{name, 200_000, []View{{Name: name, Spec: feature.Spec{Features: spec}}}, body}
}

func adFeatures() (fs []ad) {
	scalar := func(name string, draw func(*rand.Rand) int64) {
		fs = append(fs, ad{name, feature.Int64, false, func(w *writer, rnd *rand.Rand) { w.ints(draw(rnd)) }})
	}
	for i := range 13 {
		fs = append(fs, ad{fmt.Sprintf("f_%02d", i), feature.Float32, false, func(w *writer, rnd *rand.Rand) { w.floats(float32(rnd.NormFloat64())) }})
	}
	for i := range 8 {
		scalar(fmt.Sprintf("s_%02d", i), func(rnd *rand.Rand) int64 { return rnd.Int64N(100) })
	}
	for i := range 6 {
		scalar(fmt.Sprintf("c_%02d", i), func(rnd *rand.Rand) int64 { return rnd.Int64N(1_000_000) })
	}
	for i := range 4 {
		scalar(fmt.Sprintf("i_%02d", i), (*rand.Rand).Int64)
	}
	for i := range 2 {
		scalar(fmt.Sprintf("d_%02d", i), func(rnd *rand.Rand) int64 {
			if v := rnd.Int64N(1000); rnd.IntN(10) > 0 {
				return v
			} else {
				return -1 - v
			}
		})
	}
	list := func(name string, draw func(*rand.Rand) int64) {
		fs = append(fs, ad{name, feature.Int64, true, func(w *writer, rnd *rand.Rand) {
			v := w.numbers[0][:0]
			for range rnd.IntN(101) {
				v = append(v, draw(rnd))
			}
			w.numbers[0] = v
			w.ints(v...)
		}})
	}
	list("list_3byte", func(rnd *rand.Rand) int64 { return between(rnd, 14, 21) })
	list("list_1byte", func(rnd *rand.Rand) int64 { return rnd.Int64N(128) })
	list("list_6byte", func(rnd *rand.Rand) int64 { return between(rnd, 35, 42) })
	list("list_5byte", func(rnd *rand.Rand) int64 { return between(rnd, 28, 35) })
	list("list_mixed", func(rnd *rand.Rand) int64 { return rnd.Int64() >> rnd.IntN(63) })
	for _, name := range []string{"site", "country"} {
		fs = append(fs, ad{name, feature.String, false, func(w *writer, rnd *rand.Rand) {
			w.bytes(fmt.Appendf(nil, "%s-%d", name[:2], rnd.IntN(10_000)))
		}})
	}
	return fs
}

// between draws a number of more than lo and at most hi bits.
func between(rnd *rand.Rand, lo, hi int) int64 {
	return 1<<lo + rnd.Int64N(1<<hi-1<<lo)
}
