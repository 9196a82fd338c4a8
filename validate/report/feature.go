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

// A feature is a section of the page, and a row of the table.
type feature struct {
	ID       string
	Above    string // the path without its last step, and a mark behind it
	Name     string // the last step
	Long     string // all of the path, where it does not fit
	Kind     string
	Only     string // the side that has it, if the other has not
	Notes    []note // of two sides, which cannot be compared
	Declared string // by the schema
	Findings []finding
	Worst    string // severity
	Flag     string // how many findings there are
	Total    uint64 // the same, to sort by
	Cells    []cell
	Apart    []largestDistance // distances, the largest first
	Uneven   string            // how far the histogram is from a flat one, to sort by
	Gone     string            // share of values that are missing or zero, to sort by
	Columns  []string          // of Rows
	Rows     []row
	Measured []distanceRow
	Figures  []figure
	Labels   *labels
	Levels   *table // of nested lists
	Children []link
	More     int // children that have no link

	Named bool // where the heading is out of the layout, the section has a name of its own

	path     view.Path
	farthest float64 // from the first data set to another
	sparing  bool    // there are many features
	details  []*stats.Details
	of       []*view.Feature // for each side; nil where it is not there
}

// A row is one statistic, or one line of the overview, with a text for each side.
type row struct {
	Name string
	Of   []string
}

// A distanceRow is a distance between two sides.
type distanceRow struct {
	Name, Value, Label, Noise string
	Chance                    string // how much of the value is by chance

	measure drift.Measure // 0 for those that the schema has thresholds for
	v       float64
}

// A note is why a feature cannot be compared, and the side that is meant, if one is.
type note struct{ Text, Side string }

// A link leads to another feature.
type link struct{ ID, Name string }

// A table is numbers with headings.
type table struct {
	Head []string
	Rows [][]string
}

// Text returns the table as lines with tabs between the columns. The page has it in this form
// where it is closed at first: as one text it costs the browser a thirtieth of a table. The
// script makes a table of it when the reader opens it.
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

// Far is what the feature is sorted by where distances are; empty without any.
func (f *feature) Far() string {
	if len(f.Apart) == 0 && len(f.Notes) == 0 && f.Only == "" {
		return ""
	}
	return number(f.farthest)
}

// Waits reports whether the browser builds the statistics and charts only when the reader comes
// near them. They are in a noscript element, which is one text where scripts run, and markup
// where they do not.
func (f *feature) Waits() bool { return f.sparing }

func kindOf(f *view.Feature) string {
	if f.Stats.GetStats() == nil {
		return "custom"
	}
	return strings.ToLower(f.Kind().String())
}

// kindOf is the type of a feature in one of the data sets. Statistics without a value say string, whatever the type is: it is then that of
// the first data set with values.
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

// separator stands between the steps of a path.
const separator = " › "

func pathText(p view.Path) string {
	steps := make([]string, len(p))
	for i, step := range p {
		steps[i] = cut(step, nameRoom)
	}
	if len(steps) > 4 {
		steps = append(append(steps[:2:2], "…"), steps[len(steps)-1])
	}
	return strings.Join(steps, separator)
}

// add describes one more feature.
func (s *slice) add(id string, path view.Path, declared *rules.Schema) {
	f := &feature{ID: id, path: path, sparing: s.Many, details: s.details, Named: s.Crowd, Name: cut(path.Last(), nameRoom), Kind: "missing"}
	if len(path) > 1 {
		f.Above = pathText(path.Parent()) + separator
	}
	for _, step := range path {
		if len(path) > 4 || cut(step, nameRoom) != shown(step) {
			// Not shorter by much, if it is a path of many steps; but it has an end.
			f.Long = cut(path.String(), 100*nameRoom)
		}
	}
	there := -1
	for i, d := range s.data {
		v := d.ByPath(path)
		if v == nil || v.Stats.GetStats() == nil && len(v.Stats.GetCustomStats()) == 0 {
			v = nil
		}
		f.of = append(f.of, v)
		if v != nil && there < 0 {
			there, f.Kind = i, s.kindOf(v)
		}
	}
	if missing := slices.IndexFunc(f.of, func(v *view.Feature) bool { return v == nil }); missing >= 0 && there >= 0 {
		switch n := len(slices.DeleteFunc(slices.Clone(f.of), func(v *view.Feature) bool { return v == nil })); {
		case n == 1:
			f.Only = s.Sides[there]
		default:
			for i, v := range f.of {
				if v == nil {
					f.Notes = append(f.Notes, note{"not in", s.Sides[i]})
				}
			}
		}
	}
	if w := s.findings[path.String()]; w != nil && !w.used {
		w.used = true
		f.Findings = atMost(w.findings)
		f.Measured = w.measured
		if errors, others := w.total(); errors+others > 0 {
			f.Flag, f.Total, f.Worst = w.flag(), errors+others, "warning"
			if errors > 0 {
				f.Worst = "error"
			}
			s.Faulty++
		}
	}
	f.distances(s)
	domain := newDeclaration(declared, path)
	f.Declared = domain.text()
	if v, ok := f.unevenness(); ok {
		f.Uneven = number(math.Round(v*1e6) / 1e6)
	}
	f.Gone = number(math.Round(f.absence()*1e6) / 1e6)
	f.statistics()
	f.figures()
	f.Labels = f.labels(domain, s.most)
	f.Levels = f.levels()
	s.Features = append(s.Features, f)
}

// maxChildren is how many features a struct has links to.
const maxChildren = 100

// link leads from structs to what is in them.
func (s *slice) link() {
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

// levels describes lists of lists.
func (f *feature) levels() *table {
	t := &table{Head: []string{"Level", "Present", "Missing", "Least", "Most", "Values"}}
	for i, v := range f.of {
		if v == nil {
			continue
		}
		levels := v.Common().GetPresenceAndValencyStats()
		if len(levels) < 2 {
			continue
		}
		for n, l := range levels[:min(len(levels), 100)] {
			name := count(float64(n + 1))
			if len(f.of) > 1 {
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

// The page can be sorted by what no column says: the keys are in attributes of the rows.

// unevenness returns how far the histogram of the numbers or labels of a feature is from a flat one, from 0 to 1:
// 1 less the entropy of the buckets by that of as many equal ones, of the data set where that is greatest. Facets
// Overview sorts by the same (getNormalizedEntropy in facets_overview/common/utils.ts). There is none without
// a histogram.
func (f *feature) unevenness() (greatest float64, ok bool) {
	for _, v := range f.of {
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

// evenness is the entropy of counts by its maximum; 0 if fewer than two are above 0.
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

// absence returns which part of the values of a feature is missing or zero, in the data set where
// that is greatest.
func (f *feature) absence() (greatest float64) {
	for _, v := range f.of {
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
