package num_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// random makes a tensor of up to three partitions and two inner axes, with few values.
func random(t testing.TB, r *rand.Rand) ragged.Tensor[int8] {
	var parts []ragged.Partition
	rows := r.IntN(4)
	for range r.IntN(4) {
		if n := r.IntN(4); r.IntN(3) == 0 {
			parts = append(parts, must(ragged.Uniform(int64(n), int64(rows)))(t))
			rows *= n
			continue
		}
		lengths, sum := make([]int64, rows), 0
		for i := range lengths {
			lengths[i] = r.Int64N(4)
			sum += int(lengths[i])
		}
		parts = append(parts, must(ragged.FromRowLengths(lengths))(t))
		rows = sum
	}
	inner := []int{1, 2, 1, 3}[r.IntN(4):]
	inner = inner[:min(len(inner), r.IntN(3))]
	size := rows
	for _, n := range inner {
		size *= n
	}
	values := make([]int8, size)
	for i := range values {
		values[i] = int8(r.IntN(7) - 3)
	}
	if len(parts) == 0 {
		if r.IntN(4) == 0 {
			return ragged.Scalar(int8(r.IntN(7) - 3))
		}
		return must(ragged.Dense(values, append([]int{rows}, inner...)...))(t)
	}
	return must(ragged.New(values, inner, parts...))(t)
}

// partner makes a tensor that often broadcasts with a: some rows of a, other values in the shape of
// a, or an independent tensor.
func partner(t testing.TB, r *rand.Rand, a ragged.Tensor[int8]) ragged.Tensor[int8] {
	switch r.IntN(5) {
	case 0:
		return random(t, r)
	case 1:
		if a.Len() > 0 {
			return a.Slice(0, 1)
		}
	case 2:
		if a.Rank() > 0 { // one value per row
			return must(ragged.Dense(make([]int8, a.Len()), append([]int{a.Len()}, slices.Repeat([]int{1}, a.Rank()-1)...)...))(t)
		}
	case 3:
		if a.RaggedRank() > 0 {
			return a.Flat().Slice(0, min(1, a.Flat().Len()))
		}
	}
	return ragged.Map(a, func(v int8) int8 { return v ^ 1 })
}

// FuzzBinary compares operations of two random tensors with Zip, which calls a
// function for every pair.
func FuzzBinary(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed, seed*seed)
	}
	f.Fuzz(func(t *testing.T, seed1, seed2 uint64) {
		r := rand.New(rand.NewPCG(seed1, seed2))
		a := random(t, r)
		b := partner(t, r, a)
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		want, wantErr := ragged.Zip(a, b, func(x, y int8) int8 { return x - y })
		got, err := num.Sub(a, b)
		compare(t, a, b, got, want, err, wantErr)

		less, err := num.Less(a, b)
		wantLess, wantErr := ragged.Zip(a, b, func(x, y int8) bool { return x < y })
		compare(t, a, b, less, wantLess, err, wantErr)

		rest, err := num.TruncMod(a, b)
		want, wantErr = ragged.Zip(a, b, func(x, y int8) int8 {
			if y == 0 {
				return -100
			}
			return x % y
		})
		if wantErr == nil && slices.Contains(want.Values(), -100) {
			ve, ok := errors.AsType[*ragged.ValueError](err)
			if !ok || ve.Got != int8(0) || len(ve.At) != want.Rank() {
				t.Fatalf("%v by %v: got %v", a, b, err)
			}
			for i, k := range ve.At { // find the index
				if i == len(ve.At)-1 && want.Row(k).Item() != -100 {
					t.Fatalf("%v by %v: nothing is divided by 0 at %v", a, b, ve.At)
				}
				want = want.Row(k)
			}
			return
		}
		compare(t, a, b, rest, want, err, wantErr)
	})
}

// compare fails the test if two results, or two errors, differ.
func compare[T comparable](t *testing.T, a, b ragged.Tensor[int8], got, want ragged.Tensor[T], err, wantErr error) {
	t.Helper()
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%v and %v: got %v, want %v", a, b, err, wantErr)
	}
	if err == nil && (!ragged.Equal(got, want) || !slices.Equal(got.Shape(), want.Shape())) {
		t.Fatalf("%v and %v: got %v of shape %v, want %v of shape %v", a, b, got, got.Shape(), want, want.Shape())
	}
}
