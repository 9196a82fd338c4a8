package view

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/report"
)

// serveFindings answers with what is wrong by the schema and the rules, in records and in the statistics.
func (h *Handler) serveFindings(w http.ResponseWriter, r *http.Request) error {
	if h.opts.Schema == nil && h.opts.Rules == nil {
		return withStatus(http.StatusNotFound, errors.New("there is neither a schema nor a file of rules"))
	}
	return h.serveAnalysis(w, r, "Findings", 1, func(in *report.Input, all []*analysis) {
		in.MaxFindings, in.FaultyOnly = findingsOfOne, true
		in.Anomalies = &pb.Anomalies{}
		all[0].addFindings(in)
		if all[0].hasEnded() { // the statistics of a part may break a rule that all of them keep
			if err := h.addAnomalies(in); err != nil {
				in.Findings = append(in.Findings, report.Finding{Severity: "error", Rule: "NOT_CHECKED", Text: "The statistics were not checked: " + visibleText(err.Error())})
			}
		}
	})
}

// addAnomalies adds the anomalies of the statistics, after the findings about records. An anomaly of the same feature and rule is the sum of these.
func (h *Handler) addAnomalies(in *report.Input) (err error) {
	opts := &anomaly.Options{}
	list := in.Sides[0].Statistics
	if h.opts.Schema != nil {
		if in.Anomalies, err = anomaly.Validate(list, h.opts.Schema, opts); err != nil {
			return err
		}
	}
	if h.opts.Rules != nil {
		_, err = anomaly.CheckRules(in.Anomalies, h.opts.Rules, list, h.opts.Schema, opts)
	}
	for _, e := range in.Anomalies.GetAnomalyInfo() {
		for _, r := range e.GetValue().GetReason() {
			if rule := r.GetType().String(); !slices.ContainsFunc(in.Counts, func(c report.Count) bool { return c.Feature == e.GetKey() && c.Rule == rule }) {
				in.Counts = append(in.Counts, report.Count{Feature: e.GetKey(), Severity: e.GetValue().GetSeverity().String(), Rule: rule, Findings: 1})
			}
		}
	}
	return err
}

// addFindings adds the findings about records, and the damage. The caller holds mu.
func (a *analysis) addFindings(in *report.Input) {
	for _, d := range a.damage {
		f := report.Finding{Severity: "error", Rule: "DAMAGED", Text: visibleText(d.err.Error())}
		if d.record >= 0 {
			f.Command, f.Link = a.getCommand(d.file, d.record), recordLink(d.file, d.record)
		}
		in.Findings = append(in.Findings, f)
	}
	add := func(c report.Count) {
		if c.Findings > 0 {
			in.Counts = append(in.Counts, c)
		}
	}
	add(report.Count{Severity: "error", Rule: "DAMAGED", Findings: uint64(a.skipped)})
	if a.found == nil {
		return
	}
	for _, c := range a.found.Counts() {
		add(report.Count{Feature: c.Feature, Severity: "error", Rule: c.Rule, Findings: c.Findings - c.Warnings, Records: c.Records})
		add(report.Count{Feature: c.Feature, Severity: "warning", Rule: c.Rule, Findings: c.Warnings, Records: c.Records})
	}
	other, _ := a.found.Other()
	add(report.Count{Severity: "error", Rule: "others", Findings: other.Findings, Records: other.Records})
	kept := a.found.Kept()
	for _, f := range kept[:min(len(kept), maxFindings)] {
		in.Findings = append(in.Findings, a.findingOf(f))
	}
}

// findingOf returns a finding about a record for the page.
func (a *analysis) findingOf(f record.Located) report.Finding {
	file, _ := strconv.Atoi(f.Place.File)
	text := strings.TrimPrefix(f.String(), fmt.Sprintf("feature %q: ", f.Feature))
	text = fmt.Sprintf("record %d: %s", f.Place.Record, strings.Replace(text, f.Rule+": ", "", 1)) // the command has the file
	severity := "error"
	if f.Warning {
		severity = "warning"
	}
	return report.Finding{Feature: f.Feature, Severity: severity, Rule: f.Rule, Text: text, Command: a.getCommand(file, f.Place.Record), Link: recordLink(file, f.Place.Record)}
}

// getCommand returns the command that prints a record.
func (a *analysis) getCommand(file int, record int64) string {
	address := fmt.Sprintf("%s#%d", a.h.files[file].name, record)
	if !plainWord.MatchString(address) {
		address = "'" + strings.ReplaceAll(address, "'", `'\''`) + "'"
	}
	return "tfparse get " + address
}

// plainWord matches words that a shell takes as they are.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./#-]+$`)
