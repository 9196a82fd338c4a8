//go:build !novectors

package ragged_test

import (
	"maps"
	"slices"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/num"
)

// raggedDatasets runs datasets, whose steps are in the value.
var raggedDatasets = map[string]raggedOp{
	"tf.data.Dataset": func(c *call) (testkit.Value, error) {
		v, ok := c.value(0, "").(testkit.Dataset)
		if !ok {
			return nil, testkit.Unknown("no dataset")
		}
		p, err := newPipeline(v.Source)
		for _, s := range v.Then {
			if err == nil {
				err = p.then(s)
			}
		}
		if err != nil {
			return nil, err
		}
		return p.result()
	},
}

// A record is an element of a dataset of the vectors: a cell of each dtype for each component.
type record [4]cell

type cell struct {
	i64 typed[int64]
	i32 typed[int32]
	f64 typed[float64]
	f32 typed[float32]
	b   typed[bool]
	s   typed[string]
}

type typed[T element] struct {
	tensor ragged.Tensor[T]
	sparse ragged.Sparse[T]
}

// A column describes one cell of a record.
type column struct {
	name   string
	dtype  string
	sparse bool
}

// A pipeline is a dataset with the columns of its elements. If bare is set, an element is one
// tensor and not a structure.
type pipeline struct {
	columns []column
	bare    bool
	dataset dataset.Dataset[record]
}

// A datasetKernel reads and writes the cells of one dtype.
type datasetKernel interface {
	load(r *record, i int, v testkit.Value) error
	value(r *record, i int, sparse bool) testkit.Value
	component(i int, c column, spec dataset.Spec) dataset.Component[record]
}

type cells[T element] struct{ of func(*cell) *typed[T] }

func cellsOf(dtype string) (datasetKernel, error) {
	return perDType[datasetKernel](dtype,
		cells[int64]{func(c *cell) *typed[int64] { return &c.i64 }}, cells[int32]{func(c *cell) *typed[int32] { return &c.i32 }},
		cells[float64]{func(c *cell) *typed[float64] { return &c.f64 }}, cells[float32]{func(c *cell) *typed[float32] { return &c.f32 }},
		cells[bool]{func(c *cell) *typed[bool] { return &c.b }}, cells[string]{func(c *cell) *typed[string] { return &c.s }})
}

func (k cells[T]) load(r *record, i int, v testkit.Value) (err error) {
	at := k.of(&r[i])
	if v, ok := v.(testkit.Sparse); ok {
		at.sparse = ragged.Sparse[T]{Values: v.Values.([]T), Shape: v.DenseShape, Indices: slices.Concat(v.Indices...)}
		return nil
	}
	at.tensor, err = toTensor[T](v)
	return err
}

func (k cells[T]) value(r *record, i int, sparse bool) testkit.Value {
	at := k.of(&r[i])
	if !sparse {
		return fromTensor(at.tensor)
	}
	out := testkit.Sparse{DType: dtypeName[T](), DenseShape: at.sparse.Shape, Values: at.sparse.Values}
	for j, rank := 0, len(at.sparse.Shape); j < len(at.sparse.Values); j++ {
		out.Indices = append(out.Indices, at.sparse.Indices[j*rank:(j+1)*rank])
	}
	return out
}

func (k cells[T]) component(i int, c column, spec dataset.Spec) dataset.Component[record] {
	if c.sparse {
		return dataset.Sparse(c.name, func(r *record) *ragged.Sparse[T] { return &k.of(&r[i]).sparse })
	}
	return dataset.Tensor(c.name, func(r *record) *ragged.Tensor[T] { return &k.of(&r[i]).tensor }, spec)
}

// newPipeline makes the dataset of the slices of a value.
func newPipeline(source testkit.Value) (*pipeline, error) {
	p := &pipeline{}
	parts, ok := source.(testkit.Dict)
	if !ok {
		parts, p.bare = testkit.Dict{"": source}, true
	}
	var whole record
	if len(parts) > len(whole) {
		return nil, testkit.Unknown("%d components", len(parts))
	}
	for i, name := range slices.Sorted(maps.Keys(parts)) {
		k, err := cellsOf(dtypeOf(parts[name]))
		if err != nil {
			return nil, err
		}
		if err := k.load(&whole, i, parts[name]); err != nil {
			return nil, err
		}
		_, sparse := parts[name].(testkit.Sparse)
		p.columns = append(p.columns, column{name, dtypeOf(parts[name]), sparse})
	}
	of, err := p.components(make([]dataset.Spec, len(parts)))
	p.dataset = dataset.SlicesOf(whole, of...)
	return p, err
}

func (p *pipeline) components(specs []dataset.Spec) ([]dataset.Component[record], error) {
	of := make([]dataset.Component[record], len(p.columns))
	for i, c := range p.columns {
		k, err := cellsOf(c.dtype)
		if err != nil {
			return nil, err
		}
		of[i] = k.component(i, c, specs[i])
	}
	return of, nil
}

// result is the list of all elements.
func (p *pipeline) result() (testkit.Value, error) {
	elements, err := p.dataset.Collect()
	if err != nil {
		return nil, err
	}
	list := testkit.List{}
	for i := range elements {
		parts := testkit.Dict{}
		for j, c := range p.columns {
			k, err := cellsOf(c.dtype)
			if err != nil {
				return nil, err
			}
			parts[c.name] = k.value(&elements[i], j, c.sparse)
		}
		if p.bare {
			list = append(list, parts[""])
		} else {
			list = append(list, parts)
		}
	}
	return list, nil
}

// then applies a step.
func (p *pipeline) then(s testkit.Step) error {
	c := &call{args: s.Args, seen: map[string]bool{}}
	d := p.dataset
	switch s.Name {
	case "map":
		fn, ok := c.value(0, "").(testkit.Fn)
		if !ok {
			return testkit.Unknown("map without a function")
		}
		if err := p.apply(string(fn)); err != nil {
			return err
		}
		d = p.dataset
	case "batch":
		d = d.Batch(c.int(0, "", 0), &dataset.BatchOptions{DropRemainder: c.bool(1, "", false)})
	case "ragged_batch", "dense_to_ragged_batch":
		d = d.Batch(c.int(0, "", 0), &dataset.BatchOptions{DropRemainder: c.bool(1, "", false), Ragged: true})
	case "unbatch":
		d = d.Unbatch()
	case "rebatch":
		d = d.Unbatch().Batch(c.int(0, "", 0), &dataset.BatchOptions{DropRemainder: c.bool(1, "", false)})
	case "take":
		d = d.Take(c.int(0, "", -1))
	case "skip":
		d = d.Skip(c.int(0, "", 0))
	case "repeat":
		d = d.Repeat(c.int(0, "", -1))
	case "shard":
		d = d.Shard(c.int(0, "", 0), c.int(1, "", 0))
	default:
		return testkit.Unknown("the step %s", s.Name)
	}
	if c.fault != nil {
		return testkit.Fault(c.fault)
	}
	if c.positional < len(c.args) {
		return testkit.Unknown("step %s: argument %d of %d", s.Name, c.positional, len(c.args))
	}
	p.dataset = d
	return nil
}

// apply maps a function over the elements. The specs of the results are those that TensorFlow
// gets by tracing the function.
func (p *pipeline) apply(fn string) error {
	at := 0
	if fn == "transform_lengths" {
		at = slices.IndexFunc(p.columns, func(c column) bool { return c.name == "lengths" })
		if at < 0 {
			return testkit.Unknown("%s without lengths", fn)
		}
	} else if !p.bare {
		return testkit.Unknown("the function %s of a structure", fn)
	}
	c := p.columns[at]
	var m datasetMap
	switch c.dtype {
	case "int64":
		m = datasetNumbers[int64]{func(c *cell) *typed[int64] { return &c.i64 }}
	case "int32":
		m = datasetNumbers[int32]{func(c *cell) *typed[int32] { return &c.i32 }}
	case "float64":
		m = datasetNumbers[float64]{func(c *cell) *typed[float64] { return &c.f64 }}
	case "float32":
		m = datasetNumbers[float32]{func(c *cell) *typed[float32] { return &c.f32 }}
	default:
		return testkit.Unknown("the function %s of %s", fn, c.dtype)
	}
	f, names, specs, err := m.function(fn, at, p.dataset.Components()[at].Spec())
	if err != nil {
		return err
	}
	p.columns = nil
	for _, name := range names {
		p.columns = append(p.columns, column{name: name, dtype: c.dtype})
	}
	of, err := p.components(specs)
	p.dataset = dataset.Map(p.dataset, f).WithComponents(of...)
	return err
}

// A datasetMap has the functions that map elements of one dtype.
type datasetMap interface {
	// function returns a function of the column with index at, and the names and specs of the
	// columns that the function makes.
	function(fn string, at int, spec dataset.Spec) (f func(record) (record, error), names []string, specs []dataset.Spec, err error)
}

type datasetNumbers[T numberElement] struct{ of func(*cell) *typed[T] }

func (m datasetNumbers[T]) function(fn string, at int, spec dataset.Spec) (func(record) (record, error), []string, []dataset.Spec, error) {
	ones := func(shape func(n int) []int) func(ragged.Tensor[T]) (ragged.Tensor[T], error) {
		return func(t ragged.Tensor[T]) (ragged.Tensor[T], error) {
			sizes := shape(int(t.Item()))
			return ragged.Dense(slices.Repeat([]T{1}, sizes[0]*sizes[1]), sizes...)
		}
	}
	run := func(out dataset.Spec, f func(ragged.Tensor[T]) (ragged.Tensor[T], error)) (func(record) (record, error), []string, []dataset.Spec, error) {
		return func(r record) (out record, err error) {
			m.of(&out[0]).tensor, err = f(m.of(&r[at]).tensor)
			return out, err
		}, []string{""}, []dataset.Spec{out}, nil
	}
	// A row that is dense is a dense tensor for TensorFlow's functions.
	same := spec
	if levels, isRagged := spec.RaggedRank(); isRagged && levels == 0 {
		same = dataset.DenseSpec(spec.Shape()...)
	}
	switch fn {
	case "transform_lengths":
		return func(r record) (out record, err error) {
			lengths := m.of(&r[at]).tensor
			if m.of(&out[1]).tensor, err = denseMean(lengths); err == nil {
				m.of(&out[0]).tensor, err = array.RangeTo(lengths)
			}
			return out, err
		}, []string{"length_ranges", "mean_length"}, []dataset.Spec{dataset.RaggedSpec(1, -1, -1), dataset.DenseSpec()}, nil
	case "tf.range":
		return run(dataset.DenseSpec(-1), rangeTo[T])
	case "tf.ragged.range":
		return run(dataset.RaggedSpec(1, -1, -1), array.RangeTo[T])
	case "ones([2,x])":
		return run(dataset.DenseSpec(2, -1), ones(func(n int) []int { return []int{2, n} }))
	case "ones([x,2])":
		return run(dataset.DenseSpec(-1, 2), ones(func(n int) []int { return []int{n, 2} }))
	case "tf.square", "tf.ones_like", "x*2+1":
		f, err := function[T](fn)
		if err != nil {
			return nil, nil, nil, err
		}
		return run(same, f)
	case "tf.reduce_sum":
		return run(dataset.DenseSpec(), func(t ragged.Tensor[T]) (ragged.Tensor[T], error) { return num.Sum(t, num.OverAll()) })
	case "tf.reduce_mean":
		return run(dataset.DenseSpec(), denseMean[T])
	}
	return nil, nil, nil, testkit.Unknown("the function %s", fn)
}
