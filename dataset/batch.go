package dataset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
)

// BatchOptions are the settings of [Dataset.Batch]. Nil and zero fields select the defaults.
type BatchOptions struct {
	DropRemainder bool // DropRemainder leaves out a last batch with fewer elements than the others.
	// Ragged makes ragged tensors of dense components that may differ in shape, with a -1 in their
	// spec: every axis up to the last one with a -1 becomes a partition, which is uniform if its size
	// is given. Components with an open spec become ragged on every axis. TensorFlow calls it
	// ragged_batch, and dense_to_ragged_batch in tf.data.experimental.
	Ragged bool
}

// Batch combines n consecutive elements into one: every component gets one more axis, in front. The
// last batch has fewer elements if their number is not a multiple of n. Ragged components stay
// ragged and keep the lengths of their rows; their inner shapes must be equal. Dense components
// must have equal shapes, unless Ragged is set. An element that does not fit its spec or the other
// elements is an error that wraps ragged.ErrShape. TensorFlow calls it batch.
func (d Dataset[E]) Batch(n int, opts *BatchOptions) Dataset[E] {
	var o BatchOptions
	if opts != nil {
		o = *opts
	}
	op := "batch"
	if o.Ragged {
		op = "ragged batch"
	}
	size := -1
	if o.DropRemainder {
		size = n
	}
	batched := make([]Component[E], len(d.components))
	for i, c := range d.components {
		batched[i] = c.ofBatches(size, o.Ragged)
	}
	out := Dataset[E]{components: batched}
	switch {
	case n < 1:
		out.seq = failWith[E](op, argumentError("want at least 1 element in a batch, got %d", n))
		return out
	case len(batched) == 0:
		out.seq = failWith[E](op, argumentError("want components: call WithComponents"))
		return out
	}
	out.seq = func(yield func(E, error) bool) {
		var elements []E
		first := 0
		flush := func() bool {
			whole, err := d.stackElements(op, elements, first, o.Ragged)
			first += len(elements)
			clear(elements)
			elements = elements[:0]
			return yield(whole, err) && err == nil
		}
		for e, err := range d.All() {
			if err != nil {
				var none E
				yield(none, err)
				return
			}
			if elements = append(elements, e); len(elements) == n && !flush() {
				return
			}
		}
		if len(elements) > 0 && !o.DropRemainder {
			flush()
		}
	}
	return out
}

// stackElements combines elements into one; first is the ordinal of the first element.
func (d Dataset[E]) stackElements(op string, elements []E, first int, raggedly bool) (E, error) {
	var whole, none E
	for _, c := range d.components {
		err := c.stackInto(&whole, elements, raggedly)
		if err == nil {
			continue
		}
		e := &Error{Op: op, Element: first, Component: c.Name(), Err: err}
		if m, ok := errors.AsType[elementError](err); ok {
			e.Element, e.Err = first+m.element, m.error
		}
		return none, e
	}
	return whole, nil
}

// checkTensor returns an error if the shape of a tensor does not match the spec.
func (s Spec) checkTensor(shape []int, partitions int) error {
	if len(shape) != len(s.sizes) || partitions > max(s.partitions, 0) {
		return fmt.Errorf("%w: want %v, got shape %d of ragged rank %d", ragged.ErrShape, s, shape, partitions)
	}
	for axis, n := range s.sizes {
		if got := shape[axis]; n >= 0 && got >= 0 && got != n {
			return fmt.Errorf("%w: axis %d: want size %d, got %d", ragged.ErrShape, axis, n, got)
		}
	}
	return nil
}

// stackDense combines dense tensors of one shape into a dense tensor.
func stackDense[T any](tensors []ragged.Tensor[T]) (ragged.Tensor[T], error) {
	shape := tensors[0].Shape()
	size := tensors[0].Size()
	values := make([]T, 0, size*len(tensors))
	for i, t := range tensors {
		if got := t.Shape(); !slices.Equal(got, shape) {
			return ragged.Tensor[T]{}, elementErrorf(i, "want shape %d as in the first element, got %d", shape, got)
		}
		values = append(values, t.Values()...)
	}
	return ragged.Dense(values, append([]int{len(tensors)}, shape...)...)
}

// stackRagged combines tensors into the rows of a ragged tensor.
func stackRagged[T any](tensors []ragged.Tensor[T], spec Spec) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	inner := tensors[0].Shape()[spec.partitions+1:]
	lengths := make([]int64, len(tensors))
	for i, t := range tensors {
		lengths[i] = int64(t.Len())
		raised, err := withPartitions(t, spec)
		if err != nil {
			return none, elementError{i, err}
		}
		if got := raised.InnerShape(); !slices.Equal(got, inner) {
			return none, elementErrorf(i, "want items of shape %d as in the first element, got %d", inner, got)
		}
		tensors[i] = raised
	}
	items, err := ragged.Concat(0, tensors...)
	if err != nil {
		return none, err
	}
	var rows ragged.Partition
	if n := spec.sizes[0]; n >= 0 {
		rows, err = ragged.Uniform(int64(n), int64(len(tensors)))
	} else {
		rows, err = ragged.FromRowLengths(lengths)
	}
	if err != nil {
		return none, err
	}
	return ragged.Wrap(items, rows)
}

// withPartitions gives a tensor as many partitions as the spec has, uniform where it has a size.
func withPartitions[T any](t ragged.Tensor[T], spec Spec) (ragged.Tensor[T], error) {
	parts, inner := t.Partitions(), t.InnerShape()
	rows := t.Len()
	for level := range spec.partitions {
		if level == len(parts) {
			p, err := ragged.Uniform(int64(inner[0]), int64(rows))
			if err != nil {
				return t, err
			}
			parts, inner = append(parts, p), inner[1:]
		}
		n := spec.sizes[level+1]
		p := &parts[level]
		if got, uniform := p.UniformLen(); n >= 0 && (!uniform || got != n) {
			for row := range rows {
				if got := p.RowLen(row); got != n {
					return t, fmt.Errorf("%w: axis %d, row %d: want length %d, got %d", ragged.ErrShape, level+1, row, n, got)
				}
			}
			var err error
			if *p, err = ragged.Uniform(int64(n), int64(rows)); err != nil {
				return t, err
			}
		} else if n < 0 && uniform && level >= t.RaggedRank() {
			var err error
			if *p, err = ragged.FromRowSplits(p.AppendSplits(nil)); err != nil {
				return t, err
			}
		}
		rows = p.NumValues()
	}
	if len(parts) == t.RaggedRank() && len(parts) == 0 {
		return t, nil
	}
	return ragged.New(t.Values(), inner, parts...)
}
