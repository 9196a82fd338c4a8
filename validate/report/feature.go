package report

import (
	"math"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/proto/metadatapb"
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

// histogram returns the histogram of a type, or nil.
func histogram(all []*metadatapb.Histogram, t metadatapb.Histogram_HistogramType) *metadatapb.Histogram {
	for _, h := range all {
		if h.GetType() == t {
			return h
		}
	}
	return nil
}
