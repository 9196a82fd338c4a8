package statfile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/statfile"
	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/pbtext"
)

func part(name string) *pb.DatasetFeatureStatisticsList {
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: 3, Features: []*pb.FeatureNameStatistics{{
		FieldId: &pb.FeatureNameStatistics_Path{Path: &pb.Path{Step: []string{name}}}, Stats: &pb.FeatureNameStatistics_NumStats{NumStats: &pb.NumericStatistics{Max: 1}}}}}}}
}

func records(t *testing.T, codec tfrecord.Compression, all ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: codec})
	for _, r := range all {
		if err := w.WriteRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encoded(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRead(t *testing.T) {
	a, both := part("a"), part("a")
	both.Datasets[0].Features = append(both.Datasets[0].Features, part("b").Datasets[0].Features...)
	more := part("b")
	more.Datasets[0].NumExamples = 4
	ex, err := example.Example{"a": example.Int64s(1), "b": example.Strings("x")}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		file []byte
		want *pb.DatasetFeatureStatisticsList
		none bool
	}{
		{"binary", encoded(t, a), a, false},
		{"text", pbtext.Marshal(a), a, false},
		{"a record", records(t, tfrecord.None, encoded(t, a)), a, false},
		{"a compressed record", records(t, tfrecord.GZIP, encoded(t, a)), a, false},
		{"parts", records(t, tfrecord.None, encoded(t, a), encoded(t, part("b"))), both, false},
		{"parts that do not fit", records(t, tfrecord.None, encoded(t, a), encoded(t, more)), nil, false},
		{"examples", records(t, tfrecord.None, ex, ex), nil, true},
		{"an example without features", records(t, tfrecord.None, []byte{}), nil, true},
		{"something else", []byte("hello\n"), nil, true},
		{"nothing", nil, &pb.DatasetFeatureStatisticsList{}, true},
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, c.file, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := statfile.Read(name)
		if c.none != errors.Is(err, statfile.ErrNone) || c.want != nil && !c.none && (err != nil || !proto.Equal(got, c.want)) || c.want == nil && err == nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}
