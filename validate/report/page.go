package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/stats"
)

// A page is the data of the template. Its texts are final but not escaped.
type page struct {
	Title, Note string       // Title is never empty; Note is a text in the footer and may be empty
	Style       template.CSS // page.css
	Script      template.JS  // page.js
	Policy      string       // Content-Security-Policy, with the hashes of Style and Script
	Served      bool         // Input.Served
	FaultyOnly  bool         // only features with findings are shown at first
	Progress    *Progress    // Input.Progress
	Sides       []string     // names of the data sets
	Sizes       []string     // sizes of the files of the data sets; may be empty
	Kinds       []kindCount  // types of features on the page
	Checked     bool         // the input has anomalies or findings, maybe none
	Slices      []*slice     // at least one; the slice of all examples, if any, is the first
	Left        int          // number of features that are not on the page
	LeftSlices  int          // number of slices without any feature on the page
}

// Several reports whether the page compares several data sets.
func (p *page) Several() bool { return len(p.Sides) > 1 }

// Noisy reports whether a feature differs between data sets within the noise.
func (p *page) Noisy() bool {
	return slices.ContainsFunc(p.Slices, func(s *slice) bool { return s.Within > 0 })
}

// Letters returns the short names of the sides.
func (s *slice) Letters() []string { return letters[:len(s.Sides)] }

// Letter returns the short name of a side.
func (p *page) Letter(side int) string { return letters[side] }

// letters are short names of the sides.
var letters = [MaxSides]string{"A", "B", "C", "D", "E", "F"}

// A kindCount is the number of features of a type.
type kindCount struct {
	Kind string
	N    int
}

// A slice is one slice of the data sets, or the whole data sets, on all sides.
type slice struct {
	ID        string        // HTML ID of the section, unique on the page; prefix of feature.ID
	Name      string        // shortened; "All Examples" for a data set without a name
	Single    bool          // the only slice of the page
	Facts     []row         // the overview
	Sides     []string      // the same as page.Sides
	Findings  []finding     // about the whole data set
	Counts    []ruleCount   // findings by feature and rule
	CountLeft int           // number of Counts that are not shown
	Wrong     string        // sums of all Counts, as text
	InRecords bool          // some Counts have a number of records
	Groups    []columnGroup // columns of the table of all features
	Features  []*feature    // as sortedPaths orders them; at most MaxFeatures in all slices
	Cross     []crossRow    // cross statistics of all sides, at most MaxFeatures
	CrossLeft int           // number of cross statistics that are not shown
	Checked   bool          // the same as page.Checked
	Faulty    int           // number of features with findings
	Within    int           // number of features within the noise
	Many      bool          // more than manyFeatures
	Crowd     bool          // more than crowdFeatures

	link         func(Selection) string      // Input.Link; nil: no links, as in slices of the records
	mostFindings int                         // Input.MaxFindings
	maxLabels    int                         // maximum number of values listed for a feature
	data         []*view.Dataset             // data set of each side; nil where a side lacks the slice
	details      []*stats.Details            // details of each side; may be nil
	distances    []map[string]drift.Feature  // distances from the first side to each other side, by path
	findings     map[string]*featureFindings // findings by path
	ofData       featureFindings             // findings about the whole data set
}

// firstRows is the number of rows of the table of all features in the initial layout, if there are
// many. The script, which has the same constant, adds rows when the reader scrolls to the last row.
const firstRows = 100

// Breaks reports whether feature i is the first that is not in the initial layout.
func (s *slice) Breaks(i int) bool { return s.Many && i == firstRows }

// A crossRow is a cross statistic of two features.
type crossRow struct{ Side, X, Y, Count, Correlation, Covariance string }

func newPage(in *Input) (*page, error) {
	p := &page{Title: in.Title, Style: assets().style, Script: assets().script, Policy: assets().policy, Served: in.Served, Progress: in.Progress, Checked: in.Anomalies != nil || len(in.Findings)+len(in.Counts) > 0}
	if in.Served {
		p.Policy = assets().servedPolicy
	}
	if p.Title == "" {
		p.Title = "Statistics"
	}
	p.Title = clipText(p.Title, maxValueChars)
	if in.Note != "" {
		p.Note = cutText(in.Note, 4*maxValueChars)
	}
	for i, s := range in.Sides {
		name := s.Name
		if name == "" {
			name = [MaxSides]string{"first", "second", "third", "fourth", "fifth", "sixth"}[i]
		}
		p.Sides = append(p.Sides, clipText(name, maxNameChars))
		size := s.Size
		if size != "" {
			size = clipText(size, maxNameChars)
		}
		p.Sizes = append(p.Sizes, size)
	}
	wrong := sortFindings(in)
	limit := MaxFeatures
	for i, pair := range pairSlices(in.Sides) {
		s := &slice{ID: fmt.Sprintf("s%d", i), Name: pair.name, Sides: p.Sides, Checked: p.Checked, mostFindings: in.MaxFindings, findings: wrong.bySlice[pair.key]}
		if i == 0 {
			s.ofData = wrong.ofData
			s.link = in.Link
			s.Findings = atMost(wrong.ofData.findings, in.MaxFindings)
		}
		if limit == 0 {
			p.LeftSlices++
			for _, d := range pair.data {
				p.Left = max(p.Left, len(d.GetFeatures()))
			}
			continue
		}
		left, err := s.fillFeatures(in, pair.data, limit)
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
			at := slices.IndexFunc(p.Kinds, func(k kindCount) bool { return k.Kind == f.Kind })
			if at < 0 {
				at, p.Kinds = len(p.Kinds), append(p.Kinds, kindCount{Kind: f.Kind})
			}
			p.Kinds[at].N++
		}
	}
	p.FaultyOnly = in.FaultyOnly && slices.ContainsFunc(p.Slices, func(s *slice) bool { return s.Faulty > 0 })
	slices.SortFunc(p.Kinds, func(a, b kindCount) int { return cmp.Compare(a.Kind, b.Kind) })
	return p, nil
}

// A slicePair is the slice with one name on all sides.
type slicePair struct {
	key  string
	name string                         // name on the page
	data []*pb.DatasetFeatureStatistics // statistics of each side; nil where a side lacks the slice
}

// pairSlices pairs the slices of the sides by name. The slice of all examples comes first.
func pairSlices(sides []Side) []slicePair {
	var all []slicePair
	single := true
	for _, s := range sides {
		single = single && len(s.Statistics.GetDatasets()) <= 1
	}
	type occurrence struct {
		key string
		n   int // ordinal of the slice among those with the same name, which need not be unique
	}
	at := map[occurrence]int{}
	for i, s := range sides {
		seen := map[string]int{}
		for _, d := range s.Statistics.GetDatasets() {
			key := d.GetName()
			if single {
				key = ""
			}
			this := occurrence{key, seen[key]}
			seen[key]++
			k, ok := at[this]
			if !ok {
				k = len(all)
				at[this] = k
				all = append(all, slicePair{key, cutText(cmp.Or(d.GetName(), view.AllExamples), maxNameChars), make([]*pb.DatasetFeatureStatistics, len(sides))})
			}
			all[k].data[i] = d
		}
	}
	if len(all) == 0 {
		all = append(all, slicePair{"", view.AllExamples, make([]*pb.DatasetFeatureStatistics, len(sides))})
	}
	slices.SortStableFunc(all, func(a, b slicePair) int {
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
