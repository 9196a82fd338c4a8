package serving

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/model"
)

// bindInferred binds the columns that the records have; if they have none for the only input, and it takes
// strings, the records themselves.
func (c *modelVerb) bindInferred(in []scan.Input, r *checkReport) error {
	if slices.ContainsFunc(in, func(i scan.Input) bool { return i.Name == scan.Stdin }) {
		return cli.Usagef("--check -: standard input cannot be read twice, to infer a spec first: name a --spec")
	}
	found, err := c.infer(in)
	if err != nil {
		return err
	}
	fit := &fitter{report: found.Report(), pairs: found.Possible(), opts: &c.bind}
	fit.spec = emptySpec(fit.report.Message)
	missing, columns := 0, false
	for i := range c.sig.Inputs {
		switch t := &c.sig.Inputs[i]; {
		case t.Unknown != "":
		case fit.addInput(c.sig, t):
			columns = true
		default:
			missing++
		}
	}
	if len(c.sig.Inputs) == 1 && missing == 1 && c.columns == nil {
		c.serialized = c.sig.Inputs[0].Name()
		if c.bindSerialized() == nil {
			return nil
		}
		c.serialized = ""
	}
	if !columns { // a spec has one at least
		if spec, err := found.Spec(); err == nil {
			fit.spec = spec
		}
	}
	parser, err := feature.NewParser(fit.spec, nil)
	if err != nil {
		return fmt.Errorf("%s: the spec that was inferred: %w", c.file, err)
	}
	if r.Spec, err = fit.spec.MarshalJSON(); err != nil {
		return err
	}
	return c.bindParser(parser)
}

// infer infers what the records hold. It reports nothing that is skipped: the second reading does.
func (c *modelVerb) infer(in []scan.Input) (*infer.Inferrer, error) {
	opts := &scan.Options{OneType: "a spec is for one", Fault: func(f *scan.Fault) error {
		if c.reading.OnError == cli.Stop {
			return f
		}
		return nil
	}}
	src, err := c.reading.Open(c.env, in, opts)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var all *infer.Inferrer
	if src.Type != example.TypeAuto {
		all = infer.New(src.Type, nil)
	}
	err = src.Each(func(rec scan.Record) error {
		err := all.Add(rec.Bytes)
		if err == nil || errors.Is(err, infer.ErrLimit) {
			return err
		}
		return src.Refuse(rec, err)
	})
	if err == nil && all == nil {
		err = fmt.Errorf("%s: no records to check", c.file)
	}
	return all, err
}

// emptySpec returns a spec for a type of records, without columns.
func emptySpec(t example.MessageType) feature.Spec {
	switch none := (feature.Features{}); t {
	case example.TypeSequence:
		return feature.Spec{Sequence: none}
	case example.TypeExampleList:
		return feature.Spec{Examples: none}
	}
	return feature.Spec{}
}

// A fitter makes the spec of records that fits a signature. Most features can be columns of several forms: one value in
// each record is a fixed_len, and as well a var_len or ragged.
type fitter struct {
	report infer.Report       // of the records
	pairs  []infer.Pair       // row partitions that hold in all records
	opts   *model.BindOptions // of the flags
	spec   feature.Spec       // the columns added so far
}

// addInput adds the column of an input. It reports false if the records have no feature for it.
func (f *fitter) addInput(sig *model.Signature, t *model.TensorSpec) bool {
	names := t.FeatureNames()
	if name, ok := f.opts.Columns[t.Name()]; ok {
		names = []string{name}
	}
	one := model.Signature{Name: sig.Name, Inputs: []model.TensorSpec{*t}}
	binds := func(spec feature.Spec, name string, convert model.Conversion) bool {
		_, err := model.Bind(&one, spec, &model.BindOptions{Convert: convert, Columns: map[string]string{t.Name(): name}})
		return err == nil
	}
	// The first column that fits; or else one that would with other values, or any: the error of Bind says what is wrong.
	var adds [3]func()
	for _, name := range names {
		for i := range f.report.Features {
			found := &f.report.Features[i]
			if found.Name != name && !strings.HasPrefix(found.Name, name+"/") {
				continue
			}
			for _, column := range f.possibleColumns(found, t, name) {
				spec := emptySpec(f.report.Message)
				*spec.Group(found.Group) = feature.Features{name: column}
				how := 2
				switch {
				case binds(spec, name, f.opts.Convert):
					how = 0
				case binds(spec, name, model.RoundFloats):
					how = 1
				case found.Name != name:
					continue
				}
				if adds[how] == nil {
					adds[how] = func() { f.addColumn(found.Group, name, column) }
				}
			}
		}
		if adds[0] != nil {
			break
		}
	}
	for _, add := range adds {
		if add != nil {
			add()
			return true
		}
	}
	return false
}

// addColumn adds a column to the spec, unless another input has it already.
func (f *fitter) addColumn(group feature.Group, name string, column feature.Feature) {
	features := f.spec.Group(group)
	if *features == nil {
		*features = feature.Features{}
	}
	if _, ok := (*features)[name]; !ok {
		(*features)[name] = column
	}
}

// possibleColumns returns the columns that a feature can be, the most likely one first. Under another name than its own it can be
// the values of a ragged one.
func (f *fitter) possibleColumns(found *infer.Feature, t *model.TensorSpec, name string) (columns []feature.Feature) {
	dtype := found.DType
	if dtype == 0 && found.Max == 0 { // it never has values
		dtype = columnType(t.DType)
	}
	if dtype == 0 {
		return nil
	}
	key := found.Name
	if key == name {
		key = ""
	}
	ragged := func(partitions ...feature.Partition) {
		columns = append(columns, feature.Ragged{DType: dtype, ValueKey: key, Partitions: partitions})
	}
	if found.Column != nil && key == "" {
		columns = append(columns, found.Column)
	}
	if t.Form == feature.RaggedForm {
		for _, partitions := range f.partitionChains(found) {
			ragged(partitions...)
		}
		ragged()
		var uniform []feature.Partition
		for _, size := range t.Shape[min(len(t.Shape), 2):] {
			uniform = append(uniform, feature.UniformRowLength(size))
		}
		if !slices.Contains(uniform, feature.Partition(feature.UniformRowLength(-1))) {
			ragged(uniform...)
		}
	}
	if key != "" {
		return columns
	}
	if t.Form == feature.SparseForm {
		columns = append(columns, feature.VarLen{DType: dtype})
	}
	if t.Form == feature.DenseForm && len(t.Shape) > 0 {
		if shape, ok := sizes(t.Shape[1:]); ok && found.Group != feature.InSequence {
			columns = append(columns, feature.FixedLen{DType: dtype, Shape: shape})
		}
		if shape, ok := sizes(t.Shape[min(len(t.Shape), 2):]); ok && len(t.Shape) > 1 {
			columns = append(columns, feature.FixedLenSequence{DType: dtype, Shape: shape, AllowMissing: true})
		}
	}
	return columns
}

// sizes returns a shape as sizes; ok is false if one of them is not known.
func sizes(shape model.Shape) (all []int, ok bool) {
	for _, size := range shape {
		if size < 0 || size != int64(int(size)) {
			return nil, false
		}
		all = append(all, int(size))
	}
	return all, true
}

// columnType is the type of columns that feed a tensor, by the kinds of values that there are.
func columnType(d model.DType) feature.DType {
	switch d {
	case model.String:
		return feature.String
	case model.Float32, model.Float64, model.Float16, model.BFloat16:
		return feature.Float32
	}
	return feature.Int64
}

// maxChains is how many ways to partition the values of a feature are tried.
const maxChains = 100

// partitionChains returns the ways to partition the values of a feature that hold in all records, also those that too few records
// speak for to be chosen without a signature.
func (f *fitter) partitionChains(found *infer.Feature) (chains [][]feature.Partition) {
	var grow func(rows feature.Partition, inner []feature.Partition)
	grow = func(rows feature.Partition, inner []feature.Partition) {
		for _, p := range f.pairs {
			if p.Group != found.Group || p.Against > 0 || p.Rows != rows || rows == nil && p.Of != found.Name || len(chains) == maxChains {
				continue
			}
			if len(inner) > len(f.pairs) || slices.Contains(inner, p.Partition) {
				continue // a circle
			}
			var partitions []feature.Partition
			if partitions = append(partitions, p.Partition); p.Block > 1 {
				partitions = append(partitions, feature.UniformRowLength(p.Block))
			}
			partitions = append(partitions, inner...)
			chains = append(chains, partitions)
			grow(p.Partition, partitions)
		}
	}
	grow(nil, nil)
	return chains
}
