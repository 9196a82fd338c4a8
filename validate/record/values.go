package record

import (
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// A place is where a feature is, for findings.
type place struct {
	s    *scratch
	e    *entry
	step int
	at   int // the offset
}

func (p place) find(rule pb.AnomalyInfo_Type, want, got string) {
	p.value(rule, -1, 1, want, got)
}

func (p place) value(rule pb.AnomalyInfo_Type, value, count int, want, got string) {
	p.s.add(Finding{Rule: rule.String(), Feature: p.e.path, Step: p.step, ValueIndex: value, Count: count, Offset: p.at, Expected: want, Observed: got})
}

func (p place) missing(want string) {
	p.find(pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT, want, "none")
}

func (p place) bad(err error) {
	p.s.add(Finding{Rule: BadRecord, Feature: p.e.path, Step: p.step, ValueIndex: -1, Count: 1, Offset: p.at, Err: err})
}

// check checks the feature of an Example or of a context that has an entry.
func (e *entry) check(s *scratch, entry int) {
	if e.ignored && !e.linked {
		return
	}
	b, at := s.raw(entry)
	p := place{s: s, e: e, step: -1, at: at}
	kind, n, err := example.Unset, 0, error(nil)
	if at >= 0 {
		var ok bool
		if kind, n, ok = s.readCanonical(b, e.checked); !ok {
			kind, n, err = s.read(s.feature(entry), e.checked)
		}
	}
	if kind == example.Unset {
		if e.required {
			p.missing("a feature that is always there")
		}
		return
	}
	if e.outside {
		p.find(pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "no such feature in this environment", "one")
	}
	if err != nil {
		p.bad(err)
	} else if !e.ignored {
		e.feature(p, kind, n)
		e.count(p, 0, n)
	}
}

// checkList checks a feature list.
func (e *entry) checkList(s *scratch, list example.FeatureList, found bool) {
	p := place{s: s, e: e, step: -1, at: -1}
	switch {
	case e.ignored:
		return
	case !found:
		if e.required {
			p.missing("a feature list that is always there")
		}
		return
	}
	p.at = list.Offset()
	if e.outside {
		p.find(pb.AnomalyInfo_SCHEMA_NEW_COLUMN, "no such feature list in this environment", "one")
	}
	steps := list.Scan()
	for steps.Next() {
		f := steps.Feature()
		q := place{s: s, e: e, step: steps.Index(), at: f.Offset()}
		err := error(nil)
		kind, n, ok := s.readCanonical(f.Raw(), e.checked)
		if !ok {
			kind, n, err = s.read(f, e.checked)
		}
		switch {
		case kind == example.Unset:
		case err != nil:
			q.bad(err)
		default:
			e.feature(q, kind, n)
			e.count(q, 1, n)
		}
	}
	if err := steps.Err(); err != nil {
		p.bad(err)
		return
	}
	e.count(p, 0, steps.Index()+1)
}

// countRules are those for too few values and for too many.
var countRules = [2]pb.AnomalyInfo_Type{pb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES, pb.AnomalyInfo_FEATURE_TYPE_HIGH_NUMBER_VALUES}

// count checks the number of values at a level of nesting.
func (e *entry) count(p place, level, n int) {
	if level < len(e.counts) {
		e.counts[level].check(int64(n), " values", countRules, p.find)
	}
	if e.fixed >= 0 && int64(n) != e.fixed && p.step < 0 {
		p.find(pb.AnomalyInfo_INVALID_FEATURE_SHAPE, int64Text(e.fixed)+" values, as the shape has", strconv.Itoa(n))
	}
}

// check calls find if n is below or above the bounds. The rules are those for either.
func (b bounds) check(n int64, things string, rules [2]pb.AnomalyInfo_Type, find func(rule pb.AnomalyInfo_Type, want, got string)) {
	switch {
	case n < b.min:
		find(rules[0], "at least "+int64Text(b.min)+things, int64Text(n))
	case n > b.max:
		find(rules[1], "at most "+int64Text(b.max)+things, int64Text(n))
	}
}

// kinds is a set of kinds of values.
type kinds uint8

func (k kinds) has(kind example.Kind) bool { return k>>kind&1 == 1 }

// readCanonical reads the kind and the number of the values of a feature in canonical encoding, and the values themselves
// if they are of one of some kinds. It takes a third of the time of read, without the copies of the feature.
func (s *scratch) readCanonical(b []byte, checked kinds) (kind example.Kind, n int, ok bool) {
	if len(b) == 0 {
		return kind, 0, false
	}
	switch kind = example.Kind(b[0] >> 3); {
	case !checked.has(kind):
		_, n, ok = canonical.Count(b, 0)
	case b[0] == canonical.Int64Tag:
		if cap(s.ints) < len(b) { // as many values there may be
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

// read does what readCanonical does for any encoding.
func (s *scratch) read(f example.Feature, checked kinds) (kind example.Kind, n int, err error) {
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

// feature checks the kind of a feature, and its values, which were read.
func (e *entry) feature(p place, kind example.Kind, n int) {
	s := p.s
	switch {
	case e.kind != example.Unset && kind != e.kind:
		p.find(pb.AnomalyInfo_UNEXPECTED_DATA_TYPE, kindName(e.kind), kindName(kind))
		return
	case !e.checked.has(kind):
	case kind == example.Int64List:
		if e.ints.find(p, s.ints); e.sequences != nil {
			e.sequences.check(p, n, func(i int) token { return token{number: s.ints[i]} })
		}
	case kind == example.FloatList:
		e.floats.find(p, s.floats)
	case kind == example.BytesList:
		if e.bytes.find(p, s.bytes); e.sequences != nil {
			e.sequences.check(p, n, func(i int) token { return token{text: string(s.bytes[i])} })
		}
	}
	if e.dim > 0 && int64(n) != e.dim {
		p.find(pb.AnomalyInfo_EMBEDDING_SHAPE_INVALID, int64Text(e.dim)+" values, as the embedding has dimensions", strconv.Itoa(n))
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

// A valueCheck is a domain of values. A nil one allows all.
type valueCheck[T any] struct {
	fits   func(v T) bool
	faults []valueFault[T] // what may be wrong with a value that does not fit, in the order of findings
}

// A valueFault is one way in which a value does not fit.
type valueFault[T any] struct {
	rule  pb.AnomalyInfo_Type
	want  string
	holds func(v T) bool   // of a value that does not fit; nil: always
	show  func(v T) string // what was observed
}

func newValueCheck[T any](fits func(v T) bool, faults ...valueFault[T]) *valueCheck[T] {
	return &valueCheck[T]{fits, faults}
}

// find adds a finding for each fault that values have: with the first one, and their number.
func (c *valueCheck[T]) find(p place, values []T) {
	if c == nil {
		return
	}
	i := 0
	for i < len(values) && c.fits(values[i]) {
		i++
	}
	if i == len(values) {
		return
	}
	for _, fault := range c.faults {
		first, count := -1, 0
		for k, v := range values[i:] {
			if c.fits(v) || fault.holds != nil && !fault.holds(v) {
				continue
			}
			if count++; count == 1 {
				first = i + k
			}
		}
		if count > 0 {
			p.value(fault.rule, first, count, fault.want, fault.show(values[first]))
		}
	}
}

func int64Text(v int64) string { return strconv.FormatInt(v, 10) }

func float32Text(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// shown quotes a value, or the beginning of one that is long.
func shown(b []byte) string {
	const most = 64
	if len(b) <= most {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(b[:most])) + "… (" + strconv.Itoa(len(b)) + " bytes)"
}

// sequences are the rules of a natural_language_domain for the tokens of one record. Statistics check what is about all records, such as coverage,
// and the rules for which tokens must be looked up in a vocabulary.
type sequences struct {
	length   bounds             // tokens that count
	excluded map[token]struct{} // these do not count
	limits   []tokenLimit
}

// A token is a number, or a text in features of strings.
type token struct {
	number int64
	text   string
}

// A tokenLimit says how often a token may be in a sequence.
type tokenLimit struct {
	token
	name  string // of the token, in findings
	times bounds
}

// compileSequences returns nil if a record cannot break a rule. Values are of the kind.
func compileSequences(d *pb.NaturalLanguageDomain, kind example.Kind) *sequences {
	if kind != example.BytesList && kind != example.Int64List {
		return nil
	}
	texts := kind == example.BytesList
	s := &sequences{length: unbounded, excluded: map[token]struct{}{}}
	l := d.GetSequenceLengthConstraints()
	for _, v := range l.GetExcludedStringValue() {
		s.excluded[token{text: v}] = struct{}{}
	}
	for _, v := range l.GetExcludedIntValue() {
		s.excluded[token{number: v}] = struct{}{}
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

// check checks the n tokens of a record. Without any there is no sequence.
func (s *sequences) check(p place, n int, at func(i int) token) {
	if n == 0 {
		return
	}
	length, times := int64(0), make([]int64, len(s.limits))
	for i := range n {
		t := at(i)
		if _, ok := s.excluded[t]; !ok {
			length++
		}
		for k := range s.limits {
			if s.limits[k].token == t {
				times[k]++
			}
		}
	}
	s.length.check(length, " tokens", countRules, p.find)
	for k, n := range times {
		s.limits[k].times.check(n, " times the token "+s.limits[k].name,
			[2]pb.AnomalyInfo_Type{pb.AnomalyInfo_SEQUENCE_VALUE_TOO_FEW_OCCURRENCES, pb.AnomalyInfo_SEQUENCE_VALUE_TOO_MANY_OCCURRENCES}, p.find)
	}
}
