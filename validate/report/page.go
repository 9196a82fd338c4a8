package report

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A page is what the template is filled with. All text is as it is shown, but not
// escaped.
type page struct {
	Title, Note string
	Style       template.CSS
	Script      template.JS
	Policy      string
	Sides       []string // what the data sets are called
	Sizes       []string // of their files; may be empty
	Kinds       []string // of features, that there are
	Checked     bool     // there is something to say of anomalies
	Slices      []*slice
	Left        int // features that are not on the page
	LeftSlices  int // slices; nothing of them is
}

// Two reports whether two data sets stand side by side.
func (p *page) Two() bool { return len(p.Sides) == 2 }

// Letters are what the sides are called where there is little space.
func (s *slice) Letters() []string { return letters[:len(s.Sides)] }

// letters stand for the sides where there is little space.
var letters = [2]string{"A", "B"}

// A slice is one data set, or a part of it, of each side.
type slice struct {
	ID        string
	Name      string // what it is called
	Single    bool   // there are no others
	Facts     []fact
	Sides     []string
	Findings  []finding // about all of the data
	Groups    []group   // of columns of the table
	Features  []*feature
	Cross     []cross
	CrossLeft int // pairs that are not shown
	Checked   bool
	Faulty    int  // features with findings
	Many      bool // there are a lot of features

	most      int             // values that are listed of a feature
	data      []*view.Dataset // one for each side, nil where it is not there
	distances map[string]drift.Feature
	findings  map[string]*found
}

// A fact is a line of the overview, with a text for each side.
type fact struct {
	Name string
	Of   []string
}

// A finding is one thing that is wrong.
type finding struct{ Severity, Type, Text string }

// A found is what is wrong with a feature.
type found struct {
	path     view.Path
	findings []finding
	measured []distance
	used     bool
}

// A cross is what two features have to do with each other.
type cross struct{ Side, X, Y, Count, Correlation, Covariance string }

func newPage(in *Input) (*page, error) {
	p := &page{Title: in.Title, Style: parsed.style, Script: parsed.script, Policy: parsed.policy, Checked: in.Anomalies != nil || len(in.Findings) > 0}
	if p.Title == "" {
		p.Title = "Statistics"
	}
	p.Title = clip(p.Title, valueRoom)
	if in.Note != "" {
		p.Note = cut(in.Note, 4*valueRoom)
	}
	for i, s := range in.Sides {
		name := s.Name
		if name == "" {
			name = [...]string{"first", "second"}[i]
		}
		p.Sides = append(p.Sides, clip(name, nameRoom))
		size := s.Size
		if size != "" {
			size = clip(size, nameRoom)
		}
		p.Sizes = append(p.Sizes, size)
	}
	found, ofData := sortFindings(in)
	limit := MaxFeatures
	for i, pair := range pairs(in.Sides) {
		s := &slice{ID: fmt.Sprintf("s%d", i), Name: pair.name, Sides: p.Sides, Checked: p.Checked, findings: found[pair.key]}
		if i == 0 {
			s.Findings = ofData
		}
		if limit == 0 {
			p.LeftSlices++
			for _, d := range pair.data {
				p.Left = max(p.Left, len(d.GetFeatures()))
			}
			continue
		}
		left, err := s.fill(in, pair.data, limit)
		if err != nil {
			return nil, err
		}
		limit -= len(s.Features)
		p.Left += left
		p.Slices = append(p.Slices, s)
	}
	for _, s := range p.Slices {
		s.Single = len(p.Slices) == 1
		for _, f := range s.Features {
			if !slices.Contains(p.Kinds, f.Kind) {
				p.Kinds = append(p.Kinds, f.Kind)
			}
		}
	}
	slices.Sort(p.Kinds)
	return p, nil
}

// A pair is a slice of both sides; one side may be nil.
type pair struct {
	key  string
	name string // as it is shown
	data []*pb.DatasetFeatureStatistics
}

// pairs puts the slices of the sides together, that of all examples first.
func pairs(sides []Side) []pair {
	var all []pair
	single := true
	for _, s := range sides {
		single = single && len(s.Statistics.GetDatasets()) <= 1
	}
	for i, s := range sides {
		for n, d := range s.Statistics.GetDatasets() {
			// Names need not differ: the first of a name goes with the first of the other.
			seen := 0
			for _, before := range s.Statistics.GetDatasets()[:n] {
				if before.GetName() == d.GetName() {
					seen++
				}
			}
			key := d.GetName()
			if single {
				key = ""
			}
			at := slices.IndexFunc(all, func(p pair) bool {
				if p.key == key {
					seen--
				}
				return p.key == key && seen < 0
			})
			if at < 0 {
				name := d.GetName()
				if name == "" {
					name = view.AllExamples
				}
				at = len(all)
				all = append(all, pair{key, cut(name, nameRoom), make([]*pb.DatasetFeatureStatistics, len(sides))})
			}
			all[at].data[i] = d
		}
	}
	if len(all) == 0 {
		all = append(all, pair{"", view.AllExamples, make([]*pb.DatasetFeatureStatistics, len(sides))})
	}
	slices.SortStableFunc(all, func(a, b pair) int {
		switch {
		case a.key == b.key || a.key != view.AllExamples && b.key != view.AllExamples:
			return 0
		case a.key == view.AllExamples:
			return -1
		}
		return 1
	})
	return all
}

// sortFindings sorts what is wrong by slice and path; the findings that are about all of
// the data come apart.
func sortFindings(in *Input) (of map[string]map[string]*found, ofData []finding) {
	a := in.Anomalies
	of = map[string]map[string]*found{}
	if a.GetDataMissing() {
		ofData = append(ofData, finding{"error", "NO_DATA", "there are no examples"})
	}
	ofData = append(ofData, findings(a.GetDatasetAnomalyInfo())...)
	names := map[string]bool{}
	home := ""
	if len(in.Sides) > 0 {
		list := in.Sides[0].Statistics.GetDatasets()
		for _, d := range list {
			names[d.GetName()] = true
		}
		if first := pairs(in.Sides); len(first) > 0 {
			home = first[0].key
		}
	}
	at := func(slice string, path view.Path) *found {
		if of[slice] == nil {
			of[slice] = map[string]*found{}
		}
		f := of[slice][path.Key()]
		if f == nil {
			f = &found{path: path}
			of[slice][path.Key()] = f
		}
		return f
	}
	for _, e := range a.GetAnomalyInfo() {
		path := view.Of(e.GetValue().GetPath())
		if len(path) == 0 {
			path = parsePath(e.GetKey())
		}
		slice := home
		if rest, ok := strings.CutPrefix(path[0], "slice("); ok {
			for _, name := range slices.Backward(slices.Sorted(maps.Keys(names))) { // the longest one first
				if step, ok := strings.CutPrefix(rest, name+")::"); ok {
					slice, path = name, append(view.Path{step}, path[1:]...)
					break
				}
			}
		}
		f := at(slice, path)
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
		one := finding{strings.ToLower(more.Severity), more.Rule, cut(more.Text, 4*valueRoom)}
		if more.Feature == "" {
			ofData = append(ofData, one)
			continue
		}
		f := at(home, parsePath(more.Feature))
		f.findings = append(f.findings, one)
	}
	return of, atMost(ofData)
}

// parsePath takes what is no path for a name.
func parsePath(s string) view.Path {
	path, err := view.ParsePath(s)
	if err != nil || len(path) == 0 {
		return view.Path{s}
	}
	return path
}

// maxFindings is how many findings of one feature are shown.
const maxFindings = 30

// atMost cuts findings, and says how many there are.
func atMost(all []finding) []finding {
	if len(all) <= maxFindings {
		return all
	}
	rest := finding{Severity: "warning", Text: "and " + count(float64(len(all)-maxFindings)) + " more"}
	for _, f := range all[maxFindings:] {
		if f.Severity == "error" {
			rest.Severity = "error"
		}
	}
	return append(all[:maxFindings:maxFindings], rest)
}

// measurements are distances that the schema has thresholds for.
func measurements(kind string, all []*pb.DriftSkewInfo_Measurement) (d []distance) {
	for _, m := range all {
		d = append(d, distance{Name: kind + ", " + m.GetType().String(), Value: number(m.GetValue()), Label: "at most " + number(m.GetThreshold())})
	}
	return d
}

// findings are the reasons of an anomaly.
func findings(info *pb.AnomalyInfo) (all []finding) {
	severity := strings.ToLower(info.GetSeverity().String())
	for _, r := range info.GetReason() {
		text := strings.TrimSpace(r.GetDescription())
		if text == "" {
			text = r.GetShortDescription()
		}
		all = append(all, finding{severity, r.GetType().String(), cut(text, 4*valueRoom)})
	}
	if text := info.GetDescription(); len(all) == 0 && text != "" {
		all = append(all, finding{severity, "", cut(text, 4*valueRoom)})
	}
	return all
}
