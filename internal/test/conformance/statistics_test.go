package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/proto/slicingpb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// recordTypes are the messages by their names in the vectors.
var recordTypes = map[string]example.MessageType{"example": example.TypeExample, "sequence_example": example.TypeSequence}

// generateStatistics compares three ways to the same statistics with those that the
// case expects: record by record, and with the accumulator written and read in the
// middle and at the end.
func generateStatistics(c *testkit.Case) error {
	o, err := statsOptions(c)
	if err != nil {
		return err
	}
	files, err := inputRecords(c)
	if err != nil {
		return err
	}
	got, err := accumulate(o, files, false)
	if err := outcome(c, err, func() error { return expectStatistics(c, o, got, files) }); err != nil || c.Want().Fail {
		return err
	}
	again, err := accumulate(o, files, true)
	if err != nil {
		return err
	}
	sortDatasets(again)
	if d := diff(got, again); d != "" {
		return fmt.Errorf("not the same after it was written and read: %s", d)
	}
	return nil
}

// accumulate makes statistics: an accumulator for each file, merged in order.
func accumulate(o *stats.Options, files [][][]byte, written bool) (*metadatapb.DatasetFeatureStatisticsList, error) {
	all, err := stats.New(o)
	if err != nil {
		return nil, err
	}
	for i, records := range files {
		acc, err := stats.New(o)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if err := acc.Add(r); err != nil {
				return nil, err
			}
		}
		if written {
			b, err := acc.MarshalBinary()
			if err != nil {
				return nil, err
			}
			acc = &stats.Accumulator{}
			if err := acc.UnmarshalBinary(b); err != nil {
				return nil, err
			}
			if b2, err := acc.MarshalBinary(); err != nil || string(b) != string(b2) {
				return nil, fmt.Errorf("file %d: read and written again it is another: %v", i, err)
			}
		}
		if err := all.Merge(acc); err != nil {
			return nil, err
		}
	}
	return all.Statistics()
}

// statsOptions reads the options of generate_statistics.
func statsOptions(c *testkit.Case) (*stats.Options, error) {
	var o struct {
		stats.Options
		Schema       string              `json:"schema"`
		Slicing      string              `json:"slicing_config"`
		Slices       []map[string]*[]any `json:"slices"`
		NoHistograms []string            `json:"no_histograms_for"`      // has no effect
		Epsilon      float64             `json:"epsilon"`                // nor has this: the sketch has one size
		InferTypes   bool                `json:"infer_type_from_schema"` // is for CSV
	}
	if err := c.Decode("options", &o); err != nil {
		return nil, err
	}
	out := o.Options
	out.TFDV = true
	if c.Has("record_type") {
		var name string
		if err := c.Decode("record_type", &name); err != nil {
			return nil, err
		}
		var ok bool
		if out.Message, ok = recordTypes[name]; !ok {
			return nil, testkit.Fault(fmt.Errorf("record type %q", name))
		}
	}
	if o.Schema != "" {
		out.Schema = &metadatapb.Schema{}
		if err := pbtext.Unmarshal([]byte(o.Schema), out.Schema); err != nil {
			return nil, testkit.Fault(err)
		}
	}
	if o.Slicing != "" {
		out.SlicingConfig = &slicingpb.SlicingConfig{}
		if err := pbtext.Unmarshal([]byte(o.Slicing), out.SlicingConfig); err != nil {
			return nil, testkit.Fault(err)
		}
	}
	for _, features := range o.Slices {
		s := stats.Slice{}
		for name, values := range features {
			s[name] = nil
			if values != nil {
				s[name] = []string{}
				for _, v := range *values {
					s[name] = append(s[name], fmt.Sprint(v))
				}
			}
		}
		out.Slices = append(out.Slices, s)
	}
	return &out, nil
}

// inputRecords returns the records of the input of a case, file by file.
func inputRecords(c *testkit.Case) ([][][]byte, error) {
	var in struct {
		Records *[][]byte `json:"records"`
		Files   []string  `json:"files"`
	}
	if err := c.Decode("input", &in); err != nil {
		return nil, err
	}
	if in.Records != nil {
		return [][][]byte{*in.Records}, nil
	}
	var out [][][]byte
	for _, name := range in.Files {
		path, err := c.Path(name)
		if err != nil {
			return nil, err
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, testkit.Fault(err)
		}
		r := tfrecord.NewReader(f, &tfrecord.ReaderOptions{Name: name})
		var records [][]byte
		for {
			rec, err := r.AppendNext(nil)
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, testkit.Fault(errors.Join(err, f.Close()))
			}
			records = append(records, rec)
		}
		if err := f.Close(); err != nil {
			return nil, testkit.Fault(err)
		}
		out = append(out, records)
	}
	if len(out) == 0 {
		return nil, testkit.Unknown("the input")
	}
	return out, nil
}

func expectStatistics(c *testkit.Case, o *stats.Options, got *metadatapb.DatasetFeatureStatisticsList, files [][][]byte) error {
	text, err := expectedText(c, "statistics")
	if err != nil {
		return err
	}
	want := &metadatapb.DatasetFeatureStatisticsList{}
	if err := pbtext.Unmarshal(text, want); err != nil {
		return testkit.Fault(err)
	}
	// Of anomalous records the order of the data sets is that of a hash.
	if o.Slices != nil && len(want.Datasets) > 0 && len(got.Datasets) > 0 && want.Datasets[0].Name != got.Datasets[0].Name {
		return fmt.Errorf("the first dataset is %q, wanted %q", got.Datasets[0].Name, want.Datasets[0].Name)
	}
	for _, list := range []*metadatapb.DatasetFeatureStatisticsList{want, got} {
		sortDatasets(list)
	}
	if len(want.Datasets) != len(got.Datasets) {
		return fmt.Errorf("%d datasets, wanted %d", len(got.Datasets), len(want.Datasets))
	}
	tolerance := tolerance{sketch: o.UseSketchBasedTopKUniques, values: numbersOf(files)}
	for i, w := range want.Datasets {
		tolerance.dataset(w, got.Datasets[i])
	}
	if d := diff(want, got); d != "" {
		return fmt.Errorf("want -, got +:\n%s", shorten(d))
	}
	return nil
}

// diff says where messages differ. It asks proto.Equal first, which has the same
// answer, in a tenth of the time that cmp takes.
func diff(want, got proto.Message) string {
	if proto.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateNaNs())
}

// sortDatasets gives slices an order: theirs does not count.
func sortDatasets(list *metadatapb.DatasetFeatureStatisticsList) {
	slices.SortFunc(list.Datasets, func(a, b *metadatapb.DatasetFeatureStatistics) int { return strings.Compare(a.Name, b.Name) })
}

// shorten cuts a long text.
func shorten(s string) string {
	const most = 6000
	if len(s) > most {
		return s[:most] + "\n… and " + strconv.Itoa(len(s)-most) + " bytes more"
	}
	return s
}
