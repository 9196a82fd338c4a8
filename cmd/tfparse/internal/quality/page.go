package quality

import (
	"bytes"
	"path/filepath"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/report"
)

// isPage reports whether the name of an output asks for a page to look at.
func isPage(name string) bool { return filepath.Ext(name) == ".html" }

// appendPage appends a page.
func appendPage(dst []byte, in *report.Input) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	err := report.Write(b, in)
	return b.Bytes(), err
}

// page writes statistics as a page, with what does not fit the schema, if one is given.
func (c *statistics) page(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	opts := c.opts
	if c.result != nil {
		opts = *c.result.Options() // those of the parts
	}
	in := &report.Input{
		Title: "Statistics of " + titleOf(c.names), Sides: []report.Side{sideOf(c.names, list)},
		Schema: opts.Schema, Note: "tfparse stats",
	}
	if in.Schema != nil {
		var err error
		if in.Anomalies, err = validateAll(list, in.Schema, &anomaly.Options{Compat: opts.TFDV}); err != nil {
			return dst, err
		}
	}
	return appendPage(dst, in)
}

// page writes what was found beside the statistics, with those that they are compared with.
func (c *validate) page(dst []byte, in []recordscan.Input, a *pb.Anomalies) ([]byte, error) {
	input := &report.Input{
		Title: "Validation of " + titleOf(in), Sides: []report.Side{sideOf(in, c.stats)},
		Schema: c.schema, Anomalies: &pb.Anomalies{DriftSkewInfo: a.GetDriftSkewInfo()}, Drift: &drift.Options{Compat: c.compat.TFDV()}, Note: "tfparse validate",
	}
	for _, other := range []struct {
		name string
		list *pb.DatasetFeatureStatisticsList
	}{{c.previous, c.opts.Previous}, {c.serving, c.opts.Serving}} {
		if other.list != nil {
			input.Sides = append(input.Sides, sideOf([]recordscan.Input{{Name: other.name}}, other.list))
			break
		}
	}
	errors := 0
	for _, f := range c.findings.all { // those of the anomalies, too, with the severities that each of them has
		input.Findings = append(input.Findings, report.Finding{Feature: f.Feature, Severity: f.Severity, Rule: f.Rule, Text: f.place + f.Text})
		if f.Severity == "error" {
			errors++
		}
	}
	if n := c.findings.hidden; n > 0 {
		more := report.Finding{Severity: "warning", Text: "and " + cli.Plural(int64(n), "more finding") + " about records"}
		if c.findings.errors > errors {
			more.Severity = "error"
		}
		input.Findings = append(input.Findings, more)
	}
	return appendPage(dst, input)
}

// validateAll validates every slice, if there are any.
func validateAll(list *pb.DatasetFeatureStatisticsList, schema *pb.Schema, opts *anomaly.Options) (*pb.Anomalies, error) {
	if len(list.GetDatasets()) > 1 {
		return anomaly.ValidateSlices(list, schema, opts)
	}
	return anomaly.Validate(list, schema, opts)
}

// sideOf is a data set with the name and the total size of its files, if that is known.
func sideOf(in []recordscan.Input, list *pb.DatasetFeatureStatisticsList) report.Side {
	side := report.Side{Name: titleOf(in), Statistics: list}
	if n := recordscan.TotalSize(in); n > 0 {
		side.Size = console.Amount(float64(n), float64(n))
	}
	return side
}

// titleOf names data by its files.
func titleOf(in []recordscan.Input) string {
	if len(in) == 0 {
		return "nothing"
	}
	name := filepath.Base(in[0].Name)
	if in[0].Name == recordscan.Stdin {
		name = "standard input"
	}
	if len(in) > 1 {
		name += " and " + cli.Plural(int64(len(in)-1), "more file")
	}
	return name
}

// page writes two data sets side by side.
func (c *driftOf) page(e *cli.Env, args []string, lists [2]*pb.DatasetFeatureStatisticsList, options *drift.Options) error {
	in := &report.Input{Drift: options, Note: "tfparse drift"}
	var files []recordscan.Input
	for i, list := range lists {
		files = append(files, recordscan.Input{Name: args[i]})
		in.Sides = append(in.Sides, sideOf(files[i:], list))
	}
	in.Title = "Drift from " + in.Sides[0].Name + " to " + in.Sides[1].Name
	out, err := e.Create(c.output, args...)
	if err == nil {
		if out.Buf, err = appendPage(out.Buf, in); err != nil {
			return out.Finish(err)
		}
		err = out.Finish(nil)
	}
	return err
}
