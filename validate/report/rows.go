package report

import (
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A tableLine makes a row of a table.
type tableLine[T any] struct {
	name string
	text func(T) string // returns the text for one column, "" for an empty cell
	high func(T) bool   // reports whether a share is so high that it is marked; nil: never
	link func(T) string // returns the link to the records of a cell, "" for none; nil: none
}

// rows makes a row for each line, with a cell for each column. The cells of a column for which exists
// returns false are empty, and empty rows are omitted.
func rows[T any](lines []tableLine[T], columns []T, exists func(T) bool) (all []row) {
	for _, l := range lines {
		r, said := row{Name: l.name}, false
		for _, column := range columns {
			c := cell{Text: noValue}
			if exists(column) {
				if text := l.text(column); text != "" {
					c.Text, said = text, true
					c.High = l.high != nil && l.high(column)
					if l.link != nil {
						c.Link = l.link(column)
					}
				}
			}
			r.Of = append(r.Of, c)
		}
		if said {
			all = append(all, r)
		}
	}
	return all
}

// A columnStats is the statistics of a feature on one side, by number or by weight.
type columnStats struct {
	feature *view.Feature
	weight  bool
	side    int     // index of the side
	links   *linker // makes links to records; nil: none
}

// addStatistics fills the table of a feature's statistics.
func (f *feature) addStatistics() {
	var columns []columnStats
	for i, v := range f.sides {
		if v == nil && len(f.sides) == 1 {
			continue
		}
		name, weighted := "Value", "By weight"
		if len(f.sides) > 1 {
			name, weighted = letters[i], letters[i]+", by weight"
		}
		columns = append(columns, columnStats{v, false, i, f.links})
		f.Columns = append(f.Columns, name)
		if v != nil && v.Common().GetWeightedCommonStats() != nil {
			columns = append(columns, columnStats{v, true, i, f.links})
			f.Columns = append(f.Columns, weighted)
		}
	}
	f.Rows = rows(append(slices.Clone(statisticLines), f.customLines()...), columns, func(c columnStats) bool { return c.feature != nil })
}

// presence returns the number of examples in which the feature is present, and missing.
func (c columnStats) presence() (present, missing float64, ok bool) {
	s := c.feature.Common()
	if s == nil {
		return 0, 0, false
	}
	if c.weight {
		w := s.GetWeightedCommonStats()
		return w.GetNumNonMissing(), w.GetNumMissing(), true
	}
	return float64(s.GetNumNonMissing()), float64(s.GetNumMissing()), true
}

// High shares, which the page marks. A zero is a value like any other, so that more of them are usual.
const (
	highMissing = 0.1
	highZeros   = 0.5
)

// oftenMissing reports whether the feature is missing in a high share of the examples.
func (c columnStats) oftenMissing() bool {
	present, missing, _ := c.presence()
	return missing > 0 && missing >= highMissing*(present+missing)
}

// oftenZero reports whether a high share of the values is zero.
func (c columnStats) oftenZero() bool {
	s := c.numbers()
	return s.GetNumZeros() > 0 && float64(s.GetNumZeros()) >= highZeros*float64(s.GetCommonStats().GetTotNumValues())
}

// numbers returns the numeric statistics, nil if there are no values.
func (c columnStats) numbers() *pb.NumericStatistics {
	s := c.feature.Stats.GetNumStats()
	if s.GetCommonStats().GetTotNumValues() == 0 && len(s.GetHistograms()) == 0 {
		return nil
	}
	return s
}

// ofNumbers returns the text function of a line about numbers. If weighted is nil, the line has no
// text by weight.
func ofNumbers(plain func(*pb.NumericStatistics) string, weighted func(*pb.WeightedNumericStatistics) string) func(c columnStats) string {
	return func(c columnStats) string {
		s := c.numbers()
		switch w := s.GetWeightedNumericStats(); {
		case s == nil:
		case !c.weight:
			return plain(s)
		case w != nil && weighted != nil:
			return weighted(w)
		}
		return ""
	}
}

// nothingButNaN is the mean of a feature without other numbers, for which the statistics have 0.
const nothingButNaN = "nothing but NaN"

// unlessNaN is ofNumbers with another text for a feature that has no number but NaN.
func unlessNaN(text string, plain func(*pb.NumericStatistics) string, weighted func(*pb.WeightedNumericStatistics) string) func(c columnStats) string {
	of := ofNumbers(plain, weighted)
	return func(c columnStats) string {
		if s := c.numbers(); s != nil && nanCount(s) >= s.GetCommonStats().GetTotNumValues() && nanCount(s) > 0 {
			return text
		}
		return of(c)
	}
}

// nanCount returns the number of values that are NaN.
func nanCount(s *pb.NumericStatistics) (n uint64) {
	for _, h := range s.GetHistograms() {
		n = max(n, h.GetNumNan())
	}
	return n
}

// unweighted returns the text function of a line about statistics that are not weighted.
func unweighted[S comparable](get func(*pb.FeatureNameStatistics) S, text func(S) string) func(c columnStats) string {
	var nothing S
	return func(c columnStats) string {
		if s := get(c.feature.Stats); s != nothing && !c.weight {
			return text(s)
		}
		return ""
	}
}

func ofStrings(text func(*pb.StringStatistics) string) func(c columnStats) string {
	return unweighted((*pb.FeatureNameStatistics).GetStringStats, text)
}

func ofBytes(text func(*pb.BytesStatistics) string) func(c columnStats) string {
	return unweighted((*pb.FeatureNameStatistics).GetBytesStats, text)
}

// shareOf returns a number of values with its share.
func shareOf(n uint64, s *pb.NumericStatistics) string {
	return count(float64(n)) + " (" + share(float64(n), float64(s.GetCommonStats().GetTotNumValues())) + ")"
}

// statisticLines are the lines of the table of a feature's statistics.
var statisticLines = []tableLine[columnStats]{
	{name: "Present", text: func(c columnStats) string {
		present, missing, ok := c.presence()
		switch {
		case !ok:
			return ""
		case present+missing > 0:
			return count(present) + " (" + share(present, present+missing) + ")"
		}
		return count(present)
	}},
	{name: "Missing", text: func(c columnStats) string {
		present, missing, ok := c.presence()
		switch {
		case !ok:
			return ""
		case present+missing > 0 && missing > 0:
			return count(missing) + " (" + share(missing, present+missing) + ")"
		}
		return count(missing)
	}, high: columnStats.oftenMissing, link: func(c columnStats) string {
		if _, missing, _ := c.presence(); missing == 0 {
			return ""
		}
		return c.links.to(c.side, Selection{What: MissingMark})
	}},
	{name: "Values", text: func(c columnStats) string {
		switch s := c.feature.Common(); {
		case s == nil:
			return ""
		case c.weight:
			return count(s.GetWeightedCommonStats().GetTotNumValues())
		default:
			return count(float64(s.GetTotNumValues()))
		}
	}},
	{name: "Values in each", text: func(c columnStats) string {
		switch s := c.feature.Common(); {
		case s.GetNumNonMissing() == 0:
			return ""
		case c.weight:
			return "average " + number(s.GetWeightedCommonStats().GetAvgNumValues())
		case s.GetMinNumValues() == s.GetMaxNumValues():
			return count(float64(s.GetMinNumValues()))
		default:
			return count(float64(s.GetMinNumValues())) + " to " + count(float64(s.GetMaxNumValues())) + ", average " + number(float64(s.GetAvgNumValues()))
		}
	}},
	{name: "Mean", text: unlessNaN(nothingButNaN, func(s *pb.NumericStatistics) string { return number(s.GetMean()) }, func(s *pb.WeightedNumericStatistics) string { return number(s.GetMean()) })},
	{name: "Standard deviation", text: unlessNaN("", func(s *pb.NumericStatistics) string { return number(s.GetStdDev()) }, func(s *pb.WeightedNumericStatistics) string { return number(s.GetStdDev()) })},
	{name: "Minimum", text: unlessNaN("", func(s *pb.NumericStatistics) string { return number(s.GetMin()) }, nil), link: func(c columnStats) string {
		least := c.numbers().GetMin()
		return c.links.toRange(c.side, least, least, true)
	}},
	{name: "Median", text: unlessNaN("", func(s *pb.NumericStatistics) string { return number(s.GetMedian()) }, func(s *pb.WeightedNumericStatistics) string { return number(s.GetMedian()) })},
	{name: "Maximum", text: unlessNaN("", func(s *pb.NumericStatistics) string { return number(s.GetMax()) }, nil), link: func(c columnStats) string {
		most := c.numbers().GetMax()
		return c.links.toRange(c.side, most, most, true)
	}},
	{name: "Zeros", text: ofNumbers(func(s *pb.NumericStatistics) string { return shareOf(s.GetNumZeros(), s) }, nil), high: columnStats.oftenZero, link: func(c columnStats) string {
		if c.numbers().GetNumZeros() == 0 {
			return ""
		}
		return c.links.toRange(c.side, 0, 0, true)
	}},
	{name: "NaN", text: ofNumbers(func(s *pb.NumericStatistics) string {
		n := nanCount(s)
		if n == 0 {
			return ""
		}
		return shareOf(n, s)
	}, nil), link: func(c columnStats) string { return c.links.to(c.side, Selection{What: NaNMark}) }},
	{name: "Different values", text: ofStrings(func(s *pb.StringStatistics) string { return count(float64(s.GetUnique())) })},
	{name: "Average length", text: ofStrings(func(s *pb.StringStatistics) string { return number(float64(s.GetAvgLength())) })},
	{name: "Not UTF-8", text: ofStrings(func(s *pb.StringStatistics) string { return unlessZero(s.GetInvalidUtf8Count()) })},
	{name: "Vocabulary", text: ofStrings(func(s *pb.StringStatistics) string { return labelText(s.GetVocabularyFile()) })},
	{name: "Different values", text: ofBytes(func(s *pb.BytesStatistics) string { return unlessZero(s.GetUnique()) })}, // 0 may mean that they were not counted
	{name: "Shortest, bytes", text: ofBytes(func(s *pb.BytesStatistics) string { return count(float64(s.GetMinNumBytes())) })},
	{name: "Average, bytes", text: ofBytes(func(s *pb.BytesStatistics) string { return number(float64(s.GetAvgNumBytes())) })},
	{name: "Longest, bytes", text: ofBytes(func(s *pb.BytesStatistics) string {
		return count(max(float64(s.GetMaxNumBytes()), float64(s.GetMaxNumBytesInt())))
	})},
}

func unlessZero(n uint64) string {
	if n == 0 {
		return ""
	}
	return count(float64(n))
}

// maxCustom is the maximum number of custom statistics shown for a feature.
const maxCustom = 50

// customNames returns the names of the custom statistics to show.
func (f *feature) customNames() (names []string) {
	for _, v := range f.sides {
		if v == nil {
			continue
		}
		for _, c := range v.Stats.GetCustomStats() {
			if len(names) < maxCustom && !slices.Contains(names, c.GetName()) {
				names = append(names, c.GetName())
			}
		}
	}
	return names
}

// customLines returns the lines for custom statistics.
func (f *feature) customLines() (all []tableLine[columnStats]) {
	names := f.customNames()
	for _, name := range names {
		all = append(all, tableLine[columnStats]{name: cutText(name, maxNameChars), text: func(c columnStats) string {
			if s := c.feature.Custom(name); s != nil && !c.weight {
				return customText(s)
			}
			return ""
		}})
	}
	return append(all, tableLine[columnStats]{name: "Not shown", text: func(c columnStats) string {
		n := 0
		for _, s := range c.feature.Stats.GetCustomStats() {
			if !slices.Contains(names, s.GetName()) {
				n++
			}
		}
		if n == 0 || c.weight {
			return ""
		}
		return plural(n, "more statistic")
	}})
}

func customText(s *pb.CustomStatistic) string {
	switch v := s.GetVal().(type) {
	case *pb.CustomStatistic_Num:
		return number(v.Num)
	case *pb.CustomStatistic_Str:
		return cutText(v.Str, maxValueChars)
	case *pb.CustomStatistic_Histogram:
		switch all := v.Histogram.GetBuckets(); {
		case customHistogram(s) != nil:
			return "" // there is a chart
		case len(all) == 0:
			return "empty"
		default:
			return "always " + number(all[0].GetLowValue())
		}
	case *pb.CustomStatistic_RankHistogram:
		return plural(len(v.RankHistogram.GetBuckets()), "label")
	case *pb.CustomStatistic_Any:
		url := v.Any.GetTypeUrl()
		return cutText("a message of type "+url[strings.LastIndexByte(url, '/')+1:], maxValueChars)
	}
	return ""
}
