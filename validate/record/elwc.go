package record

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// An exampleList checks the two kinds of Examples of an ExampleListWithContext: what
// holds of an Example holds of each.
type exampleList struct {
	context, each *unit
	required      bool   // there must be a context
	count         bounds // how many examples there are
}

// newExampleList compiles the two parts of a schema and of options.
func newExampleList(schema *pb.Schema, o *Options) (l *exampleList, err error) {
	outer, inner := parts(schema)
	l = &exampleList{count: unbounded}
	for _, f := range schema.GetFeature() {
		if v := f.GetValueCount(); f.GetName() == view.ExamplesStep && v != nil {
			l.count = countBounds(v.Min, v.Max)
		}
	}
	if l.context, err = newUnit(outer, o, example.TypeExample, feature.InContext, nil); err != nil {
		return nil, err
	}
	if l.each, err = newUnit(inner, o, example.TypeExample, feature.InExamples, view.Path{view.ExamplesStep}); err != nil {
		return nil, err
	}
	l.required = slices.ContainsFunc(l.context.features.entries, func(e entry) bool { return e.required })
	return l, nil
}

// parts are the schemas of the context and of each example; both are nil without one.
func parts(schema *pb.Schema) (context, each *pb.Schema) {
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

// check checks the context and the examples, in this order. Offsets are those in the
// whole record.
func (l *exampleList) check(out *collector, record []byte) {
	s := example.ScanExamples(record)
	for s.Next() {
	}
	if err := s.Err(); err != nil {
		out.fail(err)
		return
	}
	if ctx, ok := s.Context(); ok || l.required || l.context.parser != nil {
		l.context.check(out, ctx, -1, s.ContextOffset())
	}
	l.count.check(int64(s.Index()+1), " examples", countRules, func(rule pb.AnomalyInfo_Type, want, got string) {
		out.add(Finding{Rule: rule.String(), Feature: view.ExamplesStep, Example: -1, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Expected: want, Observed: got})
	})
	s = example.ScanExamples(record)
	for s.Next() {
		l.each.check(out, s.Example(), s.Index(), s.Offset())
	}
	if i := slices.IndexFunc(out.found, func(f Finding) bool { return f.Rule == BadRecord }); i >= 0 {
		err := example.TypeExampleList.Validate(record) // it has the place in the record
		if err == nil {
			err = out.found[i].Err
		}
		out.fail(err)
	}
}
