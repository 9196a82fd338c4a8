package record

import (
	"slices"

	"github.com/tfparse/tfparse/feature/infer"
)

// A Summary collects findings about many records. For each feature and rule it keeps the first
// findings and counts all findings. The summaries of several files, which may come from other
// machines in binary form, are merged in the order of the files.
//
// Memory is bounded. Up to MaxPairs combinations of a feature and a rule, whose feature names
// have up to 8 MiB together, have a separate count. All other combinations share one count and
// its kept findings.
//
// A Summary is not safe for concurrent use.
type Summary struct {
	maxKept    int                 // number of findings to keep for each Count
	kept       []Located           // kept findings, in the order of the records
	counts     []*Count            // separate counts, in the order of their first findings
	index      map[countKey]*Count // the same counts, by feature and rule
	nameBytes  int                 // total length of the features in counts
	otherCount Count               // findings that have no separate count
	otherRules []*Count            // the findings of otherCount, by rule
	total      Count               // all findings
	pairs      []infer.Pair        // distinct pairs of the findings

	record uint64 // ordinal of the current record with findings, from 1
}

// MaxPairs is the maximum number of combinations of a feature and a rule with a separate count.
const MaxPairs = 10_000

// maxNames is the maximum of Summary.nameBytes.
const maxNames = 8 << 20

type countKey struct{ feature, rule string }

// A Place is the position of a record.
type Place struct {
	File   string
	Record int64 // index of the record in the file
	Offset int64 // offset of the record's frame, in bytes of the uncompressed stream
}

// Located is a finding with the position of its record.
type Located struct {
	Finding
	Place  Place
	Length int // length of the record, in bytes
}

// A Count is the number of findings for a feature and a rule.
type Count struct {
	Feature, Rule string // "" covers several features or rules; Feature is also "" for a whole record
	Findings      uint64 // number of findings, including warnings
	Warnings      uint64 // number of warnings
	Values        uint64 // number of values that break the rule
	Records       uint64 // number of records with such a finding
	Kept          uint64 // number of these findings that Summary.Kept returns

	lastRecord uint64 // Summary.record of the last record counted
}

// NewSummary returns a Summary that keeps the first most findings for each feature and rule.
func NewSummary(most int) *Summary { return &Summary{maxKept: most} }

// Add adds the findings of Check about a record of length bytes. It retains the findings, but
// copies their Pairs.
func (s *Summary) Add(at Place, length int, found []Finding) {
	if len(found) == 0 {
		return
	}
	s.record++
	for _, f := range found {
		n := s.countFor(f.Feature, f.Rule)
		findings, values := uint64(1), uint64(0)
		switch {
		case f.Rule == MoreFindings:
			findings = uint64(f.Count)
		case f.ValueIndex >= 0:
			values = uint64(f.Count)
		}
		to := []*Count{n, &s.total, nil}
		if n == &s.otherCount {
			to[2] = s.otherRule(f.Rule)
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
			if s.record > to.lastRecord {
				to.lastRecord = s.record
				to.Records++
			}
		}
		if f.Pair != nil {
			p := s.addPair(f.Pair)
			f.Pair = &p
		}
		s.keepFinding(n, Located{f, at, length})
	}
}

// keepFinding keeps f unless n already has maxKept findings.
func (s *Summary) keepFinding(n *Count, f Located) {
	if n.Kept < uint64(s.maxKept) {
		n.Kept++
		s.total.Kept++
		s.kept = append(s.kept, f)
	}
}

// countFor returns the count for a feature and a rule, or otherCount beyond the limits.
func (s *Summary) countFor(feature, rule string) *Count {
	key := countKey{feature, rule}
	if n := s.index[key]; n != nil {
		return n
	}
	if len(s.counts) == MaxPairs || s.nameBytes+len(feature) > maxNames {
		return &s.otherCount
	}
	if s.index == nil {
		s.index = map[countKey]*Count{}
	}
	n := &Count{Feature: feature, Rule: rule}
	s.counts, s.index[key] = append(s.counts, n), n
	s.nameBytes += len(feature)
	return n
}

// addPair returns the pair in s.pairs that equals p. It adds p if there is none.
func (s *Summary) addPair(p *infer.Pair) infer.Pair {
	i := s.pairIndex(p)
	if i < 0 {
		i = len(s.pairs)
		s.pairs = append(s.pairs, *p)
	}
	return s.pairs[i]
}

// pairIndex returns the index of p in s.pairs, or -1. It ignores the statistics of a pair, which
// may come from different records.
func (s *Summary) pairIndex(p *infer.Pair) int {
	return slices.IndexFunc(s.pairs, func(o infer.Pair) bool {
		return o.Group == p.Group && o.Partition == p.Partition && o.Of == p.Of && o.Rows == p.Rows && o.Block == p.Block
	})
}

// otherRule returns the count for a rule in otherRules.
func (s *Summary) otherRule(name string) *Count {
	for _, n := range s.otherRules {
		if n.Rule == name {
			return n
		}
	}
	n := &Count{Rule: name}
	s.otherRules = append(s.otherRules, n)
	return n
}

// Merge adds the findings of o, whose records follow those of s. o must not be used again.
// Findings that share one count in o share one count in s.
func (s *Summary) Merge(o *Summary) {
	for _, row := range o.counts {
		n := s.countFor(row.Feature, row.Rule)
		if n.addCount(row); n == &s.otherCount {
			s.otherRule(row.Rule).addCount(row)
		}
	}
	s.otherCount.addCount(&o.otherCount)
	for _, n := range o.otherRules {
		s.otherRule(n.Rule).addCount(n)
	}
	s.total.addCount(&o.total)
	for i := range o.pairs {
		s.addPair(&o.pairs[i])
	}
	for _, f := range o.kept {
		s.keepFinding(s.countFor(f.Feature, f.Rule), f)
	}
	s.record += o.record
}

// addCount adds the numbers of o except Kept.
func (n *Count) addCount(o *Count) {
	n.Findings += o.Findings
	n.Warnings += o.Warnings
	n.Values += o.Values
	n.Records += o.Records
}

// Kept returns the first findings for each feature and rule, in the order of the records. The
// caller must not modify the slice.
func (s *Summary) Kept() []Located { return s.kept }

// Counts returns the separate counts, in the order of their first findings.
func (s *Summary) Counts() []Count {
	all := make([]Count, len(s.counts))
	for i, n := range s.counts {
		all[i] = *n
	}
	return all
}

// Other returns the count of all findings that Counts lacks, and the counts of these findings by rule.
func (s *Summary) Other() (all Count, rules []Count) {
	for _, n := range s.otherRules {
		rules = append(rules, *n)
	}
	return s.otherCount, rules
}

// All returns the count of all findings.
func (s *Summary) All() Count { return s.total }

// Pairs returns the pairs that did not hold in a record, in the order of their first findings. The
// caller must not modify the slice.
func (s *Summary) Pairs() []infer.Pair { return s.pairs }
