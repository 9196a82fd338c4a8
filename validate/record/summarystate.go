package record

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/feature/infer"
)

// errNotSummary is the error for bytes that [Summary.MarshalBinary] did not write.
var errNotSummary = errors.New("record: not a summary")

// wireSummary is the JSON form of a Summary. Strings from records are []byte, because they may not
// be UTF-8.
type wireSummary struct {
	Most  int           `json:"most"`
	Rows  []wireCount   `json:"rows,omitempty"`
	Other wireCount     `json:"other"`
	Rules []wireCount   `json:"rules,omitempty"`
	All   wireCount     `json:"all"`
	Pairs [][]byte      `json:"pairs,omitempty"`
	Kept  []wireFinding `json:"kept,omitempty"`
}

type wireCount struct {
	Feature  []byte `json:"feature,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Findings uint64 `json:"findings"`
	Warnings uint64 `json:"warnings,omitempty"`
	Values   uint64 `json:"values,omitempty"`
	Records  uint64 `json:"records"`
}

type wireFinding struct {
	Finding
	Feature  []byte `json:"feature"`
	Expected []byte `json:"expected,omitempty"`
	Observed []byte `json:"observed,omitempty"`
	Err      []byte `json:"err,omitempty"`
	Pair     int    `json:"pair"` // index in Pairs; -1: no pair

	File       []byte `json:"file"`
	Record     int64  `json:"record"`
	FileOffset int64  `json:"file_offset"`
	Length     int    `json:"length"`
}

func countState(n *Count) wireCount {
	return wireCount{[]byte(n.Feature), n.Rule, n.Findings, n.Warnings, n.Values, n.Records}
}

func (w *wireCount) count() *Count {
	return &Count{Feature: string(w.Feature), Rule: w.Rule, Findings: w.Findings, Warnings: w.Warnings, Values: w.Values, Records: w.Records}
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It writes only the text of an error.
func (s *Summary) MarshalBinary() ([]byte, error) {
	w := wireSummary{Most: s.maxKept, Other: countState(&s.otherCount), All: countState(&s.total)}
	for _, n := range s.counts {
		w.Rows = append(w.Rows, countState(n))
	}
	for _, n := range s.otherRules {
		w.Rules = append(w.Rules, countState(n))
	}
	for _, p := range s.pairs {
		b, err := p.MarshalBinary()
		if err != nil {
			return nil, err
		}
		w.Pairs = append(w.Pairs, b)
	}
	for _, f := range s.kept {
		one := wireFinding{
			Finding: f.Finding, Feature: []byte(f.Feature), Expected: []byte(f.Expected), Observed: []byte(f.Observed), Pair: -1,
			File: []byte(f.Place.File), Record: f.Place.Record, FileOffset: f.Place.Offset, Length: f.Length,
		}
		if f.Err != nil {
			one.Err = []byte(f.Err.Error())
		}
		if f.Pair != nil {
			one.Pair = s.pairIndex(f.Pair)
		}
		w.Kept = append(w.Kept, one)
	}
	return json.Marshal(w)
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It copies b.
func (s *Summary) UnmarshalBinary(b []byte) error {
	var w wireSummary
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("%w: %w", errNotSummary, err)
	}
	out := NewSummary(w.Most)
	for _, n := range w.Rows {
		out.countFor(string(n.Feature), n.Rule).addCount(n.count())
	}
	out.otherCount.addCount(w.Other.count())
	for _, n := range w.Rules {
		out.otherRule(n.Rule).addCount(n.count())
	}
	out.total.addCount(w.All.count())
	for _, b := range w.Pairs {
		var p infer.Pair
		if err := p.UnmarshalBinary(b); err != nil {
			return fmt.Errorf("%w: %w", errNotSummary, err)
		}
		out.pairs = append(out.pairs, p)
	}
	for _, one := range w.Kept {
		f := Located{Finding: one.Finding, Place: Place{File: string(one.File), Record: one.Record, Offset: one.FileOffset}, Length: one.Length}
		f.Feature, f.Expected, f.Observed = string(one.Feature), string(one.Expected), string(one.Observed)
		if len(one.Err) > 0 {
			f.Err = errors.New(string(one.Err))
		}
		if one.Pair >= 0 {
			if one.Pair >= len(out.pairs) {
				return fmt.Errorf("%w: pair %d does not exist", errNotSummary, one.Pair)
			}
			f.Pair = &out.pairs[one.Pair]
		}
		out.keepFinding(out.countFor(f.Feature, f.Rule), f)
	}
	*s = *out
	return nil
}
