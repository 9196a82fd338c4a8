package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// Parse runs every case through package feature: the spec as it stands in the
// case, all records into one batch, and every column in the form that it has by
// itself.
func Parse(t *testing.T) {
	s := &testkit.Suite{Family: "parse", Key: "call", Members: parseMembers, PerKey: true}
	for call, how := range map[string]parseCall{
		"parse_example":                 {},
		"parse_single_example":          {single: true},
		"parse_sequence_example":        {sequence: true},
		"parse_single_sequence_example": {sequence: true, single: true},
	} {
		s.Handle(call, how.run)
	}
	s.Run(t)
}

type parseCall struct{ sequence, single bool }

func (p parseCall) run(c *testkit.Case) error {
	var records [][]byte
	if err := c.Decode("records", &records); err != nil {
		return err
	}
	var raw json.RawMessage
	if err := c.Decode("spec", &raw); err != nil {
		return err
	}
	parser, err := newParser(raw)
	config, unclear := isConfig(c)
	switch {
	case unclear != nil:
		return unclear
	case config && parser != nil:
		return errors.New("the spec is to be refused, but it is not")
	case parser == nil && !config && !(c.Want().Fail && c.Tagged("config")):
		return fmt.Errorf("the spec is refused: %w", err)
	}
	if parser == nil {
		var fault *feature.SpecError
		if !errors.As(err, &fault) {
			return fmt.Errorf("the spec is refused without saying what: %v", err)
		}
		return nil
	}
	got, err := p.parse(parser, records)
	var fault *feature.Error
	if err != nil && !errors.As(err, &fault) {
		return fmt.Errorf("an error without coordinates: %v", err)
	}
	if fault := checkParse(c, got, err); fault != nil || err == nil {
		return fault
	}
	return checkParseClass(c, err)
}

func newParser(raw []byte) (*feature.Parser, error) {
	var spec feature.Spec
	if err := spec.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return feature.NewParser(spec, nil)
}

// isConfig reports whether the spec itself is to be refused.
func isConfig(c *testkit.Case) (bool, error) {
	w := c.Want()
	if !w.Fail {
		return false, nil
	}
	var phase string
	if w.Ours {
		if !c.HasOurs("phase") {
			return false, nil
		}
		err := c.DecodeOurs("phase", &phase)
		return phase == "config", err
	}
	var e struct{ Phase string }
	err := json.Unmarshal(w.Error, &e)
	return e.Phase == "config", err
}

// parse parses the records and overwrites them before it looks at the columns:
// they must not share memory.
func (p parseCall) parse(parser *feature.Parser, records [][]byte) (sections, error) {
	var columns feature.Columns
	if p.single {
		if len(records) != 1 {
			return nil, testkit.Fault(fmt.Errorf("%d records, want one", len(records)))
		}
		var err error
		if columns, err = parser.ParseSingle(records[0]); err != nil {
			return nil, err
		}
	} else {
		batch, err := parser.Parse(records...)
		if err != nil {
			return nil, err
		}
		columns = batch.Columns()
	}
	for _, r := range records {
		for i := range r {
			r[i] = 0xA5
		}
	}
	if !p.sequence {
		return sections{"columns": p.values(columns.In(feature.InFeatures))}, nil
	}
	out := sections{
		"context":  p.values(columns.In(feature.InContext)),
		"sequence": p.values(columns.In(feature.InSequence)),
	}
	if !p.single {
		out["lengths"] = map[string]testkit.Value{}
		for name, c := range columns.In(feature.InSequence).All() {
			if t, ok := c.Lengths(); ok {
				out["lengths"][name] = tensorValue("int64", t)
			}
		}
	}
	return out, nil
}

func (p parseCall) values(columns feature.Columns) map[string]testkit.Value {
	out := map[string]testkit.Value{}
	for name, c := range columns.All() {
		switch c.DType() {
		case feature.Int64:
			out[name] = columnValue[int64](c)
		case feature.Float32:
			out[name] = columnValue[float32](c)
		case feature.String:
			out[name] = columnValue[string](c)
		}
	}
	return out
}

// columnValue writes a column in its own form.
func columnValue[T feature.Element](c feature.Column) testkit.Value {
	if c.Form() == feature.SparseForm {
		s, _ := feature.SparseOf[T](c)
		v := testkit.Sparse{Indices: [][]int64{}, DenseShape: s.Shape, DType: c.DType().String(), Values: append([]T{}, s.Values...)}
		for j := range s.Values {
			v.Indices = append(v.Indices, s.Index(j))
		}
		return v
	}
	t, _ := feature.TensorOf[T](c)
	if (t.RaggedRank() > 0) != (c.Form() == feature.RaggedForm) {
		return testkit.String(fmt.Sprintf("%s form, but a tensor of ragged rank %d", c.Form(), t.RaggedRank()))
	}
	return tensorValue(c.DType().String(), t)
}

func tensorValue[T feature.Element](dtype string, t ragged.Tensor[T]) testkit.Value {
	flat := testkit.Dense{DType: dtype, Shape: []int64{}, Values: append([]T{}, t.Values()...)}
	for _, d := range t.Flat().Shape() {
		flat.Shape = append(flat.Shape, int64(d))
	}
	if t.RaggedRank() == 0 {
		return flat
	}
	v := testkit.Ragged{Flat: flat, SplitsDType: "int64"}
	for _, p := range t.Partitions() {
		if n, ok := p.UniformLen(); ok {
			v.Partitions = append(v.Partitions, testkit.UniformOf(int64(n), int64(p.NumRows())))
		} else {
			v.Partitions = append(v.Partitions, testkit.SplitsOf(p.AppendSplits(nil)...))
		}
	}
	return v
}
