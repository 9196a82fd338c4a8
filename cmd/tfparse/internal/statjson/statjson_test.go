package statjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/statjson"
	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

var texts = []string{"", "a", `"\/`, "\x00\x1f\x7f\t\n", "é<&>\u2028\u2029\ufffd", "escaped", "__BYTES_VALUE__", `\xff`}

var doubles = []float64{
	0, math.Copysign(0, -1), 1, -1, .1, 1e-6, 9.99e-7, 1e-9, 1e-10, -1e-100, 1e20, 1e21, -1e21, 1 << 53, 1<<53 + 2, math.MaxFloat64, math.SmallestNonzeroFloat64,
	math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, math.SmallestNonzeroFloat32, float64(float32(1e-6)), float64(float32(.1)), float64(float32(1e21)),
}

// fill gives about two of three fields a value, of every kind.
func fill(t *testing.T, rnd *rand.Rand, m protoreflect.Message, depth int) {
	t.Helper()
	value := func(f protoreflect.FieldDescriptor, fresh func() protoreflect.Value) protoreflect.Value {
		switch f.Kind() {
		case protoreflect.StringKind:
			return protoreflect.ValueOfString(texts[rnd.IntN(len(texts))])
		case protoreflect.BytesKind:
			return protoreflect.ValueOfBytes([]byte("\xff\x00ab"))
		case protoreflect.DoubleKind:
			return protoreflect.ValueOfFloat64(doubles[rnd.IntN(len(doubles))])
		case protoreflect.FloatKind:
			return protoreflect.ValueOfFloat32(float32(doubles[rnd.IntN(len(doubles))]))
		case protoreflect.Int64Kind:
			return protoreflect.ValueOfInt64(int64(rnd.Uint64()))
		case protoreflect.Uint64Kind:
			return protoreflect.ValueOfUint64(rnd.Uint64())
		case protoreflect.BoolKind:
			return protoreflect.ValueOfBool(rnd.IntN(2) == 0)
		case protoreflect.Int32Kind:
			return protoreflect.ValueOfInt32(int32(rnd.Uint32()))
		case protoreflect.Uint32Kind:
			return protoreflect.ValueOfUint32(rnd.Uint32())
		case protoreflect.EnumKind:
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rnd.IntN(7)))
		case protoreflect.MessageKind:
			v := fresh()
			if f.Message().FullName() == "google.protobuf.Any" {
				nl := &pb.NaturalLanguageStatistics{}
				fill(t, rnd, nl.ProtoReflect(), depth-1)
				b, err := proto.Marshal(nl)
				if err != nil {
					t.Fatal(err)
				}
				proto.Merge(v.Message().Interface(), &anypb.Any{TypeUrl: "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics", Value: b})
			} else {
				fill(t, rnd, v.Message(), depth-1)
			}
			return v
		}
		t.Fatalf("%s: a field of a kind that has no test", f.FullName())
		return protoreflect.Value{}
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case rnd.IntN(3) == 0, f.Message() != nil && depth == 0:
		case f.IsMap():
			t.Fatalf("%s: a map, which is not written", f.FullName())
		case f.IsList():
			l := m.Mutable(f).List()
			for range rnd.IntN(3) {
				l.Append(value(f, l.NewElement))
			}
		default:
			m.Set(f, value(f, func() protoreflect.Value { return m.NewField(f) }))
		}
	}
}

// TestProtobuf proves that without details the form is that of protobuf's own JSON, for every
// field and kind of value, and that all of it is read.
func TestProtobuf(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		list := &pb.DatasetFeatureStatisticsList{}
		fill(t, rnd, list.ProtoReflect(), 7)
		b, err := protojson.MarshalOptions{UseProtoNames: true, Resolver: pbtext.Resolver{}}.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Indent(&want, b, "", " "); err != nil {
			t.Fatal(err)
		}
		want.WriteByte('\n')
		got, err := statjson.Append([]byte("before"), list, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := bytes.CutPrefix(got, []byte("before")); !ok || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%s\nwanted\n%s", got, want.Bytes())
		}
		read := &pb.DatasetFeatureStatisticsList{}
		if _, err := statjson.Unmarshal(want.Bytes(), read); err != nil {
			t.Fatalf("%v: %s", err, want.Bytes())
		}
		if again, err := statjson.Append(nil, read, nil); err != nil || !bytes.Equal(again, want.Bytes()) {
			t.Fatalf("%v, %s\nis read as\n%s", err, want.Bytes(), again)
		}
	}
	list := &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{Name: "\xff"}}}
	if b, err := statjson.Append(nil, list, nil); err == nil {
		t.Errorf("a name that is not UTF-8 is written: %s", b)
	}
}

// TestDetails proves that integers are written in full, and can be had back from what is written; and that what is read is the
// messages as they were.
func TestDetails(t *testing.T) {
	details := &stats.Details{Integers: map[stats.Figure]int64{}, OutsideSlices: 1<<63 + 1}
	n := &pb.NumericStatistics{Min: math.MinInt64, Max: math.MaxInt64, Median: 1 << 53, Histograms: []*pb.Histogram{{Buckets: []*pb.Histogram_Bucket{{LowValue: -1 << 53, HighValue: 7}}}}}
	bucket := n.Histograms[0].Buckets[0]
	for f, v := range map[stats.Figure]int64{
		{Message: n, Field: "min"}: math.MinInt64, {Message: n, Field: "max"}: math.MaxInt64, {Message: n, Field: "median"}: 1<<53 + 1,
		{Message: bucket, Field: "low_value"}: -1<<53 - 1,
	} {
		details.Integers[f] = v
	}
	list := &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{Features: []*pb.FeatureNameStatistics{
		{Stats: &pb.FeatureNameStatistics_NumStats{NumStats: n}},
	}}}}
	b, err := statjson.Append(nil, list, details)
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Datasets []struct {
			Features []struct {
				Num struct {
					Min, Max, Median json.Number
					Histograms       []struct {
						Buckets []struct {
							Low json.Number `json:"low_value"`
						}
					}
				} `json:"num_stats"`
			}
		}
	}
	if err := json.Unmarshal(b, &seen); err != nil {
		t.Fatal(err)
	}
	f := seen.Datasets[0].Features
	num := f[0].Num
	if got, want := []json.Number{num.Min, num.Max, num.Median, num.Histograms[0].Buckets[0].Low}, []json.Number{"-9223372036854775808", "9223372036854775807", "9007199254740993", "-9007199254740993"}; !slices.Equal(got, want) {
		t.Errorf("integers are %s, wanted %s", got, want)
	}
	read := &pb.DatasetFeatureStatisticsList{}
	more, err := statjson.Unmarshal(b, read)
	if err != nil || !proto.Equal(read, list) || more.OutsideSlices != details.OutsideSlices {
		t.Errorf("%v: %v, wanted %v", err, read, list)
	}
	if again, err := statjson.Append(nil, read, more); err != nil || !bytes.Equal(again, b) {
		t.Errorf("%v: written again\n%s\nwanted\n%s", err, again, b)
	}
	// Others read the same.
	others := &pb.DatasetFeatureStatisticsList{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(b, others); err != nil {
		t.Fatal(err)
	}
	if got := others.Datasets[0].Features[0]; !proto.Equal(got, list.Datasets[0].Features[0]) {
		t.Errorf("protobuf reads %v, wanted %v", got, list.Datasets[0].Features[0])
	}
}

// TestUnmarshal holds what is refused, with its place.
func TestUnmarshal(t *testing.T) {
	in := func(s string) string { return `{"datasets": [{"features": [{"string_stats": ` + s + "}]}]}" }
	value := func(v string) string { return in(`{"top_values": [` + v + `]}`) }
	for _, c := range []struct{ name, text, value, err string }{
		{"an unknown field", value(`{"colour": true}`), "", `unknown field "colour"`},
		{"outside slices", `{"outside_slices": "-1", "datasets": []}`, "", `outside_slices: want a whole number, got "-1"`},
		{"cut", value("")[:20], "", "unexpected EOF"},
		{"not UTF-8", value("{\"value\": \"\xff\"}"), "", "invalid UTF-8"},
	} {
		list := &pb.DatasetFeatureStatisticsList{}
		_, err := statjson.Unmarshal([]byte(c.text), list)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "proto:") {
				t.Errorf("%s: %v, wanted %s", c.name, err, c.err)
			}
			continue
		}
		if top := list.GetDatasets()[0].GetFeatures()[0].GetStringStats().GetTopValues(); err != nil || len(top) != 1 || top[0].Value != c.value || len(top[0].ProtoReflect().GetUnknown()) > 0 {
			t.Errorf("%s: %v, %v, wanted %q", c.name, err, top, c.value)
		}
	}
}

func ExampleAppend() {
	n := &pb.NumericStatistics{Max: math.MaxInt64}
	list := &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{{Features: []*pb.FeatureNameStatistics{
		{Stats: &pb.FeatureNameStatistics_NumStats{NumStats: n}},
	}}}}
	details := &stats.Details{Integers: map[stats.Figure]int64{{Message: n, Field: "max"}: math.MaxInt64}}
	b, err := statjson.Append(nil, list, details)
	fmt.Println(strings.Contains(string(b), `"max": 9223372036854775807`), err)
	// Output: true <nil>
}
