package text_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text"
)

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// million is a tensor of a million rows of 0 to 10 words, of 5 to 12 bytes.
func million(b *testing.B) ragged.Tensor[string] {
	r := rand.New(rand.NewPCG(1, 1))
	lengths, n := make([]int64, 1_000_000), int64(0)
	for i := range lengths {
		lengths[i] = int64(r.IntN(11))
		n += lengths[i]
	}
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = r.Int64N(1e8)
	}
	words := must(text.Join("", ragged.Scalar("word"), must(text.AsString(ragged.Vector(numbers...), nil))(b)))(b)
	return must(ragged.New(words.Values(), nil, must(ragged.FromRowLengths(lengths))(b)))(b)
}

// BenchmarkMillion runs one operation on a million rows of five words each, on average. Compare with
// TensorFlow's eager operations on the same tensor.
func BenchmarkMillion(b *testing.B) {
	x := million(b)
	sentences := must(text.ReduceJoin(x, " ", &text.ReduceJoinOptions{Axes: []int{1}}))(b)
	bytes := 0
	for _, s := range x.Values() {
		bytes += len(s)
	}
	digits := must(text.Substr(x, ragged.Scalar[int64](4), ragged.Scalar[int64](-1), text.Bytes))(b)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"hash fast 1000", func() { _, _ = text.HashBucketFast(x, 1000) }},
		{"hash fast 1024", func() { _, _ = text.HashBucketFast(x, 1024) }},
		{"hash strong", func() { _, _ = text.HashBucketStrong(x, 1000, [2]uint64{1, 2}) }},
		{"hash", func() { _, _ = text.HashBucket(x, 1000) }},
		{"lower", func() { text.Lower(x, text.ASCIICase) }},
		{"lower unicode", func() { text.Lower(x, text.UnicodeCase) }},
		{"join", func() { _, _ = text.Join("+", x, x) }},
		{"length", func() { text.Length(x, text.Bytes) }},
		{"substr", func() { _, _ = text.Substr(x, ragged.Scalar[int64](0), ragged.Scalar[int64](3), text.Bytes) }},
		{"to number", func() { _, _ = text.ToNumber[int64](digits) }},
		{"ngrams", func() { _, _ = text.NGrams(x, " ", nil, 2) }},
		{"reduce join", func() { _, _ = text.ReduceJoin(x, " ", &text.ReduceJoinOptions{Axes: []int{1}}) }},
		{"split", func() { text.Split(sentences, "", -1) }},
		{"split at", func() { text.Split(sentences, " ", -1) }},
		{"decode", func() { _, _ = text.Decode(sentences, text.UTF8, nil) }},
	} {
		b.Run("op="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(bytes))
			for b.Loop() {
				c.f()
			}
		})
	}
}
