package flatten

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// A Flattener holds the columns of a batch. Append adds a record to the columns.
type Flattener struct {
	features []column // from the Example, or from the context
	lists    []column
	sequence bool
}

// A column is the flat values of one feature and its row splits, outermost first.
type column struct {
	name, key string
	dtype     feature.DType
	size      int      // number of values in a FixedLen, a block, or a row of uniform length
	ragged    bool     // the feature is a Ragged
	lengths   []string // keys of the features with its row lengths, outermost first

	ints    []int64
	floats  []float32
	strings [][]byte
	levels  [][]int64
}

// New compiles a spec. It returns an error for features that this package does not read.
func New(spec feature.Spec) (*Flattener, error) {
	f := &Flattener{sequence: spec.Message() == example.TypeSequence}
	var err error
	features := spec.Features
	if f.sequence {
		features = spec.Context
	}
	if f.features, err = columns(features, false); err != nil {
		return nil, err
	}
	f.lists, err = columns(spec.Sequence, true)
	return f, err
}

func columns(fs feature.Features, lists bool) ([]column, error) {
	var out []column
	for name, f := range fs {
		c := column{name: name, key: name, dtype: feature.DTypeOf(f), size: 1}
		depth := 0
		var shape []int
		switch f := f.(type) {
		case feature.FixedLen:
			shape = f.Shape
		case feature.FixedLenSequence:
			shape, depth = f.Shape, 1
		case feature.Ragged:
			c.ragged = true
			depth = 1
			if lists {
				depth = 2
			}
			if f.ValueKey != "" {
				c.key = f.ValueKey
			}
			for _, p := range f.Partitions {
				switch p := p.(type) {
				case feature.RowLengths:
					c.lengths = append(c.lengths, string(p))
					depth++
				case feature.UniformRowLength:
					shape = append(shape, int(p))
				default:
					return nil, fmt.Errorf("%s: partitions of type %T are not supported", name, p)
				}
			}
		default:
			return nil, fmt.Errorf("%s: features of type %T are not supported", name, f)
		}
		if lists && len(c.lengths) > 0 {
			return nil, fmt.Errorf("%s: row lengths in feature lists are not supported", name)
		}
		for _, n := range shape {
			c.size *= n
		}
		c.levels = make([][]int64, depth)
		out = append(out, c)
	}
	reset(out)
	return out, nil
}

func reset(cs []column) {
	for i := range cs {
		c := &cs[i]
		c.ints, c.floats, c.strings = c.ints[:0], c.floats[:0], c.strings[:0]
		for l := range c.levels {
			c.levels[l] = append(c.levels[l][:0], 0)
		}
	}
}

// Reset removes all rows and keeps the memory.
func (f *Flattener) Reset() {
	reset(f.features)
	reset(f.lists)
}

// Append unmarshals a record and adds a row to every column.
func (f *Flattener) Append(record []byte) error {
	if !f.sequence {
		var m examplepb.Example
		if err := proto.Unmarshal(record, &m); err != nil {
			return err
		}
		return f.flatten(m.GetFeatures().GetFeature())
	}
	var m examplepb.SequenceExample
	if err := proto.Unmarshal(record, &m); err != nil {
		return err
	}
	if err := f.flatten(m.GetContext().GetFeature()); err != nil {
		return err
	}
	lists := m.GetFeatureLists().GetFeatureList()
	for i := range f.lists {
		c := &f.lists[i]
		l, ok := lists[c.key]
		if !ok {
			return fmt.Errorf("%s: missing", c.name)
		}
		steps := l.GetFeature()
		for _, step := range steps {
			n, err := c.values(step)
			if err != nil {
				return err
			}
			if c.ragged {
				c.end(1, n/c.size)
			}
			if n%c.size != 0 || !c.ragged && n != c.size {
				return fmt.Errorf("%s: %d values", c.name, n)
			}
		}
		c.end(0, len(steps))
	}
	return nil
}

func (f *Flattener) flatten(m map[string]*examplepb.Feature) error {
	for i := range f.features {
		c := &f.features[i]
		v, ok := m[c.key]
		if !ok && !c.ragged {
			return fmt.Errorf("%s: missing", c.name)
		}
		n, err := c.values(v)
		if err != nil {
			return err
		}
		if n%c.size != 0 || len(c.levels) == 0 && n != c.size {
			return fmt.Errorf("%s: %d values", c.name, n)
		}
		if len(c.levels) == 0 {
			continue
		}
		// The rows of the innermost partition contain all values. The rows of the next partition contain all of
		// these rows, and so on. The record's row contains the rows of the outermost partition.
		items := n / c.size
		for l := len(c.lengths); l > 0; l-- {
			lengths := m[c.lengths[l-1]].GetInt64List().GetValue()
			for _, length := range lengths {
				if length < 0 || length > int64(items) {
					return fmt.Errorf("%s: a row of length %d, but only %d items are left", c.name, length, items)
				}
				c.end(l, int(length))
				items -= int(length)
			}
			if items != 0 {
				return fmt.Errorf("%s: %d items are in no row", c.name, items)
			}
			items = len(lengths)
		}
		c.end(0, items)
	}
	return nil
}

// end adds the end of a row of n items to a level.
func (c *column) end(level, n int) {
	l := c.levels[level]
	c.levels[level] = append(l, l[len(l)-1]+int64(n))
}

// values appends the values of a feature, and returns their number.
func (c *column) values(f *examplepb.Feature) (int, error) {
	if f.GetKind() == nil {
		return 0, nil
	}
	switch c.dtype {
	case feature.Int64:
		if l, ok := f.Kind.(*examplepb.Feature_Int64List); ok {
			c.ints = append(c.ints, l.Int64List.GetValue()...)
			return len(l.Int64List.GetValue()), nil
		}
	case feature.Float32:
		if l, ok := f.Kind.(*examplepb.Feature_FloatList); ok {
			c.floats = append(c.floats, l.FloatList.GetValue()...)
			return len(l.FloatList.GetValue()), nil
		}
	case feature.String:
		if l, ok := f.Kind.(*examplepb.Feature_BytesList); ok {
			c.strings = append(c.strings, l.BytesList.GetValue()...)
			return len(l.BytesList.GetValue()), nil
		}
	}
	return 0, fmt.Errorf("%s: want %v values, got another kind", c.name, c.dtype)
}
