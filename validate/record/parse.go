package record

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Records must parse with Options.Spec. The parser stops at the first column that does not fit.
// Then each column is parsed alone, to report all columns that do not fit.

// SpecMismatch is the rule of a column that cannot be parsed, if no rule in misfitRules is more specific.
const SpecMismatch = "SPEC_MISMATCH"

// compileParser compiles the groups of spec that apply to u.message. It leaves u.parser nil if
// these groups have no columns.
func (u *unit) compileParser(spec feature.Spec) (err error) {
	if u.message == example.TypeExample { // a record, or a part of an ExampleListWithContext
		spec = feature.Spec{Features: *spec.Group(u.features.group)}
	}
	columns := 0
	for _, fs := range spec.Groups() {
		columns += len(fs)
	}
	if columns > 0 {
		u.parserSpec = spec
		u.parser, err = feature.NewParser(spec, &feature.ParserOptions{AliasRecords: true}) // rows are only counted
	}
	return err
}

// checkParse adds findings for columns that cannot be parsed, except for features that already
// have an error.
func (u *unit) checkParse(s *scratch, msg []byte) {
	if u.parser == nil || hasBadRecord(s.messageFindings()) {
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
	before, left := s.messageFindings(), s.out.dropped
	for g, fs := range u.parserSpec.Groups() {
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			spec := feature.Spec{}
			*spec.Group(g) = feature.Features{name: fs[name]}
			spec.AddSizes(u.parserSpec)
			if p, bad := feature.NewParser(spec, nil); bad == nil {
				_, bad = p.Parse(msg)
				if e, ok := errors.AsType[*feature.Error](bad); ok && e.Feature != "" && e.Feature != name {
					continue // a feature that holds sizes: it is a column of its own
				}
				if bad != nil {
					s.addMisfit(u, before, bad)
				}
			}
		}
	}
	if len(s.messageFindings()) == len(before) && s.out.dropped == left { // only all columns together fail, or the column already has a finding
		s.addMisfit(u, before, err)
	}
}

// addMisfit adds a finding for an error of the parser, unless the findings in before report the
// same feature.
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
	f := Finding{Rule: SpecMismatch, Feature: p.stepPath(view.Step(name)), Step: e.Step, ValueIndex: e.Value, Count: 1, Offset: e.Byte, Expected: e.Want, Observed: e.Got}
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
		f.Expected, f.Observed = "a required feature", "none"
	case f.Expected == "":
		f.Expected = "a record that parses: " + strings.TrimPrefix(e.Err.Error(), "feature: ")
	}
	s.addFinding(f)
}

// misfitRules maps errors of the parser to rules.
var misfitRules = map[error]string{
	feature.ErrMissing:   pb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT.String(),
	feature.ErrCount:     pb.AnomalyInfo_INVALID_FEATURE_SHAPE.String(),
	feature.ErrPartition: Ragged,
	feature.ErrSteps:     Ragged,
	example.ErrKind:      pb.AnomalyInfo_UNEXPECTED_DATA_TYPE.String(),
}
