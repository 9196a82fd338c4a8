package testkit

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
)

func num(n int64) *int64 { return &n }

// TestParseValue proves what each kind of value becomes, and that integers keep
// all their bits.
func TestParseValue(t *testing.T) {
	for text, want := range map[string]Value{
		`{"dense": {"dtype": "int64", "shape": [2, 1], "values": [9007199254740993, -9223372036854775808]}}`: Dense{"int64", []int64{2, 1}, []int64{9007199254740993, math.MinInt64}},
		`{"dense": {"dtype": "uint64", "shape": [1], "values": [18446744073709551615]}}`:                     Dense{"uint64", []int64{1}, []uint64{math.MaxUint64}},
		`{"dense": {"dtype": "float32", "shape": [4], "values": [0.1, -0.0, "Infinity", "-Infinity"]}}`:      Dense{"float32", []int64{4}, []float32{0.1, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1))}},
		`{"dense": {"dtype": "float64", "shape": [], "values": [1e300]}}`:                                    Dense{"float64", []int64{}, []float64{1e300}},
		`{"dense": {"dtype": "bool", "shape": [2], "values": [true, false]}}`:                                Dense{"bool", []int64{2}, []bool{true, false}},
		`{"dense": {"dtype": "string", "shape": [2], "values": ["", "/wA="]}}`:                               Dense{"string", []int64{2}, []string{"", "\xff\x00"}},
		`{"ragged": {"partitions": [{"row_splits": [0, 2]}, {"uniform_row_length": 3, "nrows": 2}], "flat_values": {"dtype": "int32", "shape": [6], "values": [1,2,3,4,5,6]}}}`: Ragged{
			[]Partition{{Splits: []int64{0, 2}, NRows: 1}, {Splits: []int64{0, 3, 6}, Uniform: true, Length: 3, NRows: 2}}, Dense{"int32", []int64{6}, []int32{1, 2, 3, 4, 5, 6}}, "int64"},
		`{"ragged": {"partitions": [], "flat_values": {"dtype": "int8", "shape": [0], "values": []}, "row_splits_dtype": "int32"}}`: Ragged{[]Partition{}, Dense{"int8", []int64{0}, []int8{}}, "int32"},
		`{"sparse": {"indices": [[0,1]], "dense_shape": [1,2], "dtype": "int16", "values": [7]}}`:                                   Sparse{[][]int64{{0, 1}}, []int64{1, 2}, "int16", []int16{7}},
		`{"shape": [2, null]}`: Shape{[]int64{2, -1}, true},
		`{"shape": null}`:      Shape{},
		`{"row_partition": {"row_splits": [0, 1], "dtype": "int32"}}`:                  RowPartition{SplitsOf(0, 1), "int32"},
		`{"dynamic_shape": {"partitions": [{"row_splits": [0]}], "inner_shape": [0]}}`: DynamicShape{[]Partition{SplitsOf(0)}, []int64{0}, "int64"},
		`{"ragged_spec": {"shape": [null], "dtype": "int32", "ragged_rank": 0}}`:       RaggedSpec{Shape{[]int64{-1}, true}, "int32", 0},
		`{"slice": [0.5, null, null]}`:                                                 OddSlice("[0.5, null, null]"),
		`{"slice": [1, null, -2]}`:                                                     Slice{num(1), nil, num(-2)},
		`{"list": [{"int": 1}, {"null": true}]}`:                                       List{Int(1), Null{}},
		`{"dict": {"a": {"bool": true}}}`:                                              Dict{"a": Bool(true)},
		`{"string": "é"}`:                                                              String("é"),
		`{"int": 9223372036854775807}`:                                                 Int(math.MaxInt64),
		`{"float": 1}`:                                                                 Float(1),
		`{"dtype": "int32"}`:                                                           DType("int32"),
		`{"fn": "tf.range"}`:                                                           Fn("tf.range"),
		`{"newaxis": true}`:                                                            NewAxis{},
		`{"ellipsis": true}`:                                                           Ellipsis{},
		`{"dataset": {"from_tensor_slices": {"int": 1}, "then": [{"step": "batch", "args": [{"int": 2}]}]}}`: Dataset{Int(1), []Step{{"batch", []Value{Int(2)}}}},
	} {
		got, err := ParseValue(json.RawMessage(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %#v, %v\nwant %#v", text, got, err, want)
		}
	}
	nan, err := ParseValue(json.RawMessage(`{"float": "NaN"}`))
	if f, ok := nan.(Float); err != nil || !ok || !math.IsNaN(float64(f)) {
		t.Errorf("NaN: got %v, %v", nan, err)
	}
}

// TestParseValueErrors proves that nothing odd is read as something else: what
// nobody knows is unknown, what is broken is a fault.
func TestParseValueErrors(t *testing.T) {
	for text, unknown := range map[string]bool{
		`{"complex": [1, 2]}`:      true,
		`{"int": 1, "bool": true}`: true,
		`{}`:                       true,
		`{"dense": {"dtype": "bfloat16", "shape": [1], "values": [1]}}`:                                                             true,
		`{"ragged": {"partitions": [], "flat_values": {"dtype": "int8", "shape": [0], "values": []}, "row_splits_dtype": "int16"}}`: true,
		`{"list": [{"tuple": []}]}`:    true,
		`7`:                            false,
		`{"int": 1.5}`:                 false,
		`{"int": null}`:                false,
		`{"int": 9223372036854775808}`: false,
		`{"bool": 1}`:                  false,
		`{"null": false}`:              false,
		`{"slice": [1, 2]}`:            false,
		`{"float": "inf"}`:             false,
		`{"dense": {"dtype": "int64", "shape": [2], "values": [1]}}`:                       false,
		`{"dense": {"dtype": "int64", "shape": [-1], "values": [1]}}`:                      false,
		`{"dense": {"dtype": "int64", "shape": [4294967296, 4294967296], "values": []}}`:   false,
		`{"dense": {"dtype": "int64", "shape": [1], "values": [1.0]}}`:                     false,
		`{"dense": {"dtype": "int8", "shape": [1], "values": [128]}}`:                      false,
		`{"dense": {"dtype": "bool", "shape": [1], "values": [0]}}`:                        false,
		`{"dense": {"dtype": "string", "shape": [1], "values": ["%"]}}`:                    false,
		`{"dense": {"dtype": "float32", "shape": [1], "values": [null]}}`:                  false,
		`{"dense": {"dtype": "int64", "shape": [1], "values": [1], "more": 1}}`:            false,
		`{"sparse": {"indices": [], "dense_shape": [1], "dtype": "int64", "values": [1]}}`: false,
		`{"row_partition": {"row_splits": []}}`:                                            false,
		`{"row_partition": {"uniform_row_length": 1}}`:                                     false,
		`{"row_partition": {"uniform_row_length": 1, "nrows": 1, "row_splits": [0, 1]}}`:   false,
		`{"row_partition": {"uniform_row_length": 1, "nrows": 1000000000000}}`:             false,
	} {
		got, err := ParseValue(json.RawMessage(text))
		if err == nil {
			t.Errorf("%s: no error, got %#v", text, got)
		} else if errors.Is(err, ErrUnknown) != unknown || !setup(err) {
			t.Errorf("%s: %v: unknown is %v, wanted %v", text, err, !unknown, unknown)
		}
	}
}

// TestDiff proves that every part of a value is compared: each pair differs in
// one of them.
func TestDiff(t *testing.T) {
	d32 := func(v ...float32) Value { return Dense{"float32", []int64{int64(len(v))}, v} }
	d64 := func(v ...float64) Value { return Dense{"float64", []int64{int64(len(v))}, v} }
	flat := Dense{"int64", []int64{4}, []int64{1, 2, 3, 4}}
	rag := func(p ...Partition) Ragged { return Ragged{p, flat, "int64"} }
	sparse := func(i int64, size int64, v int64) Value {
		return Sparse{[][]int64{{0, i}}, []int64{1, size}, "int64", []int64{v}}
	}
	nan := math.NaN()
	for _, c := range []struct {
		name      string
		rule      Rule
		want, got Value
		same      bool
	}{
		{"equal", Rule{}, flat, flat, true},
		{"dtype", Rule{}, flat, Dense{"int32", []int64{4}, []int32{1, 2, 3, 4}}, false},
		{"dtype without values", Rule{}, Dense{"int64", []int64{0}, []int64{}}, Dense{"int32", []int64{0}, []int32{}}, false},
		{"shape", Rule{}, flat, Dense{"int64", []int64{2, 2}, []int64{1, 2, 3, 4}}, false},
		{"order", Rule{}, flat, Dense{"int64", []int64{4}, []int64{1, 2, 4, 3}}, false},
		{"count", Rule{}, flat, Dense{"int64", []int64{4}, []int64{1, 2, 3}}, false},
		{"slice of another type", Rule{}, flat, Dense{"int64", []int64{4}, []int32{1, 2, 3, 4}}, false},
		{"scalar and vector of one", Rule{}, Dense{"bool", nil, []bool{true}}, Dense{"bool", []int64{1}, []bool{true}}, false},
		{"nil and empty shape", Rule{}, Dense{"bool", nil, []bool{true}}, Dense{"bool", []int64{}, []bool{true}}, true},
		{"kind", Rule{}, flat, rag(), false},
		{"nothing", Rule{}, flat, nil, false},
		{"NaN", Rule{}, d32(float32(nan)), d32(float32(nan)), true},
		{"NaN and number", Rule{Approx: true}, d32(float32(nan)), d32(1), false},
		{"sign of zero", Rule{}, d64(0), d64(math.Copysign(0, -1)), false},
		{"last bit of float32", Rule{}, d32(1), d32(1 + 0x1p-23), false},
		{"last bit of float32, approx", Rule{Approx: true}, d32(1), d32(1 + 0x1p-23), true},
		{"too far for float32", Rule{Approx: true}, d32(1), d32(1.00002), false},
		{"near zero", Rule{Approx: true}, d32(0), d32(1e-6), true},
		{"not near zero", Rule{Approx: true}, d32(0), d32(2e-6), false},
		{"float64 is narrower", Rule{Approx: true}, d64(1), d64(1 + 1e-11), false},
		{"float64 near", Rule{Approx: true}, d64(1), d64(1 + 1e-13), true},
		{"infinities", Rule{Approx: true}, d64(math.Inf(1)), d64(math.Inf(-1)), false},
		{"infinity and large", Rule{Approx: true}, d32(float32(math.Inf(1))), d32(math.MaxFloat32), false},
		{"large and infinity", Rule{Approx: true}, d32(math.MaxFloat32), d32(float32(math.Inf(1))), false},
		{"approx leaves integers exact", Rule{Approx: true}, flat, Dense{"int64", []int64{4}, []int64{1, 2, 3, 5}}, false},
		{"strings", Rule{}, Dense{"string", []int64{1}, []string{"a"}}, Dense{"string", []int64{1}, []string{"b"}}, false},
		{"splits", Rule{}, rag(SplitsOf(0, 1, 4)), rag(SplitsOf(0, 2, 4)), false},
		{"uniform gained", Rule{}, rag(SplitsOf(0, 2, 4)), rag(UniformOf(2, 2)), false},
		{"uniform gained and allowed", Rule{KeepUniform: true}, rag(SplitsOf(0, 2, 4)), rag(UniformOf(2, 2)), true},
		{"uniform gained, other splits", Rule{KeepUniform: true}, rag(SplitsOf(0, 1, 4)), rag(UniformOf(2, 2)), false},
		{"uniform lost", Rule{KeepUniform: true}, rag(UniformOf(2, 2)), rag(SplitsOf(0, 2, 4)), false},
		{"length of no rows", Rule{}, rag(UniformOf(2, 0)), rag(UniformOf(3, 0)), false},
		{"ragged rank", Rule{}, rag(SplitsOf(0, 4)), rag(SplitsOf(0, 1), SplitsOf(0, 4)), false},
		{"flat values", Rule{}, rag(), Ragged{nil, Dense{"int64", []int64{4}, []int64{1, 2, 3, 5}}, ""}, false},
		{"dtype of splits unknown", Rule{}, rag(SplitsOf(0, 4)), Ragged{[]Partition{SplitsOf(0, 4)}, flat, ""}, true},
		{"dtype of splits", Rule{}, rag(SplitsOf(0, 4)), Ragged{[]Partition{SplitsOf(0, 4)}, flat, "int32"}, false},
		{"sparse", Rule{}, sparse(1, 2, 3), sparse(1, 2, 3), true},
		{"sparse index", Rule{}, sparse(1, 2, 3), sparse(0, 2, 3), false},
		{"sparse shape", Rule{}, sparse(1, 2, 3), sparse(1, 3, 3), false},
		{"sparse value", Rule{}, sparse(1, 2, 3), sparse(1, 2, 4), false},
		{"static shape", Rule{}, Shape{[]int64{1, -1}, true}, Shape{[]int64{1, 2}, true}, false},
		{"static rank", Rule{}, Shape{}, Shape{nil, true}, false},
		{"row partition", Rule{}, RowPartition{SplitsOf(0, 1), "int64"}, RowPartition{SplitsOf(0, 2), ""}, false},
		{"row partition, dtype", Rule{}, RowPartition{SplitsOf(0, 1), "int64"}, RowPartition{SplitsOf(0, 1), "int32"}, false},
		{"dynamic shape", Rule{}, DynamicShape{nil, []int64{1}, ""}, DynamicShape{nil, []int64{2}, ""}, false},
		{"dynamic shape, partitions", Rule{}, DynamicShape{[]Partition{SplitsOf(0, 1)}, []int64{1}, ""}, DynamicShape{[]Partition{SplitsOf(0, 0, 1)}, []int64{1}, ""}, false},
		{"list", Rule{}, List{Int(1), flat}, List{Int(1), rag()}, false},
		{"list, length", Rule{}, List{Int(1)}, List{Int(1), Int(2)}, false},
		{"dict", Rule{}, Dict{"a": Int(1)}, Dict{"a": Int(1)}, true},
		{"dict, name", Rule{}, Dict{"a": Int(1)}, Dict{"b": Int(1)}, false},
		{"dict, more", Rule{}, Dict{"a": Int(1)}, Dict{"a": Int(1), "b": Int(1)}, false},
		{"dict, value", Rule{}, Dict{"a": Int(1)}, Dict{"a": Int(2)}, false},
		{"string", Rule{}, String("a"), String("b"), false},
		{"int and bool", Rule{}, Int(1), Bool(true), false},
		{"int", Rule{}, Int(1), Int(1), true},
		{"null", Rule{}, Null{}, Null{}, true},
		{"float", Rule{}, Float(nan), Float(nan), true},
		{"float, value", Rule{}, Float(1), Float(2), false},
		{"not a result", Rule{}, Fn("f"), Fn("f"), false},
	} {
		if d := c.rule.Diff(c.want, c.got); (d == "") != c.same {
			t.Errorf("%s: Diff(%s, %s) = %q", c.name, Format(c.want), Format(c.got), d)
		}
	}
}
