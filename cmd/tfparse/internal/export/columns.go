package export

import (
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/namelist"
)

// columns is a registered format: Parquet or Arrow.
type columns struct {
	parser  *feature.Parser // nil without a spec
	encoder columnfile.Encoder
}

// newColumns returns a registered format. The first records of the source decide which strings of a spec are text; all records
// have decided without one.
func (x *export) newColumns(to formatName, src *scan.Source) (*columns, error) {
	f, err := cli.ColumnFormat("-o ", x.output, to.String())
	if err != nil {
		return nil, err
	}
	contents := &columnfile.Contents{Kinds: x.kinds, Text: x.text}
	if x.parser != nil {
		spec := x.parser.Spec()
		contents.Spec = &spec
		if contents.Text, err = x.findText(src); err != nil {
			return nil, err
		}
	}
	if len(x.utf8) > 0 {
		if contents.Text, err = x.textFeatures(contents); err != nil {
			return nil, err
		}
	}
	encoder, err := f.NewEncoder(contents)
	return &columns{x.parser, encoder}, err
}

// findText returns the features of the spec whose strings are UTF-8 in the first records.
func (x *export) findText(src *scan.Source) (names []string, err error) {
	if x.partial() && scan.ReadTwice(x.reading.AllInputs) { // all parts have the same columns
		opts := &scan.Options{Type: x.parser.Message(), Spec: true, Features: true, Fault: func(*scan.Fault) error { return nil }}
		if src, err = x.reading.Open(x.env, x.reading.AllInputs, opts); err != nil {
			return nil, err
		}
		defer src.Close()
	}
	b := x.parser.NewBatch()
	err = src.First(columnBytes, func(rec scan.Record) bool {
		_ = b.Append(rec.Bytes) // the reading of all records reports errors
		return b.Size() < rowsBytes
	})
	for name, c := range b.Columns().All() {
		values, ok := feature.FlatOf[string](c)
		if ok && len(values) > 0 && feature.DecodeOf(c.Spec()) == nil && !slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
			names = append(names, name)
		}
	}
	return names, err
}

// textFeatures returns the features of strings that --utf8 names.
func (x *export) textFeatures(c *columnfile.Contents) (names []string, err error) {
	all := map[string]bool{}
	for name, kind := range c.Kinds {
		all[name] = kind == example.BytesList
	}
	if c.Spec != nil {
		for _, features := range c.Spec.Groups() {
			for name, f := range features {
				all[name] = all[name] || feature.DTypeOf(f) == feature.String && feature.DecodeOf(f) == nil
			}
		}
	}
	list, err := namelist.Parse(namelist.Resolve(x.utf8, all))
	if err != nil {
		return nil, cli.Usagef("--utf8: %v", err)
	}
	for _, item := range list.Unmatched(all) {
		return nil, cli.Usagef("--utf8: there is no feature %q", item.Text)
	}
	for name, isString := range all {
		if isString && list.Includes([]byte(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (f *columns) newEncoder(example.MessageType) func(*part, func(int, error)) error {
	var one *feature.Batch
	return func(p *part, refuse func(int, error)) (err error) {
		if f.parser == nil {
			p.columns, err = f.encoder.FromRecords(p.records)
		} else {
			p.columns, err = f.encoder.FromBatch(p.rows)
		}
		if bad, ok := errors.AsType[*columnfile.RowError](err); !ok || bad.Row < 0 {
			return err
		}
		// There may be many such rows, so each is tried alone.
		for i, rec := range p.records {
			if f.parser == nil {
				_, err = f.encoder.FromRecords([][]byte{rec})
			} else {
				if one == nil {
					one = f.parser.NewBatch()
				}
				one.Reset()
				if err = one.Append(rec); err == nil {
					_, err = f.encoder.FromBatch(one)
				}
			}
			if err != nil {
				refuse(i, err)
			}
		}
		return nil
	}
}

func (f *columns) newWriter(out *cli.Output) (fileWriter, error) {
	w, err := f.encoder.NewWriter(out)
	return columnWriter{w}, err
}

// columnWriter writes a file of a registered format.
type columnWriter struct{ w columnfile.Writer }

func (w columnWriter) write(p *part, next string) error { return w.w.Write(p.columns, next) }

func (w columnWriter) close() error { return w.w.Close() }
