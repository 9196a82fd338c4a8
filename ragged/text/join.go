package text

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Join joins the strings that have the same index in all operands, with a separator between
// them. An operand is a scalar, or has the shape and rows of the result, or is dense and has
// the shape of its flat values; nothing else broadcasts. TensorFlow calls it strings.join;
// ReduceJoin joins along an axis.
func Join(sep string, operands ...ragged.Tensor[string]) (ragged.Tensor[string], error) {
	const op = "join"
	var none ragged.Tensor[string]
	if len(operands) == 0 {
		return none, operand.Shapef(op, "no operands")
	}
	shape, err := resultShape(op, operands)
	if err != nil {
		return none, err
	}
	n := shape.Size()
	bytes, err := joinedBytes(op, sep, n, operands)
	if err != nil {
		return none, err
	}
	a := newArena(n, bytes)
	for i := range n {
		for k, t := range operands {
			if k > 0 {
				a.write(sep)
			}
			if values := t.Values(); t.Rank() == 0 {
				a.write(values[0])
			} else {
				a.write(values[i])
			}
		}
		a.end()
	}
	return operand.Like(shape, a.strings())
}

// joinedBytes returns the number of bytes of n joined strings.
func joinedBytes(op, sep string, n int, operands []ragged.Tensor[string]) (int, error) {
	given := n
	for _, t := range operands {
		given += bytesIn(t.Values())
	}
	total, err := limit.Values[byte](given, n, len(sep), len(operands)-1)
	for _, t := range operands {
		size := bytesIn(t.Values())
		if err == nil && t.Rank() == 0 {
			size, err = limit.Values[byte](given, n, size)
		}
		if err == nil {
			total, err = limit.Values[byte](given, total+size)
		}
	}
	if err != nil {
		return 0, operand.Shapef(op, "%v", err)
	}
	return total, nil
}

// resultShape returns the operand that has the shape of the result of Join.
func resultShape(op string, operands []ragged.Tensor[string]) (ragged.Tensor[string], error) {
	shape := operands[0]
	for _, t := range operands[1:] {
		if t.RaggedRank() > 0 && shape.RaggedRank() == 0 || t.RaggedRank() == shape.RaggedRank() && shape.Rank() == 0 {
			shape = t
		}
	}
	flat := shape.Flat()
	for i, t := range operands {
		switch {
		case t.Rank() == 0:
		case t.RaggedRank() > 0 && !ragged.SameShape(t, shape):
			return shape, operand.Shapef(op, "operand %d differs in shape from the other ragged operands", i)
		case !slices.Equal(t.Flat().Shape(), flat.Shape()):
			return shape, operand.Shapef(op, "operand %d has flat values of shape %v, want %v", i, t.Flat().Shape(), flat.Shape())
		}
	}
	return shape, nil
}

// ReduceJoinOptions are the options of ReduceJoin. Nil means defaults.
type ReduceJoinOptions struct {
	// Axes are the axes to join, which the result does not have; negative axes count from
	// the end, and no axis may be given twice. Nil means all axes, which gives one string;
	// an empty slice means no axis.
	//
	// The axes of a ragged tensor are joined from the last to the first, those of a dense
	// tensor in the given order: [[a b] [c d]] becomes "acbd" with axes 0, 1 and "abcd"
	// with axes 1, 0.
	Axes []int

	// KeepDims keeps a uniform axis of size 1 for each joined axis.
	KeepDims bool
}

// ReduceJoin joins strings along axes, with a separator between them. A row without values
// gives an empty string. TensorFlow calls it strings.reduce_join. Unlike this function,
// TensorFlow drops the separators at the front of a result if t is ragged.
func ReduceJoin(t ragged.Tensor[string], sep string, opts *ReduceJoinOptions) (ragged.Tensor[string], error) {
	const op = "reduce join"
	var none ragged.Tensor[string]
	if opts == nil {
		opts = &ReduceJoinOptions{}
	}
	if err := operand.TooMany[byte](op, bytesIn(t.Values())+t.Size(), t.Size(), max(1, len(sep))); err != nil {
		return none, err
	}
	rank := t.Rank()
	if opts.Axes == nil {
		all := joinGroups(t.Values(), sep, 1, func(yield func(group, n int)) { yield(0, t.Size()) })
		if opts.KeepDims {
			return ragged.Dense(all, slices.Repeat([]int{1}, rank)...)
		}
		return ragged.Scalar(all[0]), nil
	}
	axes := slices.Clone(opts.Axes)
	for i, axis := range axes {
		if axis < -rank || axis >= rank {
			return none, operand.Within(op, &ragged.AxisError{Name: "axis", Axis: axis, Limit: rank})
		}
		if axis < 0 {
			axes[i] += rank
		}
		if slices.Contains(axes[:i], axes[i]) {
			return none, operand.Within(op, argumentErrorf(op, "axis %d is given twice", axes[i]))
		}
	}
	if t.RaggedRank() > 0 {
		return joinRaggedAxes(t, sep, axes, opts.KeepDims)
	}
	if t.Size() == 0 {
		// Joining empty axes one by one would leave separators.
		sep = ""
	}
	out := t
	for i, axis := range axes {
		for _, gone := range axes[:i] {
			if gone < axes[i] {
				axis--
			}
		}
		var err error
		if out, err = joinAlong(out, sep, axis); err != nil {
			return none, operand.Within(op, err)
		}
	}
	if !opts.KeepDims {
		return out, nil
	}
	slices.Sort(axes)
	for _, axis := range axes {
		var err error
		if out, err = expand(out, axis); err != nil {
			return none, operand.Within(op, err)
		}
	}
	return out, nil
}

// joinRaggedAxes joins along several axes of a ragged tensor, the last first. If axes are
// kept, an axis of size 1 is inserted before the next axis is joined, so that partitions
// above stay.
func joinRaggedAxes(t ragged.Tensor[string], sep string, axes []int, keep bool) (ragged.Tensor[string], error) {
	const op = "reduce join"
	slices.Sort(axes)
	for _, axis := range slices.Backward(axes) {
		var err error
		if t, err = joinAlong(t, sep, axis); err == nil && keep {
			t, err = expand(t, axis)
		}
		if err != nil {
			return ragged.Tensor[string]{}, operand.Within(op, err)
		}
	}
	return t, nil
}

// expand inserts a uniform axis of size 1.
func expand(t ragged.Tensor[string], axis int) (ragged.Tensor[string], error) {
	keys := slices.Repeat([]ragged.Key{ragged.SliceAll()}, axis)
	return t.Index(append(keys, ragged.NewAxis())...)
}

// joinGroups joins the strings of every group. The function each goes through the values in
// order: it yields a group and the number n of next values that belong to it.
func joinGroups(values []string, sep string, groups int, each func(yield func(group, n int))) []string {
	at, count := make([]int, groups+1), make([]int32, groups)
	i := 0
	each(func(group, n int) {
		for _, s := range values[i : i+n] {
			if count[group] > 0 {
				at[group+1] += len(sep)
			}
			count[group] = 1
			at[group+1] += len(s)
		}
		i += n
	})
	for g := range groups {
		at[g+1] += at[g]
	}
	buf, next := make([]byte, at[groups]), slices.Clone(at[:groups])
	clear(count)
	i = 0
	each(func(group, n int) {
		to := next[group]
		for _, s := range values[i : i+n] {
			if count[group] > 0 {
				to += copy(buf[to:], sep)
			}
			count[group] = 1
			to += copy(buf[to:], s)
		}
		next[group] = to
		i += n
	})
	all, out := string(buf), make([]string, groups)
	for g := range out {
		out[g] = all[at[g]:at[g+1]]
	}
	return out
}

// joinAlong joins along one axis.
func joinAlong(t ragged.Tensor[string], sep string, axis int) (ragged.Tensor[string], error) {
	if levels := t.RaggedRank(); axis > levels || levels == 0 {
		return joinUniform(t, sep, axis)
	}
	return joinRagged(t, sep, axis)
}

// joinUniform joins along an axis below the partitions.
func joinUniform(t ragged.Tensor[string], sep string, axis int) (ragged.Tensor[string], error) {
	shape := t.Flat().Shape()
	axis -= t.RaggedRank()
	n := shape[axis]
	block, err := ragged.SizeOf(shape[axis+1:])
	if err != nil {
		return t, err
	}
	shape = slices.Delete(shape, axis, axis+1)
	groups, err := ragged.SizeOf(shape)
	if err != nil {
		return t, err
	}
	// A group takes memory for a string, and less than two more in joinGroups.
	if err := operand.TooMany[[3]string]("reduce join", t.Size(), groups); err != nil {
		return t, err
	}
	out := joinGroups(t.Values(), sep, groups, func(yield func(group, n int)) {
		if t.Size() == 0 {
			return
		}
		for o := 0; o < groups; o += block {
			if block == 1 {
				yield(o, n)
				continue
			}
			for range n {
				for k := range block {
					yield(o+k, 1)
				}
			}
		}
	})
	if t.RaggedRank() == 0 {
		return ragged.Dense(out, shape...)
	}
	return ragged.New(out, shape[1:], t.Partitions()...)
}

// joinRagged joins along axis 0 or an axis with a partition. The items of one row are joined;
// if they have ragged axes, position by position.
func joinRagged(t ragged.Tensor[string], sep string, axis int) (ragged.Tensor[string], error) {
	parts := t.Partitions()
	var ids []int // group of every item: at first its row
	groups := 1
	if axis == 0 {
		ids = make([]int, t.Len())
	} else {
		p := parts[axis-1]
		groups = p.NumRows()
		ids = make([]int, p.NumValues())
		for row := range groups {
			lo, hi := p.Bounds(row)
			for i := lo; i < hi; i++ {
				ids[i] = row
			}
		}
	}
	var below []ragged.Partition
	for _, p := range parts[axis:] {
		// The rows of one group become one row, as long as the longest.
		splits := make([]int64, groups+1)
		for i, g := range ids {
			splits[g+1] = max(splits[g+1], int64(p.RowLen(i)))
		}
		for g := range groups {
			splits[g+1] += splits[g]
		}
		next := make([]int, p.NumValues())
		for i, g := range ids {
			lo, hi := p.Bounds(i)
			for k := lo; k < hi; k++ {
				next[k] = int(splits[g]) + k - lo
			}
		}
		ids, groups = next, int(splits[groups])
		q, err := ragged.FromRowSplits(splits)
		if err != nil {
			return t, err
		}
		below = append(below, q)
	}
	inner := t.InnerShape()
	cell, err := ragged.SizeOf(inner)
	if err != nil {
		return t, err
	}
	size, err := ragged.SizeOf(append([]int{groups}, inner...))
	if err != nil {
		return t, err
	}
	if err := operand.TooMany[[3]string]("reduce join", t.Size()+groups, size); err != nil {
		return t, err
	}
	out := joinGroups(t.Values(), sep, size, func(yield func(group, n int)) {
		if cell == 1 {
			for i := 0; i < len(ids); {
				n := 1
				for i+n < len(ids) && ids[i+n] == ids[i] {
					n++
				}
				yield(ids[i], n)
				i += n
			}
			return
		}
		for _, g := range ids {
			for k := range cell {
				yield(g*cell+k, 1)
			}
		}
	})
	if axis > 0 {
		below = append(parts[:axis-1:axis-1], below...)
	} else {
		below = below[1:] // its only row is the new axis 0
	}
	if len(below) == 0 {
		return ragged.Dense(out, append([]int{groups}, inner...)...)
	}
	return ragged.New(out, inner, below...)
}
