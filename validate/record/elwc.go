package record

import (
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// examplesStep is the name of the struct that holds the features of the examples of an
// ExampleListWithContext.
const examplesStep = "##EXAMPLES##"

// An exampleList checks the two kinds of Examples of an ExampleListWithContext: what
// holds of an Example holds of each.
type exampleList struct {
	context, each *Checker
	required      bool   // there must be a context
	count         bounds // how many examples there are
}

// newExampleList compiles the two parts of a schema and of options.
func newExampleList(schema *pb.Schema, o Options) (*exampleList, error) {
	context, each := o, o
	context.Message, each.Message = example.TypeExample, example.TypeExample
	context.Spec = feature.Spec{Features: o.Spec.Context}
	each.Spec = feature.Spec{Features: o.Spec.Examples}
	if o.Spec.Features != nil || o.Spec.Sequence != nil {
		return nil, fmt.Errorf("record: the spec is not of records of type %s", example.TypeExampleList)
	}
	context.Pairs, each.Pairs = nil, nil
	for _, p := range o.Pairs {
		to := &context.Pairs
		switch p.Group {
		case feature.InContext:
		case feature.InExamples:
			to = &each.Pairs
		default:
			return nil, fmt.Errorf("record: a pair is of %s, and the records are of type %s", p.Group, example.TypeExampleList)
		}
		*to = append(*to, infer.Pair{
			Group: feature.InFeatures, Partition: p.Partition, Of: p.Of, Rows: p.Rows, Block: p.Block,
			Records: p.Records, Against: p.Against, Counter: p.Counter, Chosen: p.Chosen, Why: p.Why,
		})
	}
	outer, inner := parts(schema)
	l := &exampleList{count: unbounded}
	for _, f := range schema.GetFeature() {
		if v := f.GetValueCount(); f.GetName() == examplesStep && v != nil {
			l.count = countBounds(v)
		}
	}
	var err error
	if l.context, err = newChecker(outer, &context, nil); err != nil {
		return nil, err
	}
	if l.each, err = newChecker(inner, &each, view.Path{examplesStep}); err != nil {
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
		if f.GetName() != examplesStep {
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
func (l *exampleList) check(record []byte, most int) []Finding {
	var found []Finding
	var rest more
	add := func(more []Finding, g feature.Group, example, offset int) {
		for _, f := range more {
			f.Example = example
			if f.Rule == MoreFindings || len(found) >= most && f.Rule != BadRecord {
				rest.count(f)
				continue
			}
			if f.Pair != nil {
				p := *f.Pair
				p.Group = g
				f.Pair = &p
			}
			if f.Offset >= 0 {
				f.Offset += offset
			}
			found = append(found, f)
		}
	}
	s := example.ScanExamples(record)
	for s.Next() {
	}
	if err := s.Err(); err != nil {
		return []Finding{badRecord(err)}
	}
	if ctx, ok := s.Context(); ok || l.required || l.context.parser != nil {
		if more := l.context.Check(ctx); len(more) > 0 {
			add(more, feature.InContext, -1, s.ContextOffset())
		}
	}
	if n := int64(s.Index() + 1); n < l.count.min || n > l.count.max {
		f := Finding{Rule: pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES.String(), Feature: examplesStep, Example: -1, Step: -1, ValueIndex: -1, Count: 1, Offset: -1,
			Expected: "at least " + strconv.FormatInt(l.count.min, 10) + " examples", Observed: strconv.FormatInt(n, 10)}
		if n > l.count.max {
			f.Rule, f.Expected = pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES.String(), "at most "+strconv.FormatInt(l.count.max, 10)+" examples"
		}
		if !slices.Contains(l.context.ignore, f.Rule) {
			found = append(found, f)
		}
	}
	s = example.ScanExamples(record)
	for s.Next() {
		if more := l.each.Check(s.Example()); len(more) > 0 {
			add(more, feature.InExamples, s.Index(), s.Offset())
		}
	}
	if i := slices.IndexFunc(found, func(f Finding) bool { return f.Rule == BadRecord }); i >= 0 {
		err := example.TypeExampleList.Validate(record) // it has the place in the record
		if err == nil {
			err = found[i].Err
		}
		return []Finding{badRecord(err)}
	}
	return rest.appendTo(found)
}

func badRecord(err error) Finding {
	return Finding{Rule: BadRecord, Example: -1, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Err: err}
}
