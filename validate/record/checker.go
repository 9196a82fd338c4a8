package record

import (
	"fmt"
	"slices"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

const maxFindings = 100

// Options configure a Checker. The zero value checks Examples.
type Options struct {
	// Message is the type of the records: example.TypeExample, example.TypeSequence or
	// example.TypeExampleList. 0 is example.TypeExample.
	Message example.MessageType

	// Environment is one of the default environments of the schema, or empty.
	Environment string

	// Spec is a spec that records must parse with, in addition to the schema.
	Spec feature.Spec

	// Pairs are ragged structures that infer.Inferrer.Report found in records. A record in
	// which a pair does not hold gets a warning.
	Pairs []infer.Pair

	// Rules are checked if they are about records. A violation is a finding with the rule
	// CUSTOM_VALIDATION. May be nil.
	Rules *expr.Rules

	// Ignore lists rules whose findings are dropped. It has no effect on BadRecord.
	Ignore []string

	// MaxFindings is the maximum number of findings per record, not counting MoreFindings.
	// 0 is 100.
	MaxFindings int
}

// A Checker checks records against a schema. It is immutable and safe for concurrent use.
type Checker struct {
	message example.MessageType // type of the records; never 0
	max     int                 // maximum number of findings per record
	ignore  []string            // rules whose findings are dropped
	rules   *expr.Rules         // nil if no rules are about records
	record  *unit               // for an Example or a SequenceExample
	list    *exampleList        // for an ExampleListWithContext; then record is nil
}

// specGroups lists the groups of a spec that apply to a type of message.
var specGroups = map[example.MessageType][]feature.Group{
	example.TypeExample:     {feature.InFeatures},
	example.TypeSequence:    {feature.InContext, feature.InSequence},
	example.TypeExampleList: {feature.InContext, feature.InExamples},
}

// NewChecker compiles a schema. With a nil schema the Checker checks only Options.Spec, ragged
// structure and Options.Rules. NewChecker does not retain the schema. It fails if the
// environment is not in the schema, or if the options do not apply to Options.Message.
func NewChecker(schema *pb.Schema, opts *Options) (*Checker, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Message == 0 {
		o.Message = example.TypeExample
	}
	groups := specGroups[o.Message]
	if groups == nil {
		return nil, fmt.Errorf("record: cannot check records of type %s", o.Message)
	}
	for g := feature.InFeatures; g <= feature.InExamples; g++ {
		if *o.Spec.Group(g) != nil && !slices.Contains(groups, g) {
			return nil, fmt.Errorf("record: spec: records of type %[2]s have no %[1]s", g, o.Message)
		}
	}
	for _, p := range o.Pairs {
		if !slices.Contains(groups, p.Group) {
			return nil, fmt.Errorf("record: pairs: records of type %[2]s have no %[1]s", p.Group, o.Message)
		}
	}
	if o.Environment != "" && !slices.Contains(schema.GetDefaultEnvironment(), o.Environment) {
		return nil, fmt.Errorf("record: environment %q is not in the schema: want one of %q", o.Environment, schema.GetDefaultEnvironment())
	}
	c := &Checker{message: o.Message, max: o.MaxFindings, ignore: slices.Clone(o.Ignore)}
	if c.max <= 0 {
		c.max = maxFindings
	}
	if o.Rules != nil && len(o.Rules.OfRecords()) > 0 && !slices.Contains(c.ignore, customValidation) {
		c.rules = o.Rules
	}
	var err error
	if o.Message == example.TypeExampleList {
		c.list, err = newExampleList(schema, &o)
	} else {
		c.record, err = newUnit(schema, &o, o.Message, groups[0], nil)
	}
	return c, err
}

// Check returns the findings about a record in the order of the checks, nil if there are none.
// If there are more than Options.MaxFindings findings, the last finding has the rule MoreFindings
// and counts the rest. Check does not retain the record, and the findings do not alias it.
func (c *Checker) Check(record []byte) []Finding {
	out := collectors.Get().(*collector)
	*out = collector{max: c.max, ignore: c.ignore}
	if c.list != nil {
		c.list.checkExamples(out, record)
	} else {
		c.record.checkMessage(out, record, -1, 0)
	}
	if c.rules != nil && !hasBadRecord(out.findings) {
		c.checkRules(out, record)
	}
	found := out.listFindings()
	out.findings = nil
	collectors.Put(out)
	return found
}

// collectors is a free list, so that a call of Check without findings allocates nothing.
var collectors = sync.Pool{New: func() any { return &collector{} }}

var customValidation = pb.AnomalyInfo_CUSTOM_VALIDATION.String()

// checkRules adds a finding for each violation of a rule of package expr.
func (c *Checker) checkRules(out *collector, record []byte) {
	violations, err := c.rules.CheckRecord(c.message, record)
	if err != nil {
		out.setBadRecord(err)
	}
	for _, v := range violations {
		path := view.Path{view.Step(v.Feature)}
		switch {
		case v.InList && c.message == example.TypeExampleList:
			path = view.Path{view.ExamplesStep, path[0]}
		case v.InList:
			path = view.Path{view.SequenceStep, path[0]}
		}
		out.addFinding(Finding{
			Rule: customValidation, Feature: path.String(), Example: v.Example, Step: v.Step, ValueIndex: v.Value, Count: v.Count, Offset: v.Offset,
			Expected: v.Expected, Observed: v.Observed, Warning: v.Rule.Warning,
		})
	}
}
