package report

import (
	"cmp"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// How many frequent values are listed: fewer where there are many features.
const (
	maxLabels = 20
	fewLabels = 10
)

// labels are the most frequent values of a feature.
type labels struct {
	Columns []string
	Rows    []label
	More    int // values that are known, and not listed

	mini []mark
}

// A label is one value.
type label struct {
	Value   string
	Outside bool // of the domain in the schema
	Of      []times
}

// times is how often a side has a value.
type times struct {
	Side  string
	Count string
	Share string
	Width string // of its bar, from 0 to 100
}

// A tally counts values of a side.
type tally struct {
	counts map[string]float64
	total  float64
	all    bool // it has every value there is
}

func newTally(s *pb.StringStatistics) *tally {
	t := &tally{counts: map[string]float64{}, total: float64(s.GetCommonStats().GetTotNumValues())}
	for _, v := range s.GetTopValues() {
		t.counts[v.GetValue()] = v.GetFrequency()
	}
	for _, b := range s.GetRankHistogram().GetBuckets() {
		if b.GetHighRank() == b.GetLowRank() {
			t.counts[b.GetLabel()] = b.GetSampleCount()
		}
	}
	t.all = uint64(len(t.counts)) >= s.GetUnique()
	return t
}

// labels lists the most frequent values of both sides.
func (f *feature) labels(domain declaration, most int) *labels {
	l := &labels{}
	tallies := make([]*tally, len(f.of))
	var values []string
	seen := map[string]bool{}
	for i, v := range f.of {
		if v == nil || v.Stats.GetStringStats() == nil {
			continue
		}
		tallies[i] = newTally(v.Stats.GetStringStats())
		for value := range tallies[i].counts {
			if !seen[value] {
				seen[value] = true
				values = append(values, value)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	portion := func(i int, value string) float64 {
		if t := tallies[i]; t != nil && t.total > 0 {
			return t.counts[value] / t.total
		}
		return 0
	}
	greatest := func(value string) (m float64) {
		for i := range tallies {
			m = max(m, portion(i, value))
		}
		return m
	}
	slices.SortFunc(values, func(a, b string) int {
		for i := range tallies {
			if c := cmp.Compare(portion(i, b), portion(i, a)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
	// What the second side has most often is listed, too.
	if len(tallies) == 2 && len(values) > most {
		rest := slices.Clone(values)
		slices.SortStableFunc(rest, func(a, b string) int { return cmp.Compare(greatest(b), greatest(a)) })
		chosen := map[string]bool{}
		for _, v := range rest[:most] {
			chosen[v] = true
		}
		slices.SortStableFunc(values, func(a, b string) int {
			switch {
			case chosen[a] == chosen[b]:
				return 0
			case chosen[a]:
				return -1
			}
			return 1
		})
	}
	top := 0.0
	for _, v := range values {
		top = max(top, greatest(v))
	}
	for _, value := range values[:min(len(values), most)] {
		row := label{Value: cut(value, valueRoom), Outside: domain.outside(value)}
		for i, t := range tallies {
			n := times{Side: sideClasses[i], Count: none, Share: none, Width: "0"}
			if t != nil {
				if c, ok := t.counts[value]; ok || t.all {
					n.Count, n.Share = count(round(c)), share(c, t.total)
				}
				if top > 0 {
					n.Width = number(float64(int(1000*portion(i, value)/top)) / 10)
				}
			}
			row.Of = append(row.Of, n)
		}
		l.Rows = append(l.Rows, row)
	}
	l.draw(values[:len(l.Rows)], portion, len(tallies))
	l.Columns = []string{""}
	if len(f.of) > 1 {
		l.Columns = letters[:]
	}
	if len(values) > most {
		l.More = len(values) - most
		f.ranks()
	}
	return l
}

// draw draws the values that are listed, in their order.
func (l *labels) draw(values []string, portion func(side int, value string) float64, sides int) {
	all := make([][]chart.Bucket, sides)
	for i := range all {
		for _, v := range values {
			all[i] = append(all[i], chart.Bucket{Count: portion(i, v)})
		}
	}
	for i, s := range chart.Ranks(all) {
		l.mini = append(l.mini, mark{Side: sideClasses[i], Linear: s.Linear, Log: s.Log})
	}
}

// ranks draws how fast labels become rare.
func (f *feature) ranks() {
	var all []series
	for i, v := range f.of {
		if v == nil {
			continue
		}
		var buckets []chart.Bucket
		for n, b := range v.Stats.GetStringStats().GetRankHistogram().GetBuckets() {
			buckets = append(buckets, chart.Bucket{Low: float64(n + 1), High: float64(n + 1), Count: b.GetSampleCount()})
		}
		if len(buckets) > 0 {
			merged, of := chart.Merge(buckets, maxRanks)
			all = append(all, series{i, merged, of})
		}
	}
	if len(all) == 0 {
		return
	}
	g := figure{Title: "Values by rank", Height: chart.Height, Low: "most frequent"}
	last := 0.0
	for i, s := range chart.Ranks(bucketsIn(all)) {
		g.Bars = append(g.Bars, mark{Side: sideClasses[all[i].side], Linear: s.Linear, Log: s.Log})
		last = max(last, all[i].buckets[len(all[i].buckets)-1].High)
	}
	g.High = "rank " + count(last)
	g.Desc = describe(all, func(s series) string {
		total, sum, n := chart.Total(s.buckets), 0.0, 0
		for n = 0; n < len(s.buckets) && sum < total/2; n++ {
			sum += s.buckets[n].Count
		}
		return "half of the counted values are of the first " + plural(n*s.merged, "label")
	})
	g.numbers(f, all)
	g.Numbers.Head[len(g.Numbers.Head)-3], g.Numbers.Head[len(g.Numbers.Head)-2] = "From rank", "To rank"
	f.Figures = append(f.Figures, g)
}
