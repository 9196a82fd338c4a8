package engine

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/record"
)

// A Check says how each record is checked against the schema that is among the options of statistics.
type Check struct {
	Environment string              `json:"environment,omitempty"`
	Spec        *feature.Spec       `json:"spec,omitempty"`
	Rules       string              `json:"rules,omitempty"` // a file of rules, of which those about records are checked
	Ignore      []string            `json:"ignore,omitempty"`
	MaxFindings int                 `json:"max_findings,omitempty"` // of one record
	Pairs       [][]byte            `json:"pairs,omitempty"`        // in their bytes form
	Of          example.MessageType `json:"of"`                     // the records that Pairs are of
	Most        int                 `json:"most"`                   // findings that are kept of each feature and rule
}

// CheckRecords has every record checked too. Message in the options is that of the records that the Pairs were found in.
// most is how many findings are kept of each feature and rule.
func (w *Work) CheckRecords(o *record.Options, most int) error {
	c := &Check{Environment: o.Environment, Ignore: o.Ignore, MaxFindings: o.MaxFindings, Of: o.Message, Most: most}
	if o.Spec.Features != nil || o.Spec.Context != nil || o.Spec.Sequence != nil || o.Spec.Examples != nil {
		c.Spec = &o.Spec
	}
	if o.Rules != nil {
		c.Rules = o.Rules.String()
	}
	for _, p := range o.Pairs {
		b, err := p.MarshalBinary()
		if err != nil {
			return err
		}
		c.Pairs = append(c.Pairs, b)
	}
	w.Check = c
	return nil
}

// begin chooses the checker for records of a type.
func (k *Worker) begin(t example.MessageType) (err error) {
	w := k.work.Check
	if w == nil {
		return nil
	}
	if k.checker = k.checkers[t]; k.checker != nil {
		return nil
	}
	o := &record.Options{Message: t, Environment: w.Environment, Ignore: w.Ignore, MaxFindings: w.MaxFindings}
	if w.Spec != nil {
		o.Spec = *w.Spec
	}
	if w.Rules != "" {
		if o.Rules, err = expr.ParseRules(w.Rules); err != nil {
			return err
		}
	}
	if t == w.Of {
		for _, b := range w.Pairs {
			var p infer.Pair
			if err := p.UnmarshalBinary(b); err != nil {
				return err
			}
			o.Pairs = append(o.Pairs, p)
		}
	}
	if k.checker, err = record.NewChecker(k.none.Options().Schema, o); err != nil {
		return err
	}
	if k.checkers == nil {
		k.checkers = map[example.MessageType]*record.Checker{}
	}
	k.checkers[t] = k.checker
	return nil
}

// check returns what looks at a record. Records that are not sound do not count in statistics.
func (k *Worker) check(r *Result, report func(*recordscan.Fault) error) func(rec []byte, pos tfrecord.Position) (later func() error, counts bool) {
	return func(rec []byte, pos tfrecord.Position) (func() error, bool) {
		if r.Findings == nil {
			return nil, true
		}
		found := k.checker.Check(rec)
		if bad := slices.IndexFunc(found, func(f record.Finding) bool { return f.Rule == record.BadRecord }); bad >= 0 {
			return func() error { return report(recordscan.Misfit(pos, found[bad].Err)) }, false
		}
		r.Findings.Add(record.Place{File: pos.Name, Record: pos.Record, Offset: pos.Offset}, len(rec), found)
		return nil, true
	}
}
