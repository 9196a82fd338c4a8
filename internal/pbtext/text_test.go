package pbtext_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
)

func ExampleMarshal() {
	var s metadatapb.Schema
	err := pbtext.Unmarshal([]byte(`feature: <name: 'age' presence { min_fraction: 1 } type: INT>`), &s)
	fmt.Printf("%v\n%s", err, pbtext.Marshal(&s))
	// Output:
	// <nil>
	// feature {
	//   name: "age"
	//   type: INT
	//   presence {
	//     min_fraction: 1.0
	//   }
	// }
}

func ExampleUnmarshal() {
	var s metadatapb.Schema
	err := pbtext.Unmarshal([]byte("feature {\n  name: 'age'\n  colour: 'red'\n}"), &s)
	fmt.Println(err)
	// Output: line 3:3: unknown field: colour
}

func ExampleUnmarshalBinary() {
	var s metadatapb.Schema
	fmt.Println(pbtext.UnmarshalBinary([]byte("\x0a\x03\x0a\x01a\x0a\x04\xba\x3e\x01x"), &s)) // field 999 of the second feature
	// Output: unknown field or enum value: field 999 of Schema.feature[1]
}

func ExampleAppend() {
	fmt.Printf("%s", pbtext.Append([]byte("# a path\n"), &metadatapb.Path{Step: []string{"a"}}))
	// Output:
	// # a path
	// step: "a"
}

func ExamplePlain() {
	m := &metadatapb.InfinityNorm{Threshold: proto.Float64(2)}
	fmt.Print(pbtext.Plain(m))
	// Output: threshold: 2
}

// Numbers are written like Python writes them. The expected texts are from repr.
func TestNumbers(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", math.Copysign(0, -1): "-0.0", 1: "1.0", 0.1: "0.1", 1e15: "1000000000000000.0", 1e16: "1e+16", 1e-4: "0.0001", 1e-5: "1e-05", 123456789.5: "123456789.5",
		1.2345678901234568e+17: "1.2345678901234568e+17", math.Inf(-1): "-inf", 0.19999999999999998: "0.19999999999999998",
	} {
		if got := string(pbtext.Marshal(&metadatapb.InfinityNorm{Threshold: &f})); got != "threshold: "+want+"\n" {
			t.Errorf("%v: %q, wanted %s", f, got, want)
		}
	}
	if got := string(pbtext.Marshal(&metadatapb.FloatDomain{Min: proto.Float32(0.1), Max: proto.Float32(16777216)})); got != "min: 0.1\nmax: 16777216.0\n" {
		t.Errorf("%q", got)
	}
}

func TestRoundTrip(t *testing.T) {
	nl, err := proto.Marshal(&metadatapb.NaturalLanguageStatistics{FeatureCoverage: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	m := &metadatapb.DatasetFeatureStatisticsList{Datasets: []*metadatapb.DatasetFeatureStatistics{{
		Name: "a\"b\\c'd\n\x01\u00e9\u2028", NumExamples: math.MaxUint64, WeightedNumExamples: math.NaN(),
		Features: []*metadatapb.FeatureNameStatistics{
			{
				FieldId: &metadatapb.FeatureNameStatistics_Path{Path: &metadatapb.Path{Step: []string{"", "x"}}},
				Type:    metadatapb.FeatureNameStatistics_STRUCT,
				CustomStats: []*metadatapb.CustomStatistic{
					{Name: "nl_statistics", Val: &metadatapb.CustomStatistic_Any{Any: &anypb.Any{TypeUrl: "type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics", Value: nl}}},
					{Name: "other", Val: &metadatapb.CustomStatistic_Any{Any: &anypb.Any{TypeUrl: "x/y.z", Value: []byte("\xff\x00")}}},
				},
			},
			{Type: 77},
		},
	}}}
	text := pbtext.Marshal(m)
	var got metadatapb.DatasetFeatureStatisticsList
	if err := pbtext.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !proto.Equal(m, &got) {
		t.Errorf("wanted %v, got %v from\n%s", m, &got, text)
	}
	if !strings.Contains(string(text), "[type.googleapis.com/tensorflow.metadata.v0.NaturalLanguageStatistics] {") {
		t.Errorf("the message in an Any is not expanded:\n%s", text)
	}
}

func TestPlain(t *testing.T) {
	f := &metadatapb.Feature{Name: proto.String("it's é"), PresenceConstraints: &metadatapb.Feature_Presence{Presence: &metadatapb.FeaturePresence{MinFraction: proto.Float64(1)}}}
	if got, want := pbtext.Plain(f), "name: \"it\\'s \\303\\251\"\npresence {\n  min_fraction: 1\n}\n"; got != want {
		t.Errorf("%q, wanted %q", got, want)
	}
}
