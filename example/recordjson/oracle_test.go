package recordjson

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// The content of a line according to encoding/json equals the content of the message according to protobuf-go. For
// protobuf-go the message that is read from the line is the same.
func TestLinesHoldWhatProtobufReads(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	count := 800
	if testkit.Long(t, "3,000 messages") {
		count = 3000
	}
	for range count {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(rng.Uint32() >> rng.IntN(8))
		}
		features := (&source{data}).features()
		for name := range features {
			if !utf8.ValidString(name) {
				delete(features, name) // protobuf-go refuses this name
			}
		}
		msg := encode(t, features)
		var want examplepb.Example
		if err := proto.Unmarshal(msg, &want); err != nil {
			t.Fatal(err)
		}
		line := print(t, NewPrinter(example.TypeExample, &Options{Typed: true}), msg)
		if diff := cmp.Diff(&want, fromTyped(t, line), protocmp.Transform(), cmp.Comparer(sameBits)); diff != "" {
			t.Fatalf("%s\n%s", line, diff)
		}
		back, err := NewEncoder(example.TypeAuto, nil).Append(nil, []byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var got examplepb.Example
		if err := proto.Unmarshal(back, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, &got, protocmp.Transform(), cmp.Comparer(sameBits)); diff != "" {
			t.Fatalf("%s\n%s", line, diff)
		}
	}
}

func sameBits(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

// fromTyped reads the typed form with encoding/json.
func fromTyped(t *testing.T, line string) *examplepb.Example {
	t.Helper()
	var object map[string]map[string][]json.RawMessage
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	m := make(map[string]*examplepb.Feature)
	for printed, value := range object {
		f := &examplepb.Feature{}
		for kind, list := range value {
			switch kind {
			case "int64":
				v := &examplepb.Int64List{}
				for _, raw := range list {
					n, err := strconv.ParseInt(string(raw), 10, 64)
					if err != nil {
						t.Fatal(err)
					}
					v.Value = append(v.Value, n)
				}
				f.Kind = &examplepb.Feature_Int64List{Int64List: v}
			case "float32":
				v := &examplepb.FloatList{}
				for _, raw := range list {
					v.Value = append(v.Value, slowFloat(t, raw))
				}
				f.Kind = &examplepb.Feature_FloatList{FloatList: v}
			case "string":
				v := &examplepb.BytesList{}
				for _, raw := range list {
					v.Value = append(v.Value, slowBytes(t, raw))
				}
				f.Kind = &examplepb.Feature_BytesList{BytesList: v}
			}
		}
		m[slowName(t, printed)] = f
	}
	if len(m) == 0 {
		return &examplepb.Example{}
	}
	return &examplepb.Example{Features: &examplepb.Features{Feature: m}}
}

func slowName(t *testing.T, printed string) string {
	encoded, ok := strings.CutPrefix(printed, "b64:")
	if !ok {
		return printed
	}
	name, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return string(name)
}

func slowFloat(t *testing.T, raw json.RawMessage) float32 {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	switch v := v.(type) {
	case string:
		f, err := strconv.ParseFloat(v, 32) // ParseFloat accepts "NaN" and "Infinity"
		if err != nil {
			t.Fatal(err)
		}
		if f != f {
			return math.Float32frombits(0x7fc00000)
		}
		return float32(f)
	case map[string]any:
		bits, err := strconv.ParseUint(v["nan"].(string), 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return math.Float32frombits(uint32(bits))
	}
	f, err := strconv.ParseFloat(string(raw), 32)
	if err != nil {
		t.Fatal(err)
	}
	return float32(f)
}

func slowBytes(t *testing.T, raw json.RawMessage) []byte {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	if text, ok := v.(string); ok {
		return []byte(text)
	}
	b, err := base64.StdEncoding.DecodeString(v.(map[string]any)["b64"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
