package record

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// An exampleList checks an ExampleListWithContext: the context and each example, as Examples.
type exampleList struct {
	context, each   *unit
	contextRequired bool   // a record without a context lacks a required feature
	exampleCount    bounds // allowed number of examples
}

// newExampleList compiles the schema and the options for the context and for the examples.
func newExampleList(schema *pb.Schema, o *Options) (l *exampleList, err error) {
	outer, inner := splitSchema(schema)
	l = &exampleList{exampleCount: unbounded}
	for _, f := range schema.GetFeature() {
		if v := f.GetValueCount(); f.GetName() == view.ExamplesStep && v != nil {
			l.exampleCount = countBounds(v.Min, v.Max)
		}
	}
	if l.context, err = newUnit(outer, o, example.TypeExample, feature.InContext, nil); err != nil {
		return nil, err
	}
	if l.each, err = newUnit(inner, o, example.TypeExample, feature.InExamples, view.Path{view.ExamplesStep}); err != nil {
		return nil, err
	}
	l.contextRequired = slices.ContainsFunc(l.context.features.entries, func(e entry) bool { return e.required })
	return l, nil
}

// splitSchema returns the schemas of the context and of each example, nil for a nil schema.
func splitSchema(schema *pb.Schema) (context, each *pb.Schema) {
	if schema == nil {
		return nil, nil
	}
	context = proto.CloneOf(schema)
	each = &pb.Schema{StringDomain: schema.GetStringDomain(), DefaultEnvironment: schema.GetDefaultEnvironment()}
	context.Feature = slices.DeleteFunc(context.Feature, func(f *pb.Feature) bool {
		if f.GetName() != view.ExamplesStep {
			return false
		}
		d := f.GetStructDomain()
		each.Feature, each.SparseFeature = append(each.Feature, d.GetFeature()...), append(each.SparseFeature, d.GetSparseFeature()...)
		return true
	})
	return context, each
}

// checkExamples checks the context, then the examples. Offsets in findings count from the
// beginning of the record.
func (l *exampleList) checkExamples(out *collector, record []byte) {
	s := example.ScanExamples(record)
	for s.Next() {
	}
	if err := s.Err(); err != nil {
		out.setBadRecord(err)
		return
	}
	if ctx, ok := s.Context(); ok || l.contextRequired || l.context.parser != nil {
		l.context.checkMessage(out, ctx, -1, s.ContextOffset())
	}
	l.exampleCount.checkBounds(int64(s.Index()+1), " examples", countRules, func(rule pb.AnomalyInfo_Type, want, got string) {
		out.addFinding(Finding{Rule: rule.String(), Feature: view.ExamplesStep, Example: -1, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Expected: want, Observed: got})
	})
	s = example.ScanExamples(record)
	for s.Next() {
		l.each.checkMessage(out, s.Example(), s.Index(), s.Offset())
	}
	if i := slices.IndexFunc(out.findings, func(f Finding) bool { return f.Rule == BadRecord }); i >= 0 {
		err := example.TypeExampleList.Validate(record) // has the position in the whole record
		if err == nil {
			err = out.findings[i].Err
		}
		out.setBadRecord(err)
	}
}
