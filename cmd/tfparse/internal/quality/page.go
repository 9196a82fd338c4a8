package quality

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/report"
)

// appendPage appends an HTML report.
func appendPage(dst []byte, in *report.Input) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	err := report.Write(b, in)
	return b.Bytes(), err
}

// page appends statistics as an HTML report, with their anomalies if a schema is given.
func (c *statistics) page(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	opts := c.opts
	if c.result != nil {
		opts = *c.result.Options() // the parts may have other options
	}
	in := &report.Input{
		Title: "Statistics of " + titleOf(c.source), Sides: []report.Side{sideOf(c.source)},
		Schema: opts.Schema, Note: "tfparse stats",
	}
	if in.Schema != nil {
		var err error
		if in.Anomalies, err = anomaly.Validate(list, in.Schema, &anomaly.Options{Slices: len(list.GetDatasets()) > 1}); err != nil {
			return dst, err
		}
	}
	return appendPage(dst, in)
}

// page appends the findings as an HTML report, beside the statistics and their baselines.
func (c *validate) page(dst []byte, a *pb.Anomalies) ([]byte, error) {
	input := &report.Input{
		Title: "Validation of " + titleOf(c.source), Sides: []report.Side{sideOf(c.source)},
		Schema: c.schema, Anomalies: &pb.Anomalies{DriftSkewInfo: a.GetDriftSkewInfo()}, Drift: &drift.Options{Compat: c.compat.TFDV()}, Note: "tfparse validate",
	}
	for _, other := range c.baselines[:2] {
		if other.Statistics != nil {
			input.Sides = append(input.Sides, sideOf(other))
		}
	}
	for _, f := range c.findings.all { // includes the anomalies, with the severities of --severity
		one := report.Finding{Feature: f.Feature, Severity: f.Severity, Rule: f.Rule, Text: f.place + f.Text}
		if f.Slice != "" && f.Feature != "" { // the report shows the text beside the feature of the slice
			one.Feature, one.Text = f.key, f.Text
		}
		if f.Record != nil {
			one.Command = "tfparse get " + cli.ShellQuoted(string(f.Address))
		}
		input.Findings = append(input.Findings, one)
	}
	rows := c.findings.counts.rows()
	if other := &c.findings.counts.other; other.sum().Findings > 0 {
		rows = append(rows, other)
	}
	for _, n := range rows {
		input.Counts = append(input.Counts, report.Count{Feature: n.key, Severity: n.Severity, Rule: n.Rule, Findings: n.sum().Findings, Records: n.Records})
		if hidden := n.Findings - n.printed; hidden > 0 {
			text := "and " + cli.Plural(int64(hidden), "more finding") + " about records"
			input.Findings = append(input.Findings, report.Finding{Feature: n.key, Severity: n.Severity, Rule: n.Rule, Text: text})
		}
	}
	return appendPage(dst, input)
}

// sideOf returns a data set for a report.
func sideOf(s statsource.Source) report.Side {
	return report.Side{Name: titleOf(s), Statistics: s.Statistics, Details: s.Details, Size: s.Files().SizeText()}
}

// titleOf returns the title of a data set: its files and slice.
func titleOf(s statsource.Source) string {
	name := s.Files().Title()
	if s.Slice != "" {
		name += ", slice " + s.Slice
	}
	return name
}

// page writes the data sets side by side as an HTML report.
func (c *driftCommand) page(e *cli.Env, args []string, sides []statsource.Source, options *drift.Options) error {
	in := &report.Input{Drift: options, Note: "tfparse drift"}
	read := slices.Clone(args)
	var names []string
	for _, s := range sides {
		in.Sides = append(in.Sides, sideOf(s))
		names = append(names, titleOf(s))
		read = append(read, scan.Names(s.Inputs)...)
	}
	in.Title = "Drift from " + names[0] + " to " + strings.Join(names[1:], ", ")
	out, err := e.Create(c.output, read...)
	if err == nil {
		if out.Buf, err = appendPage(out.Buf, in); err != nil {
			return out.Finish(err)
		}
		err = out.Finish(nil)
	}
	return err
}
