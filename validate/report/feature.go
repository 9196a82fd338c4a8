package report

import (
	"strings"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/internal/view"
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
	Cells    []string
	Columns  []string // of Rows
	Rows     []row
	Measured []distance
	Figures  []figure
	Labels   *labels
	Levels   *table // of nested lists
	Children []link
	More     int // children that have no link

	path    view.Path
	sparing bool            // there are many features
	of      []*view.Feature // for each side; nil where it is not there
}

// A row is one statistic.
type row struct {
	Name string
	Of   []string
}

// A distance is how far the sides are apart.
type distance struct{ Name, Value, Label string }

// A note is why a feature cannot be compared, and the side that is meant, if one is.
type note struct{ Text, Side string }

// A link leads to another feature.
type link struct{ ID, Name string }

// A table is numbers with headings.
type table struct {
	Head []string
	Rows [][]string
}

func kindOf(f *view.Feature) string {
	if f.Stats.GetStats() == nil {
		return "custom"
	}
	return strings.ToLower(f.Kind().String())
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
func (s *slice) add(id string, path view.Path, declared *declarations) {
	f := &feature{ID: id, path: path, sparing: s.Many, Name: cut(path.Last(), nameRoom), Kind: "missing"}
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
			there, f.Kind = i, kindOf(v)
		}
	}
	if len(f.of) == 2 && (f.of[0] == nil) != (f.of[1] == nil) {
		f.Only = s.Sides[there]
	}
	if w := s.findings[path.Key()]; w != nil && !w.used {
		w.used = true
		f.Findings = atMost(w.findings)
		f.Measured = w.measured
		for _, one := range f.Findings {
			if f.Worst == "" || one.Severity == "error" {
				f.Worst = one.Severity
			}
		}
		if len(f.Findings) > 0 {
			s.Faulty++
		}
	}
	measured := s.distances[path.Key()]
	if measured.Retyped {
		f.Notes = append(f.Notes, note{Text: "type changed from " + measured.Types[0] + " to " + measured.Types[1]})
	}
	if n := measured.OnlyValues; n != 0 {
		f.Notes = append(f.Notes, note{"values only in", s.Sides[n-1]})
	}
	for _, d := range measured.Distances {
		f.Measured = append(f.Measured, distance{measureNames[d.Measure], number(d.Value), mostly(d.Label)})
	}
	domain := declared.at(path)
	f.Declared = domain.text()
	f.statistics()
	f.figures()
	f.Labels = f.labels(domain, s.most)
	f.Levels = f.levels()
	s.Features = append(s.Features, f)
}

var measureNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity distance", drift.NormalizedDifference: "Normalized difference", drift.JensenShannon: "Jensen-Shannon divergence",
	drift.Presence: "Presence difference", drift.Emptiness: "Empty lists difference",
}

// mostly names the label that differs most.
func mostly(label string) string {
	if label == "" {
		return ""
	}
	return "most: " + labelText(label)
}

func labelText(s string) string {
	if s == "" {
		return ""
	}
	return cut(s, valueRoom/2)
}

// maxChildren is how many features a struct has links to.
const maxChildren = 100

// link leads from structs to what is in them.
func (s *slice) link() {
	ids := map[string]*feature{}
	for _, f := range s.Features {
		ids[f.path.Key()] = f
	}
	for _, f := range s.Features {
		if len(f.path) > 1 {
			switch parent := ids[f.path.Parent().Key()]; {
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
