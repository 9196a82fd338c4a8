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

// A findingFormat is the value of --format of validate.
type findingFormat uint8

const (
	formatFindingText findingFormat = iota
	formatFindingJSON
	formatSARIF
	formatJUnit
	formatGitHub
)

// A finding is a violation of the schema, a rule or the spec, in the data set or in a record.
type finding struct {
	Severity string          `json:"severity"`              // error, warning or unknown
	Slice    string          `json:"slice,omitempty"`       // slice that the finding is about; "" for all examples
	Feature  string          `json:"feature"`               // path of the feature; "" for the whole data set, slice or record
	Rule     string          `json:"rule"`                  // type of the anomaly, such as OUT_OF_RANGE
	Text     string          `json:"text"`                  // description
	Expected string          `json:"expected,omitempty"`    // requirement of the schema or rule
	Observed observedValue   `json:"observed,omitempty"`    // violation of it
	Value    *int            `json:"value_index,omitempty"` // index in the list of values
	RowPath  []int64         `json:"row_path,omitempty"`    // index of the value in each level of a ragged feature
	Step     *int            `json:"step,omitempty"`        // index in the feature list
	Values   int             `json:"values,omitempty"`      // number of invalid values in the record
	File     *jsonscan.Name  `json:"file,omitempty"`        // with the record
	Record   *int64          `json:"record,omitempty"`      // ordinal in the file
	Address  jsonscan.Name   `json:"address,omitempty"`     // address of the record
	Offset   *int64          `json:"offset,omitempty"`      // offset of the record in the uncompressed file
	Length   *int64          `json:"length,omitempty"`      // size of the record in bytes
	Example  *int            `json:"example,omitempty"`     // index in an ExampleListWithContext
	Spec     json.RawMessage `json:"spec,omitempty"`        // spec that declares the ragged structure, with --suggest

	place string // prefix of the text format: the slice, or the address of the record
	key   string // path of the feature, with its slice, for HTML reports
}

// An observedValue is the value found where another was expected. In JSON a finite number is a number, any other value
// a string.
type observedValue string

// MarshalJSON implements json.Marshaler.
func (o observedValue) MarshalJSON() ([]byte, error) {
	if c := o[:min(len(o), 1)]; c != "" && strings.ContainsAny(string(c), "-0123456789") && json.Valid([]byte(o)) {
		return []byte(o), nil
	}
	return json.Marshal(string(o))
}

// findings collects the result of validate, and prints it.
type findings struct {
	all      []finding          // that are printed: the first ones of each count
	counts   counts             // of all findings, printed or not
	errors   uint64             // number of findings of severity error
	drift    []driftMeasurement // measured distances
	examined uint64             // number of examined records
	records  bool               // records were checked one by one
	missing  bool               // the data set has no examples
	slices   map[string]bool    // names of slices that paths may begin with
	uri      string             // file with the schema, for SARIF and GitHub
	color    bool               // print severities in colours

	suggestion    []byte         // changes to the schema, as a line diff; nil without --suggest
	raggedColumns *raggedColumns // suggested declarations; nil without --suggest

	severity severities // from --severity
}

// severities maps types of findings to the severities that replace their own. UNKNOWN means that the type is ignored.
// The key is a name, since not all types are types of anomalies.
type severities map[string]pb.AnomalyInfo_Severity

// anomalies returns the severities of the types that are types of anomalies.
func (s severities) anomalies() map[pb.AnomalyInfo_Type]pb.AnomalyInfo_Severity {
	all := map[pb.AnomalyInfo_Type]pb.AnomalyInfo_Severity{}
	for name, severity := range s {
		if t, ok := pb.AnomalyInfo_Type_value[name]; ok {
			all[pb.AnomalyInfo_Type(t)] = severity
		}
	}
	return all
}

// ignored returns the types that make no findings.
func (s severities) ignored() (all []string) {
	for name, severity := range s {
		if severity == pb.AnomalyInfo_UNKNOWN {
			all = append(all, name)
		}
	}
	return all
}

// noData is the type of the finding about a data set without examples.
const noData = "NO_DATA"

// A driftMeasurement is the distance of a feature from its baseline.
type driftMeasurement struct {
	Slice     string  `json:"slice,omitempty"`
	Feature   string  `json:"feature"`
	Kind      string  `json:"kind"`    // drift or skew
	Measure   string  `json:"measure"` // name of the measure
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold"` // from the schema
}

// addAnomaly adds a finding about statistics.
func (f *findings) addAnomaly(found anomaly.Finding) {
	one := finding{
		Severity: strings.ToLower(found.Severity.String()), Slice: found.Slice, Rule: found.Type.String(), Text: found.Text,
		Expected: found.Expected, Observed: observedValue(found.Observed),
	}
	f.addOfData(one, found.Path)
}

// addOfData adds a finding about a feature; about the data set or a slice if path is nil.
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

// placeOf returns the prefix of a message about a slice.
func placeOf(slice string) string {
	if slice == "" {
		return ""
	}
	return "slice " + slice + ": "
}

// addAnomalies adds the finding about missing data, and the measured distances.
func (f *findings) addAnomalies(a *pb.Anomalies) {
	f.missing = a.GetDataMissing()
	if severity := f.severityOf(noData, "error"); f.missing && severity != "" {
		f.add(finding{Severity: severity, Rule: noData, Text: "there are no examples", Expected: "examples", Observed: "none"})
	}
	for _, info := range a.GetDriftSkewInfo() {
		slice, name := cutSlice(info.GetPath(), f.slices)
		for kind, all := range [][]*pb.DriftSkewInfo_Measurement{info.GetDriftMeasurements(), info.GetSkewMeasurements()} {
			for _, m := range all {
				f.drift = append(f.drift, driftMeasurement{slice, name, [...]string{"drift", "skew"}[kind], m.GetType().String(), m.GetValue(), m.GetThreshold()})
			}
		}
	}
}

// addRecords adds the findings about records. It counts all of them, and lists the kept ones.
func (f *findings) addRecords(all *record.Summary) {
	for _, p := range all.Pairs() {
		f.raggedColumns.declare(&p)
	}
	for _, c := range all.Counts() {
		for severity := range f.severitiesOf(c) {
			n := f.counts.countOf(countKey{feature: c.Feature, rule: c.Rule}, severity)
			n.findingTotal, n.printed = findingTotal{c.Findings, c.Values, c.Records}, c.Kept
		}
	}
	other, rules := all.Other()
	for _, c := range rules {
		for severity := range f.severitiesOf(c) {
			f.counts.other.raise(severity)
		}
	}
	for _, n := range []struct {
		to *findingCount
		of record.Count
	}{{&f.counts.other, other}, {&f.counts.all, all.All()}} {
		n.to.findingTotal = findingTotal{n.of.Findings, n.of.Values, n.of.Records}
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
			Severity: severity, Feature: r.Feature, Rule: r.Rule, Text: text, Expected: r.Expected, Observed: observedValue(r.Observed),
			Value: cli.Known(r.ValueIndex, r.ValueIndex >= 0), RowPath: r.RowPath, Step: cli.Known(r.Step, r.Step >= 0), Values: values,
			File: &name, Record: &pos.Record, Address: jsonscan.Name(scan.Address(pos.Name, pos.Record)), Offset: &pos.Offset, Length: &size, Example: cli.Known(r.Example, r.Example >= 0),
			Spec: f.raggedColumns.declare(r.Pair), place: scan.PlaceOf(pos) + ": ",
		})
	}
}

// severitiesOf returns the severities of the findings in c, and adds the errors among them to f.errors.
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

// severityOf returns the severity of a finding; "" if its type is ignored. own is the severity without --severity.
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

// add adds a finding about the data set or a slice.
func (f *findings) add(one finding) {
	if one.Slice == "" {
		one.key = one.Feature
	}
	n := f.counts.countOf(countKey{one.Slice, one.Feature, one.Rule}, one.Severity)
	n.ofData++
	n.key = one.key
	if one.Severity == "error" {
		f.errors++
	}
	f.all = append(f.all, one)
}

// hidden returns the number of findings about records that are not printed.
func (f *findings) hidden() uint64 {
	n := f.counts.all.Findings - f.counts.other.printed
	for _, row := range f.counts.pairs {
		n -= row.printed
	}
	return n
}

// fails reports whether a finding is at least as severe as --fail-on.
func (f *findings) fails(from threshold) bool {
	switch failOnNames[from] {
	case "error":
		return f.errors > 0
	case "warning":
		return len(f.counts.pairs) > 0
	}
	return false
}

// print appends the report in a format.
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
		dst = f.counts.table(append(dst, '\n'), f.examined)
	}
	if len(f.counts.pairs) == 0 {
		text := "no anomalies"
		if f.records {
			text += " in " + cli.Plural(int64(f.examined), "record")
		}
		dst = append(append(dst, text...), '\n')
	}
	return append(dst, f.suggestion...)
}

// A findingReport is the JSON form of the report.
type findingReport struct {
	Findings   []finding          `json:"findings"`
	Hidden     uint64             `json:"more"`   // number of findings that are not listed
	Counts     []*findingCount    `json:"counts"` // by slice, feature and rule, by descending number of findings
	Other      findingTotal       `json:"other"`  // of counts beyond maxPairs and maxNames
	Total      findingTotal       `json:"total"`
	Records    uint64             `json:"records"` // number of examined records
	Drift      []driftMeasurement `json:"drift"`
	Errors     uint64             `json:"errors"` // number of findings of severity error
	Suggestion *string            `json:"suggestion,omitempty"`
}

func (f *findings) report() *findingReport {
	r := &findingReport{
		Findings: append([]finding{}, f.all...), Hidden: f.hidden(), Counts: append([]*findingCount{}, f.counts.rows()...), Other: f.counts.other.sum(), Total: f.counts.sum(),
		Records: f.examined, Drift: append([]driftMeasurement{}, f.drift...), Errors: f.errors,
	}
	if f.suggestion != nil {
		r.Suggestion = cli.Known(string(f.suggestion), true)
	}
	return r
}

func (f *findings) json(dst []byte) []byte { return append(cli.AppendJSON(dst, f.report()), '\n') }

// name returns the subject of a finding for messages.
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
