package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// A group is neighbouring columns of the table of all features, one for each side.
type group struct {
	Name  string
	Parts []string // what the columns are called; empty if there is only one
	At    int      // of the first in the table
}

// Column is where the table has a part.
func (g group) Column(i int) int { return g.At + i }

// A cell of the table; Key is what it is sorted by, if that is not its text.
type cell struct{ Text, Key string }

// columnLines are the columns of the table of all features.
var columnLines = []line[column]{
	{"Present", func(c column) string {
		present, missing, ok := c.presence()
		if !ok || present+missing == 0 {
			return ""
		}
		return share(present, present+missing)
	}},
	{"Values in each", func(c column) string {
		if s := c.f.Common(); s.GetNumNonMissing() > 0 {
			return number(float64(s.GetAvgNumValues()))
		}
		return ""
	}},
	{"Different", statisticText("Different values")},
	{"Zeros", ofNumbers(func(s *pb.NumericStatistics) string {
		return share(float64(s.GetNumZeros()), float64(s.GetCommonStats().GetTotNumValues()))
	}, nil)},
	{"Mean", statisticText("Mean")},
	{"Minimum", statisticText("Minimum")},
	{"Median", statisticText("Median")},
	{"Maximum", statisticText("Maximum")},
}

// statisticText is the text of the first line of the table of a feature with a name.
func statisticText(name string) func(c column) string {
	return statisticLines[slices.IndexFunc(statisticLines, func(l line[column]) bool { return l.name == name })].of
}

// columns makes the table of all features. A column that would say nothing is left out.
func (s *slice) columns() {
	if s.distances != nil {
		s.farthest()
	}
	lines := columnLines
	if len(s.Sides) > 1 {
		lines = lines[:len(lines)-3] // there is no space for the others
	}
	for _, l := range lines {
		var parts []string
		if len(s.Sides) > 1 {
			parts = s.Letters()
		}
		s.addColumns(l.name, parts, func(f *feature, side int) string {
			if f.of[side] == nil {
				return ""
			}
			return l.of(column{f.of[side], false})
		})
	}
	if s.distances != nil {
		s.distanceColumns()
	}
}

// addColumns adds columns for the parts of a group, or one if there are none, unless all of their cells are empty.
func (s *slice) addColumns(name string, parts []string, of func(f *feature, part int) string) {
	cells, said := make([][]cell, len(s.Features)), false
	for i, f := range s.Features {
		for part := range max(1, len(parts)) {
			text := of(f, part)
			said = said || text != ""
			cells[i] = append(cells[i], cell{Text: text})
		}
	}
	if !said {
		return
	}
	s.group(name, parts)
	for i, f := range s.Features {
		f.Cells = append(f.Cells, cells[i]...)
	}
}

// group adds a heading behind those there are.
func (s *slice) group(name string, parts []string) {
	at := 3
	if s.Checked {
		at++
	}
	for _, g := range s.Groups {
		at += max(1, len(g.Parts))
	}
	s.Groups = append(s.Groups, group{name, parts, at})
}

// farthest adds the column of the largest distance of each feature, or why there is none.
func (s *slice) farthest() {
	s.group("Largest distance", nil)
	for _, f := range s.Features {
		c := cell{Key: number(f.farthest)}
		switch {
		case f.Only != "":
			c.Text = "only in " + f.Only
		case len(f.Notes) > 0:
			c.Text = strings.TrimSpace(f.Notes[0].Text + " " + f.Notes[0].Side)
		case len(f.Apart) > 0:
			c.Text = strings.TrimSpace(f.Apart[0].Value + " " + f.Apart[0].Name + " " + f.Apart[0].Side)
		default:
			c.Key = none
		}
		f.Cells = append(f.Cells, c)
	}
}

// distanceColumns adds a column for each measure. Of more than two data sets the largest
// distance counts.
func (s *slice) distanceColumns() {
	for _, m := range []drift.Measure{drift.LInfinity, drift.JensenShannon, drift.KolmogorovSmirnov, drift.PopulationStability, drift.Presence, drift.Emptiness} {
		s.addColumns(shortNames[m], nil, func(f *feature, _ int) (text string) {
			largest := math.Inf(-1)
			for _, d := range f.Measured {
				if d.measure == m && d.v > largest {
					largest, text = d.v, d.Value
				}
			}
			return text
		})
	}
}

var measureNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity distance", drift.NormalizedDifference: "Normalized difference", drift.JensenShannon: "Jensen-Shannon divergence",
	drift.Presence: "Presence difference", drift.Emptiness: "Empty lists difference",
	drift.PopulationStability: "Population stability index", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov distance",
}

// shortNames are those of the measures where there is little space.
var shortNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity", drift.NormalizedDifference: "Normalized", drift.JensenShannon: "Jensen-Shannon", drift.Presence: "Presence", drift.Emptiness: "Emptiness",
	drift.PopulationStability: "PSI", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov",
}

// A largestDistance is the largest distance of a feature to one of the other data sets, as it stands beside
// the name.
type largestDistance struct {
	Chance      bool // no distance is above the noise
	Value, Name string
	Side        string // which of several others

	v float64
}

// farthest is a number to sort features by: infinite for one that cannot be compared, because
// only one data set has it, or as different types; or else the largest distance.
func farthest(f drift.Feature) float64 {
	if f.Note() != "" && !f.ByChance {
		return math.Inf(1)
	}
	return f.Largest().Value
}

// distances shows what was measured between the first data set and the others.
func (f *feature) distances(s *slice) {
	for i, of := range s.distances {
		compared, ok := of[f.path.String()]
		if !ok {
			continue
		}
		side := ""
		if len(s.distances) > 1 {
			side = letters[i+1]
		}
		if compared.Retyped {
			f.Notes = append(f.Notes, note{Text: "type changed from " + compared.Types[0] + " to " + compared.Types[1]})
		}
		if n := compared.OnlyValues; n != 0 {
			f.Notes = append(f.Notes, note{"values only in", s.Sides[(n-1)*(i+1)]})
		}
		for _, d := range compared.Distances {
			name := measureNames[d.Measure]
			if side != "" {
				name += ", A to " + side
			}
			f.Measured = append(f.Measured, distanceRow{Name: name, Value: number(d.Value), Label: mostly(d.Label), Noise: noise(d), Chance: d.ChanceText(compared.Samples), measure: d.Measure, v: d.Value})
		}
		if d := compared.Largest(); d.Measure != 0 {
			above := func(d drift.Distance) bool { return d.AboveNoise }
			chance := d.Noise > 0 && !slices.ContainsFunc(compared.Distances, above)
			f.Apart = append(f.Apart, largestDistance{chance, strconv.FormatFloat(d.Value, 'g', 3, 64), shortNames[d.Measure], side, d.Value})
		}
		f.farthest = max(f.farthest, farthest(compared))
	}
	slices.SortStableFunc(f.Apart, func(a, b largestDistance) int { return cmp.Compare(b.v, a.v) })
}

// noise says what two samples of one distribution can be apart.
func noise(d drift.Distance) string {
	switch {
	case d.Noise <= 0: // not known
		return ""
	case d.AboveNoise:
		return "above the noise, " + strconv.FormatFloat(d.Noise, 'g', 3, 64)
	}
	return "within the noise, " + strconv.FormatFloat(d.Noise, 'g', 3, 64)
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
