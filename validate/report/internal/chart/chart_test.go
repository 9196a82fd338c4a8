package chart

import (
	"math"
	"strings"
	"testing"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		name string
		in   [][]Bucket
		want []string
		lo   float64
		hi   float64
	}{
		{"the tallest bar takes all the height", [][]Bucket{{{0, 1, 2}, {1, 2, 4}}}, []string{"M0 100V50H150V0H300V100z"}, 0, 2},
		{"a gap ends the outline", [][]Bucket{{{0, 1, 1}, {1, 2, 0}, {2, 3, 1}}}, []string{"M0 100V0H100V100zM200 100V0H300V100z"}, 0, 3},
		{"areas are shares, not heights", [][]Bucket{{{0, 1, 1}, {1, 3, 2}}}, []string{"M0 100V0H100V0H300V100z"}, 0, 3},
		{"two series on one axis, each of its own total", [][]Bucket{{{0, 1, 5}}, {{1, 2, 500}}}, []string{"M0 100V0H150V100z", "M150 100V0H300V100z"}, 0, 2},
		{"one value", [][]Bucket{{{7, 7, 3}}}, []string{"M149 100V0H151V100z"}, 7, 7},
		{"what is rare can be seen", [][]Bucket{{{0, 1, 1e6}, {1, 2, 1}}}, []string{"M0 100V0H150V99H300V100z"}, 0, 2},
		{"no bucket", [][]Bucket{nil}, []string{""}, 0, 0},
		{"infinite ends lie at the ends", [][]Bucket{{{math.Inf(-1), 0, 1}, {0, 1, 1}, {1, math.Inf(1), 1}}}, []string{"M0 100V0H2V100zM0 100V66.7H300V100zM298 100V0H300V100z"}, 0, 1},
	} {
		d := Bars(c.in, 0)
		var got []string
		for _, s := range d.Series {
			got = append(got, s.Linear)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") || d.Low != c.lo || d.High != c.hi {
			t.Errorf("%s: %q from %v to %v, wanted %q from %v to %v", c.name, got, d.Low, d.High, c.want, c.lo, c.hi)
		}
	}
}

func TestLogarithm(t *testing.T) {
	series := Bars([][]Bucket{{{0, 1, 1000}, {1, 2, 100}, {2, 3, 10}, {3, 4, 1}}}, 0).Series
	if want := "M0 100V0H75V33.2H150V65.3H225V90H300V100z"; series[0].Log != want {
		t.Errorf("got %s, wanted %s: each of the lower bars lower by about a third", series[0].Log, want)
	}
}

func TestStrips(t *testing.T) {
	strips, lo, hi := Strips([][]Bucket{{{0, 1, 1}, {1, 1, 1}, {1, 3, 1}, {3, 4, 1}}, {{2, 4, 1}}})
	want := []Strip{{"M0 12V4H300V12z", "M225 12V4H300V12z", "M0 2V14M75 2V14M225 2V14M300 2V14"}, {"M150 28V20H300V28z", "", "M150 18V30M300 18V30"}}
	if len(strips) != 2 || strips[0] != want[0] || strips[1] != want[1] || lo != 0 || hi != 4 {
		t.Errorf("got %q from %v to %v, wanted %q", strips, lo, hi, want)
	}
}

func TestRanks(t *testing.T) {
	series := Ranks([][]Bucket{{{Count: 6}, {Count: 3}}, {{Count: 2}}})
	if got, want := series[0].Linear+"|"+series[1].Linear, "M0 100V33.3H150V66.7H300V100z|M0 100V0H150V100z"; got != want {
		t.Errorf("got %s, wanted %s", got, want)
	}
}

func TestCut(t *testing.T) {
	if got, want := Cut(1, 20)+"|"+Cut(19, 20), "M15 0V100|M285 0V100"; got != want {
		t.Errorf("got %s, wanted %s", got, want)
	}
}

func TestMerge(t *testing.T) {
	all := []Bucket{{0, 1, 1}, {1, 2, 2}, {2, 3, 4}, {3, 4, 8}, {4, 5, 16}}
	if got, of := Merge(all, 5); of != 1 || len(got) != 5 {
		t.Errorf("five into five: %v, %d", got, of)
	}
	got, of := Merge(all, 4)
	want := []Bucket{{0, 2, 3}, {2, 4, 12}, {4, 5, 16}}
	if of != 2 || len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("five into four: %v, %d, wanted %v", got, of, want)
	}
	if n := Total([]Bucket{{Count: 1}, {Count: math.NaN()}, {Count: -3}, {Count: math.Inf(1)}, {Count: 2}}); n != 3 {
		t.Errorf("a sum of %v, wanted 3: what is no count does not count", n)
	}
}
