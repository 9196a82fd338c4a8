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

// A page is what the template is filled with. All text is as it is shown, but not
// escaped.
type page struct {
	Title, Note string
	Style       template.CSS
	Script      template.JS
	Policy      string
	Sides       []string    // what the data sets are called
	Sizes       []string    // of their files; may be empty
	Kinds       []kindCount // of features, that there are
	Checked     bool        // there is something to say of anomalies
	Slices      []*slice
	Left        int // features that are not on the page
	LeftSlices  int // slices; nothing of them is
}

// Several reports whether data sets stand side by side.
func (p *page) Several() bool { return len(p.Sides) > 1 }

// Letters are what the sides are called where there is little space.
func (s *slice) Letters() []string { return letters[:len(s.Sides)] }

// Letter is what a side is called where there is little space.
func (p *page) Letter(side int) string { return letters[side] }

// letters stand for the sides where there is little space.
var letters = [MaxSides]string{"A", "B", "C", "D", "E", "F"}

// A kindCount is how many features have a type.
type kindCount struct {
	Kind string
	N    int
}

// A slice is one data set, or a part of it, of each side.
type slice struct {
	ID        string
	Name      string // what it is called
	Single    bool   // there are no others
	Facts     []row
	Sides     []string
	Findings  []finding   // about all of the data
	Counts    []ruleCount // what is wrong, by feature and rule
	CountLeft int         // of them, that are not shown
	Wrong     string      // the sums of all of them
	InRecords bool        // some say how many records have them
	Groups    []group     // of columns of the table
	Features  []*feature
	Cross     []cross
	CrossLeft int // pairs that are not shown
	Checked   bool
	Faulty    int  // features with findings
	Many      bool // there are a lot of features
	Crowd     bool // even their headings are left out of the layout

	most      int                        // values that are listed of a feature
	data      []*view.Dataset            // one for each side, nil where it is not there
	details   []*stats.Details           // for each side; may be nil
	distances []map[string]drift.Feature // from the first data set to each other
	findings  map[string]*featureFindings
	ofData    featureFindings // what is wrong with all of the data
}

// firstRows is how many rows of the table of all features are laid out at first, where there are
// many. The script shows more when the reader scrolls to the last of them. It has the same number.
const firstRows = 100

// Breaks reports whether the rows that are laid out later begin with that of the feature i.
func (s *slice) Breaks(i int) bool { return s.Many && i == firstRows }

// A cross is what two features have to do with each other.
type cross struct{ Side, X, Y, Count, Correlation, Covariance string }

func newPage(in *Input) (*page, error) {
	p := &page{Title: in.Title, Style: parsed.style, Script: parsed.script, Policy: parsed.policy, Checked: in.Anomalies != nil || len(in.Findings)+len(in.Counts) > 0}
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
			name = [MaxSides]string{"first", "second", "third", "fourth", "fifth", "sixth"}[i]
		}
		p.Sides = append(p.Sides, clip(name, nameRoom))
		size := s.Size
		if size != "" {
			size = clip(size, nameRoom)
		}
		p.Sizes = append(p.Sizes, size)
	}
	wrong := sortFindings(in)
	limit := MaxFeatures
	for i, pair := range pairs(in.Sides) {
		s := &slice{ID: fmt.Sprintf("s%d", i), Name: pair.name, Sides: p.Sides, Checked: p.Checked, findings: wrong.of[pair.key]}
		if i == 0 {
			s.ofData = wrong.ofData
			s.Findings = atMost(wrong.ofData.findings)
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
			at := slices.IndexFunc(p.Kinds, func(k kindCount) bool { return k.Kind == f.Kind })
			if at < 0 {
				at, p.Kinds = len(p.Kinds), append(p.Kinds, kindCount{Kind: f.Kind})
			}
			p.Kinds[at].N++
		}
	}
	slices.SortFunc(p.Kinds, func(a, b kindCount) int { return cmp.Compare(a.Kind, b.Kind) })
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
	type occurrence struct {
		key string
		n   int // names need not differ: the first of a name goes with the first of the other
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
				all = append(all, pair{key, cut(cmp.Or(d.GetName(), view.AllExamples), nameRoom), make([]*pb.DatasetFeatureStatistics, len(sides))})
			}
			all[k].data[i] = d
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
