package explain

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/feature"
)

// A Report describes how a record fits a spec.
type Report struct {
	Fault    *Fault    // the first fault found by the parser of the whole spec; nil if the record fits
	Other    string    // possible cause of the fault, from the function Other; may be ""
	Features []Feature // sorted by group and name; empty if the message does not decode
}

// A Feature describes how a record fits one feature of the spec.
type Feature struct {
	Group      feature.Group
	Name       string
	Spec       feature.Feature
	Keys       []Key       // each key that the feature reads
	Partitions []Partition // the innermost first, up to the first that does not fit
	Row        []byte      // the parsed value as JSON; nil if the record does not fit
	Fault      *Fault      // nil if the record fits the feature
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
	Level      int    // 0: the outermost partition
	Kind       string // such as row_lengths
	Key        string // "" for a uniform partition
	Values     int    // number of flat values for the innermost partition; for others, number of rows of the next inner one
	RowLengths []int
}

// Record returns the report about a record. The spec must be valid.
func Record(spec feature.Spec, record []byte) (*Report, error) {
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	err = parseRecord(parser, record)
	r.Other = Other(err, record, spec.Message())
	found := newFinder(spec.Message(), record)
	if r.Fault = newFault(err, spec, found); r.Fault != nil && r.Fault.Whole {
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
	f := Feature{Group: g, Name: name, Spec: (*spec.Group(g))[name]}
	parser, err := feature.NewParser(singleSpec(spec, g, name, f.Spec), nil)
	if err != nil {
		return f, err
	}
	if f.Fault = newFault(parseRecord(parser, record), spec, found); f.Fault == nil {
		if f.Row, err = rowJSON(parser, g, record); err != nil {
			return f, err
		}
	}
	found.faultUnit = -1
	if f.Fault != nil {
		found.faultUnit = f.Fault.Step
	}
	f.Keys = found.lookUpKeys(g, name, f.Spec)
	if r, ok := f.Spec.(feature.Ragged); ok {
		if f.Partitions, err = explainPartitions(spec, g, name, r, record); err != nil {
			return f, err
		}
	}
	return f, nil
}

// singleSpec returns a spec with one feature, for the same message type.
func singleSpec(spec feature.Spec, g feature.Group, name string, f feature.Feature) feature.Spec {
	one := feature.Spec{}
	if spec.Examples != nil {
		one.Examples = feature.Features{}
	}
	*one.Group(g) = feature.Features{name: f}
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
	values, ok, err := rowsOf(spec, g, name, inner, record)
	if err != nil || !ok {
		return nil, err
	}
	var all []Partition
	for i := len(f.Partitions) - 1; i >= 0; i-- {
		inner.Partitions = f.Partitions[i:]
		rows, ok, err := rowsOf(spec, g, name, inner, record)
		if err != nil || !ok {
			return all, err
		}
		p := Partition{Level: i, Values: values.flatValues, RowLengths: rows.lengths}
		p.Kind, p.Key = feature.PartitionKey(f.Partitions[i])
		if n, ok := f.Partitions[i].(feature.UniformRowLength); ok && p.RowLengths == nil {
			p.RowLengths = []int{}
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
