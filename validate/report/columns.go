package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// A columnGroup is a group of columns in the table of all features: one column for each side, or a
// single column.
type columnGroup struct {
	Name  string
	Parts []string // names of the columns; empty for a single column
	At    int      // index of the first column
}

// Column returns the index of column i of the group in the table.
func (g columnGroup) Column(i int) int { return g.At + i }

// A cell is a cell of a table.
type cell struct {
	Text string
	Key  string // sort key, if that differs from the text
	Link string // leads to the records that the cell is about; empty: none
	High bool   // the share is so high that it is marked
}

// columnLines are the columns of the table of all features.
var columnLines = []tableLine[columnStats]{
	{name: "Present", text: func(c columnStats) string {
		present, missing, ok := c.presence()
		if !ok || present+missing == 0 {
			return ""
		}
		return share(present, present+missing)
	}, high: columnStats.oftenMissing},
	{name: "Values in each", text: func(c columnStats) string {
		if s := c.feature.Common(); s.GetNumNonMissing() > 0 {
			return number(float64(s.GetAvgNumValues()))
		}
		return ""
	}},
	{name: "Different", text: statisticText("Different values")},
	{name: "Zeros", text: ofNumbers(func(s *pb.NumericStatistics) string {
		return share(float64(s.GetNumZeros()), float64(s.GetCommonStats().GetTotNumValues()))
	}, nil), high: columnStats.oftenZero},
	{name: "Mean", text: statisticText("Mean")},
	{name: "Minimum", text: statisticText("Minimum")},
	{name: "Median", text: statisticText("Median")},
	{name: "Maximum", text: statisticText("Maximum")},
}

// comparedLines are the columns for each of several data sets. With the distances, those of two fit on a screen of 1280 pixels.
var comparedLines = []tableLine[columnStats]{columnLines[0], columnLines[3], {name: "Mean", text: unlessNaN(nothingButNaN, func(s *pb.NumericStatistics) string {
	if v := s.GetMean(); math.Abs(v) < 1e5 && v == math.Trunc(v) {
		return number(v)
	}
	return strconv.FormatFloat(s.GetMean(), 'g', 4, 64)
}, nil)}}

// statisticText returns the text function of the line in statisticLines called name.
func statisticText(name string) func(c columnStats) string {
	return statisticLines[slices.IndexFunc(statisticLines, func(l tableLine[columnStats]) bool { return l.name == name })].text
}

// addTable makes the table of all features. It omits empty columns.
func (s *slice) addTable() {
	if s.distances != nil {
		s.addLargestColumn()
	}
	lines := columnLines
	if len(s.Sides) > 1 {
		lines = comparedLines
	}
	for _, l := range lines {
		var parts []string
		if len(s.Sides) > 1 {
			parts = s.Letters()
		}
		s.addColumns(l.name, parts, func(f *feature, side int) (c cell) {
			if f.sides[side] == nil {
				return c
			}
			of := columnStats{feature: f.sides[side], side: side}
			if c.Text = l.text(of); c.Text != "" && l.high != nil {
				c.High = l.high(of)
			}
			return c
		})
	}
	if s.distances != nil {
		s.distanceColumns()
	}
}

// addColumns adds a column for each part of a group, or one column without parts, unless all cells are empty.
func (s *slice) addColumns(name string, parts []string, cellOf func(f *feature, part int) cell) {
	cells, said := make([][]cell, len(s.Features)), false
	for i, f := range s.Features {
		for part := range max(1, len(parts)) {
			c := cellOf(f, part)
			said = said || c.Text != ""
			cells[i] = append(cells[i], c)
		}
	}
	if !said {
		return
	}
	s.addGroup(name, parts)
	for i, f := range s.Features {
		f.Cells = append(f.Cells, cells[i]...)
	}
}

// addGroup adds a heading after the existing headings.
func (s *slice) addGroup(name string, parts []string) {
	at := 3
	if s.Checked {
		at++
	}
	for _, g := range s.Groups {
		at += max(1, len(g.Parts))
	}
	s.Groups = append(s.Groups, columnGroup{name, parts, at})
}

// addLargestColumn adds the column of the largest distance of each feature, or of the reason why there is none.
func (s *slice) addLargestColumn() {
	s.addGroup("Largest distance", nil)
	for _, f := range s.Features {
		c := cell{Key: number(f.sortDistance)}
		switch {
		case f.Only != "":
			c.Text = "only in " + f.Only
		case len(f.Notes) > 0:
			c.Text = strings.TrimSpace(f.Notes[0].Text + " " + f.Notes[0].Side)
		case len(f.Apart) > 0:
			c.Text = strings.TrimSpace(f.Apart[0].Value + " " + f.Apart[0].Side)
		default:
			c.Key = noValue
		}
		if f.Within {
			c.Text += ", within the noise"
		}
		f.Cells = append(f.Cells, c)
	}
}

// distanceColumns adds a column for each measure. With more than two data sets it shows the largest
// distance.
func (s *slice) distanceColumns() {
	for _, m := range []drift.Measure{drift.LInfinity, drift.JensenShannon, drift.KolmogorovSmirnov, drift.PopulationStability, drift.Presence, drift.Emptiness} {
		name := strings.Replace(shortNames[m], "L-", "L\u2011", 1) // L alone on a line says nothing
		s.addColumns(name, nil, func(f *feature, _ int) (c cell) {
			largest := math.Inf(-1)
			for _, d := range f.Measured {
				if d.measure == m && d.v > largest {
					largest, c = d.v, cell{Text: strconv.FormatFloat(d.v, 'g', 3, 64), Key: number(d.v)}
				}
			}
			return c
		})
	}
}

var measureNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity distance", drift.NormalizedDifference: "Normalized difference", drift.JensenShannon: "Jensen-Shannon divergence",
	drift.Presence: "Presence difference", drift.Emptiness: "Empty lists difference",
	drift.PopulationStability: "Population stability index", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov distance",
}

// shortNames are names of measures for narrow columns.
var shortNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity", drift.NormalizedDifference: "Normalized", drift.JensenShannon: "Jensen-Shannon", drift.Presence: "Presence", drift.Emptiness: "Empty lists",
	drift.PopulationStability: "PSI", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov",
}

// A largestDistance is the largest distance of a feature from the first data set to another data set.
// The page shows it next to the name of the feature.
type largestDistance struct {
	Value, Name string
	Side        string // the other data set; "" if there are only two

	v float64 // the distance, to sort by
}

// sortDistance returns a number to sort features by: the largest distance, or infinity for a feature
// that cannot be compared, because one side lacks it or the types differ.
func sortDistance(f drift.Feature) float64 {
	if f.Note() != "" && !f.ByChance {
		return math.Inf(1)
	}
	return f.Largest().Value
}

// addDistances adds the distances between the first data set and each other data set.
func (f *feature) addDistances(s *slice) {
	var within []bool // for each other data set
	for i, byPath := range s.distances {
		compared, ok := byPath[f.path.String()]
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
			if d.Chance > 0 {
				name += ", less chance"
			}
			if side != "" {
				name += ", A to " + side
			}
			f.Measured = append(f.Measured, distanceRow{Name: name, Value: number(d.Value), Label: labelNote(d.Label), Noise: noiseText(d), Chance: chanceText(d, compared.Samples), Within: d.Noise > 0 && !d.AboveNoise, measure: d.Measure, v: d.Value})
		}
		if d := compared.Largest(); d.Measure != 0 {
			f.Apart = append(f.Apart, largestDistance{strconv.FormatFloat(d.Value, 'g', 3, 64), shortNames[d.Measure], side, d.Value})
		}
		f.sortDistance = max(f.sortDistance, sortDistance(compared))
		within = append(within, isNoise(compared))
	}
	if f.Within = len(within) > 0 && !slices.Contains(within, false); f.Within {
		s.Within++
	}
	slices.SortStableFunc(f.Apart, func(a, b largestDistance) int { return cmp.Compare(b.v, a.v) })
}

// isNoise reports whether chance explains everything in which a feature differs between two data sets.
func isNoise(f drift.Feature) bool {
	known := f.ByChance
	for _, d := range f.Distances {
		if d.AboveNoise {
			return false
		}
		known = known || d.Noise > 0
	}
	return known && (f.Note() == "" || f.ByChance)
}

// noiseText compares a distance with its noise level.
func noiseText(d drift.Distance) string {
	switch {
	case d.Noise <= 0: // not known
		return ""
	case d.AboveNoise:
		return "above the noise of " + strconv.FormatFloat(d.Noise, 'g', 3, 64)
	}
	return "within the noise of " + strconv.FormatFloat(d.Noise, 'g', 3, 64)
}

// chanceText returns the raw distance and the mean by chance that Value is less, or "" if chance is negligible.
func chanceText(d drift.Distance, samples [2]float64) string {
	if d.ChanceText(samples) == "" {
		return ""
	}
	return fmt.Sprintf("raw %.3g, chance %.3g (%s and %s values)", d.Measured, d.Chance, count(samples[0]), count(samples[1]))
}

// labelNote returns a note on the label that differs most.
func labelNote(label string) string {
	if label == "" {
		return ""
	}
	name, _ := labelName(label)
	return "most: " + clipText(name, maxValueChars/2)
}

func labelText(s string) string {
	if s == "" {
		return ""
	}
	return cutText(s, maxValueChars/2)
}
