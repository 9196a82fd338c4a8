package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// Maximum number of frequent values in the list of a feature.
const (
	maxLabels = 20
	fewLabels = 10 // on a page with more than manyFeatures features
)

// labels are the most frequent values of a feature.
type labels struct {
	Columns [][2]string
	Rows    []label
	More    int // number of known values that are not listed

	mini []mark // the chart in the table of all features
}

// A label is one value.
type label struct {
	Value   string
	Digest  string // beginning of the digest of a value that is not text
	Outside bool   // the value is outside the domain in the schema
	Of      []times
}

// times is the number of occurrences of a value on a side.
type times struct {
	Link  string // leads to the records with the value
	Side  string
	Count string
	Share string
	Width string // width of the bar, from 0 to 100
}

// A labelKey identifies a label. Labels of unnamedBytes are of a different value each, though their text is the same.
type labelKey struct {
	text    string
	unnamed int // 0: the text names the value; else the label's tally and its ordinal there
}

// compare orders labels by text.
func (k labelKey) compare(o labelKey) int {
	return cmp.Or(cmp.Compare(k.text, o.text), cmp.Compare(k.unnamed, o.unnamed))
}

// A tally counts the labels of a side, by number or by weight.
type tally struct {
	side     int
	weight   bool
	counts   map[labelKey]float64 // nil: the side has no such feature
	total    float64              // count of all values, including values that counts lacks
	complete bool                 // counts has every value
}

// labelTallies returns the tallies, one for each column of the list of labels.
func (f *feature) labelTallies() (all []*tally) {
	for i, v := range f.sides {
		t := &tally{side: i}
		all = append(all, t)
		if v == nil || v.Stats.GetStringStats() == nil {
			continue
		}
		s := v.Stats.GetStringStats()
		t.addCounts(s.GetTopValues(), s.GetRankHistogram(), float64(s.GetCommonStats().GetTotNumValues()), s.GetUnique())
		if w := s.GetWeightedStringStats(); w != nil {
			t := &tally{side: i, weight: true}
			t.addCounts(w.GetTopValues(), w.GetRankHistogram(), s.GetCommonStats().GetWeightedCommonStats().GetTotNumValues(), s.GetUnique())
			all = append(all, t)
		}
	}
	return all
}

func (t *tally) addCounts(top []*pb.StringStatistics_FreqAndValue, ranks *pb.RankHistogram, total float64, unique uint64) {
	t.counts = map[labelKey]float64{}
	named, unnamed := true, 0
	add := func(value string, n float64) {
		if !(n > 0 && n <= math.MaxFloat64) {
			n = 0 // invalid
		}
		key := labelKey{text: value}
		if unnamedBytes[value] != "" {
			named = false
			unnamed++
			key.unnamed = 2*unnamed + 1
			if t.weight {
				key.unnamed++
			}
			key.unnamed = key.unnamed*MaxSides + t.side
		}
		t.counts[key] = n
	}
	for _, v := range top {
		add(v.GetValue(), v.GetFrequency())
	}
	unnamed = 0 // both lists have the most frequent values, in the same order
	for _, b := range ranks.GetBuckets() {
		if b.GetHighRank() == b.GetLowRank() {
			add(b.GetLabel(), b.GetSampleCount())
		}
	}
	t.complete = named && uint64(len(t.counts)) >= unique
	if t.total = total; !(total > 0) {
		for _, v := range slices.Sorted(maps.Values(t.counts)) { // in a fixed order, for a deterministic sum
			t.total += v
		}
	}
}

// shareOf returns the share of a value.
func (t *tally) shareOf(value labelKey) float64 {
	if t.total > 0 {
		return min(1e9, t.counts[value]/t.total)
	}
	return 0
}

// headings returns the column headings of a tally. If alone is true, they omit the letter of the side.
func (t *tally) headings(alone bool) [2]string {
	names := [2]string{"count", "share"}
	if t.weight {
		names = [2]string{"weight", "share"}
	}
	if !alone {
		for i := range names {
			names[i] = letters[t.side] + " " + names[i]
		}
	}
	return names
}

// listLabels returns the list of the most frequent values on any side.
func (f *feature) listLabels(domain declaration, most int) *labels {
	l := &labels{}
	tallies := f.labelTallies()
	greatest := map[labelKey]float64{}
	for _, t := range tallies {
		for value := range t.counts {
			greatest[value] = max(greatest[value], t.shareOf(value))
		}
	}
	if len(greatest) == 0 {
		return nil
	}
	values := slices.Collect(maps.Keys(greatest))
	byFirst := func(a, b labelKey) int {
		for _, t := range tallies {
			if c := cmp.Compare(t.shareOf(b), t.shareOf(a)); c != 0 {
				return c
			}
		}
		return a.compare(b)
	}
	// List the values that are most frequent on any side, in the order of the first side.
	slices.SortFunc(values, func(a, b labelKey) int {
		if c := cmp.Compare(greatest[b], greatest[a]); c != 0 {
			return c
		}
		return byFirst(a, b)
	})
	top := greatest[values[0]]
	listed := values[:min(len(values), most)]
	slices.SortFunc(listed, byFirst)
	for _, value := range listed {
		row := label{Outside: domain.isOutside(value.text)}
		row.Value, row.Digest = labelName(value.text)
		if text := unnamedBytes[value.text]; text != "" {
			row.Value = text
		}
		for _, t := range tallies {
			n := times{Side: sideClasses[t.side], Count: noValue, Share: noValue, Width: "0"}
			if t.counts != nil {
				if c, ok := t.counts[value]; ok || t.complete {
					n.Count, n.Share = count(round(c)), share(c, t.total)
					if c > 0 {
						n.Link = f.links.toValue(t.side, value.text)
					}
				}
				if top > 0 {
					n.Width = number(math.Floor(1000*t.shareOf(value)/top) / 10)
				}
			}
			row.Of = append(row.Of, n)
		}
		l.Rows = append(l.Rows, row)
	}
	for _, t := range tallies {
		l.Columns = append(l.Columns, t.headings(len(f.sides) == 1))
	}
	l.drawMini(listed, tallies)
	if l.More = len(values) - len(listed); l.More > 0 {
		f.addRanks()
	}
	return l
}

// drawMini draws the listed values in their order, for the table of all features.
func (l *labels) drawMini(values []labelKey, tallies []*tally) {
	var all []series
	for _, t := range tallies {
		if t.weight {
			continue
		}
		s := series{side: t.side}
		for _, v := range values {
			s.buckets = append(s.buckets, chart.Bucket{Count: t.shareOf(v)})
		}
		all = append(all, s)
	}
	l.mini = marks(all, chart.Ranks(bucketsIn(all)))
}

// addRanks adds a chart of the frequency of labels by rank.
func (f *feature) addRanks() {
	var all, few []series
	for i, v := range f.sides {
		if v == nil {
			continue
		}
		var buckets []chart.Bucket
		for n, b := range v.Stats.GetStringStats().GetRankHistogram().GetBuckets() {
			buckets = append(buckets, chart.Bucket{Low: float64(n + 1), High: float64(n + 1), Count: b.GetSampleCount()})
		}
		if len(buckets) > 0 {
			merged, size := chart.Merge(buckets, maxRanks)
			all = append(all, series{i, merged, size})
			merged, size = chart.Merge(buckets, rankRows)
			few = append(few, series{i, merged, size})
		}
	}
	if len(all) == 0 {
		return
	}
	g := figure{Title: "Values by rank", Height: chart.Height, Low: "most frequent"}
	last := 0.0
	g.Bars = marks(all, chart.Ranks(bucketsIn(all)))
	for _, s := range all {
		last = max(last, s.buckets[len(s.buckets)-1].High)
	}
	g.High = "rank " + count(last)
	g.Desc = describe(all, func(s series) string {
		total, sum, n := chart.Total(s.buckets), 0.0, 0
		for n = 0; n < len(s.buckets) && sum < total/2; n++ {
			sum += s.buckets[n].Count
		}
		return "half of the counted values are of the first " + plural(n*s.merged, "label")
	})
	g.addNumbers(f, few)
	g.Note = ""
	g.Numbers.Head[len(g.Numbers.Head)-3], g.Numbers.Head[len(g.Numbers.Head)-2] = "From rank", "To rank"
	f.Figures = append(f.Figures, g)
}
