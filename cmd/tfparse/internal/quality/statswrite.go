package quality

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/sniff"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

// A statisticsForm appends statistics in an output format.
type statisticsForm func(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error)

// writer returns the output format of -o and --format.
func (c *statistics) writer() (statisticsForm, error) {
	switch name, ext := c.output, filepath.Ext(c.output); {
	case c.histograms == cli.WhenAlways && (cli.IsFile(name) || c.format == cli.FormatJSON):
		return nil, cli.Usagef("--histograms is for the table, not for --format json or a file")
	case !cli.IsFile(name) && c.format == cli.FormatJSON:
		return c.json, nil
	case !cli.IsFile(name):
		return c.table, nil
	case c.format == cli.FormatJSON && ext != ".json":
		return nil, cli.Usagef("--format json: want a name ending in .json, got -o %s", c.output)
	case ext == ".pb":
		return appendBinary[*pb.DatasetFeatureStatisticsList], nil
	case ext == ".pbtxt":
		return appendText[*pb.DatasetFeatureStatisticsList], nil
	case ext == ".tfrecord":
		return statisticsRecord, nil
	case ext == ".json":
		return c.json, nil
	case cli.IsPage(name):
		return c.page, nil
	}
	return nil, cli.Usagef("-o %s: want a name ending in .pb, .pbtxt, .tfrecord, .json or .html", c.output)
}

// appendBinary appends a message in the binary form.
func appendBinary[M proto.Message](dst []byte, m M) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, m)
}

// appendText appends a message in the text form.
func appendText[M proto.Message](dst []byte, m M) ([]byte, error) { return pbtext.Append(dst, m), nil }

// statisticsRecord appends an uncompressed TFRecord with one record, which load_statistics of TensorFlow Data
// Validation reads.
func statisticsRecord(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	b, err := appendBinary(nil, list)
	if err != nil {
		return dst, err
	}
	return tfrecord.AppendRecord(dst, b), nil
}

// finish returns the statistics. For JSON and HTML reports it also sets the details.
func (c *statistics) finish() (list *pb.DatasetFeatureStatisticsList, err error) {
	if c.format == cli.FormatJSON || filepath.Ext(c.output) == ".json" || cli.IsPage(c.output) {
		list, c.source.Details, err = c.result.Detailed(c.jobs)
		return list, err
	}
	return c.result.StatisticsWith(c.jobs)
}

// stream appends statistics in a binary format feature by feature, which saves the memory of all messages. It reports
// false if the output needs the messages.
func (c *statistics) stream(out *cli.Output) (bool, error) {
	ext := filepath.Ext(c.output)
	if !cli.IsFile(c.output) || ext != ".pb" && ext != ".tfrecord" || c.source.Slice != "" || c.result.Options().Weight != "" {
		return false, nil
	}
	var err error
	if ext == ".pb" {
		out.Buf, err = c.result.AppendStatistics(out.Buf, c.jobs)
		return true, err
	}
	b, err := c.result.AppendStatistics(nil, c.jobs)
	out.Buf = tfrecord.AppendRecord(out.Buf, b)
	return true, err
}

// json appends JSON, which includes the details if records were read.
func (c *statistics) json(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	return statjson.Append(dst, list, c.source.Details)
}

// table appends a table with a row per feature. On a terminal the values of each feature are drawn below its row.
func (c *statistics) table(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	var out bytes.Buffer
	var contents map[string]string
	if c.contents != nil {
		contents = map[string]string{}
	}
	for _, f := range c.contents {
		contents[string(f.Path)] = f.Content
	}
	drawn := c.histograms == cli.WhenAlways || c.histograms == cli.WhenAuto && console.IsTerminal(c.env.Stdout)
	for i, d := range list.GetDatasets() {
		if i > 0 {
			out.WriteByte('\n')
		}
		if d.GetName() != "" {
			fmt.Fprintf(&out, "%s: ", console.OneLine(d.GetName()))
		}
		fmt.Fprintf(&out, "%s, %s", cli.Plural(int64(min(d.GetNumExamples(), math.MaxInt64)), "record"), cli.Plural(int64(len(d.GetFeatures())), "feature"))
		if w := d.GetWeightedNumExamples(); w != 0 {
			fmt.Fprintf(&out, ", weight %s", shortNumber(w))
		}
		out.WriteByte('\n')
		if drawn {
			out.Write(appendDrawn(nil, d.GetFeatures(), contents, console.Width(c.env.Stdout)))
			continue
		}
		var t cli.Table
		if len(d.GetFeatures()) > 0 {
			t.Row(append(statisticsTitle(contents), "WHAT")...)
		}
		for _, f := range d.GetFeatures() {
			row, what := statisticsRow(f, contents, 64)
			t.Row(append(row, what)...)
		}
		out.Write(t.AppendTo(nil))
	}
	for _, f := range c.contents {
		out.WriteString(f.Decoding)
	}
	return append(dst, out.Bytes()...), nil
}

// statisticsTitle returns the titles of the cells of statisticsRow.
func statisticsTitle(contents map[string]string) []any {
	title := []any{"FEATURE", "TYPE", "PRESENT", "VALUES"}
	if contents != nil {
		title = append(title, "CONTENT")
	}
	return title
}

// statisticsRow returns the cells of a feature, and a text about its values. It has a cell for the format of byte strings if
// contents is not nil. nameWidth limits the name.
func statisticsRow(f *pb.FeatureNameStatistics, contents map[string]string, nameWidth int) (row []any, what string) {
	name := f.GetName() // of old statistics
	if f.GetPath() != nil {
		name = statsource.PathName(f.GetPath().GetStep())
	}
	row = []any{cli.Shorten(name, nameWidth), "", "", ""}
	if contents != nil {
		row = append(row, contents[name])
	}
	common := f.GetStructStats().GetCommonStats()
	switch s := f.GetStats().(type) {
	case *pb.FeatureNameStatistics_NumStats:
		common, what = s.NumStats.GetCommonStats(), numbersText(s.NumStats)
	case *pb.FeatureNameStatistics_StringStats:
		common, what = s.StringStats.GetCommonStats(), labelsText(s.StringStats)
	case *pb.FeatureNameStatistics_BytesStats:
		common = s.BytesStats.GetCommonStats()
		what = fmt.Sprintf("%s to %s bytes, mean %s", shortNumber(float64(s.BytesStats.GetMinNumBytes())), shortNumber(float64(s.BytesStats.GetMaxNumBytes())), shortNumber(float64(s.BytesStats.GetAvgNumBytes())))
	case nil:
		for _, c := range f.GetCustomStats() {
			if n, ok := c.GetVal().(*pb.CustomStatistic_Num); ok {
				what += fmt.Sprintf(" %s %s", c.GetName(), shortNumber(n.Num))
			}
		}
		return row, strings.TrimSpace(what)
	}
	kind := strings.ToLower(f.GetType().String())
	present := "never"
	if n := common.GetNumNonMissing(); n > 0 {
		present = percentText(float64(n) / float64(n+common.GetNumMissing()))
	}
	values := strconv.FormatUint(common.GetMinNumValues(), 10)
	if common.GetMaxNumValues() != common.GetMinNumValues() {
		values += "-" + strconv.FormatUint(common.GetMaxNumValues(), 10)
	}
	if common.GetNumNonMissing() == 0 {
		values = ""
	}
	row[1], row[2], row[3] = kind, present, values
	return row, what
}

// numbersText summarizes the values of a numeric feature.
func numbersText(s *pb.NumericStatistics) string {
	var nan uint64
	for _, h := range s.GetHistograms() {
		nan = h.GetNumNan()
	}
	total := s.GetCommonStats().GetTotNumValues()
	switch {
	case total == 0:
		return ""
	case nan == total:
		return "nothing but NaN"
	}
	text := fmt.Sprintf("%s .. %s .. %s, mean %s", shortNumber(s.GetMin()), shortNumber(s.GetMedian()), shortNumber(s.GetMax()), shortNumber(s.GetMean()))
	if s.GetStdDev() != 0 {
		text += " ± " + shortNumber(s.GetStdDev())
	}
	if n := s.GetNumZeros(); n > 0 {
		text += ", " + percentText(float64(n)/float64(total)) + " zero"
	}
	if nan > 0 {
		text += ", " + percentText(float64(nan)/float64(total)) + " NaN"
	}
	return text
}

// labelsText returns the number of different values, and the three most frequent ones.
func labelsText(s *pb.StringStatistics) string {
	if s.GetCommonStats().GetTotNumValues() == 0 {
		return ""
	}
	text := fmt.Sprintf("%d different", s.GetUnique())
	for i, v := range s.GetTopValues() {
		if i == 3 {
			text += " …"
			break
		}
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		text += fmt.Sprintf("%s%s %s", sep, shortQuoted(v.GetValue()), shortNumber(v.GetFrequency()))
	}
	if n := s.GetInvalidUtf8Count(); n > 0 {
		text += fmt.Sprintf(", %d not UTF-8", n)
	}
	return text
}

// shortQuoted quotes the first 24 characters of a value. A value that is not text is named by its content and size.
func shortQuoted(s string) string {
	if content := sniff.DescribeBytes(s); content != "" {
		return fmt.Sprintf("%s (%s)", content, cli.Plural(int64(len(s)), "byte"))
	}
	const most = 24
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// shortNumber formats a number with at most six digits, or as a whole number.
func shortNumber(v float64) string {
	if a := math.Abs(v); a < 1e15 && (v == math.Trunc(v) || a >= 1e5) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// percentText formats a share. Only the shares 0 and 1 are printed as 0% and 100%.
func percentText(v float64) string {
	switch {
	case v == 0 || v == 1:
	case v < 0.001:
		return "<0.1%"
	case v > 0.999:
		return ">99.9%"
	}
	return strconv.FormatFloat(math.Round(v*1000)/10, 'f', -1, 64) + "%"
}

// The limits of a contentSample, which keeps the records until they are read for statistics.
const (
	contentRecords = 16
	contentBytes   = 1 << 20
)

// A contentSample detects the formats of byte strings in the first records, as info does. It is kept out
// of the statistics, because they must not depend on how records are split into shards.
type contentSample struct {
	table *summary.Table // nil before the first record
	bytes int            // size of the records
}

// add adds one of the first records, and reports whether it needs more records.
func (s *contentSample) add(rec scan.Record) (more bool) {
	if s.table == nil {
		s.table = summary.NewTable(rec.Type)
		s.table.Look = true
	}
	s.bytes += len(rec.Bytes)
	if rec.Type == s.table.Type() {
		_ = s.table.Add(rec.Bytes) // errors are reported when statistics are computed
	}
	return s.table.Records < contentRecords && s.bytes < contentBytes
}

// A featureContent is the format of the byte strings of a feature, as stored in parts. Path is bytes, since JSON
// strings are UTF-8.
type featureContent struct {
	Path    []byte `json:"path"` // path of the feature in the statistics
	Content string `json:"content"`

	Decoding string `json:"decoding,omitempty"` // from [scan.DecodingLine]
}

// contents returns the formats of the byte strings of each feature that has any.
func (s *contentSample) contents() (all []featureContent) {
	if s.table == nil {
		return nil
	}
	for _, f := range s.table.Features() {
		path := []string{f.Name}
		switch f.Part {
		case summary.Lists:
			path = []string{"##SEQUENCE##", f.Name}
		case summary.Examples:
			path = []string{"##EXAMPLES##", f.Name}
		}
		if content := f.Contents.String(); content != "" {
			all = append(all, featureContent{[]byte(statsource.PathName(path)), content, scan.DecodingLine(&f, f.Column(), false)})
		}
	}
	return all
}
