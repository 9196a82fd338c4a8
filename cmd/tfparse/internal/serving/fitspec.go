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
	"github.com/tfparse/tfparse/tensor"
)

// bindInferred infers a spec from the records and binds its columns. If no column fits the only input, and it
// takes strings, it binds the encoded records.
func (c *modelVerb) bindInferred(in []scan.Input, r *checkReport) error {
	if slices.ContainsFunc(in, func(i scan.Input) bool { return i.Name == scan.Stdin }) {
		return cli.Usagef("--check -: want --spec; standard input cannot be read twice to infer one")
	}
	found, err := c.inferRecords(in)
	if err != nil {
		return err
	}
	fit := &specBuilder{inferred: found.Report(), pairs: found.Possible(), options: &c.bindOptions}
	fit.spec = emptySpec(fit.inferred.Message)
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
	if !columns { // a spec must have a column
		if spec, err := found.Spec(); err == nil {
			fit.spec = spec
		}
	}
	parser, err := feature.NewParser(fit.spec, nil)
	if err != nil {
		return fmt.Errorf("%s: inferred spec: %w", c.checkFile, err)
	}
	if r.Spec, err = fit.spec.MarshalJSON(); err != nil {
		return err
	}
	return c.bindParser(parser)
}

// inferRecords adds the records to an Inferrer. It does not report skipped records, since the second reading does.
func (c *modelVerb) inferRecords(in []scan.Input) (*infer.Inferrer, error) {
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
		err = fmt.Errorf("%s: no records to check", c.checkFile)
	}
	return all, err
}

// emptySpec returns a spec without columns for a message type.
func emptySpec(t example.MessageType) feature.Spec {
	switch none := (feature.Features{}); t {
	case example.TypeSequence:
		return feature.Spec{Sequence: none}
	case example.TypeExampleList:
		return feature.Spec{Examples: none}
	}
	return feature.Spec{}
}

// A specBuilder builds a spec of records for a signature. Most features can be parsed in several forms, from which it
// selects the one that the signature takes: a feature with one value in each record can be fixed_len, var_len or ragged.
type specBuilder struct {
	inferred infer.Report       // about the records
	pairs    []infer.Pair       // row partitions that are valid in all records
	options  *model.BindOptions // from the flags
	spec     feature.Spec       // the columns added so far
}

// addInput adds the column for an input. It returns false if the records have no feature for it.
func (f *specBuilder) addInput(sig *model.Signature, t *model.TensorSpec) bool {
	names := t.FeatureNames()
	if name, ok := f.options.Columns[t.Name()]; ok {
		names = []string{name}
	}
	one := model.Signature{Name: sig.Name, Inputs: []model.TensorSpec{*t}}
	binds := func(spec feature.Spec, name string, convert model.Conversion) bool {
		_, err := model.Bind(&one, spec, &model.BindOptions{Convert: convert, Columns: map[string]string{t.Name(): name}})
		return err == nil
	}
	// By preference: a column that fits, one that fits if values are converted, or any, so that the error of Bind names it.
	var adds [3]func()
	for _, name := range names {
		for i := range f.inferred.Features {
			found := &f.inferred.Features[i]
			if found.Name != name && !strings.HasPrefix(found.Name, name+"/") {
				continue
			}
			for _, column := range f.possibleColumns(found, t, name) {
				spec := emptySpec(f.inferred.Message)
				*spec.Group(found.Group) = feature.Features{name: column}
				how := 2
				switch {
				case binds(spec, name, f.options.Convert):
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

// addColumn adds a column to the spec, unless it was added for another input.
func (f *specBuilder) addColumn(group feature.Group, name string, column feature.Feature) {
	features := f.spec.Group(group)
	if *features == nil {
		*features = feature.Features{}
	}
	if _, ok := (*features)[name]; !ok {
		(*features)[name] = column
	}
}

// possibleColumns returns the columns that a feature can be parsed as, the most likely first. If name is not the feature's
// own, it can only be the values of a ragged column.
func (f *specBuilder) possibleColumns(found *infer.Feature, t *model.TensorSpec, name string) (columns []feature.Feature) {
	dtype := found.DType
	if dtype == 0 && found.Max == 0 { // it never has values
		dtype = columnDType(t.DType)
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
		if shape, ok := staticShape(t.Shape[1:]); ok && found.Group != feature.InSequence {
			columns = append(columns, feature.FixedLen{DType: dtype, Shape: shape})
		}
		if shape, ok := staticShape(t.Shape[min(len(t.Shape), 2):]); ok && len(t.Shape) > 1 {
			columns = append(columns, feature.FixedLenSequence{DType: dtype, Shape: shape, AllowMissing: true})
		}
	}
	return columns
}

// staticShape returns a shape as ints; ok is false if a dimension is unknown.
func staticShape(shape tensor.Shape) (all []int, ok bool) {
	for _, size := range shape {
		if size < 0 || size != int64(int(size)) {
			return nil, false
		}
		all = append(all, int(size))
	}
	return all, true
}

// columnDType returns the dtype of columns that can feed a tensor.
func columnDType(d tensor.DType) feature.DType {
	switch d {
	case tensor.String:
		return feature.String
	case tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16:
		return feature.Float32
	}
	return feature.Int64
}

// maxPartitionChains limits the results of partitionChains.
const maxPartitionChains = 100

// partitionChains returns the lists of row partitions of a feature that are valid in all records, even if few records
// support them.
func (f *specBuilder) partitionChains(found *infer.Feature) (chains [][]feature.Partition) {
	var grow func(rows feature.Partition, inner []feature.Partition)
	grow = func(rows feature.Partition, inner []feature.Partition) {
		for _, p := range f.pairs {
			if p.Group != found.Group || p.Against > 0 || p.Rows != rows || rows == nil && p.Of != found.Name || len(chains) == maxPartitionChains {
				continue
			}
			if len(inner) > len(f.pairs) || slices.Contains(inner, p.Partition) {
				continue // a cycle
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
