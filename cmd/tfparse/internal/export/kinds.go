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
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/namelist"
)

// kindTable has the features of records by name.
type kindTable map[string]*featureKind

// featureKind is what the records show of a feature.
type featureKind struct {
	kind   example.Kind // the first one; Unset: no record has a kind
	binary bool         // a string is not UTF-8
}

// addRecord adds the features of an Example. It reports no kinds that differ: the parser refuses the second one.
func (t kindTable) addRecord(entries []example.Entry) error {
	var values [][]byte
	for _, entry := range entries {
		f := t[string(entry.Name)]
		if f == nil {
			f = &featureKind{}
			t[string(entry.Name)] = f
		}
		kind := entry.Feature.Kind()
		if f.kind == example.Unset {
			f.kind = kind
		}
		if kind != example.BytesList || f.binary {
			continue
		}
		var err error
		if values, err = entry.Feature.AppendBytes(values[:0]); err != nil {
			return err
		}
		f.binary = slices.ContainsFunc(values, func(v []byte) bool { return !utf8.Valid(v) })
	}
	return nil
}

// merge adds the features of later records.
func (t kindTable) merge(later kindTable) {
	for name, l := range later {
		f := t[name]
		if f == nil {
			t[name] = l
			continue
		}
		if f.kind == example.Unset {
			f.kind = l.kind
		}
		f.binary = f.binary || l.binary
	}
}

// findKinds reads the records once, for the features and kinds that a file without a spec has columns for. list selects
// features; it may be nil. parse makes a parser of the columns.
func (x *export) findKinds(opts *scan.Options, list *namelist.List, parse bool) error {
	if !scan.ReadTwice(x.in) {
		return cli.Usagef("without --spec input is read twice, and a pipe cannot be")
	}
	first := *opts
	if x.reading.OnError == cli.Skip { // the second reading reports what is skipped
		first.Fault = func(*scan.Fault) error { return nil }
	}
	src, err := x.reading.Open(x.env, x.in, &first)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.Type != example.TypeAuto && src.Type != example.TypeExample {
		return cli.Usagef("records of type %s need --spec", src.Type)
	}
	table := kindTable{}
	sum := scan.Sum[kindTable]{
		Workers: min(runtime.GOMAXPROCS(0), scan.Workers),
		Fresh:   func(example.MessageType) kindTable { return kindTable{} },
		Add: func(t kindTable, rec scan.Record) error {
			entries, err := example.TypeExample.Collect(nil, rec.Bytes)
			if err != nil {
				return err
			}
			return t.addRecord(entries)
		},
		Merge: func(t kindTable) (bool, error) { table.merge(t); return false, nil },
	}
	if err := sum.Run(src); err != nil {
		return err
	}
	if err := src.MissingFeatures(false); err != nil {
		return err
	}
	spec := feature.Spec{Features: feature.Features{}}
	x.kinds = map[string]example.Kind{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		f := table[name]
		switch {
		case list != nil && !list.Includes([]byte(name)):
		case f.kind == example.Unset:
			x.env.Console.Print(fmt.Sprintf("feature %s has no values in any record: no column", jsonscan.AppendName(nil, []byte(name))))
		default:
			x.kinds[name] = f.kind
			spec.Features[name] = feature.VarLen{DType: dtypes[f.kind]}
			if f.kind == example.BytesList && !f.binary {
				x.text = append(x.text, name)
			}
		}
	}
	if len(x.kinds) == 0 {
		return fmt.Errorf("%s is not written: no record has a feature with values", x.output)
	}
	if parse {
		x.parser, err = feature.NewParser(spec, &feature.ParserOptions{MaxPadded: math.MaxInt})
	}
	return err
}

// dtypes are the types of columns by kind.
var dtypes = map[example.Kind]feature.DType{example.Int64List: feature.Int64, example.FloatList: feature.Float32, example.BytesList: feature.String}
