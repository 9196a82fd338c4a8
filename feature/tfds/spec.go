package tfds

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// Options are the settings of [Spec]. A nil *Options means the defaults.
type Options struct {
	// Ragged makes features with one unknown dimension ragged instead of fixed_len_sequence,
	// which pads all records of a batch to the longest.
	Ragged bool
	// KeepStrings leaves encoded tensors the strings that records have, for a form of specs that cannot decode them.
	// A note says what they hold.
	KeepStrings bool
}

// Note describes a property that a column does not show, or the reason why a feature has no column.
type Note struct {
	Feature string // flat name
	Omitted bool   // the spec has no column for it
	Text    string
}

// Spec returns the spec of the records of a data set, given the content of its features.json in the
// format of any version of TensorFlow Datasets. The spec is valid: feature.NewParser accepts it.
// Notes are sorted by feature. An error of one feature names it. Spec does not retain b.
func Spec(b []byte, opts *Options) (feature.Spec, []Note, error) {
	if opts == nil {
		opts = &Options{}
	}
	r := reader{opts: opts, columns: feature.Features{}}
	root, err := parseConnector(b, 0)
	if err == nil && root.kind != kindDict {
		err = fmt.Errorf("want a FeaturesDict, got %s", root.class)
	}
	if err == nil {
		err = r.connector("", root, nil)
	}
	if err == nil && len(r.columns) == 0 && len(r.notes) > 0 {
		err = fmt.Errorf("feature %q: %s", r.notes[0].Feature, r.notes[0].Text)
	}
	if err != nil {
		return feature.Spec{}, nil, fmt.Errorf("tfds: %s: %w", FeaturesFile, err)
	}
	spec := feature.Spec{Features: r.columns}
	if err := spec.Validate(); err != nil {
		return feature.Spec{}, nil, fmt.Errorf("tfds: %s: %w", FeaturesFile, err)
	}
	slices.SortStableFunc(r.notes, func(a, b Note) int { return strings.Compare(a.Feature, b.Feature) })
	return spec, r.notes, nil
}

// reader collects the columns and notes.
type reader struct {
	opts    *Options
	columns feature.Features
	notes   []Note
}

func (r *reader) notef(name string, format string, args ...any) {
	r.notes = append(r.notes, Note{name, false, fmt.Sprintf(format, args...)})
}

func (r *reader) omit(name string, format string, args ...any) {
	r.notes = append(r.notes, Note{name, true, fmt.Sprintf(format, args...)})
}

// connector adds the columns of a feature connector. outer has the lengths of the Sequences that contain
// it, the outermost first.
func (r *reader) connector(name string, c *connector, outer []int) error {
	switch c.kind {
	case kindDict:
		for _, key := range slices.Sorted(maps.Keys(c.fields)) {
			full := key
			if name != "" {
				full = name + "/" + key
			}
			if err := r.connector(full, c.fields[key], outer); err != nil {
				return err
			}
		}
		return nil
	case kindSequence:
		return r.connector(name, c.inner, append(slices.Clip(outer), c.length))
	case kindTensor:
		return r.tensor(name, c, outer)
	case kindImage:
		r.notef(name, "values are encoded images%s", inBrackets(c.format))
		return r.add(name, value{dtype: feature.String}, outer)
	}
	r.omit(name, "%s is not a class of TensorFlow Datasets, so its encoding is unknown", c.class)
	return nil
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// value is the value of a feature in a record, without the Sequences that contain it.
type value struct {
	dtype    feature.DType
	shape    []int          // may have unknown dimensions
	fallback example.Value  // default of an optional tensor
	decode   feature.Decode // of an encoded tensor, which is a string
}

const unknown = -1

// tensor adds the columns of a Tensor.
func (r *reader) tensor(name string, c *connector, outer []int) error {
	dtype, err := dtypeOf(c.dtype)
	if err != nil {
		return fmt.Errorf("feature %q: %w", name, err)
	}
	t := value{dtype: dtype, shape: c.shape}
	encoded := c.encoding != "" && !strings.EqualFold(c.encoding, "none")
	dynamic := count(c.shape) > 1
	if c.optional && len(outer) == 0 && count(c.shape) == 0 && !dynamic {
		if t.fallback, err = fallback(c.dtype, c.shape); err != nil {
			return fmt.Errorf("feature %q: %w", name, err)
		}
	}
	if encoded {
		t = value{dtype: feature.String}
		if c.optional && len(outer) == 0 {
			t.fallback = example.Strings("")
		}
		if !r.opts.KeepStrings {
			t.decode = encodedTensor(name, c, outer)
		}
		if t.decode == nil {
			r.notef(name, "values are tensors of %s and shape %s, encoded as bytes%s", c.dtype, shapeText(c.shape), map[bool]string{true: " by zlib"}[isZlib(c)])
		}
	}
	if c.dtype == "uint64" && !encoded {
		r.notef(name, "uint64 values are stored as int64: numbers from 2^63 on are negative")
	}
	if !dynamic {
		return r.add(name, t, outer)
	}
	if !encoded {
		r.omit(name, "TensorFlow Datasets does not write a tensor of shape %s without encoding", shapeText(c.shape))
		return nil
	}
	if err := r.add(name+"/shape", value{dtype: feature.Int64, shape: []int{len(c.shape)}}, outer); err != nil {
		return err
	}
	return r.add(name+"/value", t, outer)
}

func isZlib(c *connector) bool { return strings.EqualFold(c.encoding, "zlib") }

// encodedTensor returns the Decode of an encoded tensor. It is nil, so that strings stay encoded, for several unknown
// dimensions within a Sequence, for an optional scalar, for an optional tensor with an unknown dimension after the first, and
// for strings. uint32 decodes, although TensorFlow Datasets cannot read it.
func encodedTensor(name string, c *connector, outer []int) feature.Decode {
	d := feature.DecodeRaw{Shape: []feature.Dimension{}, Zlib: isZlib(c)}
	err := d.DType.UnmarshalText([]byte(c.dtype))
	switch d.DType { // decode_raw lacks these two
	case tensor.Uint64:
		d.DType, d.Bitcast = tensor.Int64, tensor.Uint64
	case tensor.Uint32:
		d.DType, d.Bitcast = tensor.Int32, tensor.Uint32
	}
	dynamic := count(c.shape) > 1
	if err != nil || !d.DType.IsRaw() || dynamic && len(outer) > 0 {
		return nil
	}
	for i, n := range c.shape {
		if dynamic && n == unknown {
			d.Shape = append(d.Shape, feature.SizeAt{Feature: name + "/shape", Index: i})
		} else {
			d.Shape = append(d.Shape, feature.Size(n))
		}
	}
	if c.optional { // the default is an empty string: a tensor of no elements
		if len(d.Shape) == 0 || dynamic || count(c.shape[1:]) > 0 {
			return nil
		}
		d.Shape[0] = feature.Size(unknown)
	}
	return d
}

// add adds a column.
func (r *reader) add(name string, t value, outer []int) error {
	if _, ok := r.columns[name]; ok {
		return fmt.Errorf("feature %q: two features have this name", name)
	}
	full := slices.Concat(outer, t.shape)
	known := slices.DeleteFunc(slices.Clone(full), func(n int) bool { return n == unknown })
	unknowns := len(full) - len(known)
	uniform := func(dims []int) (all []feature.Partition) {
		for _, n := range dims {
			all = append(all, feature.UniformRowLength(n))
		}
		return all
	}
	switch {
	case len(outer) > 1 && count(t.shape) > 0, unknowns > 1 && len(outer) < 2:
		r.omit(name, "TensorFlow Datasets does not write shape %s, with unknown dimensions inside a Sequence", shapeText(full))
	case len(outer) > 1:
		// Records have row lengths for all Sequences but the outermost, even for those with a fixed
		// length.
		var partitions []feature.Partition
		for i := range len(outer) - 1 {
			partitions = append(partitions, feature.RowLengths(name+"/ragged_row_lengths_"+strconv.Itoa(i)))
		}
		r.columns[name] = feature.Ragged{DType: t.dtype, ValueKey: name + "/ragged_flat_values", Partitions: append(partitions, uniform(t.shape)...), Decode: t.decode}
		if unknowns < 2 {
			r.notef(name, "nested Sequence of fixed length: TensorFlow Datasets writes it as ragged and cannot read it")
		}
	case unknowns == 0:
		r.columns[name] = feature.FixedLen{DType: t.dtype, Shape: full, Default: t.fallback, Decode: t.decode}
	default:
		r.columns[name] = feature.FixedLenSequence{DType: t.dtype, Shape: known, AllowMissing: true, Decode: t.decode}
		if r.opts.Ragged {
			r.columns[name] = feature.Ragged{DType: t.dtype, ValueKey: name, Partitions: uniform(known), Decode: t.decode}
		}
		if full[0] != unknown {
			r.notef(name, "its shape is %s; the column has the unknown dimension first, so reshape the values of a record", shapeText(full))
		}
	}
	return nil
}

// count returns the number of unknown dimensions.
func count(shape []int) (n int) {
	for _, d := range shape {
		if d == unknown {
			n++
		}
	}
	return n
}

func shapeText(shape []int) string {
	return strings.ReplaceAll(fmt.Sprint(shape), strconv.Itoa(unknown), "?")
}

// dtypeOf returns the dtype in records for a dtype of NumPy.
func dtypeOf(name string) (feature.DType, error) {
	switch name {
	case "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64":
		return feature.Int64, nil
	case "float16", "bfloat16", "float32", "float64":
		return feature.Float32, nil
	case "string", "object", "str", "bytes":
		return feature.String, nil
	}
	return 0, fmt.Errorf("dtype %q: want an integer, bool, a float or string", name)
}

// maxFallback is the maximum number of values of a default.
const maxFallback = 1 << 20

// fallback returns the default of an optional Tensor: the minimum of its dtype.
func fallback(dtype string, shape []int) (v example.Value, err error) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > maxFallback/max(n, 1) {
			return v, fmt.Errorf("optional tensor of shape %s: its default has more than %d values", shapeText(shape), maxFallback)
		}
		n *= d
	}
	least := map[string]int64{"int8": math.MinInt8, "int16": math.MinInt16, "int32": math.MinInt32, "int64": math.MinInt64}
	leastFloat := map[string]float32{"float16": -65504, "bfloat16": -0x1.fep127, "float32": -math.MaxFloat32, "float64": float32(math.Inf(-1))}
	if f, ok := leastFloat[dtype]; ok {
		return example.Floats(slices.Repeat([]float32{f}, n)...), nil
	}
	if d, _ := dtypeOf(dtype); d == feature.String {
		return example.Strings(slices.Repeat([]string{""}, n)...), nil
	}
	return example.Int64s(slices.Repeat([]int64{least[dtype]}, n)...), nil
}
