package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/ragged"
)

// A Spec describes the common shape of the elements of a component, which determines how they
// batch: TensorFlow's TensorSpec and RaggedTensorSpec without the dtype, which is in the Go type.
// With the zero Spec each batch follows its first element.
type Spec struct {
	kind       specKind // open, dense or ragged
	partitions int      // number of partitions of a ragged element; -1 for a slice of a dense row
	sizes      []int    // size of every axis, -1 if elements differ
}

// specKind is the kind of a Spec.
type specKind uint8

const (
	openKind specKind = iota
	denseKind
	raggedKind
)

// DenseSpec is the spec of dense elements of a shape; -1 is a size that may differ between elements.
// It is TensorFlow's TensorSpec. It panics if a size is less than -1.
func DenseSpec(sizes ...int) Spec {
	checkSizes(sizes)
	return Spec{kind: denseKind, sizes: slices.Clone(sizes)}
}

// RaggedSpec is the spec of ragged elements of a shape and a ragged rank; -1 is the size of an axis
// that is ragged or differs between elements. With a ragged rank of 0 the elements are dense rows of
// a ragged tensor. It is TensorFlow's RaggedTensorSpec. It panics if a size is less than -1, or if
// the ragged rank is negative or not less than the rank.
func RaggedSpec(raggedRank int, sizes ...int) Spec {
	checkSizes(sizes)
	if raggedRank < 0 || raggedRank >= len(sizes) {
		panic("dataset: a ragged rank must be at least 0 and less than the rank")
	}
	return Spec{kind: raggedKind, partitions: raggedRank, sizes: slices.Clone(sizes)}
}

func checkSizes(sizes []int) {
	for _, n := range sizes {
		if n < -1 {
			panic("dataset: a size must be at least -1")
		}
	}
}

// tensorSpec returns the spec of a tensor: dense if it has no partitions.
func tensorSpec[T any](t ragged.Tensor[T]) Spec {
	if t.RaggedRank() == 0 {
		return Spec{kind: denseKind, sizes: t.Shape()}
	}
	return Spec{kind: raggedKind, partitions: t.RaggedRank(), sizes: t.Shape()}
}

// known reports whether the spec is not open.
func (s Spec) known() bool { return s.kind != openKind }

// Shape returns the size of every axis, -1 if elements differ or are ragged. It is nil for an open
// spec. The slice is new.
func (s Spec) Shape() []int { return slices.Clone(s.sizes) }

// RaggedRank returns the number of partitions of elements, and whether they batch into a ragged
// tensor.
func (s Spec) RaggedRank() (n int, isRagged bool) { return max(s.partitions, 0), s.kind == raggedKind }

// String describes the spec, for example "ragged [2 ? 3], ragged rank 1".
func (s Spec) String() string {
	var b strings.Builder
	switch s.kind {
	case openKind:
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
		fmt.Fprintf(&b, ", ragged rank %d", s.partitions)
	}
	return b.String()
}

// ofBatches returns the spec of batches of n elements; n is -1 if the number varies.
func (s Spec) ofBatches(n int) Spec {
	if s.kind == openKind {
		return s
	}
	out := Spec{kind: s.kind, sizes: append([]int{n}, s.sizes...)}
	if s.kind == raggedKind {
		out.partitions = s.partitions + 1
	}
	return out
}

// ofSlices returns the spec of the slices of elements.
func (s Spec) ofSlices() Spec {
	if s.kind == openKind || len(s.sizes) == 0 {
		return s // the slices of a scalar are an error in any case
	}
	out := Spec{kind: s.kind, sizes: s.sizes[1:]}
	if s.kind == raggedKind {
		out.partitions = s.partitions - 1
	}
	return out
}

// raggedForm returns the spec for BatchOptions.Ragged.
func (s Spec) raggedForm() Spec {
	last := len(s.sizes) - 1
	for last >= 0 && s.sizes[last] >= 0 {
		last--
	}
	if s.kind != denseKind || last < 0 {
		return s
	}
	return Spec{kind: raggedKind, partitions: last, sizes: s.sizes}
}

// batchSpec returns the spec by which a batch is made, given its first element.
func batchSpec[T any](s Spec, first ragged.Tensor[T], raggedly bool) Spec {
	if s.kind != openKind {
		return s
	}
	unknown := slices.Repeat([]int{-1}, first.Rank())
	switch {
	case first.RaggedRank() > 0:
		return Spec{kind: raggedKind, partitions: first.RaggedRank(), sizes: unknown}
	case raggedly:
		return Spec{kind: denseKind, sizes: unknown}.raggedForm()
	}
	return Spec{kind: denseKind, sizes: unknown}
}
