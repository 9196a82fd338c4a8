package explain

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/feature"
)

// A Report says how a record fits a spec.
type Report struct {
	Fault    *Fault    // the first, as the parser of the whole spec finds it; nil if the record fits
	Other    string    // why that may be: see the function
	Features []Feature // by group and name; none if the message itself is at fault
}

// A Feature says how a record fits one feature of the spec.
type Feature struct {
	Group      feature.Group
	Name       string
	Spec       feature.Feature
	Keys       []Key
	Partitions []Partition // the innermost first, as far as they fit
	Row        []byte      // the value as JSON; nil if it does not fit
	Fault      *Fault
}

// A Fault is the first rule that is broken.
type Fault struct {
	*parseError
	Want   string // the rule, without the place
	Got    string // what there is instead; "" unknown
	Remedy string // what would satisfy it; "" if nothing in the spec or in the values would
}

type parseError = feature.Error // so that a Fault is an error too

// A Partition says how one partition divides the values below it into rows.
type Partition struct {
	Level      int    // 0 the outermost
	Kind       string // row_lengths, say
	Key        string // "" if it is uniform
	Values     int    // of the innermost partition, the flat values; of others, the rows of the one below
	RowLengths []int
}

// Record explains a record. The spec must be sound.
func Record(spec feature.Spec, record []byte) (*Report, error) {
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	err = parse(parser, record)
	r.Other = Other(err, record, spec.Message())
	found := newFinder(spec.Message(), record)
	if r.Fault = faultOf(err, spec, found); r.Fault != nil && r.Fault.Whole {
		return r, nil
	}
	for g, features := range spec.Groups() {
		for _, name := range slices.Sorted(maps.Keys(features)) {
			f, err := explain(spec, g, name, record, found)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", name, err)
			}
			r.Features = append(r.Features, f)
		}
	}
	return r, nil
}

// parse parses a record, and returns why it does not fit.
func parse(p *feature.Parser, record []byte) error { return p.NewBatch().Append(record) }

func explain(spec feature.Spec, g feature.Group, name string, record []byte, found *finder) (Feature, error) {
	f := Feature{Group: g, Name: name, Spec: (*spec.Group(g))[name]}
	parser, err := feature.NewParser(alone(spec, g, name, f.Spec), nil)
	if err != nil {
		return f, err
	}
	if f.Fault = faultOf(parse(parser, record), spec, found); f.Fault == nil {
		if f.Row, err = row(parser, g, record); err != nil {
			return f, err
		}
	}
	found.fault = -1
	if f.Fault != nil {
		found.fault = f.Fault.Step
	}
	f.Keys = found.keys(g, name, f.Spec)
	if r, ok := f.Spec.(feature.Ragged); ok {
		if f.Partitions, err = partitions(spec, g, name, r, record); err != nil {
			return f, err
		}
	}
	return f, nil
}

// alone returns a spec of one feature, for the same messages.
func alone(spec feature.Spec, g feature.Group, name string, f feature.Feature) feature.Spec {
	one := feature.Spec{}
	if spec.Examples != nil {
		one.Examples = feature.Features{}
	}
	*one.Group(g) = feature.Features{name: f}
	return one
}

// partitions finds how each partition divides the values of the record, by parsing with it and
// those inside of it.
func partitions(spec feature.Spec, g feature.Group, name string, f feature.Ragged, record []byte) ([]Partition, error) {
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
		p := Partition{Level: i, Values: values.n, RowLengths: rows.lengths}
		p.Kind, p.Key = feature.PartitionKey(f.Partitions[i])
		if n, ok := f.Partitions[i].(feature.UniformRowLength); ok && p.RowLengths == nil {
			p.RowLengths = []int{}
			for range values.n / int(n) {
				p.RowLengths = append(p.RowLengths, int(n))
			}
		}
		all = append(all, p)
		values.n = len(p.RowLengths)
	}
	return all, nil
}

// A rows is what a ragged feature makes of a record.
type rows struct {
	n       int   // values, if there are no partitions
	lengths []int // of the rows of the outermost partition; nil if it is uniform
}

// rowsOf parses a record with one ragged feature; ok is false if it does not fit.
func rowsOf(spec feature.Spec, g feature.Group, name string, f feature.Ragged, record []byte) (rows, bool, error) {
	p, err := feature.NewParser(alone(spec, g, name, f), nil)
	if err != nil {
		return rows{}, false, err
	}
	b := p.NewBatch()
	if b.Append(record) != nil {
		return rows{}, false, nil
	}
	c, err := b.Columns().In(g).Column(name)
	if err != nil {
		return rows{}, false, err
	}
	level := 1 // after the rows of the record
	if g == feature.InSequence || g == feature.InExamples {
		level = 2
	}
	r := rows{n: valuesOf(c)}
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

func valuesOf(c feature.Column) int {
	ints, _ := feature.FlatOf[int64](c)
	floats, _ := feature.FlatOf[float32](c)
	texts, _ := feature.FlatOf[string](c)
	return len(ints) + len(floats) + len(texts)
}

// faultOf makes a Fault of an error of the parser.
func faultOf(err error, spec feature.Spec, found *finder) *Fault {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok {
		return nil
	}
	f := &Fault{parseError: e, Want: e.Want, Got: e.Got}
	if !e.Whole {
		f.complete((*spec.Group(e.Group))[e.Feature], found)
	}
	return f
}
