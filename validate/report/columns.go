package report

import (
	"math"
	"strings"

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

// columns makes the table of all features. A column that would say nothing is left out.
func (s *slice) columns() {
	add := func(name string, of func(f *feature, side int) string) {
		parts := s.Letters()
		if len(parts) == 1 {
			parts = nil
		}
		cells := make([][]string, len(s.Features))
		said := false
		for i, f := range s.Features {
			for side := range s.Sides {
				t := ""
				if f.of[side] != nil {
					t = of(f, side)
				}
				said = said || t != ""
				cells[i] = append(cells[i], t)
			}
		}
		if !said {
			return
		}
		s.group(name, parts)
		for i, f := range s.Features {
			for _, t := range cells[i] {
				f.Cells = append(f.Cells, cell{Text: t})
			}
		}
	}
	if s.distances != nil {
		s.farthest()
	}
	numbers := func(of func(c column) string) func(f *feature, side int) string {
		return func(f *feature, side int) string {
			if c := (column{f.of[side], false}); c.numbers() != nil {
				return of(c)
			}
			return ""
		}
	}
	add("Present", func(f *feature, side int) string {
		present, missing, ok := column{f.of[side], false}.presence()
		if !ok || present+missing == 0 {
			return ""
		}
		return share(present, present+missing)
	})
	add("Values in each", func(f *feature, side int) string {
		if c := f.of[side].Common(); c.GetNumNonMissing() > 0 {
			return number(float64(c.GetAvgNumValues()))
		}
		return ""
	})
	add("Different", func(f *feature, side int) string {
		if n, ok := f.of[side].Unique(); ok {
			return count(float64(n))
		}
		return ""
	})
	add("Zeros", numbers(func(c column) string {
		return share(float64(c.numbers().GetNumZeros()), float64(c.numbers().GetCommonStats().GetTotNumValues()))
	}))
	add("Mean", numbers(func(c column) string { return number(c.numbers().GetMean()) }))
	if len(s.Sides) == 1 {
		add("Minimum", numbers(func(c column) string { return number(c.numbers().GetMin()) }))
		add("Median", numbers(func(c column) string { return number(c.numbers().GetMedian()) }))
		add("Maximum", numbers(func(c column) string { return number(c.numbers().GetMax()) }))
	}
	if s.distances != nil {
		s.distanceColumns()
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
		cells, said := make([]cell, len(s.Features)), false
		for i, f := range s.Features {
			largest := math.Inf(-1)
			for _, d := range f.Measured {
				if d.measure == m && d.v > largest {
					largest, cells[i].Text, said = d.v, d.Value, true
				}
			}
		}
		if !said {
			continue
		}
		s.group(shortNames[m], nil)
		for i, f := range s.Features {
			f.Cells = append(f.Cells, cells[i])
		}
	}
}
