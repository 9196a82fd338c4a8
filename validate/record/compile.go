package record

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	domains "github.com/tfparse/tfparse/validate/internal/domain"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// sequenceStep is the name of the struct that holds the feature lists.
const sequenceStep = "##SEQUENCE##"

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

// A domain says which values there may be.
type domain uint8

const (
	anything domain = iota
	intRange
	floatRange
	oneOf        // of some strings
	boolInts     // 0 and 1
	boolFloats   // 0 and 1
	intStrings   // integers as text, in a range
	floatStrings // numbers as text, in a range
	semantic     // images, URLs, times and the like, of a limited number of bytes
)

// An entry is what the schema says about one name.
type entry struct {
	name, path  string
	ignored     bool // nothing is checked
	unknown     bool // the schema does not have it; it is the key of a link or of a group
	outside     bool // it is not in the environment
	required    bool
	kind        example.Kind // Unset: any
	counts      []bounds     // by level of nesting
	fixed       int64        // the number of values of a shape; -1: none
	domain      domain
	ints        bounds
	low, high   float32
	noNaN       bool
	noInf       bool
	words       map[string]struct{}
	values      *domains.Check // of semantic; nil: only the number of bytes counts
	sequences   *sequences     // of tokens; nil: nothing is said of them
	dim         int64          // the number of values of an embedding; 0: any
	notAWord    string         // what was expected of a string
	numbers     bool           // its values are kept for links
	lengthsOnly bool           // its number of values is
}

// bounds are the least and the greatest of something.
type bounds struct{ min, max int64 }

var unbounded = bounds{math.MinInt64, math.MaxInt64}

func countBounds(v *pb.ValueCount) bounds {
	b := unbounded
	if v.Min != nil {
		b.min = v.GetMin()
	}
	if v.Max != nil {
		b.max = v.GetMax()
	}
	return b
}

// A table finds entries by name.
type table struct {
	above   view.Path // of all of them
	entries []entry
	index   map[string]int
}

func (t *table) add(e entry) int {
	if i, ok := t.index[e.name]; ok {
		return i
	}
	if t.index == nil {
		t.index = map[string]int{}
	}
	t.index[e.name] = len(t.entries)
	t.entries = append(t.entries, e)
	return len(t.entries) - 1
}

// key finds the entry of a name in records, or makes one.
func (t *table) key(name string) int {
	return t.add(entry{name: name, path: t.path(view.Step(name)), unknown: true, fixed: -1, ints: unbounded})
}

// path is the path of a step as text, as anomalies and statistics have it.
func (t *table) path(step string) string { return t.above.Child(step).String() }

func (c *Checker) compile(schema *pb.Schema, o *Options) error {
	if o.Environment != "" && !slices.Contains(schema.GetDefaultEnvironment(), o.Environment) {
		return fmt.Errorf("record: the environment %q is not in the schema, which has %q", o.Environment, schema.GetDefaultEnvironment())
	}
	s := rules.NewSchema(schema)
	for _, f := range schema.GetFeature() {
		if f.GetName() == sequenceStep && c.message == example.TypeSequence {
			for _, child := range f.GetStructDomain().GetFeature() {
				c.lists.declare(compileFeature(s, child, c.lists.path(child.GetName()), o.Environment))
			}
			continue
		}
		c.features.declare(compileFeature(s, f, c.features.path(f.GetName()), o.Environment))
	}
	c.closed = schema != nil
	for _, f := range schema.GetSparseFeature() {
		names := []string{f.GetValueFeature().GetName()}
		for _, i := range f.GetIndexFeature() {
			names = append(names, i.GetName())
		}
		c.group(f.GetName(), pb.AnomalyInfo_SPARSE_FEATURE_LENGTH_MISMATCH, names, f.GetDeprecated() || ignoredStage(f.GetLifecycleStage()))
	}
	for _, f := range schema.GetWeightedFeature() {
		if len(f.GetFeature().GetStep()) == 1 && len(f.GetWeightFeature().GetStep()) == 1 {
			c.group(f.GetName(), pb.AnomalyInfo_WEIGHTED_FEATURE_LENGTH_MISMATCH,
				[]string{f.GetFeature().GetStep()[0], f.GetWeightFeature().GetStep()[0]}, ignoredStage(f.GetLifecycleStage()))
		}
	}
	return errors.Join(c.tensors(schema), c.spec(o.Spec), c.pairs(o.Pairs))
}

func ignoredStage(s pb.LifecycleStage) bool {
	return rules.Ignored(&pb.Feature{LifecycleStage: &s})
}

// A group is features whose lists must be of one length.
type group struct {
	path    string
	rule    string
	members []int
}

func (c *Checker) group(name string, rule pb.AnomalyInfo_Type, members []string, ignored bool) {
	if ignored {
		return
	}
	g := group{path: c.features.path(name), rule: rule.String()}
	for _, m := range members {
		i := c.features.declared(m)
		c.features.entries[i].lengthsOnly = true
		g.members = append(g.members, i)
	}
	c.groups = append(c.groups, g)
}

func compileFeature(s *rules.Schema, f *pb.Feature, path, environment string) entry {
	e := entry{name: f.GetName(), path: path, fixed: -1, ints: unbounded, ignored: rules.Ignored(f)}
	if e.ignored {
		return e
	}
	e.outside = !s.InEnvironment(f, environment)
	e.required = !e.outside && (f.GetPresence().GetMinFraction() >= 1 || f.GetShape() != nil || f.GetGroupPresence().GetRequired())
	switch f.GetType() {
	case pb.FeatureType_BYTES:
		e.kind = example.BytesList
	case pb.FeatureType_INT:
		e.kind = example.Int64List
	case pb.FeatureType_FLOAT:
		e.kind = example.FloatList
	}
	levels := f.GetValueCounts().GetValueCount()
	if v := f.GetValueCount(); v != nil {
		levels = []*pb.ValueCount{v}
	}
	for _, v := range levels {
		e.counts = append(e.counts, countBounds(v))
	}
	if shape := f.GetShape(); shape != nil {
		e.fixed = 1
		for _, d := range shape.GetDim() {
			if n := d.GetSize(); n > 0 && e.fixed <= math.MaxInt64/n {
				e.fixed *= n
			}
		}
	}
	e.compileDomain(s, f)
	return e
}

func (e *entry) compileDomain(s *rules.Schema, f *pb.Feature) {
	switch d := f.GetDomainInfo().(type) {
	case *pb.Feature_IntDomain:
		e.domain = intRange
		if e.kind == example.BytesList {
			e.domain = intStrings
		}
		if d.IntDomain.Min != nil {
			e.ints.min = d.IntDomain.GetMin()
		}
		if d.IntDomain.Max != nil {
			e.ints.max = d.IntDomain.GetMax()
		}
	case *pb.Feature_FloatDomain:
		e.domain = floatRange
		if e.kind == example.BytesList {
			e.domain = floatStrings
		}
		e.low, e.high = float32(math.Inf(-1)), float32(math.Inf(1))
		if d.FloatDomain.Min != nil {
			e.low = d.FloatDomain.GetMin()
		}
		if d.FloatDomain.Max != nil {
			e.high = d.FloatDomain.GetMax()
		}
		e.noNaN, e.noInf = d.FloatDomain.GetDisallowNan(), d.FloatDomain.GetDisallowInf()
		if d.FloatDomain.GetIsEmbedding() && d.FloatDomain.GetEmbeddingDim() > 0 {
			e.dim = d.FloatDomain.GetEmbeddingDim()
		}
	case *pb.Feature_BoolDomain:
		switch e.kind {
		case example.BytesList:
			e.domain, e.notAWord = oneOf, "the true_value or the false_value"
			e.words = map[string]struct{}{}
			if d.BoolDomain.TrueValue != nil {
				e.words[d.BoolDomain.GetTrueValue()] = struct{}{}
			}
			if d.BoolDomain.FalseValue != nil {
				e.words[d.BoolDomain.GetFalseValue()] = struct{}{}
			}
		case example.FloatList:
			e.domain = boolFloats
		default:
			e.domain = boolInts
		}
	case *pb.Feature_Domain:
		if shared := s.StringDomain(d.Domain); shared != nil {
			e.compileWords(f, shared)
		}
	case *pb.Feature_StringDomain:
		e.compileWords(f, d.StringDomain)
	case *pb.Feature_ImageDomain:
		if d.ImageDomain.MaxImageByteSize != nil {
			e.domain, e.ints.max = semantic, d.ImageDomain.GetMaxImageByteSize()
		}
		if d.ImageDomain.GetMinimumSupportedImageFraction() >= 1 { // else no record says whether there are too many others
			e.domain = semantic
			e.values, _ = domains.NewCheck(f)
		}
	case *pb.Feature_NaturalLanguageDomain:
		e.sequences = compileSequences(d.NaturalLanguageDomain, e.kind)
	default:
		if e.values, _ = domains.NewCheck(f); e.values != nil {
			e.domain = semantic
		}
	}
}

// compileWords makes a set of a domain. If some values may lie outside, no record says
// whether there are too many.
func (e *entry) compileWords(f *pb.Feature, d *pb.StringDomain) {
	if c := f.GetDistributionConstraints(); c != nil && c.GetMinDomainMass() < 1 {
		return
	}
	e.domain, e.notAWord = oneOf, "a value of the domain"
	e.words = make(map[string]struct{}, len(d.GetValue()))
	for _, v := range d.GetValue() {
		e.words[v] = struct{}{}
	}
}
