package record

import (
	"errors"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Records must parse with Options.Spec. The parser stops at the first column that does not fit: then each column is parsed alone, so that all
// of them are found.

// SpecMismatch is the rule of a column that cannot be parsed for another reason than those that have a rule of their own.
const SpecMismatch = "SPEC_MISMATCH"

// compileParser makes the parser of the part of a spec that is about the message; none if that is empty.
func (u *unit) compileParser(spec feature.Spec) (err error) {
	if u.message == example.TypeExample { // of itself, or of an ExampleListWithContext
		spec = feature.Spec{Features: *spec.Group(u.features.group)}
	}
	columns := 0
	for _, fs := range spec.Groups() {
		columns += len(fs)
	}
	if columns > 0 {
		u.parsed = spec
		u.parser, err = feature.NewParser(spec, &feature.ParserOptions{AliasRecords: true}) // rows are only counted
	}
	return err
}

// parse adds findings for columns that a message does not fit, but for those of features that have a finding already.
func (u *unit) parse(s *scratch, msg []byte) {
	if u.parser == nil || hasBadRecord(s.found()) {
		return
	}
	if s.batch == nil {
		s.batch = u.parser.NewBatch()
	}
	err := s.batch.Append(msg)
	s.batch.Reset()
	if err == nil {
		return
	}
	before, left := s.found(), s.out.left
	for g, fs := range u.parsed.Groups() {
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			spec := feature.Spec{}
			*spec.Group(g) = feature.Features{name: fs[name]}
			if p, bad := feature.NewParser(spec, nil); bad == nil {
				if _, bad = p.Parse(msg); bad != nil {
					s.addMisfit(u, before, bad)
				}
			}
		}
	}
	if len(s.found()) == len(before) && s.out.left == left { // it is about columns together, or has a finding already
		s.addMisfit(u, before, err)
	}
}

// addMisfit adds a finding for an error of a parser. before are the findings of other rules.
func (s *scratch) addMisfit(u *unit, before []Finding, err error) {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok {
		return
	}
	p := &u.features
	if e.Group == feature.InSequence {
		p = &u.lists
	}
	name := e.Key
	if name == "" {
		name = e.Feature
	}
	f := Finding{Rule: SpecMismatch, Feature: p.path(view.Step(name)), Step: e.Step, ValueIndex: e.Value, Count: 1, Offset: e.Byte, Expected: e.Want, Observed: e.Got}
	for sentinel, rule := range misfitRules {
		if errors.Is(err, sentinel) {
			f.Rule = rule
		}
	}
	if slices.ContainsFunc(before, func(old Finding) bool {
		return !old.Warning && (old.Feature == f.Feature || f.Rule == Ragged && old.Rule == Ragged)
	}) {
		return
	}
	if inner, ok := errors.AsType[*example.Error](e.Err); ok && f.Expected == "" {
		f.Expected, f.Observed = inner.Want, inner.Got
	}
	switch {
	case errors.Is(err, feature.ErrMissing):
		f.Expected, f.Observed = "a feature that is always there", "none"
	case f.Expected == "":
		f.Expected = "a record that parses: " + e.Err.Error()
	}
	s.add(f)
}

// misfitRules are the rules of errors of a parser.
var misfitRules = map[error]string{
	feature.ErrMissing:   pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT.String(),
	feature.ErrCount:     pb.AnomalyInfo_INVALID_FEATURE_SHAPE.String(),
	feature.ErrPartition: Ragged,
	feature.ErrSteps:     Ragged,
	example.ErrKind:      pb.AnomalyInfo_UNEXPECTED_DATA_TYPE.String(),
}
