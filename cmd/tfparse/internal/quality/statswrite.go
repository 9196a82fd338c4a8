package quality

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

// A statisticsForm appends statistics in some form.
type statisticsForm func(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error)

// writer returns the form that the name of the output asks for.
func (c *statistics) writer() (statisticsForm, error) {
	switch name, ext := c.output, filepath.Ext(c.output); {
	case !cli.IsFile(name) && c.format == cli.FormatJSON:
		return c.json, nil
	case !cli.IsFile(name):
		return c.table, nil
	case c.format == cli.FormatJSON && ext != ".json":
		return nil, cli.Usagef("--format json and -o %s: the name says the form, which is not JSON", c.output)
	case ext == ".pb":
		return statisticsBinary, nil
	case ext == ".pbtxt":
		return func(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
			return pbtext.Append(dst, list), nil
		}, nil
	case ext == ".tfrecord":
		return statisticsRecord, nil
	case ext == ".json":
		return c.json, nil
	case cli.IsPage(name):
		return c.page, nil
	}
	return nil, cli.Usagef("-o %s: the name says the form: .pb, .pbtxt, .tfrecord, .json or .html", c.output)
}

func statisticsBinary(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, list)
}

// statisticsRecord writes an uncompressed TFRecord of one record, which is what
// TensorFlow Data Validation's load_statistics takes.
func statisticsRecord(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	b, err := statisticsBinary(nil, list)
	if err != nil {
		return dst, err
	}
	return tfrecord.AppendRecord(dst, b), nil
}

// finish makes the statistics, and the details that JSON has room for and that a page counts values with.
func (c *statistics) finish() (list *pb.DatasetFeatureStatisticsList, err error) {
	if c.format == cli.FormatJSON || filepath.Ext(c.output) == ".json" || cli.IsPage(c.output) {
		list, c.source.Details, err = c.result.Detailed(c.jobs)
		return list, err
	}
	return c.result.StatisticsWith(c.jobs)
}

// stream writes a binary form without the messages of all features, where nothing else is asked of these. It reports whether it did.
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

// json writes JSON, with what the messages have no room for if records were read.
func (c *statistics) json(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	return statjson.Append(dst, list, c.source.Details)
}

// table writes a line for each feature.
func (c *statistics) table(dst []byte, list *pb.DatasetFeatureStatisticsList) ([]byte, error) {
	var out bytes.Buffer
	var contents map[string]string
	if c.contents != nil {
		contents = map[string]string{}
	}
	for _, f := range c.contents {
		contents[string(f.Path)] = f.Content
	}
	for i, d := range list.GetDatasets() {
		if i > 0 {
			out.WriteByte('\n')
		}
		if d.GetName() != "" {
			fmt.Fprintf(&out, "%s: ", console.OneLine(d.GetName()))
		}
		fmt.Fprintf(&out, "%s, %s", cli.Plural(int64(min(d.GetNumExamples(), math.MaxInt64)), "record"), cli.Plural(int64(len(d.GetFeatures())), "feature"))
		if w := d.GetWeightedNumExamples(); w != 0 {
			fmt.Fprintf(&out, ", weight %s", short(w))
		}
		out.WriteByte('\n')
		var t cli.Table
		if len(d.GetFeatures()) > 0 {
			title := []any{"FEATURE", "TYPE", "PRESENT", "VALUES", "WHAT"}
			if contents != nil {
				title = slices.Insert(title, 4, any("CONTENT"))
			}
			t.Row(title...)
		}
		for _, f := range d.GetFeatures() {
			statisticsRow(&t, f, contents)
		}
		out.Write(t.AppendTo(nil))
	}
	return append(dst, out.Bytes()...), nil
}

// statisticsRow adds the line of a feature, with what its byte strings hold if contents are not nil.
func statisticsRow(t *cli.Table, f *pb.FeatureNameStatistics, contents map[string]string) {
	name := f.GetName() // of old statistics
	if f.GetPath() != nil {
		name = statsource.PathName(f.GetPath().GetStep())
	}
	row := []any{cli.Shorten(name, 64), "", "", ""}
	if contents != nil {
		row = append(row, contents[name])
	}
	common, what := f.GetStructStats().GetCommonStats(), ""
	switch s := f.GetStats().(type) {
	case *pb.FeatureNameStatistics_NumStats:
		common, what = s.NumStats.GetCommonStats(), numbersText(s.NumStats)
	case *pb.FeatureNameStatistics_StringStats:
		common, what = s.StringStats.GetCommonStats(), labelsText(s.StringStats)
	case *pb.FeatureNameStatistics_BytesStats:
		common = s.BytesStats.GetCommonStats()
		what = fmt.Sprintf("%s to %s bytes, mean %s", short(float64(s.BytesStats.GetMinNumBytes())), short(float64(s.BytesStats.GetMaxNumBytes())), short(float64(s.BytesStats.GetAvgNumBytes())))
	case nil:
		for _, c := range f.GetCustomStats() {
			if n, ok := c.GetVal().(*pb.CustomStatistic_Num); ok {
				what += fmt.Sprintf(" %s %s", c.GetName(), short(n.Num))
			}
		}
		t.Row(append(row, strings.TrimSpace(what))...)
		return
	}
	kind := strings.ToLower(f.GetType().String())
	present := "never"
	if n := common.GetNumNonMissing(); n > 0 {
		present = fraction(float64(n) / float64(n+common.GetNumMissing()))
	}
	values := strconv.FormatUint(common.GetMinNumValues(), 10)
	if common.GetMaxNumValues() != common.GetMinNumValues() {
		values += "-" + strconv.FormatUint(common.GetMaxNumValues(), 10)
	}
	if common.GetNumNonMissing() == 0 {
		values = ""
	}
	row[1], row[2], row[3] = kind, present, values
	t.Row(append(row, what)...)
}

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
	text := fmt.Sprintf("%s .. %s .. %s, mean %s", short(s.GetMin()), short(s.GetMedian()), short(s.GetMax()), short(s.GetMean()))
	if s.GetStdDev() != 0 {
		text += " ± " + short(s.GetStdDev())
	}
	if n := s.GetNumZeros(); n > 0 {
		text += ", " + fraction(float64(n)/float64(total)) + " zero"
	}
	if nan > 0 {
		text += ", " + fraction(float64(nan)/float64(total)) + " NaN"
	}
	return text
}

// labelsText shows a few of the most frequent values.
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
		text += fmt.Sprintf("%s%s %s", sep, quoted(v.GetValue()), short(v.GetFrequency()))
	}
	if n := s.GetInvalidUtf8Count(); n > 0 {
		text += fmt.Sprintf(", %d not UTF-8", n)
	}
	return text
}

// quoted is a value as a line has room for it.
func quoted(s string) string {
	const most = 24
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// short writes a number with at most six digits, or as a whole number.
func short(v float64) string {
	if a := math.Abs(v); a < 1e15 && (v == math.Trunc(v) || a >= 1e5) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// fraction never says 0 % or 100 % of what is not none or all.
func fraction(v float64) string {
	switch {
	case v == 0 || v == 1:
	case v < 0.001:
		return "<0.1%"
	case v > 0.999:
		return ">99.9%"
	}
	return strconv.FormatFloat(math.Round(v*1000)/10, 'f', -1, 64) + "%"
}
