package tfstats

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/stats"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Finding]())
	beam.RegisterType(reflect.TypeFor[Count]())
	beam.RegisterCoder(reflect.TypeFor[*metadatapb.Anomalies](), encodeAnomalies, decodeAnomalies)
	register.DoFn4x1[context.Context, []byte, func(Finding), func(Count), error](&findingsFn{})
	register.DoFn3x1[context.Context, *stats.Accumulator, func(*metadatapb.Anomalies), error](&anomaliesFn{})
	register.Emitter1[Finding]()
	register.Emitter1[Count]()
	register.Emitter1[*metadatapb.Anomalies]()
}

func encodeAnomalies(a *metadatapb.Anomalies) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(a)
}

func decodeAnomalies(b []byte) (*metadatapb.Anomalies, error) {
	a := &metadatapb.Anomalies{}
	return a, proto.Unmarshal(b, a)
}

// ValidateOptions are the settings of [Validate]. A nil *ValidateOptions and every zero field mean the default.
type ValidateOptions struct {
	Options // options of the statistics; Statistics.Schema has no effect

	Environment string   // one of the schema's default environments
	Ignore      []string // rules whose findings about records are dropped

	// Pairs are row partitions that the schema does not declare, such as those that [infer.Inferrer.Report] finds in records. A record
	// in which a pair does not hold gets a warning. The command infers pairs from the first 5000 records.
	Pairs   []infer.Pair
	PairsOf example.MessageType // type of the records that Pairs apply to; zero: Example

	// MaxFindings is the maximum number of findings that are returned for each feature and rule: the first findings in the order of
	// the files. All findings are counted. Zero: 5.
	MaxFindings int
}

// A Finding reports that a feature of a record breaks a rule. It is an element of a PCollection.
type Finding struct {
	File   string // name of the file
	Record int64  // ordinal of the record in the file, from 0
	Offset int64  // offset of the record in the uncompressed stream, in bytes
	Length int    // length of the record, in bytes

	Feature            string  // path of the feature as text; empty for the whole record
	Rule               string  // type of the anomaly, as in TensorFlow Data Validation, or a rule of package record
	Expected, Observed string  // what the rule requires, and what the record has; may be empty
	Warning            bool    // not an error: about ValidateOptions.Pairs, or a rule declared as a warning
	Example            int     // index of the example in an ExampleListWithContext; else -1
	Step               int     // index of the step in a feature list; else -1
	ValueIndex         int     // index in the flat values; -1: the finding is not about one value
	Values             int     // number of values that break the rule; for the rule MORE_FINDINGS, number of further findings of the record
	RowPath            []int64 // position of the value in a ragged feature: see record.Finding
	Text               string  // one line, without the position of the record
}

// A Count is the number of findings about records for a feature and a rule. It is an element of a PCollection.
type Count struct {
	Feature, Rule string // both are empty in the count for all features and rules after the first 10,000
	Findings      uint64 // number of findings, including warnings
	Warnings      uint64 // number of warnings
	Values        uint64 // number of values that break the rule
	Records       uint64 // number of records with such a finding
}

// A Validation is the result of [Validate].
type Validation struct {
	Statistics beam.PCollection // PCollection<*stats.Accumulator> of one element
	Anomalies  beam.PCollection // PCollection<*metadatapb.Anomalies> of one element: statistics against the schema
	Findings   beam.PCollection // PCollection<Finding>: records against the schema
	Counts     beam.PCollection // PCollection<Count> of all findings, by feature and rule
	Failures   beam.PCollection // PCollection<tfrecordio.Failure>, as in FromFiles
}

// Validate checks files, a PCollection<tfrecordio.File>, against a schema: each record, and the statistics of all records. The findings are
// those of tfparse validate --records. Validate panics if the options are invalid, or if the schema lacks the environment.
func Validate(s beam.Scope, files beam.PCollection, schema *metadatapb.Schema, opts *ValidateOptions) Validation {
	s = s.Scope("tfstats.Validate")
	o := ValidateOptions{}
	if opts != nil {
		o = *opts
	}
	if o.MaxFindings == 0 {
		o.MaxFindings = 5
	}
	so := stats.Options{}
	if o.Statistics != nil {
		so = *o.Statistics
	}
	so.Schema = schema
	w := o.work(&so)
	w.Check = &recordCheck{Environment: o.Environment, Ignore: o.Ignore, PairsOf: o.PairsOf, MaxFindings: o.MaxFindings}
	if w.Check.PairsOf == example.TypeAuto {
		w.Check.PairsOf = example.TypeExample
	}
	var err error
	for _, p := range o.Pairs {
		b, failed := p.MarshalBinary()
		w.Check.Pairs, err = append(w.Check.Pairs, b), errors.Join(err, failed)
	}
	text, failed := proto.MarshalOptions{Deterministic: true}.Marshal(schema)
	if err = errors.Join(err, failed); err == nil {
		_, err = w.Check.newChecker(&so, w.Check.PairsOf)
	}
	if err != nil {
		panic(fmt.Sprintf("tfstats: %v", err))
	}
	v := Validation{}
	var merged beam.PCollection
	merged, v.Failures = readFiles(s, files, w)
	v.Statistics = beam.ParDo(s, statisticsOf, merged)
	v.Findings, v.Counts = beam.ParDo2(s, &findingsFn{}, merged)
	v.Anomalies = beam.ParDo(s, &anomaliesFn{Schema: text, Environment: o.Environment}, v.Statistics)
	return v
}

// findingsFn emits the findings of a result.
type findingsFn struct{}

// ProcessElement implements the DoFn.
func (*findingsFn) ProcessElement(_ context.Context, b []byte, found func(Finding), counted func(Count)) error {
	r, err := decodeResult(b)
	if err != nil {
		return err
	}
	for _, f := range r.findings.Kept() {
		found(Finding{
			File: f.Place.File, Record: f.Place.Record, Offset: f.Place.Offset, Length: f.Length, Feature: f.Feature, Rule: f.Rule, Expected: f.Expected, Observed: f.Observed,
			Warning: f.Warning, Example: f.Example, Step: f.Step, ValueIndex: f.ValueIndex, Values: f.Count, RowPath: f.RowPath, Text: f.String(),
		})
	}
	other, _ := r.findings.Other()
	for _, c := range append(r.findings.Counts(), other) {
		if c.Findings > 0 {
			counted(Count{Feature: c.Feature, Rule: c.Rule, Findings: c.Findings, Warnings: c.Warnings, Values: c.Values, Records: c.Records})
		}
	}
	return nil
}

// anomaliesFn compares statistics with a schema.
type anomaliesFn struct {
	Schema      []byte
	Environment string
}

// ProcessElement implements the DoFn.
func (fn *anomaliesFn) ProcessElement(_ context.Context, acc *stats.Accumulator, emit func(*metadatapb.Anomalies)) error {
	schema := &metadatapb.Schema{}
	if err := proto.Unmarshal(fn.Schema, schema); err != nil {
		return err
	}
	list, details, err := acc.Detailed(1)
	if err != nil {
		return err
	}
	a, err := anomaly.Validate(list, schema, &anomaly.Options{Environment: fn.Environment, Details: details})
	if err == nil {
		emit(a)
	}
	return err
}
