package ragged

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/tfparse/tfparse/ragged/internal/limit"
)

// FromSlices makes a tensor from nested Go slices and arrays of any depth, whose elements
// have type T: FromSlices[int64]([][]int64{{1, 2}, {3}}). A slice becomes a ragged axis and
// an array a uniform one, except that axis 0 is always uniform; arrays at the end become the
// inner shape. A T is a scalar, a []T a vector. The values are copied.
//
// Sizes after v make the innermost axes uniform although they are slices, one size for each
// axis; slices of other lengths are an error that wraps ErrShape.
//
// Constant reads data whose Go type does not have the depth, such as []any. TensorFlow calls
// both ragged.constant.
func FromSlices[T any](v any, inner ...int) (Tensor[T], error) {
	switch v := v.(type) {
	case T:
		if len(inner) > 0 {
			return Tensor[T]{}, shapeErrorf("from slices: a scalar has no inner shape, got %v", inner)
		}
		return Scalar(v), nil
	case [][]T:
		if len(inner) == 0 {
			return fromRows(v), nil
		}
	}
	leaf, rv := reflect.TypeFor[T](), reflect.ValueOf(v)
	axes, err := sliceAxes(rv, leaf, inner)
	if err != nil {
		return Tensor[T]{}, err
	}
	if rv.Kind() == reflect.Array { // make its elements addressable
		p := reflect.New(rv.Type())
		p.Elem().Set(rv)
		rv = p.Elem()
	}
	// Axes after the last ragged one are the inner shape.
	cut := len(axes)
	for cut > 1 && axes[cut-1] >= 0 {
		cut--
	}
	g := sliceReader[T]{axes: axes, splits: make([][]int64, cut), cut: cut}
	for axis := 1; axis < cut; axis++ {
		if axes[axis] < 0 {
			g.splits[axis] = []int64{0}
		}
	}
	if err := g.readAxis(0, rv); err != nil {
		return Tensor[T]{}, err
	}
	if cut == 1 {
		axes[0] = rv.Len()
		return Dense(g.values, axes...)
	}
	parts := make([]Partition, 0, cut-1)
	for axis, rows := 1, rv.Len(); axis < cut; axis++ {
		p := Partition{splits: g.splits[axis]}
		if axes[axis] >= 0 {
			p = uniform(axes[axis], rows)
		}
		parts = append(parts, p)
		rows = p.NumValues()
	}
	return New(g.values, axes[cut:], parts...)
}

// fromRows is FromSlices for the most common type, without reflection.
func fromRows[T any](rows [][]T) Tensor[T] {
	splits, n := make([]int64, len(rows)+1), 0
	for i, row := range rows {
		n += len(row)
		splits[i+1] = int64(n)
	}
	values := make([]T, 0, n)
	for _, row := range rows {
		values = append(values, row...)
	}
	return Tensor[T]{values: values, parts: []Partition{{splits: splits}}, hi: len(rows)}
}

// sliceAxes returns the size of every axis of a type of nested slices, -1 for ragged axes
// and axis 0.
func sliceAxes(rv reflect.Value, leaf reflect.Type, inner []int) ([]int, error) {
	if !rv.IsValid() {
		return nil, shapeErrorf("from slices: want nested slices of %v, got nil", leaf)
	}
	var axes []int
	for t := rv.Type(); t != leaf; t = t.Elem() {
		if len(axes) == maxNesting { // such as type rec []rec, whose depth is unlimited
			return nil, shapeErrorf("from slices: want nested slices of %v, got %v, which nests deeper than %d", leaf, rv.Type(), maxNesting)
		}
		switch t.Kind() {
		case reflect.Slice:
			axes = append(axes, -1)
		case reflect.Array:
			axes = append(axes, t.Len())
		default:
			return nil, shapeErrorf("from slices: want nested slices of %v, got %v", leaf, rv.Type())
		}
	}
	if len(inner) >= len(axes) {
		return nil, shapeErrorf("from slices: inner shape %v leaves no axis of %v for the rows", inner, rv.Type())
	}
	if _, err := product(inner); err != nil {
		return nil, err
	}
	for i, n := range inner {
		axis := len(axes) - len(inner) + i
		if axes[axis] >= 0 && axes[axis] != n {
			return nil, shapeErrorf("from slices: axis %d of %v has size %d, want %d", axis, rv.Type(), axes[axis], n)
		}
		axes[axis] = n
	}
	axes[0] = -1
	return axes, nil
}

// A sliceReader collects the values and row splits of nested slices.
type sliceReader[T any] struct {
	axes   []int     // size of every axis, -1 for ragged axes and axis 0
	cut    int       // first axis of the inner shape
	splits [][]int64 // row splits of the axes before cut; nil for axis 0 and uniform axes
	values []T       // values that were read so far
}

// readAxis adds a slice or an array, whose elements are the items of an axis.
func (g *sliceReader[T]) readAxis(axis int, v reflect.Value) error {
	n := v.Len()
	if want := g.axes[axis]; want >= 0 && n != want {
		return shapeErrorf("from slices: axis %d: want slices of %d, got %d", axis, want, n)
	}
	if axis > 0 && axis < g.cut && g.splits[axis] != nil {
		s := g.splits[axis]
		g.splits[axis] = append(s, s[len(s)-1]+int64(n))
	}
	if axis < len(g.axes)-1 {
		for i := range n {
			if err := g.readAxis(axis+1, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if v.CanAddr() {
		if p, ok := v.Addr().Interface().(*[]T); ok {
			g.values = append(g.values, *p...)
			return nil
		}
	}
	for i := range n {
		g.values = append(g.values, *v.Index(i).Addr().Interface().(*T))
	}
	return nil
}

// ToSlices returns a tensor as nested Go slices of type S, with a slice or an array for
// every axis: ToSlices[[][]int64](t). An array needs a uniform axis of its length. With
// ToSlices[any] the depth is the rank: [][]int64 for two axes. The result shares no memory
// with t; its rows are parts of one slice, with clipped capacity. Empty rows are not nil. It
// fails for a type of another depth, and if the slices of empty rows would take more than
// 2 GiB. TensorFlow calls it to_list.
func ToSlices[S, T any](t Tensor[T]) (S, error) {
	var out S
	leaf, top := reflect.TypeFor[T](), reflect.TypeFor[S]()
	shape := t.Shape()
	if top.Kind() == reflect.Interface && top.NumMethod() == 0 && leaf != top {
		top = leaf
		for range shape {
			top = reflect.SliceOf(top)
		}
	}
	types := make([]reflect.Type, 0, len(shape)) // type of the slices of each axis
	typ := top
	for axis, n := range shape {
		if k := typ.Kind(); typ == leaf || k != reflect.Slice && k != reflect.Array {
			return out, shapeErrorf("to slices: a tensor of rank %d does not fit a %v", len(shape), top)
		}
		if typ.Kind() == reflect.Array && typ.Len() != n {
			return out, shapeErrorf("to slices: axis %d of size %s does not fit the array of %d in %v", axis, sizeText(n), typ.Len(), top)
		}
		types = append(types, typ)
		typ = typ.Elem()
	}
	if typ != leaf {
		return out, shapeErrorf("to slices: a tensor of rank %d of %v does not fit a %v", len(shape), leaf, top)
	}
	if len(shape) == 0 {
		reflect.ValueOf(&out).Elem().Set(reflect.ValueOf(slices.Clone(t.Values())).Index(0))
		return out, nil
	}
	for axis := 1; axis < len(shape); axis++ {
		if _, err := limit.Values[[]T](t.storedSize(), t.axisPartition(axis).NumRows()); err != nil {
			return out, shapeErrorf("to slices: axis %d: %v", axis, err)
		}
	}
	// cur has all items of an axis: values, then the slices that are the rows of the next
	// axis.
	cur := reflect.ValueOf(append(make([]T, 0, t.Size()), t.Values()...))
	for axis := len(shape) - 1; axis > 0; axis-- {
		p := t.axisPartition(axis)
		rows := reflect.MakeSlice(reflect.SliceOf(types[axis]), p.NumRows(), p.NumRows())
		for i := range p.NumRows() {
			lo, hi := p.Bounds(i)
			setSlice(rows.Index(i), cur.Slice3(lo, hi, hi))
		}
		cur = rows
	}
	setSlice(reflect.ValueOf(&out).Elem(), cur)
	return out, nil
}

// setSlice sets dst to a slice, or copies the slice into the array dst.
func setSlice(dst, src reflect.Value) {
	if dst.Kind() == reflect.Array {
		reflect.Copy(dst, src)
		return
	}
	dst.Set(src.Convert(dst.Type()))
}

// axisPartition returns the partition of an axis from 1 on: a uniform one for an axis of the
// inner shape.
func (t Tensor[T]) axisPartition(axis int) Partition {
	if axis <= len(t.parts) {
		return t.Partition(axis - 1)
	}
	lo, hi := t.items()
	k := axis - len(t.parts) - 1
	return uniform(t.inner[k], (hi-lo)*size(t.inner[:k]))
}

// sizeText returns the size of an axis as text: "ragged" for -1.
func sizeText(n int) string {
	if n < 0 {
		return "ragged"
	}
	return fmt.Sprint(n)
}

// ConstantOptions are the options of Constant. Nil means defaults.
type ConstantOptions struct {
	// RaggedRank is the number of partitions, at most 1000. 0 means all axes but the first
	// and the axes of the inner shape.
	RaggedRank int

	// Dense makes a result without partitions: a ragged rank of 0.
	Dense bool

	// InnerShape is the uniform shape below the partitions, or the whole shape of a dense
	// result. Nil means the axes below RaggedRank if that is given, otherwise no inner
	// shape; an empty slice means no inner shape. As in TensorFlow the innermost lists need
	// not have that shape themselves, only as many values.
	InnerShape []int
}

// Constant makes a tensor from a nested list whose depth need not be in its type, such as
// Constant[int32]([]any{[]any{1, 2}, []any{}}, nil). A list is any slice or array, and all
// scalars have the same depth. A scalar has type T; if T is a number type, it may be any
// integer that T can hold, since literals in a list of any are int; if T is a float, it may
// be any float, which is rounded. Without options all axes but the first are ragged, and a
// list that is not nested is dense. TensorFlow calls it ragged.constant.
//
// FromSlices reads Go types that have the depth.
func Constant[T any](v any, opts *ConstantOptions) (Tensor[T], error) {
	var o ConstantOptions
	if opts != nil {
		o = *opts
	}
	if o.RaggedRank < 0 || o.RaggedRank > maxNesting || o.Dense && o.RaggedRank > 0 {
		return Tensor[T]{}, shapeErrorf("constant: ragged rank %d, Dense %t: want 0 to 1000, 0 if Dense", o.RaggedRank, o.Dense)
	}
	c := listReader[T]{leaf: reflect.TypeFor[T]()}
	root, err := c.read(v, 0)
	if err != nil {
		return Tensor[T]{}, err
	}
	if !root.list {
		if o.RaggedRank > 0 || len(o.InnerShape) > 0 {
			return Tensor[T]{}, shapeErrorf("constant: a scalar has no ragged rank or inner shape")
		}
		return Scalar(root.scalar), nil
	}
	given := o.RaggedRank > 0 || o.Dense
	innerRank := len(o.InnerShape)
	if c.scalars {
		if c.depth > c.scalarDepth {
			return Tensor[T]{}, shapeErrorf("constant: an empty list at depth %d, but scalars at depth %d", c.depth, c.scalarDepth)
		}
		if c.depth < o.RaggedRank {
			return Tensor[T]{}, shapeErrorf("constant: ragged rank %d is above %d, the depth of the list", o.RaggedRank, c.depth)
		}
	}
	if given && o.InnerShape != nil {
		if want := o.RaggedRank + innerRank + 1; c.scalars && want != c.scalarDepth || !c.scalars && want < c.depth {
			return Tensor[T]{}, shapeErrorf("constant: ragged rank %d and inner shape %v do not fit a list of depth %d", o.RaggedRank, o.InnerShape, c.depth)
		}
	}
	if o.Dense || !given && (c.depth < 2 || c.depth-innerRank < 2) {
		return c.dense(root, o.InnerShape)
	}
	rank := o.RaggedRank
	if !given {
		if rank = c.depth - 1; c.scalars {
			rank = c.scalarDepth - 1 - innerRank
		}
		rank = max(1, rank)
	}
	return c.ragged(root, rank, o.InnerShape, given)
}

// A listNode is a list or a scalar in a nested list.
type listNode[T any] struct {
	list     bool          // the node is a list
	children []listNode[T] // items of a list
	scalar   T             // value of a scalar
}

// A listReader reads a nested list for Constant.
type listReader[T any] struct {
	leaf        reflect.Type // type of the scalars: T
	depth       int          // depth of the deepest list, empty lists included
	scalars     bool         // there is a scalar
	scalarDepth int          // depth of all scalars
}

// maxNesting is the limit for the depth of nested lists and of types.
const maxNesting = 1000

// read makes nodes from lists and records the depths.
func (c *listReader[T]) read(v any, depth int) (listNode[T], error) {
	if s, ok := v.(T); ok {
		if c.scalars && depth != c.scalarDepth {
			return listNode[T]{}, shapeErrorf("constant: scalars at depth %d and at depth %d", c.scalarDepth, depth)
		}
		c.scalars, c.scalarDepth = true, depth
		return listNode[T]{scalar: s}, nil
	}
	rv := reflect.ValueOf(v)
	if k := rv.Kind(); k != reflect.Slice && k != reflect.Array {
		s, err := convertNumber[T](rv, c.leaf)
		if err != nil {
			return listNode[T]{}, err
		}
		return c.read(s, depth)
	}
	if depth == maxNesting {
		return listNode[T]{}, shapeErrorf("constant: lists nest deeper than %d", maxNesting)
	}
	c.depth = max(c.depth, depth+1)
	n := listNode[T]{list: true, children: make([]listNode[T], rv.Len())}
	for i := range n.children {
		var err error
		if n.children[i], err = c.read(rv.Index(i).Interface(), depth+1); err != nil {
			return n, err
		}
	}
	return n, nil
}

// convertNumber converts a number to type T, since literals in a []any have type int or
// float64. An integer type must hold the number; a float type rounds it.
func convertNumber[T any](rv reflect.Value, leaf reflect.Type) (out T, err error) {
	to := reflect.ValueOf(&out).Elem()
	integer := rv.CanInt() || rv.CanUint()
	fits := integer && rv.CanConvert(leaf)
	switch {
	case !fits:
	case to.CanInt():
		fits = rv.CanInt() && !to.OverflowInt(rv.Int()) || rv.CanUint() && rv.Uint() <= math.MaxInt64 && !to.OverflowInt(int64(rv.Uint()))
	case to.CanUint():
		fits = rv.CanInt() && rv.Int() >= 0 && !to.OverflowUint(uint64(rv.Int())) || rv.CanUint() && !to.OverflowUint(rv.Uint())
	case to.CanFloat(): // any integer, as in TensorFlow
	default:
		fits = false
	}
	if fits {
		to.Set(rv.Convert(leaf))
		return out, nil
	}
	// A float64 literal for float32 is rounded, as in TensorFlow.
	if to.CanFloat() && rv.CanFloat() {
		to.Set(rv.Convert(leaf))
		return out, nil
	}
	if integer && (to.CanInt() || to.CanUint()) {
		return out, shapeErrorf("constant: %v cannot hold %v", leaf, rv)
	}
	return out, shapeErrorf("constant: want lists and %v, got %v", leaf, typeText(rv))
}

// typeText returns the type of a value as text, <nil> for none.
func typeText(rv reflect.Value) string {
	if !rv.IsValid() {
		return "<nil>"
	}
	return rv.Type().String()
}

// dense makes a dense tensor of the whole list.
func (c *listReader[T]) dense(root listNode[T], shape []int) (Tensor[T], error) {
	values, err := c.collect([]listNode[T]{root}, shapeOf([]listNode[T]{root}), nil)
	if err != nil {
		return Tensor[T]{}, err
	}
	if shape == nil {
		shape = shapeOf([]listNode[T]{root})
	}
	return Dense(values, slices.Clone(shape)...)
}

// ragged makes a tensor with rank partitions.
func (c *listReader[T]) ragged(root listNode[T], rank int, inner []int, given bool) (Tensor[T], error) {
	if c.scalars && c.scalarDepth <= rank {
		return Tensor[T]{}, shapeErrorf("constant: ragged rank %d needs scalars deeper than depth %d", rank, c.scalarDepth)
	}
	nodes := root.children
	parts := make([]Partition, rank)
	for k := range parts {
		splits := make([]int64, 1, len(nodes)+1)
		var below []listNode[T]
		for _, n := range nodes {
			below = append(below, n.children...)
			splits = append(splits, int64(len(below)))
		}
		parts[k] = Partition{splits: splits}
		nodes = below
	}
	values, err := c.collect(nodes, shapeOf(nodes), nil)
	if err != nil {
		return Tensor[T]{}, err
	}
	if inner == nil && given {
		inner = shapeOf(nodes)
	}
	return New(values, slices.Clone(inner), parts...)
}

// shapeOf returns the sizes of the lists in the first node; nil without a node or for a
// scalar.
func shapeOf[T any](nodes []listNode[T]) []int {
	var shape []int
	for len(nodes) > 0 && nodes[0].list {
		nodes = nodes[0].children
		shape = append(shape, len(nodes))
	}
	return shape
}

// collect appends the scalars of nodes, which must all have the given shape.
func (c *listReader[T]) collect(nodes []listNode[T], shape []int, values []T) ([]T, error) {
	for _, n := range nodes {
		switch {
		case n.list != (len(shape) > 0) || n.list && len(n.children) != shape[0]:
			return nil, shapeErrorf("constant: the inner values do not all have shape %v", shape)
		case n.list:
			var err error
			if values, err = c.collect(n.children, shape[1:], values); err != nil {
				return nil, err
			}
		default:
			values = append(values, n.scalar)
		}
	}
	return values, nil
}
