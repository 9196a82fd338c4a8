package quality

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example/recordjson"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/record"
)

var findingFormats = []string{"text", "json", "sarif", "junit"}

// A findingFormat says whom findings are for.
type findingFormat uint8

const (
	formatFindingText findingFormat = iota
	formatFindingJSON
	formatSARIF
	formatJUnit
)

func (f findingFormat) MarshalText() ([]byte, error)     { return []byte(findingFormats[f]), nil }
func (f *findingFormat) UnmarshalText(text []byte) error { return cli.SetName(f, findingFormats, text) }

// A finding is one thing that does not fit, in the data set or in a record.
type finding struct {
	Severity string           `json:"severity"`
	Feature  string           `json:"feature"` // its path as text; "" for the whole data set, or record
	Rule     string           `json:"rule"`
	Text     string           `json:"text"`
	File     *recordjson.Name `json:"file,omitempty"`
	Record   *int64           `json:"record,omitempty"`
	Offset   *int64           `json:"offset,omitempty"` // of the record in the file
	Length   *int64           `json:"length,omitempty"`
	Example  *int             `json:"example,omitempty"`
	Value    *int             `json:"value,omitempty"`
	Spec     json.RawMessage  `json:"spec,omitempty"` // that declares what was not declared, with --suggest

	place string // where it is, for people
}

// findings are all that was found.
type findings struct {
	all     []finding
	drift   []measured
	hidden  int    // more findings about records
	of      uint64 // records
	records bool   // that were looked at one by one
	missing bool   // there are no examples
	errors  int
	uri     string // of the schema
	color   bool   // of severities, in text

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

// noData is the type of the finding that there are no examples.
const noData = "NO_DATA"

// A measured is a distance that was measured for a comparator.
type measured struct {
	Feature   string  `json:"feature"`
	Kind      string  `json:"kind"` // drift or skew
	Measure   string  `json:"measure"`
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold"`
}

// addAnomalies adds what is wrong with statistics. An anomaly has one severity for all
// that is wrong with a feature, the highest; a finding has its own, unless those of
// TensorFlow Data Validation are wanted.
func (f *findings) addAnomalies(a *pb.Anomalies, tfdv bool) {
	f.missing = a.GetDataMissing()
	if severity := f.severityOf(noData, "error"); f.missing && severity != "" {
		f.add(finding{Severity: severity, Rule: noData, Text: "there are no examples"})
	}
	add := func(name string, info *pb.AnomalyInfo) {
		for _, r := range info.GetReason() {
			text := strings.TrimSpace(r.GetDescription())
			if text == "" {
				text = r.GetShortDescription()
			}
			severity := strings.ToLower(info.GetSeverity().String())
			if !tfdv {
				severity = f.severityOf(r.GetType().String(), severity)
			}
			if severity != "" {
				f.add(finding{Severity: severity, Feature: name, Rule: r.GetType().String(), Text: text})
			}
		}
	}
	if a.GetDatasetAnomalyInfo() != nil {
		add("", a.GetDatasetAnomalyInfo())
	}
	for _, e := range a.GetAnomalyInfo() {
		add(e.GetKey(), e.GetValue())
	}
	for _, info := range a.GetDriftSkewInfo() {
		name := statsource.PathName(info.GetPath().GetStep())
		for kind, all := range [][]*pb.DriftSkewInfo_Measurement{info.GetDriftMeasurements(), info.GetSkewMeasurements()} {
			for _, m := range all {
				f.drift = append(f.drift, measured{name, [...]string{"drift", "skew"}[kind], m.GetType().String(), m.GetValue(), m.GetThreshold()})
			}
		}
	}
}

// addRecord adds what is wrong with a record. After most of them they are only
// counted.
func (f *findings) addRecord(pos tfrecord.Position, length int, r record.Finding, most int) {
	severity := "error"
	if r.Warning {
		severity = "warning"
	}
	if severity = f.severityOf(r.Rule, severity); severity == "" {
		return
	}
	spec := f.columns.declare(r.Pair)
	if shown := len(f.all); shown >= most {
		f.hidden++
		if severity == "error" {
			f.errors++
		}
		return
	}
	name := recordjson.Name(pos.Name)
	text := strings.TrimPrefix(r.String(), fmt.Sprintf("feature %q: ", r.Feature))
	text = strings.Replace(text, r.Rule+": ", "", 1)
	n := int64(length)
	found := finding{Severity: severity, Feature: r.Feature, Rule: r.Rule, Text: text, File: &name, Record: &pos.Record, Offset: &pos.Offset, Length: &n, Spec: spec, place: pos.String() + ": "}
	if r.Example >= 0 {
		found.Example = &r.Example
	}
	if r.Value >= 0 {
		found.Value = &r.Value
	}
	f.add(found)
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

func (f *findings) add(one finding) {
	if one.Severity == "error" {
		f.errors++
	}
	f.all = append(f.all, one)
}

// fails reports whether the answer is negative.
func (f *findings) fails(from threshold) bool {
	switch failOnNames[from] {
	case "error":
		return f.errors > 0
	case "warning":
		return len(f.all)+f.hidden > 0
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
	}
	for _, one := range f.all {
		name := one.Feature
		if name == "" {
			name = "(data set)"
		}
		severity := one.Severity
		if color := cli.SeverityColors[severity]; f.color && color != "" {
			severity = color + severity + cli.ColorOff
		}
		dst = fmt.Appendf(dst, "%s: %s: %s\n", console.OneLine(one.place+name), severity, console.OneLine(one.Rule+": "+one.Text))
	}
	if f.hidden > 0 {
		dst = fmt.Appendf(dst, "and %s more; --max-findings prints them\n", cli.Plural(int64(f.hidden), "finding"))
	}
	for _, m := range f.drift {
		dst = fmt.Appendf(dst, "%s\n", console.OneLine(fmt.Sprintf("%s: %s: %s is %.6g, the threshold %.6g", m.Feature, m.Kind, m.Measure, m.Value, m.Threshold)))
	}
	if len(f.all)+f.hidden == 0 {
		text := "no anomalies"
		if f.records {
			text += " in " + cli.Plural(int64(f.of), "record")
		}
		dst = append(append(dst, text...), '\n')
	}
	return append(dst, f.suggestion...)
}

func (f *findings) json(dst []byte) []byte {
	report := struct {
		Findings []finding  `json:"findings"`
		Hidden   int        `json:"more"`
		Records  uint64     `json:"records"`
		Drift    []measured `json:"drift"`
		Errors   int        `json:"errors"`
		Suggest  *string    `json:"suggestion,omitempty"`
	}{f.all, f.hidden, f.of, f.drift, f.errors, nil}
	if f.suggestion != nil {
		text := string(f.suggestion)
		report.Suggest = &text
	}
	if report.Findings == nil {
		report.Findings = []finding{}
	}
	if report.Drift == nil {
		report.Drift = []measured{}
	}
	return append(cli.AppendJSON(dst, report), '\n')
}
