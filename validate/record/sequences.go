package record

import (
	"strconv"

	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

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
