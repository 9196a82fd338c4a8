package datasets

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/tfparse/tfparse/feature"
)

// wide returns records with one list of 1,024 floats, read as Ragged and as FixedLen.
func wide() Set {
	const n = 1024
	ragged := feature.Features{"embedding": feature.Ragged{DType: feature.Float32}}
	fixed := feature.Features{"embedding": feature.FixedLen{DType: feature.Float32, Shape: []int{n}}}
	return Set{"wide", 50_000, []View{{Name: "wide", Spec: feature.Spec{Features: ragged}}, {Name: "wide-fixed", Spec: feature.Spec{Features: fixed}}}, func(w *writer, rnd *rand.Rand) {
		w.vector = w.vector[:0]
		for range n {
			w.vector = append(w.vector, rnd.Float32()-0.5)
		}
		w.floats(w.vector...)
		w.named("embedding")
		w.example()
	}}
}

// image returns records with a string of about 50 KB that cannot be compressed, and a label.
func image() Set {
	spec := feature.Spec{Features: feature.Features{
		"image": feature.FixedLen{DType: feature.String},
		"label": feature.FixedLen{DType: feature.Int64},
	}}
	return Set{"image", 4_000, []View{{Name: "image", Spec: spec, Alias: true}, {Name: "image-copied", Spec: spec}}, func(w *writer, rnd *rand.Rand) {
		w.blob = w.blob[:0]
		for range 6_000 + rnd.IntN(800) { // 8 bytes each
			w.blob = binary.LittleEndian.AppendUint64(w.blob, rnd.Uint64())
		}
		w.bytes(w.blob)
		w.named("image")
		w.ints(rnd.Int64N(1000))
		w.named("label")
		w.example()
	}}
}
