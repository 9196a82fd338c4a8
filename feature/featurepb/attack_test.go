package featurepb_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/proto/metadatapb"
)

// messages splits a joined error into its lines.
func messages(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// The errors for invalid documents.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{"spec: no features"}},
		{"no text", "feature", []string{"schema: unexpected EOF"}},
		{"no binary", "\x00", []string{"schema: neither text nor binary: cannot parse invalid wire-format data"}},
		{"an unknown field, and other faults", "frob: 1\nfeature { name: 'a' }\nfeature { name: 'b' type: INT }\nfeature { name: 'b' type: INT }", []string{
			"schema: line 1:1: unknown field: frob",
			`schema: feature "b" is given twice`,
			`schema: feature "a" has no type: want BYTES, INT or FLOAT`,
		}},
		{"all tensors", `feature { name: "a" type: INT } feature { name: "f" type: FLOAT }
			tensor_representation_group { key: "" value {
				tensor_representation { key: "1" value { dense_tensor { column_name: "a" shape { dim { size: -5 } dim { size: 3000000000 } } } } }
				tensor_representation { key: "2" value { dense_tensor { column_name: "b" } } }
				tensor_representation { key: "3" value { ragged_tensor { feature_path { step: "a" } partition { } partition { row_length: "f" } } } }
				tensor_representation { key: "4" value { dense_tensor { column_name: "f" shape { dim { size: 2000000 } } default_value { float_value: 1 } } } }
				tensor_representation { key: "5" value { sparse_tensor { dense_shape { dim { size: -1 } } index_column_names: "f" value_column_name: "a" } } }
				tensor_representation { key: "6" value { dense_tensor { column_name: "f" default_value { bytes_value: "x" } } } }
				tensor_representation { key: "6" }
			} } tensor_representation_group { }`, []string{
			`schema: tensor "1": dimension 0 is -5, want 0 to 2147483647`,
			`schema: tensor "1": dimension 1 is 3000000000, want 0 to 2147483647`,
			`schema: tensor "2": the schema has no feature "b"`,
			`schema: tensor "3": partition 0 has no kind`,
			`schema: tensor "3": row_length "f" has type FLOAT, want INT`,
			`schema: tensor "4": the default has more than 1048576 values`,
			`schema: tensor "5": index "f" has type FLOAT, want INT`,
			`schema: tensor "5": the size of dimension 0 is unknown`,
			`schema: tensor "6": the default is given as bytes_value, but its feature is float32`,
			`schema: tensors "4" and "6" are both column "f"`,
			`schema: tensor "6" is given twice`,
			`schema: tensor representation group "" is given twice`,
		}},
		{"a spec that makes no sense", `feature { name: "a" type: INT } feature { name: "l" type: INT }
			tensor_representation_group { value { tensor_representation { key: "t" value { ragged_tensor { feature_path { step: "a" } partition { row_length: "l" } partition { uniform_row_length: -2 } } } }
			tensor_representation { key: "l" value { varlen_sparse_tensor { column_name: "l" } } } } }`, []string{
			`feature "t": partition 1: uniform_row_length must be at least 1, got -2`,
			`feature "t": key "l" is read as ragged here and as sparse by "l"`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := featurepb.FromSchema([]byte(c.text))
			if d := cmp.Diff(c.want, messages(err)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestParserConfigFaults(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{"spec: no features"}},
		{"all features", `
			feature_map { key: "a" value { } }
			feature_map { key: "a" value { var_len_feature { dtype: DT_DOUBLE } } }
			feature_map { key: "b" value { fixed_len_feature { dtype: DT_INT64 shape { dim { size: 2 } dim { size: -1 } } } } }
			feature_map { key: "c" value { fixed_len_feature { dtype: DT_INT64 default_value { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
			feature_map { key: "d" value { fixed_len_feature { dtype: DT_INT64 default_value { dtype: DT_INT64 tensor_shape { dim { size: 1000000 } dim { size: 1000000 } } int64_val: 1 } } } }
			feature_map { key: "e" value { fixed_len_feature { shape { unknown_rank: true } } } }`, []string{
			`parser configuration: feature "a" has no kind: want fixed_len_feature or var_len_feature`,
			`parser configuration: feature "a" is given twice`,
			`parser configuration: feature "a" has dtype DT_DOUBLE, want DT_INT64, DT_FLOAT or DT_STRING`,
			`parser configuration: feature "b": dimension 1 is -1, want 0 to 2147483647`,
			`parser configuration: feature "c": default has dtype float32, the feature int64`,
			`parser configuration: feature "c": default has dtype DT_FLOAT, but has float_val`,
			`parser configuration: feature "d": default has more than 1048576 values`,
			`parser configuration: feature "e" has dtype DT_INVALID, want DT_INT64, DT_FLOAT or DT_STRING`,
			`parser configuration: feature "e": the rank of the shape is unknown`,
		}},
		{"a default of another shape", `feature_map { key: "a" value { fixed_len_feature { dtype: DT_INT64 shape { dim { size: 2 } } default_value { dtype: DT_INT64 tensor_shape { dim { size: 3 } } } } } }`, []string{
			`feature "a": the default has 3 values, shape [2] wants 2`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := featurepb.FromParserConfig([]byte(c.text))
			if d := cmp.Diff(c.want, messages(err)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// Errors for unknown fields of a binary schema have the place and number of the field.
func TestUnknownBinaryFields(t *testing.T) {
	b, err := proto.Marshal(&metadatapb.Schema{Feature: []*metadatapb.Feature{
		{Name: proto.String("a"), Type: metadatapb.FeatureType_INT.Enum()}, {Name: proto.String("b"), Type: metadatapb.FeatureType_INT.Enum()}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := featurepb.FromSchema(b); err != nil {
		t.Fatal(err)
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, 99, protowire.VarintType), 1)
	inner := protowire.AppendString(protowire.AppendTag([]byte{}, 4000, protowire.BytesType), "x")
	b = protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), inner)
	_, err = featurepb.FromSchema(b)
	want := []string{"schema: unknown field or enum value: field 99 of Schema",
		"schema: unknown field or enum value: field 4000 of Schema.feature[2]", "schema: feature 2 has no name"}
	if d := cmp.Diff(want, messages(err)); d != "" {
		t.Error(d)
	}
}

// The text and the binary form of a schema give the same spec, for any content.
func TestTextAndBinary(t *testing.T) {
	for _, name := range []string{"schema.jsonl.gz", "written.jsonl.gz"} {
		for _, c := range vectors(t, name) {
			text := []byte(member(t, c, "schema"))
			m := &metadatapb.Schema{}
			if prototext.Unmarshal(text, m) != nil {
				continue // unknown fields have no number in text
			}
			b, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := featurepb.FromSchema(text)
			got, err := featurepb.FromSchema(b)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s: as text %v, as bytes %v", c.Name, wantErr, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", c.Name, d)
			}
		}
	}
}

// Deep, large and repetitive documents fail fast, with a short error.
func TestHostile(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("feature { struct_domain { ", n) + strings.Repeat("} } ", n) }
	open := func(n int) string { return strings.Repeat("feature { struct_domain { ", n) }
	var nested []byte
	for range 20_000 {
		nested = protowire.AppendBytes(protowire.AppendTag([]byte{}, 1, protowire.BytesType), nested[:min(len(nested), 10)])
	}
	deepBinary := []byte{}
	for range 150 {
		deepBinary = protowire.AppendBytes(protowire.AppendTag([]byte{}, 29, protowire.BytesType), deepBinary)
		deepBinary = protowire.AppendBytes(protowire.AppendTag([]byte{}, 1, protowire.BytesType), deepBinary)
	}
	for name, doc := range map[string]string{
		"deep text":           deep(1_000),
		"very deep text":      deep(50_000),
		"very deep, not shut": open(100_000),
		"unknown and deep":    strings.Repeat("x { ", 100_000),
		"deep, and a quote":   `x { y: "` + strings.Repeat("x { ", 200) + "\n" + strings.Repeat("x { ", 500_000),
		"deep binary":         string(deepBinary),
		"binary":              string(nested),
		"many faults":         strings.Repeat("feature { } ", 50_000),
		"many unknown fields": string(protowire.AppendVarint(nil, 8)) + strings.Repeat("\x80\x7d\x01", 100_000),
		"many dimensions":     `feature { name: "a" type: INT presence { min_fraction: 1 } shape { ` + strings.Repeat("dim { size: 2147483647 } ", 10_000) + "} }",
		"a huge default":      `feature { name: "a" type: BYTES } tensor_representation_group { value { tensor_representation { key: "a" value { dense_tensor { column_name: "a" shape { dim { size: 2000000000 } } default_value { bytes_value: "x" } } } } } }`,
		"many huge defaults":  `feature { name: "a" type: BYTES } tensor_representation_group { value { ` + strings.Repeat(`tensor_representation { key: "a" value { dense_tensor { column_name: "a" shape { dim { size: 1000000 } } default_value { bytes_value: "x" } } } } `, 1000) + "} }",
		"a long string":       `feature { name: "` + strings.Repeat("x", 1<<20),
	} {
		for which, read := range map[string]func([]byte) (feature.Spec, error){"schema": featurepb.FromSchema, "parser configuration": featurepb.FromParserConfig} {
			_, err := read([]byte(doc))
			if err == nil {
				t.Errorf("%s as %s: no error", name, which)
			} else if n := len(err.Error()); n > len(doc)+100_000 {
				t.Errorf("%s as %s: an error of %d bytes", name, which, n)
			}
		}
	}
	_, err := featurepb.FromSchema([]byte(strings.Repeat("feature { } ", 50_000)))
	if m := messages(err); len(m) != 101 || m[100] != "schema: 49900 more faults" {
		t.Errorf("%d messages, the last is %q", len(m), m[len(m)-1])
	}
	// the maximal depth
	if _, err := featurepb.FromSchema([]byte(strings.Repeat("feature { struct_domain { ", 45) + strings.Repeat("} } ", 45))); err == nil || strings.Contains(err.Error(), "depth") {
		t.Errorf("45 features in each other: %v", err)
	}
}

// Specs that a schema cannot represent.
func TestToSchemaFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		spec feature.Spec
		want []string
	}{
		{"unsound", feature.Spec{}, []string{"spec: no features"}},
		{"kinds", feature.Spec{Features: feature.Features{
			"a":    feature.FixedLenSequence{DType: feature.Int64},
			"b":    feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowSplits("x"), feature.RowLengths("y"), feature.ValueRowIDs("z")}},
			"c":    feature.FixedLen{DType: feature.Int64, Shape: []int{2}, Default: example.Int64s(1, 2)},
			"d":    feature.VarLen{DType: feature.String, Decode: feature.DecodeTensor{}},
			"\xff": feature.VarLen{DType: feature.Int64}, "##SEQUENCE##": feature.VarLen{DType: feature.Int64},
		}}, []string{
			`feature "##SEQUENCE##": the key "##SEQUENCE##" is reserved in a schema`,
			`feature "a": a schema has no fixed_len_sequence`,
			`feature "b": partition 0: a schema has only row_lengths and uniform_row_length`,
			`feature "b": partition 2: a schema has only row_lengths and uniform_row_length`,
			`feature "c": a default in a schema has the same value everywhere`,
			`feature "d": a schema cannot say how strings are decoded`,
			`feature "\xff": a name in a schema must be UTF-8`,
			`feature "\xff": a name in a schema must be UTF-8: key "\xff"`,
		}},
		{"sequence", feature.Spec{Context: feature.Features{"a": feature.VarLen{DType: feature.Int64}}, Sequence: feature.Features{
			"a": feature.Ragged{DType: feature.Int64}, "b": feature.VarLen{DType: feature.Int64}, "c": feature.FixedLenSequence{DType: feature.Int64}}}, []string{
			`sequence feature "a": duplicate tensor name in a schema: also in context`,
			`sequence feature "b": a schema has no var_len for feature lists, only ragged`,
			`sequence feature "c": a schema has no fixed_len_sequence`,
		}},
		{"lists", feature.Spec{Examples: feature.Features{"a": feature.VarLen{DType: feature.Int64}}}, []string{"spec: a schema has no list of examples"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := featurepb.ToSchema(c.spec)
			if d := cmp.Diff(c.want, messages(err)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			var fault *feature.SpecError
			if !errors.As(err, &fault) {
				t.Errorf("no SpecError: %v", err)
			}
		})
	}
}

// Specs that a schema can represent are unchanged after writing and reading.
func TestRoundTrip(t *testing.T) {
	bits := math.Float32frombits
	specs := []feature.Spec{
		{Features: feature.Features{
			"a":  feature.FixedLen{DType: feature.Int64},
			"b":  feature.FixedLen{DType: feature.Float32, Shape: []int{2, 2}, Default: example.Floats(0.1, 0.1, 0.1, 0.1)},
			"c":  feature.FixedLen{DType: feature.String, Default: example.Strings("\xff\"\\\n\x00é\u2028😀'")},
			"d":  feature.VarLen{DType: feature.String},
			"e":  feature.Ragged{DType: feature.Float32, ValueKey: "v", Partitions: []feature.Partition{feature.RowLengths("l"), feature.UniformRowLength(3)}},
			"f":  feature.Ragged{DType: feature.Float32, ValueKey: "v", Partitions: []feature.Partition{feature.UniformRowLength(1), feature.RowLengths("l")}},
			"g":  feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i", "j"}, ValueKey: "x", Size: []int64{math.MaxInt64, 0}, Sorted: true},
			"h":  feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i"}, ValueKey: "x", Size: []int64{7}},
			"\"": feature.Ragged{DType: feature.Int64},
			"":   feature.VarLen{DType: feature.Int64},
			"z":  feature.FixedLen{DType: feature.Int64, Shape: []int{0, 3}},
		}},
		{Context: feature.Features{"a": feature.VarLen{DType: feature.Int64}}},
		{Sequence: feature.Features{"t": feature.Ragged{DType: feature.Int64, ValueKey: "s", Partitions: []feature.Partition{feature.RowLengths("l")}}, "s": feature.Ragged{DType: feature.Int64}}},
	}
	for _, f := range []float32{0, 1, -1, 3.4028235e38, 1e-45, 1.17549435e-38, 16777217, 0.3, float32(math.Inf(1)), float32(math.Inf(-1)), bits(0x80000000), bits(0x3f800001), bits(0x15ae43fd)} {
		specs = append(specs, feature.Spec{Features: feature.Features{"f": feature.FixedLen{DType: feature.Float32, Default: example.Floats(f)}}})
	}
	for _, s := range specs {
		text, err := featurepb.ToSchema(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := featurepb.FromSchema(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(s, got, cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })); d != "" {
			t.Errorf("%s\n%s", d, text)
		}
		if again, err := featurepb.ToSchema(got); err != nil || string(again) != string(text) {
			t.Errorf("written again it is another text: %v", err)
		}
	}
	nan, err := featurepb.ToSchema(feature.Spec{Features: feature.Features{"f": feature.FixedLen{DType: feature.Float32, Default: example.Floats(bits(0xffc00001))}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := featurepb.FromSchema(nan)
	if f, ok := got.Features["f"].(feature.FixedLen); err != nil || !ok || f.Default.Len() != 1 || f.Default.Floats[0] == f.Default.Floats[0] {
		t.Errorf("a NaN comes back as %v (%v)", got, err)
	}
}

// The total size of defaults is bounded: a single line of text can request a million values.
func TestDefaultsTogether(t *testing.T) {
	schema := func(values ...int) string {
		var features, tensors strings.Builder
		for i, n := range values {
			fmt.Fprintf(&features, "feature { name: '%d' type: INT } ", i)
			fmt.Fprintf(&tensors, "tensor_representation { key: '%d' value { dense_tensor { column_name: '%[1]d' shape { dim { size: %d } } default_value { int_value: 1 } } } } ", i, n)
		}
		return features.String() + "tensor_representation_group { key: '' value { " + tensors.String() + "} }"
	}
	config := func(values ...int) string {
		var b strings.Builder
		for i, n := range values {
			fmt.Fprintf(&b, "feature_map { key: '%d' value { fixed_len_feature { dtype: DT_INT64 shape { dim { size: %d } } ", i, n)
			fmt.Fprintf(&b, "default_value { dtype: DT_INT64 tensor_shape { dim { size: %d } } int64_val: 1 } } } } ", n)
		}
		return b.String()
	}
	const half = 1 << 19
	for _, c := range []struct {
		what, text string
		read       func([]byte) (feature.Spec, error)
		want       []string
	}{
		{"a schema", schema(half, half-1, 1), featurepb.FromSchema, nil},
		{"a schema of too many", schema(half, half, 1, 0, 1), featurepb.FromSchema, []string{
			`schema: tensor "2": the defaults of all features have more than 1048576 values`,
			`schema: tensor "4": the defaults of all features have more than 1048576 values`}},
		{"a configuration", config(half, half-1, 1), featurepb.FromParserConfig, nil},
		{"a configuration of too many", config(half, half, 1), featurepb.FromParserConfig, []string{
			`parser configuration: feature "2": default: the defaults of all features have more than 1048576 values`}},
	} {
		_, err := c.read([]byte(c.text))
		if d := cmp.Diff(c.want, messages(err)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.what, d)
		}
	}
}
