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

// Options say how records are checked. The zero value checks Examples.
type Options struct {
	// Message is what the records are: example.TypeExample, which 0 means,
	// example.TypeSequence or example.TypeExampleList.
	Message example.MessageType

	// Environment is one of the default environments of the schema, or empty.
	Environment string

	// Spec is what records must parse with, besides what the schema asks for.
	Spec feature.Spec

	// Pairs were found by looking at records: those of infer.Inferrer.Report. Where
	// one does not hold, that is a warning.
	Pairs []infer.Pair

	// Rules have those about records, which are checked too: what breaks one is a finding of the rule CUSTOM_VALIDATION. May
	// be nil.
	Rules *expr.Rules

	// Ignore are rules that make no findings. BadRecord cannot be one of them.
	Ignore []string

	// MaxFindings is how many findings one record may have, apart from the one that counts
	// the others; 0 is 100.
	MaxFindings int
}

// A Checker checks records against a schema. It is immutable and safe for all
// goroutines.
type Checker struct {
	message example.MessageType
	max     int          // findings of a record
	ignore  []string     // rules that make no findings
	rules   *expr.Rules  // nil: none about records
	record  *unit        // for an Example or a SequenceExample
	list    *exampleList // for an ExampleListWithContext; then record is nil
}

// groupsOf are the parts of a spec that records of a type have.
var groupsOf = map[example.MessageType][]feature.Group{
	example.TypeExample:     {feature.InFeatures},
	example.TypeSequence:    {feature.InContext, feature.InSequence},
	example.TypeExampleList: {feature.InContext, feature.InExamples},
}

// NewChecker compiles a schema; nil is none, and then only Options.Spec, ragged structure and
// Options.Rules are checked. It keeps nothing of its arguments. It fails if the environment is not in
// the schema, or the options are of another type of records.
func NewChecker(schema *pb.Schema, opts *Options) (*Checker, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Message == 0 {
		o.Message = example.TypeExample
	}
	groups := groupsOf[o.Message]
	if groups == nil {
		return nil, fmt.Errorf("record: there is no checker for records of type %s", o.Message)
	}
	for g := feature.InFeatures; g <= feature.InExamples; g++ {
		if *o.Spec.Group(g) != nil && !slices.Contains(groups, g) {
			return nil, fmt.Errorf("record: the spec has %s, and the records are of type %s", g, o.Message)
		}
	}
	for _, p := range o.Pairs {
		if !slices.Contains(groups, p.Group) {
			return nil, fmt.Errorf("record: a pair is of %s, and the records are of type %s", p.Group, o.Message)
		}
	}
	if o.Environment != "" && !slices.Contains(schema.GetDefaultEnvironment(), o.Environment) {
		return nil, fmt.Errorf("record: the environment %q is not in the schema, which has %q", o.Environment, schema.GetDefaultEnvironment())
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

// Check returns what is wrong with a record, in the order of the rules: nil if
// nothing is. Where there are more findings than Options.MaxFindings, the last one is
// MoreFindings, which counts the others. Check keeps nothing of the record, and the findings share nothing with it.
func (c *Checker) Check(record []byte) []Finding {
	out := collectors.Get().(*collector)
	*out = collector{max: c.max, ignore: c.ignore}
	if c.list != nil {
		c.list.check(out, record)
	} else {
		c.record.check(out, record, -1, 0)
	}
	if c.rules != nil && !hasBadRecord(out.found) {
		c.checkRules(out, record)
	}
	found := out.all()
	out.found = nil
	collectors.Put(out)
	return found
}

// collectors has memory for calls of Check, so that one without findings allocates nothing.
var collectors = sync.Pool{New: func() any { return &collector{} }}

var customValidation = pb.AnomalyInfo_CUSTOM_VALIDATION.String()

// checkRules adds findings for the rules of package expr that a record breaks.
func (c *Checker) checkRules(out *collector, record []byte) {
	violations, err := c.rules.CheckRecord(c.message, record)
	if err != nil {
		out.fail(err)
	}
	for _, v := range violations {
		path := view.Path{view.Step(v.Feature)}
		switch {
		case v.InList && c.message == example.TypeExampleList:
			path = view.Path{view.ExamplesStep, path[0]}
		case v.InList:
			path = view.Path{view.SequenceStep, path[0]}
		}
		out.add(Finding{
			Rule: customValidation, Feature: path.String(), Example: v.Example, Step: v.Step, ValueIndex: v.Value, Count: v.Count, Offset: v.Offset,
			Expected: v.Expected, Observed: v.Observed, Warning: v.Rule.Warning,
		})
	}
}
