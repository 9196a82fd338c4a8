package report

import (
	"math"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/stats"
)

// A feature is a section of the page and a row of the table.
type feature struct {
	ID       string            // HTML ID of the section, unique on the page: the slice's ID and an index
	Above    string            // the path without the last step, with a separator after it
	Name     string            // the last step
	Long     string            // the whole path, if Above and Name are shortened
	Kind     string            // type on the first side that has the feature; "custom" or "missing": no statistics
	Only     string            // the side that has the feature, if no other side has it
	Notes    []note            // reasons why sides cannot be compared
	Declared string            // declaration in the schema, as text
	Findings []finding         // at most maxFindings, then one that counts the others
	Worst    string            // highest severity of the findings
	Flag     string            // number of findings as text
	Total    uint64            // number of findings, to sort by
	Cells    []cell            // cells in the table of all features, by column of slice.Groups
	Apart    []largestDistance // in descending order
	Within   bool              // all data sets differ from the first only by chance
	Uneven   string            // see unevenness, to sort by
	Gone     string            // share of missing and zero values, to sort by
	Columns  []string          // headings of Rows
	Rows     []row             // statistics; those without a value on any side are omitted
	Measured []distanceRow     // those with a threshold in the schema first
	Figures  []figure          // charts of histograms, including views that are hidden at first
	Labels   *labels           // most frequent values; nil: none are known
	Levels   *table            // levels of nested lists
	Children []link            // of a struct: its first features, at most maxChildren
	More     int               // number of children without a link

	Named bool // the section has a name of its own, because its heading is outside the layout

	links        *linker          // makes links to records; nil: none
	path         view.Path        // not shortened; as text it is a key of slice.findings and slice.distances
	sortDistance float64          // largest distance from the first data set; +Inf if incomparable
	manyFeatures bool             // the page has more than manyFeatures
	details      []*stats.Details // details of each side
	sides        []*view.Feature  // statistics of each side; nil where a side lacks the feature
}

// A row is a statistic, or a line of the overview, with a text for each side.
type row struct {
	Name string
	Of   []cell
}

// A distanceRow is a distance between two sides.
type distanceRow struct {
	Name, Value, Label, Noise string
	Chance                    string // see drift.Distance.ChanceText
	Within                    bool   // the distance is within the noise

	measure drift.Measure // 0 for a distance with a threshold in the schema
	v       float64       // the distance
}

// A note is the reason why a feature cannot be compared, and the side that it is about, if any.
type note struct{ Text, Side string }

// A link leads to another feature.
type link struct{ ID, Name string }

// A table is a table of numbers with headings.
type table struct {
	Head []string
	Rows [][]string
}

// Text returns the table as lines with tabs between columns. The page contains closed tables in this
// form: one text takes the browser a thirtieth of the time of a table. The script makes a table
// of it when the reader opens it.
func (t table) Text() string {
	var b strings.Builder
	for i, row := range append([][]string{t.Head}, t.Rows...) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Join(row, "\t"))
	}
	return b.String()
}

// Several returns the class for how many columns of statistics there are.
func (f *feature) Several() string {
	switch len(f.Columns) {
	case 0, 1:
		return ""
	case 2:
		return "two"
	}
	return "more"
}

// Far returns the key for sorting by distance, empty without distances.
func (f *feature) Far() string {
	if len(f.Apart) == 0 && len(f.Notes) == 0 && f.Only == "" {
		return ""
	}
	return number(f.sortDistance)
}

// Waits reports whether the script builds the statistics and charts when the reader scrolls near
// them. Until then they are in a noscript element, which is one text if scripts run and markup if
// they do not.
func (f *feature) Waits() bool { return f.manyFeatures }

func kindOf(f *view.Feature) string {
	if f.Stats.GetStats() == nil {
		return "custom"
	}
	return strings.ToLower(f.Kind().String())
}

// kindOf returns the type of a feature. Statistics without values always have type string; then kindOf
// returns the type in the first data set with values.
func (s *slice) kindOf(f *view.Feature) string {
	if f.Total() == 0 {
		for _, d := range s.data {
			if v := d.ByPath(f.Path); v != nil && v.Total() > 0 {
				return kindOf(v)
			}
		}
	}
	return kindOf(f)
}

// separator separates the steps of a path.
const separator = " › "

func pathText(p view.Path) string {
	steps := make([]string, len(p))
	for i, step := range p {
		steps[i] = cutText(step, maxNameChars)
	}
	if len(steps) > 4 {
		steps = append(append(steps[:2:2], "…"), steps[len(steps)-1])
	}
	return strings.Join(steps, separator)
}

// addFeature adds the section of a feature.
func (s *slice) addFeature(id string, path view.Path, declared *rules.Schema) {
	f := &feature{ID: id, path: path, manyFeatures: s.Many, details: s.details, Named: s.Crowd, Name: cutText(path.Last(), maxNameChars), Kind: "missing"}
	if len(path) > 1 {
		f.Above = pathText(path.Parent()) + separator
	}
	for _, step := range path {
		if len(path) > 4 || cutText(step, maxNameChars) != safeText(step) {
			// Cut only to limit the size of the page.
			f.Long = cutText(path.String(), 100*maxNameChars)
		}
	}
	there := -1
	for i, d := range s.data {
		v := d.ByPath(path)
		if v == nil || v.Stats.GetStats() == nil && len(v.Stats.GetCustomStats()) == 0 {
			v = nil
		}
		f.sides = append(f.sides, v)
		if v != nil && there < 0 {
			there, f.Kind = i, s.kindOf(v)
		}
	}
	if missing := slices.IndexFunc(f.sides, func(v *view.Feature) bool { return v == nil }); missing >= 0 && there >= 0 {
		switch n := len(slices.DeleteFunc(slices.Clone(f.sides), func(v *view.Feature) bool { return v == nil })); {
		case n == 1:
			f.Only = s.Sides[there]
		default:
			for i, v := range f.sides {
				if v == nil {
					f.Notes = append(f.Notes, note{"not in", s.Sides[i]})
				}
			}
		}
	}
	if w := s.findings[path.String()]; w != nil && !w.shown {
		w.shown = true
		f.Findings = atMost(w.findings, s.mostFindings)
		f.Measured = w.measured
		if errors, others := w.countSeverities(); errors+others > 0 {
			f.Flag, f.Total, f.Worst = w.flagText(), errors+others, "warning"
			if errors > 0 {
				f.Worst = "error"
			}
			s.Faulty++
		}
	}
	f.links = s.newLinker(f)
	f.addDistances(s)
	domain := newDeclaration(declared, path)
	f.Declared = domain.describe()
	if v, ok := f.unevenness(); ok {
		f.Uneven = number(math.Round(v*1e6) / 1e6)
	}
	f.Gone = number(math.Round(f.absentShare()*1e6) / 1e6)
	f.addStatistics()
	f.addFigures()
	f.Labels = f.listLabels(domain, s.maxLabels)
	f.Levels = f.listLevels()
	s.Features = append(s.Features, f)
}

// maxChildren is the maximum number of links from a struct to its features.
const maxChildren = 100

// linkChildren adds links from structs to their features.
func (s *slice) linkChildren() {
	ids := map[string]*feature{}
	for _, f := range s.Features {
		ids[f.path.String()] = f
	}
	for _, f := range s.Features {
		if len(f.path) > 1 {
			switch parent := ids[f.path.Parent().String()]; {
			case parent == nil:
			case len(parent.Children) < maxChildren:
				parent.Children = append(parent.Children, link{f.ID, f.Name})
			default:
				parent.More++
			}
		}
	}
}

// listLevels returns the table of a nested list's levels, nil if the feature has one level.
func (f *feature) listLevels() *table {
	t := &table{Head: []string{"Level", "Present", "Missing", "Least", "Most", "Values"}}
	for i, v := range f.sides {
		if v == nil {
			continue
		}
		levels := v.Common().GetPresenceAndValencyStats()
		if len(levels) < 2 {
			continue
		}
		for n, l := range levels[:min(len(levels), 100)] {
			name := count(float64(n + 1))
			if len(f.sides) > 1 {
				name += ", " + letters[i]
			}
			t.Rows = append(t.Rows, []string{name, count(float64(l.GetNumNonMissing())), count(float64(l.GetNumMissing())),
				count(float64(l.GetMinNumValues())), count(float64(l.GetMaxNumValues())), count(float64(l.GetTotNumValues()))})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// The page can also be sorted by numbers that no column shows. They are in attributes of the rows.

// unevenness returns how uneven the histogram of a feature's numbers or labels is: 0 for equal
// buckets, at most 1. It is 1 minus the normalized entropy of the buckets, in the data set where it is
// greatest. Facets Overview sorts by the same number (getNormalizedEntropy in
// facets_overview/common/utils.ts). ok is false without a histogram.
func (f *feature) unevenness() (greatest float64, ok bool) {
	for _, v := range f.sides {
		if v == nil {
			continue
		}
		var counts []float64
		for _, b := range view.HistogramOf(v.Stats.GetNumStats().GetHistograms(), pb.Histogram_STANDARD).GetBuckets() {
			counts = append(counts, b.GetSampleCount())
		}
		for _, b := range v.Stats.GetStringStats().GetRankHistogram().GetBuckets() {
			counts = append(counts, b.GetSampleCount())
		}
		if len(counts) > 0 {
			greatest, ok = max(greatest, 1-evenness(counts)), true
		}
	}
	return greatest, ok
}

// evenness returns the normalized entropy of counts: the entropy divided by its maximum. It is 0 if
// fewer than two counts are above 0.
func evenness(counts []float64) float64 {
	sum, entropy := 0.0, 0.0
	for _, n := range counts {
		if n > 0 && n <= math.MaxFloat64/float64(len(counts)) {
			sum += n
		}
	}
	for _, n := range counts {
		if p := n / sum; p > 0 && p < 1 {
			entropy -= p * math.Log(p)
		}
	}
	if entropy == 0 {
		return 0
	}
	return min(1, entropy/math.Log(float64(len(counts))))
}

// absentShare returns the share of a feature's values that are missing or zero, in the data set where it
// is greatest.
func (f *feature) absentShare() (greatest float64) {
	for _, v := range f.sides {
		if v == nil {
			continue
		}
		c := v.Common()
		gone := float64(c.GetNumMissing()) + float64(v.Stats.GetNumStats().GetNumZeros())
		if all := float64(c.GetNumMissing()) + float64(c.GetTotNumValues()); all > 0 {
			greatest = max(greatest, min(1, gone/all))
		}
	}
	return greatest
}
