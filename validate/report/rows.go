package report

import (
	"math"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A column is statistics of one side, by number or by weight.
type column struct {
	f      *view.Feature
	weight bool
}

// statistics fills the table of a feature.
func (f *feature) statistics() {
	var columns []column
	for i, v := range f.of {
		if v == nil && len(f.of) == 1 {
			continue
		}
		name := "Value"
		if len(f.of) > 1 {
			name = letters[i]
		}
		columns = append(columns, column{v, false})
		f.Columns = append(f.Columns, name)
		if v != nil && v.Common().GetWeightedCommonStats() != nil {
			weighted := "By weight"
			if len(f.of) > 1 {
				weighted = name + ", by weight"
			}
			columns = append(columns, column{v, true})
			f.Columns = append(f.Columns, weighted)
		}
	}
	line := func(name string, of func(c column) string) {
		r := row{Name: name}
		for _, c := range columns {
			text := none
			if c.f != nil {
				if t := of(c); t != "" {
					text = t
				}
			}
			r.Of = append(r.Of, text)
		}
		if slices.ContainsFunc(r.Of, func(t string) bool { return t != none }) {
			f.Rows = append(f.Rows, r)
		}
	}
	common(line)
	numeric(line)
	strung(line)
	blobs(line)
	f.custom(line)
}

type lines func(name string, of func(c column) string)

// presence returns how often a feature is there.
func (c column) presence() (present, missing float64, ok bool) {
	s := c.f.Common()
	if s == nil {
		return 0, 0, false
	}
	if c.weight {
		w := s.GetWeightedCommonStats()
		return w.GetNumNonMissing(), w.GetNumMissing(), true
	}
	return float64(s.GetNumNonMissing()), float64(s.GetNumMissing()), true
}

func common(line lines) {
	line("Present", func(c column) string {
		present, missing, ok := c.presence()
		if !ok {
			return ""
		}
		text := count(present)
		if present+missing > 0 {
			text += " (" + share(present, present+missing) + ")"
		}
		return text
	})
	line("Missing", func(c column) string {
		if _, missing, ok := c.presence(); ok {
			return count(missing)
		}
		return ""
	})
	line("Values", func(c column) string {
		switch s := c.f.Common(); {
		case s == nil:
			return ""
		case c.weight:
			return count(s.GetWeightedCommonStats().GetTotNumValues())
		default:
			return count(float64(s.GetTotNumValues()))
		}
	})
	line("Values in each", func(c column) string {
		s := c.f.Common()
		switch {
		case s.GetNumNonMissing() == 0:
			return ""
		case c.weight:
			return "average " + number(s.GetWeightedCommonStats().GetAvgNumValues())
		case s.GetMinNumValues() == s.GetMaxNumValues():
			return count(float64(s.GetMinNumValues()))
		}
		return count(float64(s.GetMinNumValues())) + " to " + count(float64(s.GetMaxNumValues())) + ", average " + number(float64(s.GetAvgNumValues()))
	})
}

// numbers returns the statistics of numbers, if there are any values.
func (c column) numbers() *pb.NumericStatistics {
	s := c.f.Stats.GetNumStats()
	if s.GetCommonStats().GetTotNumValues() == 0 && len(s.GetHistograms()) == 0 {
		return nil
	}
	return s
}

func numeric(line lines) {
	of := func(name string, plain func(*pb.NumericStatistics) string, weighted func(*pb.WeightedNumericStatistics) string) {
		line(name, func(c column) string {
			s := c.numbers()
			switch w := s.GetWeightedNumericStats(); {
			case s == nil:
				return ""
			case !c.weight:
				return plain(s)
			case w != nil && weighted != nil:
				return weighted(w)
			}
			return ""
		})
	}
	of("Mean", func(s *pb.NumericStatistics) string { return number(s.GetMean()) }, func(s *pb.WeightedNumericStatistics) string { return number(s.GetMean()) })
	of("Standard deviation", func(s *pb.NumericStatistics) string { return number(s.GetStdDev()) }, func(s *pb.WeightedNumericStatistics) string { return number(s.GetStdDev()) })
	of("Minimum", func(s *pb.NumericStatistics) string { return number(s.GetMin()) }, nil)
	of("Median", func(s *pb.NumericStatistics) string { return number(s.GetMedian()) }, func(s *pb.WeightedNumericStatistics) string { return number(s.GetMedian()) })
	of("Maximum", func(s *pb.NumericStatistics) string { return number(s.GetMax()) }, nil)
	of("Zeros", func(s *pb.NumericStatistics) string {
		return count(float64(s.GetNumZeros())) + " (" + share(float64(s.GetNumZeros()), float64(s.GetCommonStats().GetTotNumValues())) + ")"
	}, nil)
	of("NaN", func(s *pb.NumericStatistics) string {
		if n := nans(s); n > 0 {
			return count(float64(n)) + " (" + share(float64(n), float64(s.GetCommonStats().GetTotNumValues())) + ")"
		}
		return ""
	}, nil)
}

// nans is the number of values that are none.
func nans(s *pb.NumericStatistics) (n uint64) {
	for _, h := range s.GetHistograms() {
		n = max(n, h.GetNumNan())
	}
	return n
}

func strung(line lines) {
	of := func(name string, text func(*pb.StringStatistics) string) {
		line(name, func(c column) string {
			if s := c.f.Stats.GetStringStats(); s != nil && !c.weight {
				return text(s)
			}
			return ""
		})
	}
	of("Different values", func(s *pb.StringStatistics) string { return count(float64(s.GetUnique())) })
	of("Average length", func(s *pb.StringStatistics) string { return number(float64(s.GetAvgLength())) })
	of("Not UTF-8", func(s *pb.StringStatistics) string {
		if n := s.GetInvalidUtf8Count(); n > 0 {
			return count(float64(n))
		}
		return ""
	})
	of("Vocabulary", func(s *pb.StringStatistics) string { return labelText(s.GetVocabularyFile()) })
}

func blobs(line lines) {
	of := func(name string, text func(*pb.BytesStatistics) string) {
		line(name, func(c column) string {
			if s := c.f.Stats.GetBytesStats(); s != nil && !c.weight {
				return text(s)
			}
			return ""
		})
	}
	of("Different values", func(s *pb.BytesStatistics) string {
		if s.GetUnique() == 0 {
			return "" // not counted
		}
		return count(float64(s.GetUnique()))
	})
	of("Shortest, bytes", func(s *pb.BytesStatistics) string { return count(float64(s.GetMinNumBytes())) })
	of("Average, bytes", func(s *pb.BytesStatistics) string { return number(float64(s.GetAvgNumBytes())) })
	of("Longest, bytes", func(s *pb.BytesStatistics) string {
		return count(math.Max(float64(s.GetMaxNumBytes()), float64(s.GetMaxNumBytesInt())))
	})
}

// maxCustom is how many statistics of other names are shown.
const maxCustom = 50

// customNames are what statistics without a place of their own are called.
func (f *feature) customNames() (names []string) {
	for _, v := range f.of {
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

func (f *feature) custom(line lines) {
	names := f.customNames()
	for _, name := range names {
		line(cut(name, nameRoom), func(c column) string {
			if s := c.f.Custom(name); s != nil && !c.weight {
				return customText(s)
			}
			return ""
		})
	}
	line("Not shown", func(c column) string {
		if n := customLeft(c.f, names); n > 0 && !c.weight {
			return plural(n, "more statistic")
		}
		return ""
	})
}

// customLeft counts those that are not shown.
func customLeft(f *view.Feature, shown []string) (n int) {
	for _, c := range f.Stats.GetCustomStats() {
		if !slices.Contains(shown, c.GetName()) {
			n++
		}
	}
	return n
}

func customText(s *pb.CustomStatistic) string {
	switch v := s.GetVal().(type) {
	case *pb.CustomStatistic_Num:
		return number(v.Num)
	case *pb.CustomStatistic_Str:
		return cut(v.Str, valueRoom)
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
		return cut("a message of type "+url[strings.LastIndexByte(url, '/')+1:], valueRoom)
	}
	return ""
}
