package statsource

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

func part(name string) *pb.DatasetFeatureStatisticsList {
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: 3, Features: []*pb.FeatureNameStatistics{{
		FieldId: &pb.FeatureNameStatistics_Path{Path: &pb.Path{Step: []string{name}}}, Stats: &pb.FeatureNameStatistics_NumStats{NumStats: &pb.NumericStatistics{Max: 1}}}}}}}
}

// jsonOf is the data set of part in JSON.
func jsonOf(name string) string {
	return `{"num_examples": "3", "features": [{"path": {"step": ["` + name + `"]}, "num_stats": {"max": 1}}]}`
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

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func cut(b []byte) []byte { return b[:len(b)-1] }

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
	unknown := part("a")
	unknown.Datasets[0].Features[0].ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
	ex, err := example.Example{"a": example.Int64s(1), "b": example.Strings("x")}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var reader fileReader
	for _, c := range []struct {
		name string
		file []byte
		want *pb.DatasetFeatureStatisticsList
		none bool
	}{
		{"binary", encoded(t, a), a, false},
		{"text", pbtext.Marshal(a), a, false},
		{"JSON", []byte("\n { \"datasets\" : [" + jsonOf("a") + "]}"), a, false},
		{"JSON with an unknown field", []byte(`{"datasets": [{"num_examples": "3", "colour": 1}]}`), nil, false},
		{"JSON, cut", []byte(`{"datasets": [` + jsonOf("a") + "]"), nil, false},
		{"other JSON", []byte(`{"data": [` + jsonOf("a") + "]}"), nil, true},
		{"a record", records(t, tfrecord.None, encoded(t, a)), a, false},
		{"a compressed record", records(t, tfrecord.GZIP, encoded(t, a)), a, false},
		{"parts", records(t, tfrecord.None, encoded(t, a), encoded(t, part("b"))), both, false},
		{"parts that do not fit", records(t, tfrecord.None, encoded(t, a), encoded(t, more)), nil, false},
		{"parts, the second cut", cut(records(t, tfrecord.None, encoded(t, a), encoded(t, part("b")))), nil, false},
		{"examples", records(t, tfrecord.None, ex, ex), nil, true},
		{"an example without features", records(t, tfrecord.None, []byte{}), nil, true},
		{"short binary", []byte{10, 2, 16, 3}, &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{NumExamples: 3}}}, false},
		{"binary of no records", []byte{10, 0}, &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{}}}, false},
		{"binary of no records in slices", []byte{10, 3, 10, 1, 'a', 10, 0}, &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{Name: "a"}, {}}}, false},
		{"short text", []byte("datasets{}"), &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{}}}, false},
		{"something else", []byte("hello\n"), nil, true},
		{"something else, not text", []byte("\n\x00\x07hello"), nil, true},
		{"statistics, then examples", records(t, tfrecord.None, encoded(t, a), ex), nil, false},
		{"an unknown field", encoded(t, unknown), nil, false},
		{"an unknown field in a record", records(t, tfrecord.ZLIB, encoded(t, unknown)), nil, false},
		{"an unknown field in text", []byte("# mine\ndatasets { num_examples: 3 colour: 1 }"), nil, false},
		{"binary, compressed", zipped(t, encoded(t, a)), a, false},
		{"text, compressed", zipped(t, pbtext.Marshal(a)), a, false},
		{"JSON, compressed", zipped(t, []byte(`{"datasets": [`+jsonOf("a")+"]}")), a, false},
		{"text, compressed and cut", cut(zipped(t, pbtext.Marshal(a))), nil, false},
		{"an unknown field, compressed", zipped(t, encoded(t, unknown)), nil, false},
		{"something else, compressed", zipped(t, []byte("hello\n")), nil, true},
		{"something else that is no text, compressed", zipped(t, []byte{0, 1, 2}), nil, true},
		{"nothing, compressed", zipped(t, nil), nil, true},
		{"what begins as if compressed", []byte{0x1f, 0x8b, 0, 0}, nil, true},
		{"nothing", nil, &pb.DatasetFeatureStatisticsList{}, true},
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, c.file, 0o666); err != nil {
			t.Fatal(err)
		}
		got, kept, err := new(fileReader).read(name)
		if (kept != nil) != c.none {
			t.Errorf("%s: stays open: %v", c.name, kept != nil)
		}
		if kept != nil {
			if b, err := io.ReadAll(kept); err != nil || !bytes.Equal(b, c.file) {
				t.Errorf("%s: what stays open has %q, %v", c.name, b, err)
			}
			kept.Close()
		}
		if c.none != errors.Is(err, errNotStatistics) || c.want != nil && !c.none && (err != nil || !proto.Equal(got, c.want)) || c.want == nil && err == nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		// A stream gives the same, and all of it can be read again if it holds something else.
		src := iotest.OneByteReader(bytes.NewReader(c.file))
		from, head, streamed := reader.readStream(src, name)
		if !proto.Equal(from, got) || fmt.Sprint(streamed) != fmt.Sprint(err) {
			t.Errorf("%s, as a stream: %v, %v; wanted %v, %v", c.name, from, streamed, got, err)
		}
		if (head != nil) != c.none {
			t.Errorf("%s: the rest to read is %v", c.name, head)
		}
		if head != nil {
			if b, err := io.ReadAll(io.MultiReader(head, src)); err != nil || !bytes.Equal(b, c.file) {
				t.Errorf("%s: read again: %q, %v", c.name, b, err)
			}
		}
	}
}

// TestUnknown holds that an unknown field is named, with its place.
func TestUnknown(t *testing.T) {
	l := part("a")
	l.Datasets[0].Features[0].ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
	const want = "unknown field or enum value: field 99 of DatasetFeatureStatisticsList.datasets[0].features[0]"
	if _, err := decodeList(encoded(t, l)); err == nil || errors.Is(err, errNotStatistics) || err.Error() != want {
		t.Errorf("%v, wanted %s", err, want)
	}
}
