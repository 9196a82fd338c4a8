package datasets

import (
	"math/rand/v2"

	"github.com/tfparse/tfparse/feature"
)

// text has 0 to 500 tokens in sentences of 1 to 30, those in paragraphs of 1 to 8
// sentences.
func text() Set {
	spec := feature.Spec{Features: feature.Features{"text": feature.Ragged{
		DType: feature.Int64, ValueKey: "tokens",
		Partitions: []feature.Partition{feature.RowLengths("paragraphs"), feature.RowLengths("sentences")},
	}}}
	return Set{"text", 50_000, []View{{Name: "text", Spec: spec}}, func(w *writer, rnd *rand.Rand) {
		tokens := w.numbers[0][:0]
		for range rnd.IntN(501) {
			// Frequent words have small numbers: one, two or three bytes.
			tokens = append(tokens, between(rnd, 0, []int{7, 14, 18}[rnd.IntN(3)]))
		}
		sentences := cut(w.numbers[1][:0], len(tokens), 30, rnd)
		paragraphs := cut(w.numbers[2][:0], len(sentences), 8, rnd)
		w.numbers = [3][]int64{tokens, sentences, paragraphs}
		w.ints(paragraphs...)
		w.named("paragraphs")
		w.ints(sentences...)
		w.named("sentences")
		w.ints(tokens...)
		w.named("tokens")
		w.example()
	}}
}

// cut appends the lengths of rows of 1 to longest items, n in all.
func cut(dst []int64, n, longest int, rnd *rand.Rand) []int64 {
	for n > 0 {
		k := min(n, 1+rnd.IntN(longest))
		dst = append(dst, int64(k))
		n -= k
	}
	return dst
}
