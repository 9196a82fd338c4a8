package record

import (
	"slices"

	"github.com/tfparse/tfparse/feature/infer"
)

// A Summary collects the findings about many records: of each feature and rule the first ones, and how many there are. Those of
// the records of several files are merged in the order of the files, also from other machines: a Summary has a bytes form.
//
// Memory is bounded: of MaxPairs pairs of a feature and a rule, or as many as have names of 8 MiB, each has a count of its own.
// Those beyond are counted together, and so are their first findings.
//
// A Summary belongs to one goroutine.
type Summary struct {
	most  int
	kept  []Located
	rows  []*Count // in the order in which they were met
	index map[pair]*Count
	names int // bytes of the features of rows
	other Count
	rules []*Count // of those, by rule
	all   Count
	pairs []infer.Pair // of the findings, each once

	record uint64 // ordinal of the record at hand, from 1
}

// MaxPairs is how many pairs of a feature and a rule have a count of their own.
const MaxPairs = 10_000

const maxNames = 8 << 20

type pair struct{ feature, rule string }

// A Place is where a record is.
type Place struct {
	File   string
	Record int64 // ordinal, from 0
	Offset int64 // of its frame, in bytes of the uncompressed stream
}

// Located is a finding and the record that it is about.
type Located struct {
	Finding
	Place  Place
	Length int // of the record, in bytes
}

// A Count is how many findings a pair of a feature and a rule has.
type Count struct {
	Feature, Rule string
	Findings      uint64 // warnings included
	Warnings      uint64
	Values        uint64 // that break the rule
	Records       uint64 // with such a finding
	Kept          uint64 // findings that Kept returns

	last uint64 // the last record that was counted
}

// NewSummary returns a Summary that keeps most findings of each feature and rule.
func NewSummary(most int) *Summary { return &Summary{most: most} }

// Add adds what Check has found in a record of so many bytes. It keeps findings, but none of their Pairs.
func (s *Summary) Add(at Place, length int, found []Finding) {
	if len(found) == 0 {
		return
	}
	s.record++
	for _, f := range found {
		n := s.at(f.Feature, f.Rule)
		findings, values := uint64(1), uint64(0)
		switch {
		case f.Rule == MoreFindings:
			findings = uint64(f.Count)
		case f.ValueIndex >= 0:
			values = uint64(f.Count)
		}
		to := []*Count{n, &s.all, nil}
		if n == &s.other {
			to[2] = s.rule(f.Rule)
		}
		for _, to := range to {
			if to == nil {
				continue
			}
			to.Findings += findings
			to.Values += values
			if f.Warning {
				to.Warnings += findings
			}
			if s.record > to.last {
				to.last = s.record
				to.Records++
			}
		}
		if f.Pair != nil {
			p := s.pairOf(f.Pair)
			f.Pair = &p
		}
		s.keep(n, Located{f, at, length})
	}
}

// keep keeps a finding if there are not enough of its pair.
func (s *Summary) keep(n *Count, f Located) {
	if n.Kept < uint64(s.most) {
		n.Kept++
		s.all.Kept++
		s.kept = append(s.kept, f)
	}
}

// at returns the count of a pair, or of all those beyond the limits.
func (s *Summary) at(feature, rule string) *Count {
	key := pair{feature, rule}
	if n := s.index[key]; n != nil {
		return n
	}
	if len(s.rows) == MaxPairs || s.names+len(feature) > maxNames {
		return &s.other
	}
	if s.index == nil {
		s.index = map[pair]*Count{}
	}
	n := &Count{Feature: feature, Rule: rule}
	s.rows, s.index[key] = append(s.rows, n), n
	s.names += len(feature)
	return n
}

// pairOf returns the pair that was noted for p, and notes it if there is none.
func (s *Summary) pairOf(p *infer.Pair) infer.Pair {
	i := s.indexOf(p)
	if i < 0 {
		i = len(s.pairs)
		s.pairs = append(s.pairs, *p)
	}
	return s.pairs[i]
}

// indexOf returns the index of p in s.pairs, or -1. Two may be of one pair that have counted other records.
func (s *Summary) indexOf(p *infer.Pair) int {
	return slices.IndexFunc(s.pairs, func(o infer.Pair) bool {
		return o.Group == p.Group && o.Partition == p.Partition && o.Of == p.Of && o.Rows == p.Rows && o.Block == p.Block
	})
}

// rule returns the count of a rule among those of the pairs beyond the limits.
func (s *Summary) rule(name string) *Count {
	for _, n := range s.rules {
		if n.Rule == name {
			return n
		}
	}
	n := &Count{Rule: name}
	s.rules = append(s.rules, n)
	return n
}

// Merge adds the findings about the records behind those of s. o is not used again. Where there are more than MaxPairs pairs, those
// that o counts together are not told apart again.
func (s *Summary) Merge(o *Summary) {
	for _, row := range o.rows {
		n := s.at(row.Feature, row.Rule)
		if n.add(row); n == &s.other {
			s.rule(row.Rule).add(row)
		}
	}
	s.other.add(&o.other)
	for _, n := range o.rules {
		s.rule(n.Rule).add(n)
	}
	s.all.add(&o.all)
	for i := range o.pairs {
		s.pairOf(&o.pairs[i])
	}
	for _, f := range o.kept {
		s.keep(s.at(f.Feature, f.Rule), f)
	}
	s.record += o.record
}

// add adds the numbers of o, but for those that are kept.
func (n *Count) add(o *Count) {
	n.Findings += o.Findings
	n.Warnings += o.Warnings
	n.Values += o.Values
	n.Records += o.Records
}

// Kept returns the first findings of each feature and rule, in the order of the records. The slice is the Summary's.
func (s *Summary) Kept() []Located { return s.kept }

// Counts returns the counts of the pairs of a feature and a rule, in the order in which they were met.
func (s *Summary) Counts() []Count {
	all := make([]Count, len(s.rows))
	for i, n := range s.rows {
		all[i] = *n
	}
	return all
}

// Other counts the findings of all pairs that Counts does not have; rules are the counts of each rule among them.
func (s *Summary) Other() (all Count, rules []Count) {
	for _, n := range s.rules {
		rules = append(rules, *n)
	}
	return s.other, rules
}

// All counts all findings.
func (s *Summary) All() Count { return s.all }

// Pairs returns the pairs that did not hold in a record, in the order in which they were met. The slice is the Summary's.
func (s *Summary) Pairs() []infer.Pair { return s.pairs }
