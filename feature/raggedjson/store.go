package raggedjson

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/ragged"
)

// store collects the values of one feature and their row partitions.
type store struct {
	name     string        // name in the spec
	group    feature.Group // map of the spec that has the feature
	dtype    feature.DType // selects ints, floats or text with ends
	nested   bool          // level 0 partitions the units of each record
	sparse   bool          // a Sparse feature
	decoded  bool          // the spec decodes the strings
	sizes    []int64       // Size of a Sparse feature
	required bool          // a line that lacks it is an error
	def      example.Value // the default of the feature
	shape    []int         // shape of a cell
	uniform  []int         // by level: the uniform row length, or -1
	first    int           // index of the first level below a unit
	quoted   string        // the name as AppendRow prints it
	place    int           // index in the group
	seen     uint64        // Reader.unit of the last unit with the feature
	mark     []int         // lengths of all slices at the end of the last complete row

	splits  [][]int64 // by level: the row splits
	ints    []int64   // values, if the dtype is int64
	floats  []float32 // values, if the dtype is float32
	text    []byte    // bytes of all strings
	ends    []int     // the end of each string in text
	index   []int64   // indices of a Sparse feature
	strings []string  // strings of the last batch
}

// newStore returns the store of a column of an empty batch.
func newStore(c feature.Column) store {
	s := store{
		name:    c.Name(),
		group:   c.Group(),
		dtype:   c.DType(),
		nested:  c.Group() == feature.InSequence || c.Group() == feature.InExamples,
		uniform: make([]int, c.RaggedRank()),
		splits:  make([][]int64, c.RaggedRank()),
	}
	if s.nested {
		s.first = 1
	}
	for i := range s.uniform {
		s.splits[i] = []int64{0}
		s.uniform[i] = -1
		if splits, n := c.Splits(i); splits == nil {
			s.uniform[i] = n
		}
	}
	s.decoded = feature.DecodeOf(c.Spec()) != nil
	switch f := c.Spec().(type) {
	case feature.FixedLen:
		s.shape, s.def = f.Shape, f.Default
		s.required = f.Default.Len() == 0
	case feature.FixedLenSequence:
		s.shape = f.Shape
		s.required = s.group == feature.InSequence && !f.AllowMissing
	case feature.Sparse:
		s.sparse, s.sizes = true, f.Size
	case feature.Ragged:
		s.shape = f.InnerShape()
	}
	name := []byte(s.name)
	if s.group == feature.InFeatures {
		s.quoted = string(jsonscan.AppendTopName(nil, name))
	} else {
		s.quoted = string(jsonscan.AppendName(nil, name))
	}
	s.commit()
	return s
}

// addString adds a copy of v.
func (s *store) addString(v []byte) {
	s.text = append(s.text, v...)
	s.ends = append(s.ends, len(s.text))
}

// end ends a row of n items at a level.
func (s *store) end(level, n int) {
	splits := s.splits[level]
	s.splits[level] = append(splits, splits[len(splits)-1]+int64(n))
}

// absent adds a unit that lacks the feature; ok is false if the feature is required.
func (s *store) absent() (ok bool) {
	switch {
	case s.required:
		return false
	case s.first < len(s.splits):
		s.end(s.first, 0)
	default:
		s.ints = append(s.ints, s.def.Int64s...)
		s.floats = append(s.floats, s.def.Floats...)
		for _, b := range s.def.Bytes {
			s.addString(b)
		}
	}
	return true
}

// commit completes the current row.
func (s *store) commit() {
	s.mark = append(s.mark[:0], len(s.ints), len(s.floats), len(s.ends), len(s.index), len(s.text))
	for _, splits := range s.splits {
		s.mark = append(s.mark, len(splits))
	}
}

// rollback removes the values since the last commit.
func (s *store) rollback() {
	s.ints, s.floats, s.ends, s.index = s.ints[:s.mark[0]], s.floats[:s.mark[1]], s.ends[:s.mark[2]], s.index[:s.mark[3]]
	s.text = s.text[:s.mark[4]]
	for i := range s.splits {
		s.splits[i] = s.splits[i][:s.mark[5+i]]
	}
}

// reset removes all values.
func (s *store) reset() {
	clear(s.strings)
	s.ints, s.floats, s.ends, s.index = s.ints[:0], s.floats[:0], s.ends[:0], s.index[:0]
	s.text, s.strings = s.text[:0], s.strings[:0]
	for i := range s.splits {
		s.splits[i] = s.splits[i][:1]
	}
	s.commit()
}

// column returns a column of n rows.
func (s *store) column(n int) (feature.Column, error) {
	switch s.dtype {
	case feature.Int64:
		return columnOf(s, s.ints, n)
	case feature.Float32:
		return columnOf(s, s.floats, n)
	}
	s.strings = s.strings[:0]
	text, lo := string(s.text), 0
	for _, hi := range s.ends {
		s.strings = append(s.strings, text[lo:hi])
		lo = hi
	}
	return columnOf(s, s.strings, n)
}

func columnOf[T feature.Element](s *store, values []T, n int) (feature.Column, error) {
	t, err := tensorOf(values, s.shape, s.splits, n)
	if err != nil {
		return feature.Column{}, fmt.Errorf("%q: %w", s.name, err)
	}
	if !s.sparse {
		return feature.NewColumn(t), nil
	}
	at, err := tensorOf(s.index, []int{len(s.sizes)}, s.splits, n)
	if err != nil {
		return feature.Column{}, fmt.Errorf("%q: %w", s.name, err)
	}
	return feature.NewSparseColumn(t, at), nil
}

// tensorOf returns a tensor of n rows.
func tensorOf[T any](values []T, shape []int, splits [][]int64, n int) (ragged.Tensor[T], error) {
	if len(splits) == 0 {
		return ragged.Dense(values, append([]int{n}, shape...)...)
	}
	parts := make([]ragged.Partition, len(splits))
	for i := range splits {
		var err error
		if parts[i], err = ragged.FromRowSplits(splits[i]); err != nil {
			return ragged.Tensor[T]{}, err
		}
	}
	return ragged.New(values, shape, parts...)
}
