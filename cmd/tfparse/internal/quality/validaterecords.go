package quality

import (
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

// readRecords makes statistics of records and checks them one by one, if that is
// asked for. Then the first ones are looked at before, to find which features cut which
// others into rows where the schema does not say.
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
	if warned || len(missing) > 0 { // nothing of it was checked
		c.env.Raise(cli.ExitSkipped)
	}
	return c.reading.MissingFeatures(c.env, false, missing)
}

// reader returns what reads records, checks them and makes statistics.
func (c *validate) reader() (*statsource.Gatherer, error) {
	g := c.statistics()
	known := statsource.IndexFeatures(c.schema.GetFeature())
	g.Conflicting = func(path []string) bool { // the schema has a finding for it
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

// checkRecords has every record checked.
func (c *validate) checkRecords(g *statsource.Gatherer) {
	g.Findings = func() *record.Summary { return record.NewSummary(c.most) }
	c.finder = &pairFinder{}
	finder := c.finder
	g.First = finder.look
	options := func(t example.MessageType) *record.Options {
		o := &record.Options{Message: t, Environment: c.environment, Spec: c.spec, Rules: c.rules, Ignore: c.findings.severity.ignored(), MaxFindings: maxPerRecord}
		if finder.inferrer != nil && finder.message == t {
			report := finder.inferrer.Report()
			o.Pairs = report.Pairs
			if c.suggest && c.findings.columns == nil {
				c.findings.columns = &columns{declared: report.Declare}
			}
		}
		return o
	}
	var checker *record.Checker
	g.Begin = func(t example.MessageType) (err error) {
		if checker == nil { // files of another type end the run
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

// checker returns what checks records. An error of the spec names it.
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

// maxPerRecord is how many findings of one record are listed one by one; the others are counted together.
const maxPerRecord = 1000

// statistics makes statistics of the data, and of those that they are compared with.
func (c *validate) statistics() *statsource.Gatherer {
	o := c.options
	o.Schema, o.Vocabularies = c.schema, c.words
	return c.gatherer(c.env, o)
}

// pairRecords is in how many records ragged structure is looked for.
const pairRecords = 5000

// A pairFinder looks for ragged structure. Faults are reported when the records
// are checked.
type pairFinder struct {
	seen     int
	message  example.MessageType
	inferrer *infer.Inferrer
}

// look looks at one of the first records. One that is refused is reported later.
func (f *pairFinder) look(rec scan.Record) (more bool) {
	if f.inferrer == nil {
		f.message, f.inferrer = rec.Type, infer.New(rec.Type, nil)
	}
	if rec.Type == f.message {
		_ = f.inferrer.Add(rec.Bytes)
		f.seen++
	}
	return f.seen < pairRecords
}
