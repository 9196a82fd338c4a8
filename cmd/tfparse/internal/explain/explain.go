package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A Report describes how a record fits a spec. It is also the JSON output, in which unknown values are null.
type Report struct {
	File     jsonscan.Name `json:"file"` // position of the record; set by the caller of Record
	Record   int64         `json:"record"`
	Address  jsonscan.Name `json:"address"`
	Offset   int64         `json:"offset"`
	Fits     bool          `json:"fits"`
	Fault    *Fault        `json:"fault"`    // the first fault found by the parser of the whole spec; nil if the record fits
	Other    *string       `json:"other"`    // possible cause of the fault, from the function Other
	Features []Feature     `json:"features"` // sorted by group and name; empty if the message does not decode
}

// A Feature describes how a record fits one feature of the spec.
type Feature struct {
	Group      string          `json:"group"`
	Name       jsonscan.Name   `json:"name"`
	Kind       string          `json:"kind"` // description of the feature in the spec
	Fits       bool            `json:"fits"`
	Keys       []Key           `json:"keys"`       // each key that the feature reads
	Partitions []Partition     `json:"partitions"` // the innermost first, up to the first that does not fit
	Row        json.RawMessage `json:"value"`      // the parsed value; nil if the record does not fit
	Fault      *Fault          `json:"fault"`      // nil if the record fits the feature
}

// A Fault is the first broken rule.
type Fault struct {
	*parseError
	Want   string // the rule
	Got    string // the actual value; "" unknown
	Remedy string // a change of the record or the spec that satisfies the rule; "" if none is known
}

// parseError is embedded in Fault, so that a Fault is an error.
type parseError = feature.Error

// A Partition describes how one partition divides the values below it into rows.
type Partition struct {
	Level      int            `json:"level"`  // 0: the outermost partition
	Kind       string         `json:"kind"`   // such as row_lengths
	Key        *jsonscan.Name `json:"key"`    // nil for a uniform partition
	Values     int            `json:"values"` // number of flat values for the innermost partition; for others, number of rows of the next inner one
	RowLengths []int          `json:"row_lengths"`
}

// Record returns the report about a record. The spec must be valid.
func Record(spec feature.Spec, record []byte) (*Report, error) {
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		return nil, err
	}
	r := &Report{Features: []Feature{}}
	err = parseRecord(parser, record)
	other := Other(err, record, spec.Message())
	r.Other = cli.Known(other, other != "")
	found := newFinder(spec.Message(), record)
	r.Fault = newFault(err, spec, found)
	if r.Fits = r.Fault == nil; !r.Fits && r.Fault.Whole {
		return r, nil
	}
	for g, features := range spec.Groups() {
		for _, name := range slices.Sorted(maps.Keys(features)) {
			f, err := explainFeature(spec, g, name, record, found)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", name, err)
			}
			r.Features = append(r.Features, f)
		}
	}
	return r, nil
}

// parseRecord returns an error if the record does not fit the spec of p.
func parseRecord(p *feature.Parser, record []byte) error { return p.NewBatch().Append(record) }

func explainFeature(spec feature.Spec, g feature.Group, name string, record []byte, found *keyFinder) (Feature, error) {
	one := (*spec.Group(g))[name]
	f := Feature{Group: g.String(), Name: jsonscan.Name(name), Kind: featureText(one), Partitions: []Partition{}}
	parser, err := feature.NewParser(singleSpec(spec, g, name, one), nil)
	if err != nil {
		return f, err
	}
	f.Fault = newFault(parseRecord(parser, record), spec, found)
	if f.Fits = f.Fault == nil; f.Fits {
		if f.Row, err = rowJSON(parser, g, name, record); err != nil {
			return f, err
		}
	}
	found.faultUnit = -1
	if f.Fault != nil {
		found.faultUnit = f.Fault.Step
	}
	f.Keys = found.lookUpKeys(g, name, one)
	if r, ok := one.(feature.Ragged); ok {
		if f.Partitions, err = explainPartitions(spec, g, name, r, record); err != nil {
			return f, err
		}
	}
	return f, nil
}

// singleSpec returns a spec with one feature, and those that hold sizes for its strings, for the same message type.
func singleSpec(spec feature.Spec, g feature.Group, name string, f feature.Feature) feature.Spec {
	one := feature.Spec{}
	if spec.Examples != nil {
		one.Examples = feature.Features{}
	}
	*one.Group(g) = feature.Features{name: f}
	one.AddSizes(spec)
	return one
}

// explainPartitions describes each partition. It parses the record with the innermost partition alone, then with the
// two innermost ones, and so on.
func explainPartitions(spec feature.Spec, g feature.Group, name string, f feature.Ragged, record []byte) ([]Partition, error) {
	if f.ValueKey == "" {
		f.ValueKey = name
	}
	inner := f
	inner.Partitions = nil
	all := []Partition{}
	values, ok, err := rowsOf(spec, g, name, inner, record)
	if err != nil || !ok {
		return all, err
	}
	for i := len(f.Partitions) - 1; i >= 0; i-- {
		inner.Partitions = f.Partitions[i:]
		rows, ok, err := rowsOf(spec, g, name, inner, record)
		if err != nil || !ok {
			return all, err
		}
		p := Partition{Level: i, Values: values.flatValues, RowLengths: rows.lengths}
		kind, key := feature.PartitionKey(f.Partitions[i])
		p.Kind, p.Key = kind, cli.Known(jsonscan.Name(key), key != "")
		if p.RowLengths == nil {
			p.RowLengths = []int{}
		}
		if n, ok := f.Partitions[i].(feature.UniformRowLength); ok && rows.lengths == nil {
			for range values.flatValues / int(n) {
				p.RowLengths = append(p.RowLengths, int(n))
			}
		}
		all = append(all, p)
		values.flatValues = len(p.RowLengths)
	}
	return all, nil
}

// A raggedRows is the size of the value that a ragged feature parses from a record.
type raggedRows struct {
	flatValues int   // number of flat values
	lengths    []int // row lengths of the outermost partition; nil if it is uniform or there is none
}

// rowsOf parses a record with one ragged feature; ok is false if it does not fit.
func rowsOf(spec feature.Spec, g feature.Group, name string, f feature.Ragged, record []byte) (raggedRows, bool, error) {
	p, err := feature.NewParser(singleSpec(spec, g, name, f), nil)
	if err != nil {
		return raggedRows{}, false, err
	}
	b := p.NewBatch()
	if b.Append(record) != nil {
		return raggedRows{}, false, nil
	}
	c, err := b.Columns().In(g).Column(name)
	if err != nil {
		return raggedRows{}, false, err
	}
	level := 1 // level 0 is the records of the batch
	if g == feature.InSequence || g == feature.InExamples {
		level = 2
	}
	r := raggedRows{flatValues: countValues(c)}
	if level < c.RaggedRank() {
		if splits, _ := c.Splits(level); splits != nil {
			r.lengths = []int{}
			for row := range len(splits) - 1 {
				r.lengths = append(r.lengths, int(splits[row+1]-splits[row]))
			}
		}
	}
	return r, true, nil
}

func countValues(c feature.Column) int {
	ints, _ := feature.FlatOf[int64](c)
	floats, _ := feature.FlatOf[float32](c)
	texts, _ := feature.FlatOf[string](c)
	return len(ints) + len(floats) + len(texts)
}

// newFault returns the Fault for an error of the parser.
func newFault(err error, spec feature.Spec, found *keyFinder) *Fault {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok {
		return nil
	}
	f := &Fault{parseError: e, Want: e.Want, Got: e.Got}
	if !e.Whole {
		f.addExpectation((*spec.Group(e.Group))[e.Feature], found)
	}
	return f
}

// MarshalJSON implements [json.Marshaler].
func (f *Fault) MarshalJSON() ([]byte, error) {
	j := struct {
		Message string         `json:"message"`
		Group   *string        `json:"group"`
		Feature *jsonscan.Name `json:"feature"`
		Key     *jsonscan.Name `json:"key"`
		Step    *int           `json:"step"` // index of the step or the example
		Level   *int           `json:"level"`
		Byte    *int           `json:"byte"`
		Want    *string        `json:"want"`
		Got     *string        `json:"got"`
		Remedy  *string        `json:"remedy"`
	}{
		f.Error(), cli.Known(f.Group.String(), !f.Whole), cli.Known(jsonscan.Name(f.Feature), !f.Whole), cli.Known(jsonscan.Name(f.Key), !f.Whole),
		cli.Known(f.Step, f.Step != -1), cli.Known(f.Partition, f.Partition != -1), cli.Known(f.Byte, f.Byte != -1),
		cli.Known(f.Want, f.Want != ""), cli.Known(f.Got, f.Got != ""), cli.Known(f.Remedy, f.Remedy != ""),
	}
	return cli.AppendJSON(nil, j), nil
}
