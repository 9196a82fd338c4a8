package quality

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/validate/record"
)

// readRecords computes the statistics of records, and adds the findings about single records.
func (c *validate) readRecords() error {
	g, err := c.reader()
	if err == nil {
		err = g.Gather(&c.source, c.typ)
	}
	if found := g.All; c.records && found != nil {
		c.findings.addRecords(found.Findings)
	}
	if err != nil {
		return err
	}
	missing, warned := emptySlices(c.env, g.Result, "--slice")
	if warned || len(missing) > 0 { // an empty slice was not checked
		c.env.Raise(cli.ExitSkipped)
	}
	return c.reading.MissingFeatures(c.env, false, missing)
}

// reader returns a Gatherer that reads records or parts, and checks records if c.records is set.
func (c *validate) reader() (*statsource.Gatherer, error) {
	g := c.statistics()
	known := statsource.IndexFeatures(c.schema.GetFeature())
	g.Conflicting = func(path []string) bool { // then a finding reports the feature
		return known.At(path...) != nil && !c.compat.TFDV()
	}
	if c.partial.Merge {
		return g, c.readParts(g)
	}
	if c.records {
		c.checkRecords(g)
	}
	return g, nil
}

// checkRecords makes g check every record. It first looks at the first records, for ragged structure that the schema
// does not declare.
func (c *validate) checkRecords(g *statsource.Gatherer) {
	g.Findings = func() *record.Summary { return record.NewSummary(c.maxFindings) }
	c.finder = &pairFinder{}
	finder := c.finder
	g.First = finder.look
	options := func(t example.MessageType) *record.Options {
		o := &record.Options{Message: t, Environment: c.environment, Spec: c.spec, Rules: c.rules, Ignore: c.findings.severity.ignored(), MaxFindings: maxPerRecord}
		if finder.inferrer != nil && finder.message == t {
			report := finder.inferrer.Report()
			o.Pairs = report.Pairs
			if c.suggest && c.findings.raggedColumns == nil {
				c.findings.raggedColumns = &raggedColumns{specOf: report.Declare}
			}
		}
		return o
	}
	var checker *record.Checker
	g.Begin = func(t example.MessageType) (err error) {
		if checker == nil { // a file of another type ends the run
			checker, err = c.checker(options(t))
		}
		return err
	}
	g.Check = func(rec scan.Record) (later func() error, counts bool) {
		all, pos := checker.Check(rec.Bytes), rec.Position
		if len(all) == 0 {
			return nil, true
		}
		if bad := slices.IndexFunc(all, func(f record.Finding) bool { return f.Rule == record.BadRecord }); bad >= 0 {
			return func() error { return g.Skipped(scan.Misfit(pos, badRecordError(all[bad]))) }, false
		}
		size := len(rec.Bytes)
		return func() error {
			g.File.Findings.Add(record.Place{File: pos.Name, Record: pos.Record, Offset: pos.Offset}, size, all)
			return nil
		}, true
	}
}

// badRecordError returns the error of a BAD_RECORD finding. It adds the feature, which errors about the inside of a feature lack.
func badRecordError(f record.Finding) error {
	e, ok := errors.AsType[*example.Error](f.Err)
	if !ok || e.Feature != "" || f.Feature == "" {
		return f.Err
	}
	named := *e
	named.Feature = f.Feature
	if named.Step < 0 {
		named.Step = f.Step
	}
	return &named
}

// checker returns a checker of records. An error about the spec names the file.
func (c *validate) checker(o *record.Options) (*record.Checker, error) {
	checker, err := record.NewChecker(c.schema, o)
	if err != nil && c.specName != "" {
		o.Spec = feature.Spec{}
		if _, other := record.NewChecker(c.schema, o); other == nil {
			return nil, cli.BadSpec(c.specName, err)
		}
	}
	return checker, err
}

// maxPerRecord is the number of findings of one record that are listed; further findings are counted only.
const maxPerRecord = 1000

// statistics returns a Gatherer for the data or a baseline.
func (c *validate) statistics() *statsource.Gatherer {
	o := c.options
	o.Schema, o.Vocabularies = c.schema, c.words
	return c.gatherer(c.env, o)
}

// pairRecords is the number of records that a pairFinder looks at.
const pairRecords = 5000

// A pairFinder infers ragged structure from the first records. It ignores faults, which are reported when the records
// are checked.
type pairFinder struct {
	records  int                 // number of records added
	message  example.MessageType // type of the records
	inferrer *infer.Inferrer     // nil before the first record
}

// look adds a record, and reports whether more are needed. Refused records are reported later.
func (f *pairFinder) look(rec scan.Record) (more bool) {
	if f.inferrer == nil {
		f.message, f.inferrer = rec.Type, infer.New(rec.Type, nil)
	}
	if rec.Type == f.message {
		_ = f.inferrer.Add(rec.Bytes)
		f.records++
	}
	return f.records < pairRecords
}

// raggedColumns are the columns that declare ragged structure which the schema does not declare, as far as findings
// mention it.
type raggedColumns struct {
	specOf func(infer.Pair) (feature.Spec, bool) // returns the spec that declares a pair
	specs  map[infer.Pair]json.RawMessage        // cache of specOf; nil if a spec cannot declare the pair
	all    feature.Spec                          // the columns of all specs
	any    bool                                  // all has a column
}

// declare returns the JSON of the spec that declares a pair, and adds its columns to all. It returns nil if a spec
// cannot declare it.
func (c *raggedColumns) declare(p *infer.Pair) json.RawMessage {
	if c == nil || p == nil {
		return nil
	}
	if text, ok := c.specs[*p]; ok {
		return text
	}
	var text json.RawMessage
	if spec, ok := c.specOf(*p); ok {
		if b, err := spec.MarshalJSON(); err == nil {
			text = b
			c.add(spec)
		}
	}
	if c.specs == nil {
		c.specs = map[infer.Pair]json.RawMessage{}
	}
	c.specs[*p] = text
	return text
}

// add adds the columns of a spec whose names are new.
func (c *raggedColumns) add(spec feature.Spec) {
	for g, fs := range spec.Groups() {
		to := c.all.Group(g)
		if *to == nil {
			*to = feature.Features{}
		}
		for name, f := range fs {
			if (*to)[name] == nil {
				(*to)[name] = f
				c.any = true
			}
		}
	}
}

// append appends the spec as tfparse schema prints it.
func (c *raggedColumns) append(dst []byte) []byte {
	if c == nil || !c.any {
		return dst
	}
	text, err := c.all.MarshalJSON()
	if err != nil {
		return dst // the columns cannot be in one spec; each finding has its own
	}
	return append(append(dst, "ragged structure that is not declared, as a spec:\n"...), scan.IndentSpec(text)...)
}
