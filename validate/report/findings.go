package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A finding is a problem of a feature or of the data set.
type finding struct {
	Severity, Type, Text string
	Command, Link        string // those of Finding
}

// featureFindings are the findings about one feature.
type featureFindings struct {
	path     view.Path
	findings []finding
	counts   []Count       // from Input.Counts; nil: count findings
	measured []distanceRow // distances with a threshold in the schema
	shown    bool          // the page has a section with these findings
}

// A ruleCount is a row of the table of findings by feature and rule.
type ruleCount struct {
	ID          string // ID of the feature, to link to
	Above, Name string // path of the feature; empty for the whole data set
	Severity    string // in lower case; also a CSS class
	Rule        string // type of the anomaly or finding; may be empty
	Findings    string // number of findings
	Records     string // number of records with such findings
	First       string // text of the first finding

	n uint64 // number of findings, to sort by
}

// A findingIndex contains the findings by slice and by path.
type findingIndex struct {
	bySlice map[string]map[string]*featureFindings
	ofData  featureFindings // findings about the whole data set
}

// sortFindings returns the index of all findings in the input.
func sortFindings(in *Input) findingIndex {
	a := in.Anomalies
	w := findingIndex{bySlice: map[string]map[string]*featureFindings{}}
	if a.GetDataMissing() {
		w.ofData.findings = append(w.ofData.findings, finding{Severity: "error", Type: "NO_DATA", Text: "there are no examples"})
	}
	w.ofData.findings = append(w.ofData.findings, findings(a.GetDatasetAnomalyInfo())...)
	names := map[string]bool{}
	home := ""
	if len(in.Sides) > 0 {
		for _, d := range in.Sides[0].Statistics.GetDatasets() {
			names[d.GetName()] = true
		}
		if first := pairSlices(in.Sides); len(first) > 0 {
			home = first[0].key
		}
	}
	at := func(slice string, path view.Path) *featureFindings {
		if w.bySlice[slice] == nil {
			w.bySlice[slice] = map[string]*featureFindings{}
		}
		f := w.bySlice[slice][path.String()]
		if f == nil {
			f = &featureFindings{path: path}
			w.bySlice[slice][path.String()] = f
		}
		return f
	}
	// inSlice is at for the path of an anomaly, which may contain a slice.
	inSlice := func(path view.Path) *featureFindings {
		if name, step := view.CutSlice(path[0], names); step != path[0] {
			return at(name, append(view.Path{step}, path[1:]...))
		}
		return at(home, path)
	}
	for _, e := range a.GetAnomalyInfo() {
		path := view.Of(e.GetValue().GetPath())
		if len(path) == 0 {
			path = parsePath(e.GetKey())
		}
		f := inSlice(path)
		f.findings = append(f.findings, findings(e.GetValue())...)
	}
	for _, info := range a.GetDriftSkewInfo() {
		if path := view.Of(info.GetPath()); len(path) > 0 {
			f := at(home, path)
			f.measured = append(f.measured, measurements("Drift", info.GetDriftMeasurements())...)
			f.measured = append(f.measured, measurements("Skew", info.GetSkewMeasurements())...)
		}
	}
	for _, more := range in.Findings {
		one := finding{strings.ToLower(more.Severity), more.Rule, cutText(more.Text, 4*maxValueChars), more.Command, more.Link}
		if more.Feature == "" {
			w.ofData.findings = append(w.ofData.findings, one)
			continue
		}
		f := inSlice(parsePath(more.Feature))
		f.findings = append(f.findings, one)
	}
	for _, c := range in.Counts {
		c.Severity = strings.ToLower(c.Severity)
		if c.Feature == "" {
			w.ofData.counts = append(w.ofData.counts, c)
			continue
		}
		f := inSlice(parsePath(c.Feature))
		f.counts = append(f.counts, c)
	}
	return w
}

// countByRule returns the number of findings by rule: Input.Counts, else the number in f.findings.
func (f *featureFindings) countByRule() (all []Count) {
	if len(f.counts) > 0 {
		return f.counts
	}
	for _, one := range f.findings {
		at := slices.IndexFunc(all, func(c Count) bool { return c.Severity == one.Severity && c.Rule == one.Type })
		if at < 0 {
			at, all = len(all), append(all, Count{Severity: one.Severity, Rule: one.Type})
		}
		all[at].Findings++
	}
	return all
}

// countSeverities returns the number of errors and of other findings.
func (f *featureFindings) countSeverities() (errors, others uint64) {
	for _, c := range f.countByRule() {
		if c.Severity == "error" {
			errors += c.Findings
		} else {
			others += c.Findings
		}
	}
	return errors, others
}

// findingCount returns the number of findings.
func (f *featureFindings) findingCount() uint64 {
	if f == nil {
		return 0
	}
	errors, others := f.countSeverities()
	return errors + others
}

// severityRank is 2 with errors, 1 with other findings only, 0 without findings.
func (f *featureFindings) severityRank() int {
	if f == nil {
		return 0
	}
	switch errors, others := f.countSeverities(); {
	case errors > 0:
		return 2
	case others > 0:
		return 1
	}
	return 0
}

// flagText returns the number of findings by severity, as text.
func (f *featureFindings) flagText() string { return severities(f.countSeverities()) }

func severities(errors, others uint64) string {
	var parts []string
	if errors > 0 {
		parts = append(parts, plural(int(min(errors, 1<<30)), "error"))
	}
	if others > 0 {
		parts = append(parts, plural(int(min(others, 1<<30)), "warning"))
	}
	return strings.Join(parts, ", ")
}

// maxCounts is the maximum number of rows of the table of findings by feature and rule.
const maxCounts = 500

// countFindings fills the table of findings by feature and rule: errors first, then other severities,
// each with the most frequent findings first.
func (s *slice) countFindings() {
	ids := map[string]string{}
	for _, f := range s.Features {
		ids[f.path.String()] = f.ID
	}
	var errors, others uint64 // of features
	faulty := 0
	add := func(f *featureFindings) {
		if f.severityRank() > 0 && len(f.path) > 0 {
			faulty++
			e, o := f.countSeverities()
			errors, others = errors+e, others+o
		}
		for _, c := range f.countByRule() {
			row := ruleCount{Severity: c.Severity, Rule: c.Rule, Findings: count(float64(c.Findings)), n: c.Findings}
			if len(f.path) > 0 {
				row.ID, row.Name = ids[f.path.String()], cutText(f.path.Last(), maxNameChars)
				if len(f.path) > 1 {
					row.Above = pathText(f.path.Parent()) + separator
				}
			}
			if c.Records > 0 {
				row.Records, s.InRecords = count(float64(c.Records)), true
			}
			if at := slices.IndexFunc(f.findings, func(one finding) bool { return one.Type == c.Rule && one.Severity == c.Severity }); at >= 0 {
				row.First = f.findings[at].Text
			}
			s.Counts = append(s.Counts, row)
		}
	}
	add(&s.ofData)
	for _, key := range slices.Sorted(maps.Keys(s.findings)) {
		add(s.findings[key])
	}
	slices.SortStableFunc(s.Counts, func(a, b ruleCount) int {
		if x, y := a.Severity == "error", b.Severity == "error"; x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.n, a.n)
	})
	var parts []string
	if faulty > 0 {
		parts = append(parts, severities(errors, others)+" in "+plural(faulty, "feature"))
	}
	if s.ofData.severityRank() > 0 {
		parts = append(parts, s.ofData.flagText()+" in all of the data")
	}
	s.Wrong = strings.Join(parts, "; ")
	if left := len(s.Counts) - maxCounts; left > 0 {
		s.Counts, s.CountLeft = s.Counts[:maxCounts], left
	}
}

// parsePath parses a path. It treats an invalid path as a name.
func parsePath(s string) view.Path {
	path, err := view.ParsePath(s)
	if err != nil || len(path) == 0 {
		return view.Path{s}
	}
	return path
}

// maxFindings is the default of Input.MaxFindings.
const maxFindings = 30

// atMost cuts findings to a number, 0 for maxFindings, followed by a finding that counts the rest.
func atMost(all []finding, most int) []finding {
	if most <= 0 {
		most = maxFindings
	}
	if len(all) <= most {
		return all
	}
	rest := finding{Severity: "warning", Text: "and " + count(float64(len(all)-most)) + " more"}
	for _, f := range all[most:] {
		if f.Severity == "error" {
			rest.Severity = "error"
		}
	}
	return append(all[:most:most], rest)
}

// measurements returns the rows of distances with a threshold in the schema.
func measurements(kind string, all []*pb.DriftSkewInfo_Measurement) (d []distanceRow) {
	for _, m := range all {
		d = append(d, distanceRow{Name: kind + ", " + m.GetType().String(), Value: number(m.GetValue()), Label: "at most " + number(m.GetThreshold())})
	}
	return d
}

// findings returns the reasons of an anomaly.
func findings(info *pb.AnomalyInfo) (all []finding) {
	severity := strings.ToLower(info.GetSeverity().String())
	for _, r := range info.GetReason() {
		text := strings.TrimSpace(r.GetDescription())
		if text == "" {
			text = r.GetShortDescription()
		}
		all = append(all, finding{Severity: severity, Type: r.GetType().String(), Text: cutText(text, 4*maxValueChars)})
	}
	if text := info.GetDescription(); len(all) == 0 && text != "" {
		all = append(all, finding{Severity: severity, Text: cutText(text, 4*maxValueChars)})
	}
	return all
}
