package ragged_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestTensorJSON writes tensors and reads them back.
func TestTensorJSON(t *testing.T) {
	p := must(ragged.FromRowSplits([]int64{0, 2, 3}))(t)
	u := must(ragged.Uniform(2, 3))(t)
	x := must(ragged.New([]int64{1, 2, 3, 4, 5, 6}, nil, p, u))(t)
	roundTrip(t, x, `{"ragged":{"partitions":[{"row_splits":[0,2,3]},{"uniform_row_length":2,"nrows":3}],"flat_values":{"dtype":"int64","shape":[6],"values":[1,2,3,4,5,6]}}}`)
	roundTrip(t, x.Slice(1, 2), `{"ragged":{"partitions":[{"row_splits":[0,1]},{"uniform_row_length":2,"nrows":1}],"flat_values":{"dtype":"int64","shape":[2],"values":[5,6]}}}`)
	roundTrip(t, ragged.Scalar(true), `{"dense":{"dtype":"bool","shape":[],"values":[true]}}`)
	roundTrip(t, must(ragged.Dense([]uint8{}, 0, 3))(t), `{"dense":{"dtype":"uint8","shape":[0,3],"values":[]}}`)
	roundTrip(t, ragged.Vector[uint64](math.MaxUint64), `{"dense":{"dtype":"uint64","shape":[1],"values":[18446744073709551615]}}`)
	roundTrip(t, ragged.Vector[float32](1, 0.1, 3e20, 16777216, float32(math.Inf(-1))), `{"dense":{"dtype":"float32","shape":[5],"values":[1.0,0.1,3e+20,16777216.0,"-Infinity"]}}`)
	roundTrip(t, ragged.Vector(1e-300, math.Inf(1), math.Copysign(0, -1)), `{"dense":{"dtype":"float64","shape":[3],"values":[1e-300,"Infinity",-0.0]}}`)
	roundTrip(t, ragged.Vector("a\u2028", "", "\xff", "\ufffd"), `{"dense":{"dtype":"string","shape":[4],"values":["a\u2028","",{"b64":"/w=="},"`+"\ufffd"+`"]}}`)

	var nan ragged.Tensor[float64]
	if err := json.Unmarshal([]byte(`{"dense":{"dtype":"float64","shape":[1],"values":["NaN"]}}`), &nan); err != nil || !math.IsNaN(nan.Values()[0]) {
		t.Errorf("NaN became %v (%v)", nan, err)
	}
	if _, err := json.Marshal(ragged.Vector(struct{}{})); err == nil {
		t.Error("a struct{} has a JSON form")
	}
	if err := new(ragged.Tensor[struct{}]).UnmarshalJSON([]byte(`{}`)); err == nil {
		t.Error("a struct{} was read")
	}
}

func roundTrip[T comparable](t *testing.T, x ragged.Tensor[T], want string) {
	t.Helper()
	got, err := json.Marshal(x)
	if err != nil || string(got) != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
		return
	}
	var back ragged.Tensor[T]
	if err := json.Unmarshal(got, &back); err != nil {
		t.Errorf("%s: %v", got, err)
	} else if !ragged.Equal(back, x) {
		t.Errorf("%v came back as %v", x, back)
	}
}

// TestBadTensorJSON reads texts that are not tensors. Each text breaks one rule.
func TestBadTensorJSON(t *testing.T) {
	flat := func(shape, values string) string {
		return `{"dtype":"string","shape":` + shape + `,"values":` + values + `}`
	}
	ragg := func(parts, flat string) string {
		return `{"ragged":{"partitions":` + parts + `,"flat_values":` + flat + `}}`
	}
	ok := flat(`[2]`, `["a","b"]`)
	for name, text := range map[string]string{
		"nothing":                  ``,
		"no object":                `[]`,
		"no form":                  `{}`,
		"both forms":               `{"dense":` + ok + `,"ragged":{"partitions":[{"row_splits":[0,2]}],"flat_values":` + ok + `}}`,
		"unknown member":           `{"dense":` + ok + `,"more":1}`,
		"unknown inner member":     `{"dense":{"dtype":"string","shape":[0],"values":[],"more":1}}`,
		"something after":          `{"dense":` + ok + `} 1`,
		"another dtype":            `{"dense":{"dtype":"int64","shape":[1],"values":[1]}}`,
		"no shape":                 `{"dense":{"dtype":"string","values":["a"]}}`,
		"no values":                `{"dense":{"dtype":"string","shape":[0]}}`,
		"shape of other size":      `{"dense":` + flat(`[3]`, `["a","b"]`) + `}`,
		"negative size":            `{"dense":` + flat(`[-1]`, `[]`) + `}`,
		"size beyond all counting": `{"dense":` + flat(`[4611686018427387904,0,4611686018427387904]`, `[]`) + `}`,
		"a number as a string":     `{"dense":` + flat(`[1]`, `[1]`) + `}`,
		"null as a string":         `{"dense":` + flat(`[1]`, `[null]`) + `}`,
		"bad base64":               `{"dense":` + flat(`[1]`, `[{"b64":"/w="}]`) + `}`,
		"base64 with a tail":       `{"dense":` + flat(`[1]`, `[{"b64":"/x=="}]`) + `}`,
		"base64 and hex":           `{"dense":` + flat(`[1]`, `[{"b64":"","hex":""}]`) + `}`,
		"bad hex":                  `{"dense":` + flat(`[1]`, `[{"hex":"0"}]`) + `}`,
		"not UTF-8":                `{"dense":` + flat(`[1]`, "[\"\xff\"]") + `}`,
		"half a surrogate pair":    `{"dense":` + flat(`[1]`, `["\ud800"]`) + `}`,
		"no partitions":            ragg(`[]`, ok),
		"a partition of nothing":   ragg(`[{}]`, ok),
		"empty splits":             ragg(`[{"row_splits":[]}]`, ok),
		"splits that descend":      ragg(`[{"row_splits":[0,3,2]}]`, ok),
		"splits of more values":    ragg(`[{"row_splits":[0,3]}]`, ok),
		"splits and a length":      ragg(`[{"row_splits":[0,2],"nrows":1,"uniform_row_length":2}]`, ok),
		"a length without rows":    ragg(`[{"uniform_row_length":2}]`, ok),
		"rows beyond all counting": ragg(`[{"uniform_row_length":4611686018427387904,"nrows":4}]`, ok),
		"levels that do not chain": ragg(`[{"row_splits":[0,1]},{"row_splits":[0,1,2]}]`, ok),
		"no flat values":           `{"ragged":{"partitions":[{"row_splits":[0,2]}]}}`,
	} {
		var x ragged.Tensor[string]
		if err := json.Unmarshal([]byte(text), &x); err == nil {
			t.Errorf("%s: read as %v", name, x)
		}
	}
	for _, text := range []string{`300`, `-1`, `1.5`, `"1"`, `null`, `true`} {
		var x ragged.Tensor[uint8]
		if err := json.Unmarshal([]byte(`{"dense":{"dtype":"uint8","shape":[1],"values":[`+text+`]}}`), &x); err == nil {
			t.Errorf("%s read as uint8 %v", text, x)
		}
	}
	for _, text := range []string{`1e60`, `"nan"`, `null`, `true`} {
		var x ragged.Tensor[float32]
		if err := json.Unmarshal([]byte(`{"dense":{"dtype":"float32","shape":[1],"values":[`+text+`]}}`), &x); err == nil {
			t.Errorf("%s read as float32 %v", text, x)
		}
	}
}

// TestAppendNested writes nested lists with a function of the caller.
func TestAppendNested(t *testing.T) {
	hex := func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v+100, 16) }
	r := seeded(t, 11)
	for range 200 {
		x, want := randomTensor(t, r)
		text := strings.ReplaceAll(hexTree(want).String(), " ", ",")
		if got := string(x.AppendNested([]byte("x="), hex)); got != "x="+text {
			t.Fatalf("got %s, want %s", got, text)
		}
	}
}

// hexTree is a tree whose values print as the appender above writes them.
func hexTree(x tree) interface{ String() string } { return hexText(x) }

type hexText tree

func (x hexText) String() string {
	if !x.list {
		return strconv.FormatInt(x.value+100, 16)
	}
	var kids []string
	for _, k := range x.kids {
		kids = append(kids, hexText(k).String())
	}
	return "[" + strings.Join(kids, " ") + "]"
}
