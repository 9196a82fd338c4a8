package feature_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// TestVectors compares with results of TensorFlow's parsers. It uses the spec of the case, parses all records into
// one batch, and compares every column in its own form.
func TestVectors(t *testing.T) {
	s := &testkit.Suite{Family: "parse", Key: "call", Members: testkit.ParseMembers, PerKey: true}
	if testkit.Race && testing.Short() {
		s.Every = 8 // no goroutines to check, but a race build also overwrites borrowed memory
	}
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

// errBytes is joined to every error about the encoding. If TensorFlow only says that it cannot parse the bytes, all
// of them belong to this class.
var errBytes = errors.New("an error about the bytes")

// parseClasses are the classes of errors. First our reasons to refuse records that TensorFlow accepts, then
// TensorFlow's messages.
var parseClasses = []testkit.Class{
	testkit.Words(`^row_(starts|splits|limits|lengths) must|^value_row_ids must|items in rows of \d+, per record`, feature.ErrPartition),
	testkit.Words(`^frame counts differ`, feature.ErrSteps, feature.ErrPartition),
	testkit.Words(`^index \[.*\] outside|indices and \d+ values: they must agree`, feature.ErrIndex),
	testkit.Words(`^length overruns its message|^fixed-size field is cut`, io.ErrUnexpectedEOF),
	testkit.Words(`^ambiguous: `, example.ErrAmbiguous),
	testkit.Words(`^varint of more than 64 bits`, example.ErrOverflow),
	testkit.Words(`^packed floats of \d+ bytes`, example.ErrPacked),
	testkit.Words(`^illegal field number`, example.ErrWireType),
	testkit.Words(`^a map entry repeats`, example.ErrEntry),

	testkit.Words(`Data types don't match`, example.ErrKind, errBytes, feature.ErrCount),
	testkit.Words(`is required but could not be found`, feature.ErrMissing, errBytes),
	testkit.Words(`values and partitions are not aligned|do not form a valid (RaggedTensor|RowPartition)|^Shapes \(\d+,\) and \(\d+,\) are incompatible`+
		`|^uniform_row_length=|^slice index \d+ of dimension|^Input to reshape is a tensor`, feature.ErrPartition, feature.ErrSteps),
	testkit.Words(`^ConcatOp : `, feature.ErrIndex),
	testkit.Words(`^Dimensions \d+ and \d+ are not compatible`, feature.ErrIndex, feature.ErrPartition, feature.ErrSteps),
	testkit.Words(`[Nn]umber of (\w+ )?values != expected|Inconsistent (max )?number of elements|Unexpected number of elements|number of elements should be`+
		`|is not a multiple of stride length|has an unexpected number of values`,
		feature.ErrCount, errBytes, feature.ErrMissing),
	// These messages blame the bytes without a reason. The last class is failures of TensorFlow: an error text that
	// is not UTF-8, and a crash.
	testkit.Words(`Can't parse serialized Example|Could not parse example input|Invalid protocol message input|Error in sequence feature`, errBytes, feature.ErrCount),
	testkit.Words(`Unsupported datatype`, errBytes, feature.ErrCount, feature.ErrMissing), // a feature without a list that TensorFlow knows
	testkit.Words(`codec can't decode|the process died`, errBytes, feature.ErrCount),
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
	if _, bytes := errors.AsType[*example.Error](err); bytes {
		err = errors.Join(err, errBytes)
	}
	return testkit.CheckParse(c, parseClasses, got, err)
}

func newParser(raw []byte) (*feature.Parser, error) {
	var spec feature.Spec
	if err := spec.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return feature.NewParser(spec, nil)
}

// isConfig reports whether the spec itself must be refused.
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

// parse parses the records, and overwrites them before it reads the columns: these must not share memory.
func (p parseCall) parse(parser *feature.Parser, records [][]byte) (testkit.Sections, error) {
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
		return testkit.Sections{"columns": p.values(columns.In(feature.InFeatures))}, nil
	}
	out := testkit.Sections{
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

// columnValue returns a column in its own form.
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
