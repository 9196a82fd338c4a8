package record

import (
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// A findingSite is the position of a feature. Its methods add findings with that position.
type findingSite struct {
	s      *scratch
	e      *entry
	step   int // -1 for a feature that is not a step
	offset int // offset of the feature in the message; -1: the feature is missing
}

func (p findingSite) addFinding(rule pb.AnomalyInfo_Type, want, got string) {
	p.addValueFinding(rule, -1, 1, want, got)
}

func (p findingSite) addValueFinding(rule pb.AnomalyInfo_Type, value, count int, want, got string) {
	p.s.addFinding(Finding{Rule: rule.String(), Feature: p.e.path, Step: p.step, ValueIndex: value, Count: count, Offset: p.offset, Expected: want, Observed: got})
}

func (p findingSite) addMissing(want string) {
	p.addFinding(pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT, want, "none")
}

func (p findingSite) addBadRecord(err error) {
	p.s.addFinding(Finding{Rule: BadRecord, Feature: p.e.path, Step: p.step, ValueIndex: -1, Count: 1, Offset: p.offset, Err: err})
}

// checkFeature checks the feature of an Example or of a context against e, its entry.
func (e *entry) checkFeature(s *scratch, entry int) {
	if e.ignored && !e.linked {
		return
	}
	b, at := s.rawFeature(entry)
	p := findingSite{s: s, e: e, step: -1, offset: at}
	kind, n, err := example.Unset, 0, error(nil)
	if at >= 0 {
		var ok bool
		if kind, n, ok = s.readCanonical(b, e.checkedKinds); !ok {
			kind, n, err = s.readValues(s.feature(entry), e.checkedKinds)
		}
	}
	if kind == example.Unset {
		if e.required {
			p.addMissing("a required feature")
		}
		return
	}
	if e.outsideEnvironment {
		p.addFinding(pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "no such feature in this environment", "the feature")
	}
	if err != nil {
		p.addBadRecord(err)
	} else if !e.ignored {
		e.checkValues(p, kind, n)
		e.checkCount(p, 0, n)
	}
}

// checkList checks a feature list against e, its entry.
func (e *entry) checkList(s *scratch, list example.FeatureList, found bool) {
	p := findingSite{s: s, e: e, step: -1, offset: -1}
	switch {
	case e.ignored:
		return
	case !found:
		if e.required {
			p.addMissing("a required feature list")
		}
		return
	}
	p.offset = list.Offset()
	if e.outsideEnvironment {
		p.addFinding(pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "no such feature list in this environment", "the feature list")
	}
	steps := list.Scan()
	for steps.Next() {
		f := steps.Feature()
		q := findingSite{s: s, e: e, step: steps.Index(), offset: f.Offset()}
		err := error(nil)
		kind, n, ok := s.readCanonical(f.Raw(), e.checkedKinds)
		if !ok {
			kind, n, err = s.readValues(f, e.checkedKinds)
		}
		switch {
		case kind == example.Unset:
		case err != nil:
			q.addBadRecord(err)
		default:
			e.checkValues(q, kind, n)
			e.checkCount(q, 1, n)
		}
	}
	if err := steps.Err(); err != nil {
		p.addBadRecord(err)
		return
	}
	e.checkCount(p, 0, steps.Index()+1)
}

// countRules are the rules for too few and for too many values.
var countRules = [2]pb.AnomalyInfo_Type{pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES, pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES}

// checkCount checks the number of values at a level of nesting.
func (e *entry) checkCount(p findingSite, level, n int) {
	if level < len(e.counts) {
		e.counts[level].checkBounds(int64(n), " values", countRules, p.addFinding)
	}
	if e.shapeSize >= 0 && int64(n) != e.shapeSize && p.step < 0 {
		p.addFinding(pb.AnomalyInfo_INVALID_FEATURE_SHAPE, int64Text(e.shapeSize)+" values, as the shape has", strconv.Itoa(n))
	}
}

// checkBounds calls find with the first rule if n is below the bounds, with the second if n is above.
// things names the things that n counts.
func (b bounds) checkBounds(n int64, things string, rules [2]pb.AnomalyInfo_Type, find func(rule pb.AnomalyInfo_Type, want, got string)) {
	switch {
	case n < b.min:
		find(rules[0], "at least "+int64Text(b.min)+things, int64Text(n))
	case n > b.max:
		find(rules[1], "at most "+int64Text(b.max)+things, int64Text(n))
	}
}

// A kindSet is a set of kinds, one bit for each.
type kindSet uint8

func (k kindSet) has(kind example.Kind) bool { return k>>kind&1 == 1 }

// readCanonical returns the kind and the number of values of a feature in canonical encoding. It
// reads the values into s if the kind is in checked. It takes a third of the time of readValues
// because it does not copy an example.Feature. TestWalkIsScan compares the two.
func (s *scratch) readCanonical(b []byte, checked kindSet) (kind example.Kind, n int, ok bool) {
	if len(b) == 0 {
		return kind, 0, false
	}
	switch kind = example.Kind(b[0] >> 3); {
	case !checked.has(kind):
		_, n, ok = canonical.Count(b, 0)
	case b[0] == canonical.Int64Tag:
		if cap(s.ints) < len(b) { // the maximum number of values
			s.ints = make([]int64, 0, len(b))
		}
		s.ints, ok = canonical.AppendInt64s(s.ints[:0], b, 0)
		n = len(s.ints)
	case b[0] == canonical.FloatTag:
		s.floats, ok = canonical.AppendFloats(s.floats[:0], b, 0)
		n = len(s.floats)
	case b[0] == canonical.BytesTag:
		var v []byte
		if v, ok = canonical.Bytes(b, 0); ok {
			s.bytes, n = append(s.bytes[:0], v), 1
		}
	}
	return kind, n, ok
}

// readValues is readCanonical for any encoding.
func (s *scratch) readValues(f example.Feature, checked kindSet) (kind example.Kind, n int, err error) {
	kind = f.Kind()
	if n, err = f.Len(); err != nil || !checked.has(kind) {
		return kind, n, err
	}
	switch kind {
	case example.Int64List:
		s.ints, err = f.AppendInt64s(s.ints[:0])
	case example.FloatList:
		s.floats, err = f.AppendFloats(s.floats[:0])
	case example.BytesList:
		s.bytes, err = f.AppendBytes(s.bytes[:0])
	}
	return kind, n, err
}

// checkValues checks the kind of a feature and its n values, which have been read into p.s.
func (e *entry) checkValues(p findingSite, kind example.Kind, n int) {
	s := p.s
	switch {
	case e.kind != example.Unset && kind != e.kind:
		p.addFinding(pb.AnomalyInfo_UNEXPECTED_DATA_TYPE, kindName(e.kind), kindName(kind))
		return
	case !e.checkedKinds.has(kind):
	case kind == example.Int64List:
		if e.ints.addFindings(p, s.ints); e.tokens != nil {
			e.tokens.checkTokens(p, n, func(i int) token { return token{number: s.ints[i]} })
		}
	case kind == example.FloatList:
		e.floats.addFindings(p, s.floats)
	case kind == example.BytesList:
		if e.bytes.addFindings(p, s.bytes); e.tokens != nil {
			e.tokens.checkTokens(p, n, func(i int) token { return token{text: string(s.bytes[i])} })
		}
	}
	if e.embeddingDim > 0 && int64(n) != e.embeddingDim {
		p.addFinding(pb.AnomalyInfo_EMBEDDING_SHAPE_INVALID, int64Text(e.embeddingDim)+" values, as the embedding has dimensions", strconv.Itoa(n))
	}
}

func kindName(k example.Kind) string {
	switch k {
	case example.BytesList:
		return "BYTES"
	case example.Int64List:
		return "INT"
	case example.FloatList:
		return "FLOAT"
	}
	return k.String()
}

// A valueCheck is a compiled domain. A nil valueCheck allows all values.
type valueCheck[T any] struct {
	allows func(v T) bool
	faults []valueFault[T] // the possible reasons why a value is not allowed, in the order of findings
}

// A valueFault is a reason why a value is not allowed.
type valueFault[T any] struct {
	rule    pb.AnomalyInfo_Type
	want    string           // Finding.Expected
	applies func(v T) bool   // whether this is the reason for a value that is not allowed; nil: always
	observe func(v T) string // returns Finding.Observed
}

func newValueCheck[T any](fits func(v T) bool, faults ...valueFault[T]) *valueCheck[T] {
	return &valueCheck[T]{fits, faults}
}

// addFindings adds a finding for each fault of the values, with the first value that has the fault and
// the number of such values.
func (c *valueCheck[T]) addFindings(p findingSite, values []T) {
	if c == nil {
		return
	}
	i := 0
	for i < len(values) && c.allows(values[i]) {
		i++
	}
	if i == len(values) {
		return
	}
	for _, fault := range c.faults {
		first, count := -1, 0
		for k, v := range values[i:] {
			if c.allows(v) || fault.applies != nil && !fault.applies(v) {
				continue
			}
			if count++; count == 1 {
				first = i + k
			}
		}
		if count > 0 {
			p.addValueFinding(fault.rule, first, count, fault.want, fault.observe(values[first]))
		}
	}
}

func int64Text(v int64) string { return strconv.FormatInt(v, 10) }

func float32Text(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// quoteValue returns a value as a quoted string, cut if it is long.
func quoteValue(b []byte) string {
	const most = 64
	if len(b) <= most {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(b[:most])) + "… (" + strconv.Itoa(len(b)) + " bytes)"
}

// tokenRules are the rules of a natural_language_domain for the tokens of one record. Rules about
// all records, such as coverage, and rules that need a vocabulary are checked in statistics.
type tokenRules struct {
	length         bounds             // allowed length of a sequence, without excludedTokens
	excludedTokens map[token]struct{} // tokens that are not counted in the length
	limits         []tokenLimit
}

// A token is one value: text for a BytesList, else number.
type token struct {
	number int64
	text   string
}

// A tokenLimit is the allowed number of occurrences of a token in a sequence.
type tokenLimit struct {
	token
	name  string // name of the token, in findings
	times bounds // allowed number of occurrences
}

// compileTokenRules returns nil if a record cannot break a rule. kind is the kind of the values.
func compileTokenRules(d *pb.NaturalLanguageDomain, kind example.Kind) *tokenRules {
	if kind != example.BytesList && kind != example.Int64List {
		return nil
	}
	texts := kind == example.BytesList
	s := &tokenRules{length: unbounded, excludedTokens: map[token]struct{}{}}
	l := d.GetSequenceLengthConstraints()
	for _, v := range l.GetExcludedStringValue() {
		s.excludedTokens[token{text: v}] = struct{}{}
	}
	for _, v := range l.GetExcludedIntValue() {
		s.excludedTokens[token{number: v}] = struct{}{}
	}
	if l != nil && (texts && len(l.GetExcludedIntValue()) == 0 || !texts && len(l.GetExcludedStringValue()) == 0) {
		s.length = countBounds(l.MinSequenceLength, l.MaxSequenceLength)
	}
	for _, c := range d.GetTokenConstraints() {
		limit := tokenLimit{times: countBounds(c.MinPerSequence, c.MaxPerSequence)}
		switch v := c.GetValue().(type) {
		case *pb.SequenceValueConstraints_StringValue:
			limit.text, limit.name = v.StringValue, strconv.Quote(v.StringValue)
		case *pb.SequenceValueConstraints_IntValue:
			limit.number, limit.name = v.IntValue, strconv.FormatInt(v.IntValue, 10)
		default:
			continue
		}
		if _, text := c.GetValue().(*pb.SequenceValueConstraints_StringValue); text == texts && limit.times != unbounded {
			s.limits = append(s.limits, limit)
		}
	}
	if s.length == unbounded && s.limits == nil {
		return nil
	}
	return s
}

// checkTokens checks the n tokens of a record. A record without tokens has no sequence.
func (s *tokenRules) checkTokens(p findingSite, n int, at func(i int) token) {
	if n == 0 {
		return
	}
	length, times := int64(0), make([]int64, len(s.limits))
	for i := range n {
		t := at(i)
		if _, ok := s.excludedTokens[t]; !ok {
			length++
		}
		for k := range s.limits {
			if s.limits[k].token == t {
				times[k]++
			}
		}
	}
	s.length.checkBounds(length, " tokens", countRules, p.addFinding)
	for k, n := range times {
		s.limits[k].times.checkBounds(n, " times the token "+s.limits[k].name,
			[2]pb.AnomalyInfo_Type{pb.AnomalyInfo_SEQUENCE_VALUE_TOO_FEW_OCCURRENCES, pb.AnomalyInfo_SEQUENCE_VALUE_TOO_MANY_OCCURRENCES}, p.addFinding)
	}
}
