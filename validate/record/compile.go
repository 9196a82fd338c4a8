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

// An entry is what the schema says about one name.
type entry struct {
	name, path string
	ignored    bool // nothing is checked
	unknown    bool // the schema does not have it; it is the key of a link or of a group
	outside    bool // it is not in the environment
	required   bool
	linked     bool         // links or groups look at it
	kind       example.Kind // Unset: any
	counts     []bounds     // by level of nesting
	fixed      int64        // the number of values of a shape; -1: none
	dim        int64        // the number of values of an embedding; 0: any
	sequences  *sequences   // of tokens; nil: nothing is said of them

	// The domain of values of each kind; nil: any values.
	ints    *valueCheck[int64]
	floats  *valueCheck[float32]
	bytes   *valueCheck[[]byte]
	checked kinds // those whose values are checked
}

// bounds are the least and the greatest of something.
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

// A part is the entries of the features of a message, or of its feature lists.
type part struct {
	group   feature.Group // of these features in a spec
	above   view.Path     // of all of them in the schema
	entries []entry
	index   map[string]int // entries by the names that records have
	links   []link
}

// path is the path of a step as text, as anomalies and statistics have it.
func (p *part) path(step string) string { return p.above.Child(step).String() }

func (p *part) add(e entry) int {
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

// key finds the entry of a name in records, or makes one.
func (p *part) key(name string) int {
	return p.add(entry{name: name, path: p.path(view.Step(name)), unknown: true, fixed: -1})
}

// declare adds the entry of a feature of the schema. Its name is a step: records may
// have what it encodes, and the step itself, which statistics do not tell apart.
func (p *part) declare(s *rules.Schema, f *pb.Feature, environment string) {
	step := f.GetName()
	e := compileFeature(s, f, environment)
	e.name, e.path = inRecords(step), p.path(step)
	i := p.add(e)
	if _, ok := p.index[step]; !ok {
		p.index[step] = i
	}
}

// declared finds the entry of a step of the schema, or makes one.
func (p *part) declared(step string) int {
	if i, ok := p.index[step]; ok {
		return i
	}
	return p.key(inRecords(step))
}

// inRecords is the inverse of view.Step: the name that records have. A step that encodes no name
// is one itself.
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

// knownNames are the names of the entries, for a message.Finder.
func (p *part) knownNames() *message.KnownNames {
	names := make([]string, len(p.entries))
	for i := range p.entries {
		names[i] = p.entries[i].name
	}
	return message.NewKnownNames(names, p.index)
}

func compileFeature(s *rules.Schema, f *pb.Feature, environment string) entry {
	e := entry{fixed: -1, ignored: rules.Ignored(f)}
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
		e.counts = append(e.counts, countBounds(v.Min, v.Max))
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
	for kind, checked := range map[example.Kind]bool{
		example.Int64List: e.ints != nil || e.sequences != nil,
		example.FloatList: e.floats != nil,
		example.BytesList: e.bytes != nil || e.sequences != nil,
	} {
		if checked {
			e.checked |= 1 << kind
		}
	}
	return e
}

func (e *entry) compileDomain(s *rules.Schema, f *pb.Feature) {
	texts := e.kind == example.BytesList
	switch d := f.GetDomainInfo().(type) {
	case *pb.Feature_IntDomain:
		in := countBounds(d.IntDomain.Min, d.IntDomain.Max)
		if e.ints = inRange(in, pb.AnomalyInfo_INT_TYPE_SMALL_INT, pb.AnomalyInfo_INT_TYPE_BIG_INT); texts {
			e.ints, e.bytes = nil, intTexts(in)
		}
	case *pb.Feature_FloatDomain:
		in := newFloatRange(d.FloatDomain)
		if e.floats = in.check(); texts {
			e.floats, e.bytes = nil, in.checkTexts()
		}
		if d.FloatDomain.GetIsEmbedding() {
			e.dim = max(d.FloatDomain.GetEmbeddingDim(), 0)
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
			e.bytes = oneOf(values, "the true_value or the false_value")
		case example.FloatList:
			fits := func(v float32) bool { return v == 0 || v == 1 }
			e.floats = newValueCheck(fits, valueFault[float32]{pb.AnomalyInfo_BOOL_TYPE_UNEXPECTED_FLOAT, "0 or 1", nil, float32Text})
		default:
			e.ints = inRange(bounds{0, 1}, pb.AnomalyInfo_BOOL_TYPE_SMALL_INT, pb.AnomalyInfo_BOOL_TYPE_BIG_INT)
		}
	case *pb.Feature_Domain:
		if shared := s.StringDomain(d.Domain); shared != nil {
			e.compileWords(f, shared)
		}
	case *pb.Feature_StringDomain:
		e.compileWords(f, d.StringDomain)
	case *pb.Feature_ImageDomain:
		var values *domains.Check
		if d.ImageDomain.GetMinimumSupportedImageFraction() >= 1 { // else no record says whether there are too many others
			values, _ = domains.NewCheck(f)
		}
		if most := d.ImageDomain.MaxImageByteSize; most != nil || values != nil {
			e.bytes = semantic(values, countBounds(nil, most).max)
		}
	case *pb.Feature_NaturalLanguageDomain:
		e.sequences = compileSequences(d.NaturalLanguageDomain, e.kind)
	default:
		switch values, _ := domains.NewCheck(f); {
		case values.Ints():
			e.ints = newValueCheck(values.FitsInt, valueFault[int64]{values.Type, values.Want, nil, int64Text})
		case values.Bytes():
			e.bytes = semantic(values, math.MaxInt64)
		}
	}
}

// compileWords makes a set of a domain. If some values may lie outside, no record says
// whether there are too many.
func (e *entry) compileWords(f *pb.Feature, d *pb.StringDomain) {
	if c := f.GetDistributionConstraints(); c == nil || c.GetMinDomainMass() >= 1 {
		e.bytes = oneOf(d.GetValue(), "a value of the domain")
	}
}

// oneOf checks that strings are among some values.
func oneOf(values []string, want string) *valueCheck[[]byte] {
	words := make(map[string]struct{}, len(values))
	for _, v := range values {
		words[v] = struct{}{}
	}
	fits := func(v []byte) bool { _, ok := words[string(v)]; return ok }
	return newValueCheck(fits,
		valueFault[[]byte]{pb.AnomalyInfo_ENUM_TYPE_INVALID_UTF8, "text in UTF-8", func(v []byte) bool { return !utf8.Valid(v) }, shown},
		valueFault[[]byte]{pb.AnomalyInfo_ENUM_TYPE_UNEXPECTED_STRING_VALUES, want, utf8.Valid, shown})
}

// semantic checks that values fit a check, if there is one, and have at most some bytes.
func semantic(values *domains.Check, most int64) *valueCheck[[]byte] {
	small := func(v []byte) bool { return int64(len(v)) <= most }
	c := newValueCheck(func(v []byte) bool { return small(v) && (values == nil || values.FitsBytes(v)) },
		valueFault[[]byte]{pb.AnomalyInfo_MAX_IMAGE_BYTE_SIZE_EXCEEDED, "at most " + strconv.FormatInt(most, 10) + " bytes",
			func(v []byte) bool { return !small(v) }, func(v []byte) string { return strconv.Itoa(len(v)) }})
	if values != nil {
		c.faults = append(c.faults, valueFault[[]byte]{values.Type, values.Want, small, func(v []byte) string { return values.Describe(v, shown) }})
	}
	return c
}

// inRange checks that integers lie in a range.
func inRange(in bounds, low, high pb.AnomalyInfo_Type) *valueCheck[int64] {
	if in == unbounded {
		return nil
	}
	return newValueCheck(func(v int64) bool { return v >= in.min && v <= in.max },
		valueFault[int64]{low, "at least " + int64Text(in.min), func(v int64) bool { return v < in.min }, int64Text},
		valueFault[int64]{high, "at most " + int64Text(in.max), func(v int64) bool { return v > in.max }, int64Text})
}

// intTexts checks integers that are written as text.
func intTexts(in bounds) *valueCheck[[]byte] {
	is := func(fits func(n int64, ok bool) bool) func(v []byte) bool {
		return func(v []byte) bool { return fits(cformat.ParseInt(string(v))) }
	}
	return newValueCheck(is(func(n int64, ok bool) bool { return ok && n >= in.min && n <= in.max }),
		valueFault[[]byte]{pb.AnomalyInfo_INT_TYPE_NOT_INT_STRING, "an integer", is(func(_ int64, ok bool) bool { return !ok }), shown},
		valueFault[[]byte]{pb.AnomalyInfo_INT_TYPE_SMALL_INT, "at least " + int64Text(in.min), is(func(n int64, ok bool) bool { return ok && n < in.min }), shown},
		valueFault[[]byte]{pb.AnomalyInfo_INT_TYPE_BIG_INT, "at most " + int64Text(in.max), is(func(n int64, ok bool) bool { return ok && n > in.max }), shown})
}

// A floatRange is a float_domain.
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
func (r floatRange) fits(v float32) bool {
	return v >= r.low && v <= r.high && !r.isInf(v) || v != v && !r.noNaN
}

// check checks that floats lie in the range.
func (r floatRange) check() *valueCheck[float32] {
	return newValueCheck(r.fits,
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_HAS_NAN, "no NaN", r.isNaN, float32Text},
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_HAS_INF, "no infinity", r.isInf, float32Text},
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT, "at least " + float32Text(r.low), r.isSmall, float32Text},
		valueFault[float32]{pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "at most " + float32Text(r.high), r.isBig, float32Text})
}

// checkTexts checks numbers that are written as text.
func (r floatRange) checkTexts() *valueCheck[[]byte] {
	is := func(fits func(f float32, allowed bool) bool) func(v []byte) bool {
		return func(v []byte) bool {
			f, ok := cformat.ParseFloat(string(v))
			return fits(f, ok && !r.isNaN(f) && !r.isInf(f))
		}
	}
	return newValueCheck(is(func(f float32, allowed bool) bool { return allowed && r.fits(f) }),
		valueFault[[]byte]{pb.AnomalyInfo_FLOAT_TYPE_STRING_NOT_FLOAT, "a number that is allowed", is(func(_ float32, allowed bool) bool { return !allowed }), shown},
		valueFault[[]byte]{pb.AnomalyInfo_FLOAT_TYPE_SMALL_FLOAT, "at least " + float32Text(r.low), is(func(f float32, allowed bool) bool { return allowed && r.isSmall(f) }), shown},
		valueFault[[]byte]{pb.AnomalyInfo_FLOAT_TYPE_BIG_FLOAT, "at most " + float32Text(r.high), is(func(f float32, allowed bool) bool { return allowed && r.isBig(f) }), shown})
}
