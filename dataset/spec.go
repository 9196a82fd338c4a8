package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/ragged"
)

// A Spec says what the elements of a component have in common, and so how they batch:
// TensorFlow's TensorSpec and RaggedTensorSpec, without the dtype, which is in the Go
// type. The zero Spec says nothing: each batch goes by its first element.
type Spec struct {
	kind   specKind
	levels int   // partitions of a ragged element; -1 for an item of a dense one
	sizes  []int // of every axis, -1 where elements differ
}

type specKind uint8

const (
	open specKind = iota
	denseKind
	raggedKind
)

// DenseSpec is for dense elements of a shape; -1 is a size in which they may differ.
// It is TensorFlow's TensorSpec. It panics if a size is less than -1.
func DenseSpec(sizes ...int) Spec {
	checkSizes(sizes)
	return Spec{kind: denseKind, sizes: slices.Clone(sizes)}
}

// RaggedSpec is for ragged elements of a shape and a ragged rank; -1 is an axis
// that is ragged or in which they may differ. With a ragged rank of 0 elements are the
// dense rows of something ragged. It is TensorFlow's RaggedTensorSpec. It panics if
// a size is less than -1, or if the ragged rank is negative or not less than the rank.
func RaggedSpec(raggedRank int, sizes ...int) Spec {
	checkSizes(sizes)
	if raggedRank < 0 || raggedRank >= len(sizes) {
		panic("dataset: a ragged rank must be at least 0 and less than the rank")
	}
	return Spec{kind: raggedKind, levels: raggedRank, sizes: slices.Clone(sizes)}
}

func checkSizes(sizes []int) {
	for _, n := range sizes {
		if n < -1 {
			panic("dataset: a size must be at least -1")
		}
	}
}

// specOf is the spec of a tensor: a DenseSpec if it has no partitions.
func specOf[T any](t ragged.Tensor[T]) Spec {
	if t.RaggedRank() == 0 {
		return Spec{kind: denseKind, sizes: t.Shape()}
	}
	return Spec{kind: raggedKind, levels: t.RaggedRank(), sizes: t.Shape()}
}

// known reports whether the spec says anything.
func (s Spec) known() bool { return s.kind != open }

// Shape returns the size of every axis, -1 where elements differ or are ragged. It is
// nil if nothing is known. The slice is new.
func (s Spec) Shape() []int { return slices.Clone(s.sizes) }

// RaggedRank returns the number of partitions of elements, and whether they batch into
// a ragged tensor.
func (s Spec) RaggedRank() (n int, isRagged bool) { return max(s.levels, 0), s.kind == raggedKind }

// String describes the spec, such as "ragged [2 ? 3], ragged rank 1".
func (s Spec) String() string {
	var b strings.Builder
	switch s.kind {
	case open:
		return "open"
	case denseKind:
		b.WriteString("dense [")
	case raggedKind:
		b.WriteString("ragged [")
	}
	for i, n := range s.sizes {
		if i > 0 {
			b.WriteByte(' ')
		}
		if n < 0 {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.Itoa(n))
		}
	}
	b.WriteByte(']')
	if s.kind == raggedKind {
		fmt.Fprintf(&b, ", ragged rank %d", s.levels)
	}
	return b.String()
}

// batched is the spec of batches of n elements, n being -1 if that varies.
func (s Spec) batched(n int) Spec {
	if s.kind == open {
		return s
	}
	out := Spec{kind: s.kind, sizes: append([]int{n}, s.sizes...)}
	if s.kind == raggedKind {
		out.levels = s.levels + 1
	}
	return out
}

// unbatched is the spec of the slices of elements.
func (s Spec) unbatched() Spec {
	if s.kind == open || len(s.sizes) == 0 {
		return s // the slices of a scalar are an error in any case
	}
	out := Spec{kind: s.kind, sizes: s.sizes[1:]}
	if s.kind == raggedKind {
		out.levels = s.levels - 1
	}
	return out
}

// forRagged is the spec with which elements batch raggedly where they differ.
func (s Spec) forRagged() Spec {
	last := len(s.sizes) - 1
	for last >= 0 && s.sizes[last] >= 0 {
		last--
	}
	if s.kind != denseKind || last < 0 {
		return s
	}
	return Spec{kind: raggedKind, levels: last, sizes: s.sizes}
}

// specFor is the spec by which a batch is made whose first element is given.
func specFor[T any](s Spec, first ragged.Tensor[T], raggedly bool) Spec {
	if s.kind != open {
		return s
	}
	unknown := slices.Repeat([]int{-1}, first.Rank())
	switch {
	case first.RaggedRank() > 0:
		return Spec{kind: raggedKind, levels: first.RaggedRank(), sizes: unknown}
	case raggedly:
		return Spec{kind: denseKind, sizes: unknown}.forRagged()
	}
	return Spec{kind: denseKind, sizes: unknown}
}
