package export

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/namelist"
	"github.com/tfparse/tfparse/tensor"
)

// columnFormat is a registered format: Parquet or Arrow.
type columnFormat struct {
	parser  *feature.Parser    // parser of the rows; nil without a spec
	encoder columnfile.Encoder // encodes and writes rows
	slots   uint               // --slots
	stdin   io.Reader          // free slots
}

// newColumnFormat returns a registered format. With a spec the first records of the source decide which strings are text;
// without one findKinds has read all records for it.
func (x *export) newColumnFormat(to formatName, src *scan.Source) (*columnFormat, error) {
	f, err := cli.ColumnFormat("-o ", x.output, to.String())
	if err != nil {
		return nil, err
	}
	contents := &columnfile.Contents{Kinds: x.kinds, Text: x.text, LabelNames: x.labels == scan.LabelNames}
	contents.Labels, contents.DTypes = x.columns.types()
	if x.parser != nil {
		spec := x.parser.Spec()
		contents.Spec = &spec
		if contents.Text, err = x.findText(src); err != nil {
			return nil, err
		}
	}
	if len(x.utf8) > 0 {
		if contents.Text, err = stringFeatures("utf8", x.utf8, contents, x.printed); err != nil {
			return nil, err
		}
	}
	if len(x.image) > 0 {
		if contents.Images, err = stringFeatures("image", x.image, contents, x.printed); err != nil {
			return nil, err
		}
	}
	encoder, err := f.NewEncoder(contents)
	return &columnFormat{x.parser, encoder, x.slots, x.env.Stdin}, err
}

// findText returns the string features of the spec whose values are all UTF-8 in the first records.
func (x *export) findText(src *scan.Source) (names []string, err error) {
	b, err := x.firstRows(src)
	if err != nil {
		return nil, err
	}
	for name, c := range b.Columns().All() {
		values, ok := feature.FlatOf[string](c)
		if ok && len(values) > 0 && feature.DecodeOf(c.Spec()) == nil && !slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
			names = append(names, name)
		}
	}
	return names, nil
}

// stringFeatures returns the string features that the patterns of a flag match. printed has other names of columns, which hold
// numbers.
func stringFeatures(flag string, patterns cli.NameList, c *columnfile.Contents, printed map[string]string) (names []string, err error) {
	all := map[string]bool{}
	for name, kind := range c.Kinds {
		all[name] = kind == example.BytesList
	}
	if c.Spec != nil {
		for _, features := range c.Spec.Groups() {
			for name, f := range features {
				all[name] = all[name] || feature.DTypeOf(f) == feature.String && feature.DecodeOf(f) == nil
				if other := printed[name]; other != "" {
					all[other] = false
				}
			}
		}
	}
	list, err := namelist.Parse(namelist.Resolve(patterns, all))
	if err != nil {
		return nil, cli.Usagef("--%s: %v", flag, err)
	}
	for _, name := range patterns { // a pattern may match other features too
		if isString, named := all[name]; named && !isString {
			return nil, cli.Usagef("--%s: feature %s is not a string", flag, jsonscan.AppendName(nil, []byte(name)))
		}
	}
	for _, item := range list.Unmatched(all) {
		return nil, cli.Usagef("--%s: unknown feature %q", flag, item.Text)
	}
	for name, isString := range all {
		if isString && list.Includes([]byte(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// renderings has what a features.json says about columns beyond the spec, by name.
type renderings map[string]raggedjson.Rendering

// printed returns how the columns print as JSON.
func (r renderings) printed(form scan.LabelForm) renderings {
	all := renderings{}
	for name, c := range r {
		if form == scan.LabelNumbers {
			c.Labels = nil
		}
		all[name] = c
	}
	return all
}

// classNames returns the names of classes to write instead of numbers, by column; none without --labels names.
func (x *export) classNames() map[string][]string {
	if x.labels != scan.LabelNames {
		return nil
	}
	labels, _ := x.columns.types()
	return labels
}

// className returns the name of a class; its number if it has none.
func className(names []string, class int64) string {
	if class >= 0 && class < int64(len(names)) {
		return names[class]
	}
	return strconv.FormatInt(class, 10)
}

// types returns the names of classes, and the dtypes of features that records have as int64.
func (r renderings) types() (labels map[string][]string, dtypes map[string]tensor.DType) {
	labels, dtypes = map[string][]string{}, map[string]tensor.DType{}
	for name, c := range r {
		if len(c.Labels) > 0 {
			labels[name] = c.Labels
		}
		if c.DType != tensor.Invalid {
			dtypes[name] = c.DType
		}
	}
	return labels, dtypes
}

// searchSpec returns a search for the features of a spec.
func searchSpec(spec feature.Spec) *scan.FeatureSearch {
	search := scan.NewFeatureSearch("--spec")
	for group, features := range spec.Groups() {
		where := scan.InContext
		if group == feature.InSequence || group == feature.InExamples {
			where = scan.InLists
		}
		for name, f := range features {
			switch f := f.(type) {
			case feature.Ragged:
				name = cmp.Or(f.ValueKey, name)
			case feature.Sparse:
				name = f.ValueKey
			}
			search.Add(where, name)
		}
	}
	return search
}

// newEncoder implements [format].
func (f *columnFormat) newEncoder(example.MessageType) func(*part, func(int, error)) error {
	var single *feature.Batch // for one row at a time
	return func(p *part, refuse func(int, error)) (err error) {
		if f.parser == nil {
			p.columns, err = f.encoder.FromRecords(p.records)
		} else {
			p.columns, err = f.encoder.FromBatch(p.rows)
		}
		if bad, ok := errors.AsType[*columnfile.RowError](err); !ok || bad.Row < 0 {
			return err
		}
		// The error names the first bad row only. Trying each row alone finds all of them in one go.
		for i, rec := range p.records {
			if f.parser == nil {
				_, err = f.encoder.FromRecords([][]byte{rec})
			} else {
				if single == nil {
					single = f.parser.NewBatch()
				}
				single.Reset()
				if err = single.Append(rec); err == nil {
					_, err = f.encoder.FromBatch(single)
				}
			}
			if err != nil {
				refuse(i, err)
			}
		}
		return nil
	}
}

// newWriter implements [format].
func (f *columnFormat) newWriter(out *cli.Output) (fileWriter, error) {
	if f.slots == 0 {
		w, err := f.encoder.NewWriter(out)
		return columnWriter{w, func() error { return nil }}, err
	}
	slots := newSlotWriter(f.slots, f.stdin, out)
	w, err := f.encoder.NewWriter(slots)
	return columnWriter{w, slots.endPiece}, err
}

// columnWriter writes a file of a registered format.
type columnWriter struct {
	w        columnfile.Writer
	endPiece func() error // called after each part, and at the end
}

func (w columnWriter) write(p *part, next string) error {
	if err := w.w.Write(p.columns, next); err != nil {
		return err
	}
	return w.endPiece()
}

func (w columnWriter) close() error {
	if err := w.w.Close(); err != nil {
		return err
	}
	return w.endPiece()
}
