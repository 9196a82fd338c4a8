package record

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	domains "github.com/tfparse/tfparse/validate/internal/domain"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// An entry holds the compiled rules for one feature or feature list.
type entry struct {
	name               string       // name in records
	path               string       // path in findings
	ignored            bool         // not checked
	undeclared         bool         // not in the schema, but used by a link or a group
	outsideEnvironment bool         // the schema excludes the feature from the environment
	required           bool         // the feature must be present
	linked             bool         // used by a link or a group
	kind               example.Kind // Unset: any
	counts             []bounds     // allowed numbers of values, by level of nesting
	shapeSize          int64        // number of values of a shape; -1: no shape
	embeddingDim       int64        // number of values of an embedding; 0: any
	tokens             *tokenRules  // nil: no rules about tokens

	// The domain for values of each kind; nil: any value is allowed.
	ints         *valueCheck[int64]
	floats       *valueCheck[float32] // a range, or 0 and 1 for booleans
	bytes        *valueCheck[[]byte]  // words, content such as images, or numbers as text
	checkedKinds kindSet              // kinds whose values must be read for a check
}

// bounds are an inclusive minimum and maximum.
type bounds struct{ min, max int64 }

var unbounded = bounds{math.MinInt64, math.MaxInt64}

func countBounds(least, most *int64) bounds {
	b := unbounded
	if least != nil {
		b.min = *least
	}
	if most != nil {
		b.max = *most
	}
	return b
}

// An entryTable holds the entries for the features of a message, or for its feature lists.
type entryTable struct {
	group   feature.Group // group of the features in a spec
	parent  view.Path     // path of the struct around the features in the schema; nil: none
	entries []entry
	index   map[string]int // indexes in entries, by the name in records
	links   []link
}

// stepPath returns the path of a step as text, as anomalies and statistics write it.
func (p *entryTable) stepPath(step string) string { return p.parent.Child(step).String() }

func (p *entryTable) addEntry(e entry) int {
	if i, ok := p.index[e.name]; ok {
		return i
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	p.index[e.name] = len(p.entries)
	p.entries = append(p.entries, e)
	return len(p.entries) - 1
}

// entryForName returns the entry of a name in records. If there is none, it adds an undeclared entry.
func (p *entryTable) entryForName(name string) int {
	return p.addEntry(entry{name: name, path: p.stepPath(view.Step(name)), undeclared: true, shapeSize: -1})
}

// declareFeature adds the entry of a feature of the schema. Its name in the schema is a step: a
// record may contain the name that the step encodes, or the step itself, because statistics
// do not distinguish the two.
func (p *entryTable) declareFeature(s *rules.Schema, f *pb.Feature, environment string) {
	step := f.GetName()
	e := compileFeature(s, f, environment)
	e.name, e.path = inRecords(step), p.stepPath(step)
	i := p.addEntry(e)
	if _, ok := p.index[step]; !ok {
		p.index[step] = i
	}
}

// entryForStep returns the entry of a step of the schema. If there is none, it adds an undeclared entry.
func (p *entryTable) entryForStep(step string) int {
	if i, ok := p.index[step]; ok {
		return i
	}
	return p.entryForName(inRecords(step))
}

// inRecords is the inverse of view.Step: it returns the name in records. A step that does not
// encode a name is itself the name.
func inRecords(step string) string {
	digits, ok := strings.CutPrefix(step, view.Encoded)
	if !ok {
		return step
	}
	name, err := base64.StdEncoding.Strict().DecodeString(digits)
	if err != nil || utf8.Valid(name) {
		return step
	}
	return string(name)
}

// knownNames returns the names of the entries, for a message.Finder.
func (p *entryTable) knownNames() *message.KnownNames {
	names := make([]string, len(p.entries))
	for i := range p.entries {
		names[i] = p.entries[i].name
	}
	return message.NewKnownNames(names, p.index)
}

func compileFeature(s *rules.Schema, f *pb.Feature, environment string) entry {
	e := entry{shapeSize: -1, ignored: rules.Ignored(f)}
	if e.ignored {
		return e
	}
	e.outsideEnvironment = !s.InEnvironment(f, environment)
	e.required = !e.outsideEnvironment && (f.GetPresence().GetMinFraction() >= 1 || f.GetShape() != nil || f.GetGroupPresence().GetRequired())
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
		e.counts = append(e.counts, countBounds(v.Min, v.Max))
	}
	if shape := f.GetShape(); shape != nil {
		e.shapeSize = 1
		for _, d := range shape.GetDim() {
			if n := d.GetSize(); n > 0 && e.shapeSize <= math.MaxInt64/n {
				e.shapeSize *= n
			}
		}
	}
	e.compileDomain(s, f)
	for kind, checked := range map[example.Kind]bool{
		example.Int64List: e.ints != nil || e.tokens != nil,
		example.FloatList: e.floats != nil,
		example.BytesList: e.bytes != nil || e.tokens != nil,
	} {
		if checked {
			e.checkedKinds |= 1 << kind
		}
	}
	return e
}

func (e *entry) compileDomain(s *rules.Schema, f *pb.Feature) {
	texts := e.kind == example.BytesList
	switch d := f.GetDomainInfo().(type) {
	case *pb.Feature_IntDomain:
		in := countBounds(d.IntDomain.Min, d.IntDomain.Max)
		if e.ints = checkIntRange(in, pb.AnomalyInfo_INT_TYPE_SMALL_INT, pb.AnomalyInfo_INT_TYPE_BIG_INT); texts {
			e.ints, e.bytes = nil, checkIntTexts(in)
		}
	case *pb.Feature_FloatDomain:
		in := newFloatRange(d.FloatDomain)
		if e.floats = in.newCheck(); texts {
			e.floats, e.bytes = nil, in.newTextCheck()
		}
		if d.FloatDomain.GetIsEmbedding() {
			e.embeddingDim = max(d.FloatDomain.GetEmbeddingDim(), 0)
		}
	case *pb.Feature_BoolDomain:
		switch e.kind {
		case example.BytesList:
			var values []string
			for _, v := range []*string{d.BoolDomain.TrueValue, d.BoolDomain.FalseValue} {
				if v != nil {
					values = append(values, *v)
				}
			}
			e.bytes = checkMembership(values, "the true_value or the false_value")
		case example.FloatList:
			fits := func(v float32) bool { return v == 0 || v == 1 }
			e.floats = newValueCheck(fits, valueFault[float32]{pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT, "0 or 1", nil, float32Text})
		default:
			e.ints = checkIntRange(bounds{0, 1}, pb.AnomalyInfo_BOOL_TYPE_SMALL_INT, pb.AnomalyInfo_BOOL_TYPE_BIG_INT)
		}
	case *pb.Feature_Domain:
		if shared := s.StringDomain(d.Domain); shared != nil {
			e.compileWords(f, shared)
		}
	case *pb.Feature_StringDomain:
		e.compileWords(f, d.StringDomain)
	case *pb.Feature_ImageDomain:
		var values *domains.Check
		if d.ImageDomain.GetMinimumSupportedImageFraction() >= 1 { // else a single record cannot break the rule
			values, _ = domains.NewCheck(f)
		}
		if most := d.ImageDomain.MaxImageByteSize; most != nil || values != nil {
			e.bytes = checkContent(values, countBounds(nil, most).max)
		}
	case *pb.Feature_NaturalLanguageDomain:
		e.tokens = compileTokenRules(d.NaturalLanguageDomain, e.kind)
	default:
		switch values, _ := domains.NewCheck(f); {
		case values.Ints():
			e.ints = newValueCheck(values.FitsInt, valueFault[int64]{values.Type, values.Want, nil, int64Text})
		case values.Bytes():
			e.bytes = checkContent(values, math.MaxInt64)
		}
	}
}

// compileWords compiles a string domain. If min_domain_mass allows some values outside the
// domain, a single record cannot break the rule.
func (e *entry) compileWords(f *pb.Feature, d *pb.StringDomain) {
	if c := f.GetDistributionConstraints(); c == nil || c.GetMinDomainMass() >= 1 {
		e.bytes = checkMembership(d.GetValue(), "a value of the domain")
	}
}

// checkMembership returns a check that strings are among values.
func checkMembership(values []string, want string) *valueCheck[[]byte] {
	words := make(map[string]struct{}, len(values))
	for _, v := range values {
		words[v] = struct{}{}
	}
	fits := func(v []byte) bool { _, ok := words[string(v)]; return ok }
	return newValueCheck(fits,
		valueFault[[]byte]{pb.AnomalyInfo_ENUM_TYPE_INVALID_UTF8, "text in UTF-8", func(v []byte) bool { return !utf8.Valid(v) }, quoteValue},
		valueFault[[]byte]{pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES, want, utf8.Valid, quoteValue})
}

// checkContent returns a check that values pass values.FitsBytes, if values is not nil, and have at
// most most bytes.
func checkContent(values *domains.Check, most int64) *valueCheck[[]byte] {
	small := func(v []byte) bool { return int64(len(v)) <= most }
	c := newValueCheck(func(v []byte) bool { return small(v) && (values == nil || values.FitsBytes(v)) },
		valueFault[[]byte]{pb.AnomalyInfo_MAX_IMAGE_BYTE_SIZE_EXCEEDED, "at most " + strconv.FormatInt(most, 10) + " bytes",
			func(v []byte) bool { return !small(v) }, func(v []byte) string { return strconv.Itoa(len(v)) }})
	if values != nil {
		c.faults = append(c.faults, valueFault[[]byte]{values.Type, values.Want, small, func(v []byte) string { return values.Describe(v, quoteValue) }})
	}
	return c
}

// checkIntRange returns a check that integers are within bounds, or nil if all integers are.
func checkIntRange(in bounds, low, high pb.AnomalyInfo_Type) *valueCheck[int64] {
	if in == unbounded {
		return nil
	}
	return newValueCheck(func(v int64) bool { return v >= in.min && v <= in.max },
		valueFault[int64]{low, "at least " + int64Text(in.min), func(v int64) bool { return v < in.min }, int64Text},
		valueFault[int64]{high, "at most " + int64Text(in.max), func(v int64) bool { return v > in.max }, int64Text})
}

// checkIntTexts returns a check for integers written as text.
func checkIntTexts(in bounds) *valueCheck[[]byte] {
	is := func(fits func(n int64, ok bool) bool) func(v []byte) bool {
		return func(v []byte) bool { return fits(cformat.ParseInt(string(v))) }
	}
	return newValueCheck(is(func(n int64, ok bool) bool { return ok && n >= in.min && n <= in.max }),
		valueFault[[]byte]{pb.AnomalyInfo_INT_TYPE_NOT_INT_STRING, "an integer", is(func(_ int64, ok bool) bool { return !ok }), quoteValue},
		valueFault[[]byte]{pb.AnomalyInfo_INT_TYPE_SMALL_INT, "at least " + int64Text(in.min), is(func(n int64, ok bool) bool { return ok && n < in.min }), quoteValue},
		valueFault[[]byte]{pb.AnomalyInfo_INT_TYPE_BIG_INT, "at most " + int64Text(in.max), is(func(n int64, ok bool) bool { return ok && n > in.max }), quoteValue})
}

// A floatRange is a compiled float_domain.
type floatRange struct {
	low, high    float32
	noNaN, noInf bool
}

func newFloatRange(d *pb.FloatDomain) floatRange {
	r := floatRange{float32(math.Inf(-1)), float32(math.Inf(1)), d.GetDisallowNan(), d.GetDisallowInf()}
	if d.Min != nil {
		r.low = d.GetMin()
	}
	if d.Max != nil {
		r.high = d.GetMax()
	}
	return r
}

func (r floatRange) isNaN(v float32) bool   { return r.noNaN && v != v }
func (r floatRange) isInf(v float32) bool   { return r.noInf && math.IsInf(float64(v), 0) }
func (r floatRange) isSmall(v float32) bool { return v < r.low }
func (r floatRange) isBig(v float32) bool   { return v > r.high }
func (r floatRange) allows(v float32) bool {
	return v >= r.low && v <= r.high && !r.isInf(v) || v != v && !r.noNaN
}

// newCheck returns a check that floats are within the range.
func (r floatRange) newCheck() *valueCheck[float32] {
	return newValueCheck(r.allows,
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_HAS_NAN, "no NaN", r.isNaN, float32Text},
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_HAS_INF, "no infinity", r.isInf, float32Text},
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT, "at least " + float32Text(r.low), r.isSmall, float32Text},
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "at most " + float32Text(r.high), r.isBig, float32Text})
}

// newTextCheck returns a check for numbers written as text.
func (r floatRange) newTextCheck() *valueCheck[[]byte] {
	is := func(fits func(f float32, allowed bool) bool) func(v []byte) bool {
		return func(v []byte) bool {
			f, ok := cformat.ParseFloat(string(v))
			return fits(f, ok && !r.isNaN(f) && !r.isInf(f))
		}
	}
	return newValueCheck(is(func(f float32, allowed bool) bool { return allowed && r.allows(f) }),
		valueFault[[]byte]{pb.AnomalyInfo_FLOAT_TYPE_STRING_NOT_FLOAT, "a number that is allowed", is(func(_ float32, allowed bool) bool { return !allowed }), quoteValue},
		valueFault[[]byte]{pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT, "at least " + float32Text(r.low), is(func(f float32, allowed bool) bool { return allowed && r.isSmall(f) }), quoteValue},
		valueFault[[]byte]{pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "at most " + float32Text(r.high), is(func(f float32, allowed bool) bool { return allowed && r.isBig(f) }), quoteValue})
}
