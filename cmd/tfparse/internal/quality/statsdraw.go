package quality

import (
	"fmt"
	"math"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

const (
	drawnWidth  = 12 // columns of a histogram or a bar
	drawnIndent = 2  // columns before it
	drawnValues = 3  // most frequent values that have a bar
)

// appendDrawn appends a table of features for a terminal. Below each feature there is a histogram of its numbers, or a bar for each
// of its most frequent values:
//
//	FEATURE  TYPE    PRESENT  VALUES  CONTENT
//	minutes  int     100%     1
//	  █▃▁       ▁     3 .. 20 .. 300, mean 58.3333 ± 80.8933
//	city     string  100%     1       text
//	  ██████▊       "Oslo" 56.2%
//	  ███           "Bergen" 25%
//	                2 more values
func appendDrawn(dst []byte, features []*pb.FeatureNameStatistics, contents map[string]string, width int) []byte {
	if len(features) == 0 {
		return dst
	}
	t := cli.Table{Width: width}
	t.Row(statisticsTitle(contents)...)
	var details [][]string // by feature
	for _, f := range features {
		row, what := statisticsRow(f, contents, max(width-44, 20))
		t.Row(row...)
		lines := []string{detailLine("", what)}
		switch s := f.GetStats().(type) {
		case *pb.FeatureNameStatistics_NumStats:
			lines[0] = detailLine(histogramText(s.NumStats, f.GetType() == pb.FeatureNameStatistics_INT), what)
		case *pb.FeatureNameStatistics_StringStats:
			if bars := valueBars(s.StringStats); bars != nil {
				lines = bars
			}
		}
		if what == "" {
			lines = nil
		}
		details = append(details, lines)
	}
	for i, line := range t.Lines() {
		dst = append(append(dst, line...), '\n')
		if i == 0 {
			continue
		}
		for _, detail := range details[i-1] {
			dst = append(append(dst, console.Truncate(detail, width)...), '\n')
		}
	}
	return dst
}

// detailLine returns a line with a drawing and a text.
func detailLine(drawing, text string) string {
	return strings.Repeat(" ", drawnIndent) + console.Pad(drawing, drawnWidth) + "  " + console.OneLine(text)
}

// integerCounts returns the counts of at most drawnWidth bins, which cover the same number of integers each. It returns nil unless each
// bucket is one value. Buckets of equal width would leave gaps: 10 buckets over the integers 1 to 7 have no integer in three of them.
func integerCounts(buckets []*pb.Histogram_Bucket) []float64 {
	for _, b := range buckets {
		if b.GetLowValue() != b.GetHighValue() {
			return nil
		}
	}
	if len(buckets) == 0 {
		return nil
	}
	least := buckets[0].GetLowValue()
	last := buckets[len(buckets)-1].GetLowValue() - least
	size := math.Floor(last/drawnWidth) + 1 // integers in a bin
	counts := make([]float64, min(int(last/size)+1, drawnWidth))
	for _, b := range buckets {
		at := int((b.GetLowValue() - least) / size)
		counts[max(0, min(at, len(counts)-1))] += b.GetSampleCount()
	}
	return counts
}

// histogramText draws the histogram of equal buckets, with at most drawnWidth columns. A bucket with any value is not blank. Bins of integers
// cover the same number of integers each, if the statistics have all values.
func histogramText(s *pb.NumericStatistics, integers bool) string {
	var counts []float64
	for _, h := range s.GetHistograms() {
		if h.GetType() != pb.Histogram_STANDARD {
			continue
		}
		n := len(h.GetBuckets())
		counts = make([]float64, min(n, drawnWidth))
		for i, b := range h.GetBuckets() {
			counts[i*len(counts)/n] += b.GetSampleCount()
		}
	}
	for _, h := range s.GetHistograms() {
		if h.GetType() == pb.Histogram_QUANTILES && integers && counts != nil {
			if exact := integerCounts(h.GetBuckets()); exact != nil {
				counts = exact
			}
		}
	}
	highest := 0.0
	for _, n := range counts {
		highest = max(highest, n)
	}
	var text strings.Builder
	for _, n := range counts {
		level := 0
		if n > 0 && highest > 0 {
			level = max(1, int(math.Round(8*n/highest)))
		}
		text.WriteRune([]rune(" ▁▂▃▄▅▆▇█")[level])
	}
	return text.String()
}

// valueBars returns a line for each of the most frequent values, with a bar of its share, and one for the others. It returns nil
// if no value is known to occur more than once.
func valueBars(s *pb.StringStatistics) (lines []string) {
	total := float64(s.GetCommonStats().GetTotNumValues())
	top := s.GetTopValues()
	if total == 0 || len(top) == 0 || top[0].GetFrequency() <= 1 {
		return nil
	}
	top = top[:min(len(top), drawnValues)]
	for _, v := range top {
		share := min(v.GetFrequency()/total, 1)
		eighths := max(1, int(math.Round(8*drawnWidth*share)))
		bar := strings.Repeat("█", eighths/8)
		if eighths%8 > 0 {
			bar += string([]rune("▏▎▍▌▋▊▉")[eighths%8-1])
		}
		lines = append(lines, detailLine(bar, shortQuoted(v.GetValue())+" "+percentText(share)))
	}
	var others []string
	if more := int64(s.GetUnique()) - int64(len(top)); more > 0 {
		others = append(others, cli.Plural(more, "more value"))
	}
	if n := s.GetInvalidUtf8Count(); n > 0 {
		others = append(others, fmt.Sprintf("%d not UTF-8", n))
	}
	if others != nil {
		lines = append(lines, detailLine("", strings.Join(others, ", ")))
	}
	return lines
}
