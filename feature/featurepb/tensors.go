package featurepb

import (
	"math"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// maxDefault is the maximum number of values of all defaults together: a shape may claim any number.
const maxDefault = 1 << 20

// reserve adds n values of a default to the total, and reports whether the limit allows them.
func (f *faults) reserve(what string, n int) bool {
	if n > maxDefault-f.defaults {
		f.addf("%s: the defaults of all features have more than %d values", what, maxDefault)
		return false
	}
	f.defaults += n
	return true
}

// represented adds the columns of the tensors of the group "".
func (r *schemaReader) represented() {
	groups := map[string]bool{}
	for _, g := range r.schema.GetTensorRepresentationGroup() {
		if groups[g.GetKey()] {
			r.addf("tensor representation group %q is given twice", g.GetKey())
		}
		groups[g.GetKey()] = true
		if g.GetKey() != "" {
			continue
		}
		for _, t := range g.GetValue().GetTensorRepresentation() {
			if r.named[t.GetKey()] {
				r.addf("tensor %q is given twice", t.GetKey())
				continue
			}
			r.named[t.GetKey()] = true
			r.tensor(t.GetKey(), t.GetValue())
		}
	}
}

func (r *schemaReader) tensor(name string, t *pb.TensorRepresentation) {
	what := "tensor " + strconv.Quote(name)
	switch k := t.GetKind().(type) {
	case *pb.TensorRepresentation_DenseTensor_:
		r.dense(what, name, k.DenseTensor)
	case *pb.TensorRepresentation_VarlenSparseTensor:
		c := column{name: k.VarlenSparseTensor.GetColumnName()}
		r.read[c.String()] = true
		if d, ok := r.dtype(what, c); ok {
			r.add(false, c.name, name, feature.VarLen{DType: d})
		}
	case *pb.TensorRepresentation_SparseTensor_:
		r.sparse(what, name, k.SparseTensor)
	case *pb.TensorRepresentation_RaggedTensor_:
		r.ragged(what, name, k.RaggedTensor)
	default:
		r.addf("%s has no kind", what)
	}
}

func (r *schemaReader) dense(what, name string, t *pb.TensorRepresentation_DenseTensor) {
	c := column{name: t.GetColumnName()}
	r.read[c.String()] = true
	d, ok := r.dtype(what, c)
	shape, sound := r.shape(what, t.GetShape())
	if !ok || !sound {
		return
	}
	f := feature.FixedLen{DType: d, Shape: shape}
	if t.DefaultValue != nil {
		f.Default = r.defaultValue(what, d, shape, t.DefaultValue)
	}
	r.add(false, c.name, name, f)
}

func (r *schemaReader) shape(what string, s *pb.FixedShape) (shape []int, ok bool) {
	ok = true
	for i, d := range s.GetDim() {
		n, sound := size(d.GetSize())
		if !sound {
			r.addf("%s: dimension %d is %d, want 0 to %d", what, i, d.GetSize(), math.MaxInt32)
			ok = false
		}
		shape = append(shape, n)
	}
	return shape, ok
}

// defaultValue returns the default of a shape: the same value n times.
func (r *schemaReader) defaultValue(what string, d feature.DType, shape []int, v *pb.TensorRepresentation_DefaultValue) example.Value {
	n := 1
	for _, m := range shape {
		if m > 0 && n > maxDefault/m {
			r.addf("%s: the default has more than %d values", what, maxDefault)
			return example.Value{}
		}
		n *= m
	}
	if n == 0 || !r.reserve(what, n) { // a default without values equals no default
		return example.Value{}
	}
	switch k := v.GetKind().(type) {
	case nil:
		r.addf("%s: the default has no value", what)
		return example.Value{}
	case *pb.TensorRepresentation_DefaultValue_IntValue:
		if d == feature.Int64 {
			return example.Int64s(repeat(k.IntValue, n)...)
		}
	case *pb.TensorRepresentation_DefaultValue_FloatValue:
		if d == feature.Float32 {
			f := float32(k.FloatValue)
			if math.IsInf(float64(f), 0) && !math.IsInf(k.FloatValue, 0) {
				r.addf("%s: the default %g is not a float32", what, k.FloatValue)
				return example.Value{}
			}
			return example.Floats(repeat(f, n)...)
		}
	case *pb.TensorRepresentation_DefaultValue_BytesValue:
		if d == feature.String {
			return example.Bytes(repeat(k.BytesValue, n)...)
		}
	}
	r.addf("%s: the default is given as %s, but its feature is %s", what,
		v.ProtoReflect().WhichOneof(v.ProtoReflect().Descriptor().Oneofs().Get(0)).Name(), d)
	return example.Value{}
}

func repeat[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func (r *schemaReader) sparse(what, name string, t *pb.TensorRepresentation_SparseTensor) {
	f := feature.Sparse{IndexKeys: t.GetIndexColumnNames(), ValueKey: t.GetValueColumnName(), Sorted: t.GetAlreadySorted()}
	for _, key := range f.IndexKeys {
		c := column{name: key}
		r.read[c.String()] = true
		r.integers(what, "index", c)
	}
	c := column{name: f.ValueKey}
	if t.ValueColumnName != nil {
		r.read[c.String()] = true
	}
	for i, d := range t.GetDenseShape().GetDim() {
		if d.GetSize() < 0 {
			r.addf("%s: the size of dimension %d is unknown", what, i)
		}
		f.Size = append(f.Size, max(d.GetSize(), 0))
	}
	var ok bool
	if f.DType, ok = r.dtype(what, c); ok {
		r.add(false, name, name, f)
	}
}

func (r *schemaReader) ragged(what, name string, t *pb.TensorRepresentation_RaggedTensor) {
	steps := t.GetFeaturePath().GetStep()
	var c column
	switch {
	case len(steps) == 1:
		c = column{name: steps[0]}
	case len(steps) == 2 && steps[0] == sequenceStep:
		c = column{list: true, name: steps[1]}
	default:
		r.addf("%s: invalid path %q: want one step, or %s and one", what, steps, sequenceStep)
		return
	}
	r.read[c.String()] = true
	f := feature.Ragged{ValueKey: c.name}
	if c.name == name {
		f.ValueKey = ""
	}
	for i, p := range t.GetPartition() {
		switch k := p.GetKind().(type) {
		case *pb.TensorRepresentation_RaggedTensor_Partition_RowLength:
			lengths := column{c.list, k.RowLength}
			r.read[lengths.String()] = true
			r.integers(what, "row_length", lengths)
			f.Partitions = append(f.Partitions, feature.RowLengths(k.RowLength))
		case *pb.TensorRepresentation_RaggedTensor_Partition_UniformRowLength:
			f.Partitions = append(f.Partitions, feature.UniformRowLength(k.UniformRowLength))
		default:
			r.addf("%s: partition %d has no kind", what, i)
		}
	}
	var ok bool
	if f.DType, ok = r.dtype(what, c); ok {
		r.add(c.list, name, name, f)
	}
}
