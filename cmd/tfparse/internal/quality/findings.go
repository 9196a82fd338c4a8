package quality

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/internal/jsonscan"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/record"
)

var findingFormats = []string{"text", "json", "sarif", "junit", "github"}

// A findingFormat says whom findings are for.
type findingFormat uint8

const (
	formatFindingText findingFormat = iota
	formatFindingJSON
	formatSARIF
	formatJUnit
	formatGitHub
)

func (f findingFormat) MarshalText() ([]byte, error)     { return []byte(findingFormats[f]), nil }
func (f *findingFormat) UnmarshalText(text []byte) error { return cli.SetName(f, findingFormats, text) }

// A finding is one thing that does not fit, in the data set or in a record.
type finding struct {
	Severity string          `json:"severity"`
	Slice    string          `json:"slice,omitempty"` // that it is about; "" for all examples
	Feature  string          `json:"feature"`         // its path as text; "" for the whole data set, or record
	Rule     string          `json:"rule"`
	Text     string          `json:"text"`
	Expected string          `json:"expected,omitempty"`
	Observed observed        `json:"observed,omitempty"`
	Value    *int            `json:"value_index,omitempty"` // in the list of values
	RowPath  []int64         `json:"row_path,omitempty"`    // of the value in the rows of a ragged feature
	Step     *int            `json:"step,omitempty"`        // of a feature list
	Values   int             `json:"values,omitempty"`      // that break the rule in the record
	File     *jsonscan.Name  `json:"file,omitempty"`
	Record   *int64          `json:"record,omitempty"`
	Address  jsonscan.Name   `json:"address,omitempty"` // of the record
	Offset   *int64          `json:"offset,omitempty"`  // of the record in the file
	Length   *int64          `json:"length,omitempty"`
	Example  *int            `json:"example,omitempty"`
	Spec     json.RawMessage `json:"spec,omitempty"` // that declares what was not declared, with --suggest

	place string // where it is, for people
	key   string // of the feature, in its slice, for pages
}

// An observed is what was found instead of what was expected: in JSON a number where it is a finite one, else a string.
type observed string

// MarshalJSON implements json.Marshaler.
func (o observed) MarshalJSON() ([]byte, error) {
	if c := o[:min(len(o), 1)]; c != "" && strings.ContainsAny(string(c), "-0123456789") && json.Valid([]byte(o)) {
		return []byte(o), nil
	}
	return json.Marshal(string(o))
}

// findings are all that was found.
type findings struct {
	all     []finding // that are printed: of a feature and rule, the first ones
	counts  counts    // of all of them
	errors  uint64
	drift   []measured
	of      uint64          // records
	records bool            // that were looked at one by one
	missing bool            // there are no examples
	slices  map[string]bool // that paths may name
	uri     string          // of the schema
	color   bool            // of severities, in text

	suggestion []byte   // what to change in the schema, as a difference of lines; nil without --suggest
	columns    *columns // what to declare; nil without --suggest

	severity severities
}

// severities are those of findings of a type, where they are not their own; UNKNOWN is
// that of none. Types go by their names: not all are types of anomalies.
type severities map[string]pb.AnomalyInfo_Severity

// anomalies are the severities of those types that anomalies have.
func (s severities) anomalies() map[pb.AnomalyInfo_Type]pb.AnomalyInfo_Severity {
	all := map[pb.AnomalyInfo_Type]pb.AnomalyInfo_Severity{}
	for name, severity := range s {
		if t, ok := pb.AnomalyInfo_Type_value[name]; ok {
			all[pb.AnomalyInfo_Type(t)] = severity
		}
	}
	return all
}

// ignored are the types that are no findings.
func (s severities) ignored() (all []string) {
	for name, severity := range s {
		if severity == pb.AnomalyInfo_UNKNOWN {
			all = append(all, name)
		}
	}
	return all
}

// noData is the type of the finding that there are no examples.
const noData = "NO_DATA"

// A measured is a distance that was measured for a comparator.
type measured struct {
	Slice     string  `json:"slice,omitempty"`
	Feature   string  `json:"feature"`
	Kind      string  `json:"kind"` // drift or skew
	Measure   string  `json:"measure"`
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold"`
}

// addAnomaly adds one thing that is wrong with statistics.
func (f *findings) addAnomaly(found anomaly.Finding) {
	one := finding{
		Severity: strings.ToLower(found.Severity.String()), Slice: found.Slice, Rule: found.Type.String(), Text: found.Text,
		Expected: found.Expected, Observed: observed(found.Observed),
	}
	f.addOfData(one, found.Path)
}

// addOfData adds a finding about a feature, or without a path about all of the data or of a slice.
func (f *findings) addOfData(one finding, path []string) {
	one.place = placeOf(one.Slice)
	if path != nil {
		one.Feature = statsource.PathName(path)
		one.key = one.Feature
		if one.Slice != "" {
			steps := slices.Clone(path)
			steps[0] = anomaly.SlicePrefix(one.Slice) + steps[0]
			one.key = statsource.PathName(steps)
		}
	}
	f.add(one)
}

// placeOf is a slice in front of what is about it.
func placeOf(slice string) string {
	if slice == "" {
		return ""
	}
	return "slice " + slice + ": "
}

// addAnomalies adds what the anomalies of statistics say of the data set, and what was measured.
func (f *findings) addAnomalies(a *pb.Anomalies) {
	f.missing = a.GetDataMissing()
	if severity := f.severityOf(noData, "error"); f.missing && severity != "" {
		f.add(finding{Severity: severity, Rule: noData, Text: "there are no examples", Expected: "examples", Observed: "none"})
	}
	for _, info := range a.GetDriftSkewInfo() {
		slice, name := sliceOf(info.GetPath(), f.slices)
		for kind, all := range [][]*pb.DriftSkewInfo_Measurement{info.GetDriftMeasurements(), info.GetSkewMeasurements()} {
			for _, m := range all {
				f.drift = append(f.drift, measured{slice, name, [...]string{"drift", "skew"}[kind], m.GetType().String(), m.GetValue(), m.GetThreshold()})
			}
		}
	}
}

// addRecords adds what is wrong with records. What a Summary keeps is printed; all findings are counted.
func (f *findings) addRecords(all *record.Summary) {
	for _, p := range all.Pairs() {
		f.columns.declare(&p)
	}
	for _, c := range all.Counts() {
		for severity := range f.severitiesOf(c) {
			n := f.counts.at(pair{feature: c.Feature, rule: c.Rule}, severity)
			n.total, n.printed = total{c.Findings, c.Values, c.Records}, c.Kept
		}
	}
	other, rules := all.Other()
	for _, c := range rules {
		for severity := range f.severitiesOf(c) {
			f.counts.other.raise(severity)
		}
	}
	for _, n := range []struct {
		to *count
		of record.Count
	}{{&f.counts.other, other}, {&f.counts.all, all.All()}} {
		n.to.total = total{n.of.Findings, n.of.Values, n.of.Records}
		n.to.printed = n.of.Kept
	}
	for _, r := range all.Kept() {
		severity := "error"
		if r.Warning {
			severity = "warning"
		}
		if severity = f.severityOf(r.Rule, severity); severity == "" {
			continue
		}
		values := 0
		if r.ValueIndex >= 0 {
			values = r.Count
		}
		pos := tfrecord.Position{Name: r.Place.File, Record: r.Place.Record, Offset: r.Place.Offset}
		name, size := jsonscan.Name(pos.Name), int64(r.Length)
		text := strings.TrimPrefix(r.String(), fmt.Sprintf("feature %q: ", r.Feature))
		text = strings.Replace(text, r.Rule+": ", "", 1)
		f.all = append(f.all, finding{
			Severity: severity, Feature: r.Feature, Rule: r.Rule, Text: text, Expected: r.Expected, Observed: observed(r.Observed),
			Value: cli.Known(r.ValueIndex, r.ValueIndex >= 0), RowPath: r.RowPath, Step: cli.Known(r.Step, r.Step >= 0), Values: values,
			File: &name, Record: &pos.Record, Address: jsonscan.Name(scan.Address(pos.Name, pos.Record)), Offset: &pos.Offset, Length: &size, Example: cli.Known(r.Example, r.Example >= 0),
			Spec: f.columns.declare(r.Pair), place: scan.PlaceOf(pos) + ": ",
		})
	}
}

// severitiesOf returns the severities that findings about records have, and counts the errors among them.
func (f *findings) severitiesOf(c record.Count) map[string]bool {
	all := map[string]bool{}
	for _, part := range []struct {
		own      string
		findings uint64
	}{{"error", c.Findings - c.Warnings}, {"warning", c.Warnings}} {
		severity := f.severityOf(c.Rule, part.own)
		if part.findings == 0 || severity == "" {
			continue
		}
		if all[severity] = true; severity == "error" {
			f.errors += part.findings
		}
	}
	return all
}

// severityOf returns the severity of a finding of a type, "" if it is none.
func (f *findings) severityOf(rule, own string) string {
	s, ok := f.severity[rule]
	switch {
	case !ok:
		return own
	case s == pb.AnomalyInfo_UNKNOWN:
		return ""
	}
	return strings.ToLower(s.String())
}

// add adds a finding about the data set, or about a slice of it.
func (f *findings) add(one finding) {
	if one.Slice == "" {
		one.key = one.Feature
	}
	n := f.counts.at(pair{one.Slice, one.Feature, one.Rule}, one.Severity)
	n.ofData++
	n.key = one.key
	if one.Severity == "error" {
		f.errors++
	}
	f.all = append(f.all, one)
}

// hidden is how many findings about records are counted and not printed.
func (f *findings) hidden() uint64 {
	n := f.counts.all.Findings - f.counts.other.printed
	for _, row := range f.counts.pairs {
		n -= row.printed
	}
	return n
}

// fails reports whether the answer is negative.
func (f *findings) fails(from threshold) bool {
	switch failOnNames[from] {
	case "error":
		return f.errors > 0
	case "warning":
		return len(f.counts.pairs) > 0
	}
	return false
}

func (f *findings) print(dst []byte, format findingFormat) []byte {
	switch format {
	case formatFindingJSON:
		return f.json(dst)
	case formatSARIF:
		return f.sarif(dst)
	case formatJUnit:
		return f.junit(dst)
	case formatGitHub:
		return f.github(dst)
	}
	for _, one := range f.all {
		severity := one.Severity
		if color := cli.SeverityColors[severity]; f.color && color != "" {
			severity = color + severity + cli.ColorOff
		}
		dst = fmt.Appendf(dst, "%s: %s: %s\n", console.OneLine(one.place+one.name()), severity, console.OneLine(one.Rule+": "+one.Text))
	}
	if n := f.hidden(); n > 0 {
		dst = fmt.Appendf(dst, "and %s more; --max-findings prints them\n", cli.Plural(int64(n), "finding"))
	}
	for _, m := range f.drift {
		dst = fmt.Appendf(dst, "%s\n", console.OneLine(fmt.Sprintf("%s%s: %s: %s is %.6g, the threshold %.6g", placeOf(m.Slice), m.Feature, m.Kind, m.Measure, m.Value, m.Threshold)))
	}
	if f.counts.repeat() {
		dst = f.counts.table(append(dst, '\n'), f.of)
	}
	if len(f.counts.pairs) == 0 {
		text := "no anomalies"
		if f.records {
			text += " in " + cli.Plural(int64(f.of), "record")
		}
		dst = append(append(dst, text...), '\n')
	}
	return append(dst, f.suggestion...)
}

// A findingReport is the JSON form of findings.
type findingReport struct {
	Findings   []finding  `json:"findings"`
	Hidden     uint64     `json:"more"`   // findings that are counted and not listed
	Counts     []*count   `json:"counts"` // by feature and rule, most findings first
	Other      total      `json:"other"`  // of features and rules beyond maxPairs and maxNames
	Total      total      `json:"total"`
	Records    uint64     `json:"records"`
	Drift      []measured `json:"drift"`
	Errors     uint64     `json:"errors"`
	Suggestion *string    `json:"suggestion,omitempty"`
}

func (f *findings) report() *findingReport {
	r := &findingReport{
		Findings: append([]finding{}, f.all...), Hidden: f.hidden(), Counts: append([]*count{}, f.counts.rows()...), Other: f.counts.other.sum(), Total: f.counts.sum(),
		Records: f.of, Drift: append([]measured{}, f.drift...), Errors: f.errors,
	}
	if f.suggestion != nil {
		r.Suggestion = cli.Known(string(f.suggestion), true)
	}
	return r
}

func (f *findings) json(dst []byte) []byte { return append(cli.AppendJSON(dst, f.report()), '\n') }

// name names what a finding is about.
func (f *finding) name() string {
	switch {
	case f.Feature != "":
		return f.Feature
	case f.Record != nil:
		return "(record)"
	case f.Slice != "":
		return "(slice)"
	}
	return "(data set)"
}
