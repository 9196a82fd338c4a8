package datasets

import (
	"math/rand/v2"

	"github.com/tfparse/tfparse/feature"
)

// text returns records of 0 to 500 tokens. A sentence has 1 to 30 tokens, a paragraph 1 to 8 sentences.
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

// cut divides n items into rows of 1 to longest items, and appends the lengths of the rows.
func cut(dst []int64, n, longest int, rnd *rand.Rand) []int64 {
	for n > 0 {
		k := min(n, 1+rnd.IntN(longest))
		dst = append(dst, int64(k))
		n -= k
	}
	return dst
}
