package export

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/namelist"
)

// kindTable collects the features of Examples and their kinds. It belongs to one goroutine.
type kindTable struct {
	text     bool                    // check whether strings are UTF-8
	features map[string]*featureKind // by name
	message  *message.Table          // the current record
	values   [][]byte                // buffer for the values of a feature
}

// featureKind describes a feature in the records so far.
type featureKind struct {
	kind   example.Kind // the first kind; Unset: no record has one
	binary bool         // a string is not UTF-8
}

func newKindTable(text bool, shared *message.Shared) *kindTable {
	return &kindTable{text: text, features: map[string]*featureKind{}, message: message.NewTable(example.TypeExample, shared)}
}

// addRecord adds the features of a record. A second kind of a feature is not an error here: the second reading reports it,
// with the record.
func (t *kindTable) addRecord(rec []byte) error {
	return t.message.Read(rec, func(m *message.Table) bool {
		for _, entry := range m.Entries {
			name := m.Name(message.Features, entry.ID)
			f := t.features[name]
			if f == nil {
				f = &featureKind{}
				t.features[name] = f
			}
			value := example.FeatureAt(m.Bytes, entry.Lo, entry.Hi)
			kind := value.Kind()
			if f.kind == example.Unset {
				f.kind = kind
			}
			if t.text && kind == example.BytesList && !f.binary {
				t.values, _ = value.AppendBytes(t.values[:0])
				f.binary = slices.ContainsFunc(t.values, func(v []byte) bool { return !utf8.Valid(v) })
			}
		}
		return true
	})
}

// merge adds the features of later records. It resets later for reuse, but keeps its names.
func (t *kindTable) merge(later *kindTable) {
	for name, l := range later.features {
		f := t.features[name]
		if f == nil {
			f = &featureKind{}
			t.features[name] = f
		}
		if f.kind == example.Unset {
			f.kind = l.kind
		}
		f.binary = f.binary || l.binary
		*l = featureKind{}
	}
}

// findKinds reads all records to find the columns of an export without a spec. list selects features; it may be nil. If
// parse is true, it also makes a parser for the columns; else it finds the features that are text.
func (x *export) findKinds(opts *scan.Options, list *namelist.List, parse bool) error {
	if !scan.ReadTwice(x.reading.AllInputs) {
		return cli.Usagef("without --spec input is read twice; a pipe needs --spec")
	}
	first := *opts
	in := x.in
	if x.reading.Shard().Count > 0 { // all shards have the same columns
		in, first.Order = x.reading.AllInputs, scan.Order{}
	}
	if x.reading.OnError == cli.Skip { // the second reading reports skipped ranges
		first.Fault = func(*scan.Fault) error { return nil }
	}
	src, err := x.reading.Open(x.env, in, &first)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.Type == example.TypeSequence || src.Type == example.TypeExampleList {
		opts.Type = src.Type
		return x.findLists(src, list)
	}
	if src.Type != example.TypeAuto && src.Type != example.TypeExample {
		return cli.Usagef("records of type %s have no columns", src.Type)
	}
	shared := new(message.Shared)
	table := newKindTable(false, shared)
	sum := scan.Sum[*kindTable]{
		Workers: min(runtime.GOMAXPROCS(0), scan.Workers),
		Fresh:   func(example.MessageType) *kindTable { return newKindTable(!parse, shared) },
		Add:     func(t *kindTable, rec scan.Record) error { return t.addRecord(rec.Bytes) },
		Merge:   func(t *kindTable) (reuse bool, err error) { table.merge(t); return true, nil },
	}
	if err := sum.Run(src); err != nil {
		return err
	}
	if err := src.MissingFeatures(false); err != nil {
		return err
	}
	spec := feature.Spec{Features: feature.Features{}}
	x.kinds = map[string]example.Kind{}
	for _, name := range slices.Sorted(maps.Keys(table.features)) {
		f := table.features[name]
		switch {
		case list != nil && !list.Includes([]byte(name)):
		case f.kind == example.Unset:
			x.printNoColumn(name)
		default:
			x.kinds[name] = f.kind
			spec.Features[name] = feature.VarLen{DType: dtypes[f.kind]}
			if f.kind == example.BytesList && !f.binary {
				x.text = append(x.text, name)
			}
		}
	}
	if len(x.kinds) == 0 {
		return x.refuseNoColumns()
	}
	if parse {
		x.parser, err = feature.NewParser(spec, &feature.ParserOptions{MaxPadded: math.MaxInt})
	}
	return err
}

// printNoColumn warns about a feature that has no kind in any record.
func (x *export) printNoColumn(name string) {
	x.env.Console.Print(fmt.Sprintf("feature %s: no values in any record, no column", jsonscan.AppendName(nil, []byte(name))))
}

// refuseNoColumns returns the error of records without features. An empty stream may have no columns.
func (x *export) refuseNoColumns() error {
	if x.allowEmpty && x.stream {
		return nil
	}
	err := fmt.Errorf("%s is not written: no record has a feature with values", x.output)
	if x.allowEmpty {
		err = fmt.Errorf("%w; --spec gives an empty file its columns", err)
	}
	return err
}

// groups are the groups of a spec by the part of a message.
var groups = [...]feature.Group{summary.Context: feature.InContext, summary.Lists: feature.InSequence, summary.Examples: feature.InExamples}

// findLists is findKinds for SequenceExamples and lists of Examples. Their columns are those of a spec of lists, so an absent
// feature is an empty list: a feature of the context is a list, any other one a list for each step or Example.
func (x *export) findLists(src *scan.Source, list *namelist.List) error {
	shared := new(message.Shared)
	table := summary.NewPart(src.Type, shared)
	sum := scan.Sum[*summary.Table]{
		Workers: min(runtime.GOMAXPROCS(0), scan.Workers),
		Fresh:   func(t example.MessageType) *summary.Table { return summary.NewPart(t, shared) },
		Add:     func(t *summary.Table, rec scan.Record) error { return t.Add(rec.Bytes) },
		Merge:   func(t *summary.Table) (reuse bool, err error) { return table.Merge(t), nil },
	}
	if err := sum.Run(src); err != nil {
		return err
	}
	if err := src.MissingFeatures(false); err != nil {
		return err
	}
	spec, columns := feature.Spec{Context: feature.Features{}}, 0
	if src.Type == example.TypeSequence {
		spec.Sequence = feature.Features{}
	} else {
		spec.Examples = feature.Features{}
	}
	for _, f := range table.Features() {
		kind := slices.IndexFunc(f.Kinds[:], func(n int64) bool { return n > 0 }) // the second reading reports a second kind
		switch {
		case list != nil && !list.Includes([]byte(f.Name)):
		case kind < 0:
			x.printNoColumn(f.Name)
		default:
			(*spec.Group(groups[f.Part]))[f.Name] = feature.VarLen{DType: dtypes[example.Kind(kind)]}
			columns++
		}
	}
	if columns == 0 {
		return x.refuseNoColumns()
	}
	var err error
	x.parser, err = feature.NewParser(spec, &feature.ParserOptions{MaxPadded: math.MaxInt})
	return err
}

// dtypes has the dtype of a column by the kind of its feature.
var dtypes = map[example.Kind]feature.DType{example.Int64List: feature.Int64, example.FloatList: feature.Float32, example.BytesList: feature.String}
