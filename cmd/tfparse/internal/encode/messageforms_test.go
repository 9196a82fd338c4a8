package encode

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/examplepb"
	"github.com/tfparse/tfparse/tfrecord"
)

// randomFeatures makes features with names and strings that a splitter could stumble over.
func randomFeatures(r *rand.Rand) *examplepb.Features {
	odd := []string{"a", "features", "feature", "int64", "context", "x{", "]}>", `"\`, "# no comment", "'", "b64:", "é\n", ""}
	m := &examplepb.Features{Feature: map[string]*examplepb.Feature{}}
	for range r.IntN(5) {
		f := &examplepb.Feature{}
		n := r.IntN(3)
		switch r.IntN(4) {
		case 0:
			list := &examplepb.BytesList{}
			for range n {
				list.Value = append(list.Value, []byte(odd[r.IntN(len(odd))]+"\xff"))
			}
			f.Kind = &examplepb.Feature_BytesList{BytesList: list}
		case 1:
			list := &examplepb.FloatList{}
			for range n {
				list.Value = append(list.Value, []float32{0.1, -1e30, float32(math.Inf(-1)), float32(math.NaN())}[r.IntN(4)])
			}
			f.Kind = &examplepb.Feature_FloatList{FloatList: list}
		case 2:
			list := &examplepb.Int64List{}
			for range n {
				list.Value = append(list.Value, int64(r.Uint64()))
			}
			f.Kind = &examplepb.Feature_Int64List{Int64List: list}
		}
		m.Feature[odd[r.IntN(len(odd))]] = f
	}
	return m
}

func randomMessage(r *rand.Rand, typ example.MessageType) proto.Message {
	switch typ {
	case example.TypeExample:
		return &examplepb.Example{Features: randomFeatures(r)}
	case example.TypeSequence:
		lists := &examplepb.FeatureLists{FeatureList: map[string]*examplepb.FeatureList{}}
		for name, f := range randomFeatures(r).Feature {
			lists.FeatureList[name] = &examplepb.FeatureList{Feature: []*examplepb.Feature{f, {}}}
		}
		return &examplepb.SequenceExample{Context: randomFeatures(r), FeatureLists: lists}
	}
	return &examplepb.ExampleListWithContext{Examples: []*examplepb.Example{{Features: randomFeatures(r)}, {}}, Context: &examplepb.Example{Features: randomFeatures(r)}}
}

// blocksOf splits a text.
func blocksOf(r io.Reader) (blocks []string, err error) {
	l := newLineReader(1<<20, false)("", r)
	for {
		b, err := l.Next()
		if err == io.EOF {
			return blocks, nil
		}
		if err != nil {
			return blocks, err
		}
		blocks = append(blocks, string(b))
	}
}

// TestMessageForms compares with protobuf-go: random messages, printed by it in every form, give the messages again.
func TestMessageForms(t *testing.T) {
	for seed := range uint64(testkit.Rounds(300)) {
		r := rand.New(rand.NewPCG(seed, 1))
		typ := example.TypeExample + example.MessageType(seed%3)
		var want []proto.Message
		var form, text string
		count := 1 + r.IntN(3)
		if typ == example.TypeExampleList { // in text format, one in a file
			count = 1
		}
		indent := []string{"", "  "}[r.IntN(2)]
		form = []string{"text", "json", "array"}[r.IntN(3)]
		var texts []string
		for range count {
			m := randomMessage(r, typ)
			want = append(want, m)
			var b []byte
			var err error
			if form == "text" {
				b, err = prototext.MarshalOptions{Multiline: indent != "", Indent: indent}.Marshal(m)
			} else {
				b, err = protojson.MarshalOptions{Multiline: indent != "", Indent: indent, UseProtoNames: r.IntN(2) == 0}.Marshal(m)
			}
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(b))
		}
		if text = strings.Join(texts, "\n"); form == "array" {
			text = "[" + strings.Join(texts, ", ") + "]"
		}
		blocks, err := blocksOf(strings.NewReader(text))
		if err != nil || len(blocks) != len(want) {
			t.Fatalf("seed %d: %d blocks, %v; want %d of\n%s", seed, len(blocks), err, len(want), text)
		}
		f := &lineEncoder{enc: recordjson.NewEncoder(example.TypeAuto, nil)}
		for i, b := range blocks {
			msg, err := f.appendRecord(nil, []byte(b))
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, b)
			}
			// Whether an empty part of a message is present is the one thing that does not survive.
			encoded, err := proto.Marshal(want[i])
			if err != nil {
				t.Fatal(err)
			}
			if got, want := typedLine(t, typ, msg), typedLine(t, typ, encoded); got != want {
				t.Fatalf("seed %d: %s\ngot  %s\nwant %s", seed, b, got, want)
			}
		}
	}
}

// typedLine returns a message in the typed form.
func typedLine(t *testing.T, typ example.MessageType, msg []byte) string {
	t.Helper()
	line, err := recordjson.NewPrinter(typ, &recordjson.Options{Typed: true}).Append(nil, msg, tfrecord.Position{})
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		err  string
	}{
		{"{\"a\":1}\n[2]\n", []string{`{"a":1}`, `[2]`}, ""},
		{"\n {\n\"a\": \"}\\\"{\"} {}\n", []string{"{\n\"a\": \"}\\\"{\"}", "{}"}, ""},
		{" [\n{} , [1,[2]],3,\"]\"\n]\n", []string{"{}", "[1,[2]]", "3", `"]"`}, ""},
		{"[]", nil, ""},
		{"[ ", nil, "line 1: column 3: the text ends within the array"},
		{"[1,", []string{"1"}, "line 1: column 4: the text ends within the array"},
		{"[1,]", []string{"1"}, "line 1: column 4: want a JSON value, got ']'"},
		{"[1 2]", []string{"1"}, "line 1: column 4: want a comma or ] in the array, got '2'"},
		{"[1]\n[2]", []string{"1"}, "line 2: column 1: want nothing after the array, got '['"},
		{"[,]", nil, "line 1: column 2: want a JSON value, got ','"},
		{"{\n}\n{\"a\":", []string{"{\n}"}, "line 3: column 6: the text ends within the record that begins in line 3"},
		{"features{}features <>\n;\n features: { }", []string{"features{}", "features <>\n;\n ", "features: { }"}, ""},
		{"context{}\n# {\nfeature_lists { '\\'}' } context{}", []string{"context{}\n\nfeature_lists { '\\'}' } ", "context{}"}, ""},
		{"feature_lists{}context{}", nil, "line 1: column 16: context comes too late: write context first in each message"},
		{"examples{}context{}examples{}", nil, "line 1: column 20: examples comes too late: write context first in each message"},
		{"features{} 5", []string{"features{} "}, "line 1: column 12: want a field of an Example or SequenceExample, got \"5\""},
		{"features: 5", nil, "line 1: column 11: want { after features, got '5'"},
		{"features 5", []string{"features 5"}, ""}, // a line
		{"# comment\nfeatures 5", nil, "line 2: column 10: want { after features, got '5'"},
		{"features {", nil, "line 1: column 11: the text ends within the record that begins in line 1"},
		{"# comment\nfeatures", nil, "line 2: column 9: unexpected EOF"},
		{"features,label\n1,2", []string{"features,label", "1,2"}, ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
			got, err := blocksOf(r)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) || text != c.err {
				t.Errorf("%q: got %q, %s; want %q, %s", c.text, got, text, c.want, c.err)
			}
		}
	}
}

// TestLongBlocks has records beyond the limit, which do not end the reading or take memory.
func TestLongBlocks(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, text := range []string{
		`[{"a":"` + long + `"},{"b":1}]`,
		`features { feature { key: "` + long + `" } } # ` + long + "\nfeatures { }",
	} {
		l := newLineReader(100, false)("", strings.NewReader(text))
		if _, err := l.Next(); err == nil || !strings.Contains(err.Error(), "exceeds the size limit") {
			t.Errorf("%.20s: %v", text, err)
		}
		if b, err := l.Next(); err != nil || len(b) == 0 || len(b) > 100 {
			t.Errorf("%.20s: %q, %v", text, b, err)
		}
	}
}

// TestLayoutWaits has a pipe whose writer waits after a line: the layout must be known by then.
func TestLayoutWaits(t *testing.T) {
	late := errors.New("too far")
	for _, text := range []string{"{\"a\": [1]}\n", "[{\"a\": [1]},\n", "features { feature { } }\nfeatures {"} {
		r := bufio.NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(late)))
		l := newLineReader(1<<20, false)("", r)
		if b, err := l.Next(); err != nil || len(b) == 0 {
			t.Errorf("%q: %q, %v", text, b, err)
		}
	}
}

// FuzzBlocks has arbitrary text, which must end, and arbitrary records.
func FuzzBlocks(f *testing.F) {
	for _, text := range []string{"[{\"a\":[1]},{}]", "{\n\"features\":{\"feature\":{}}}", "features{feature{key:'a' value{int64_list{value:1}}}}features<>", "context{}#\nfeature_lists{}",
		`{"context":{},"feature_lists":{"feature_list":{}},"examples":[{"features":{}}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		blocks, _ := blocksOf(bytes.NewReader(text))
		size := 0
		e := &lineEncoder{enc: recordjson.NewEncoder(example.TypeAuto, nil)}
		for _, b := range blocks {
			size += len(b)
			if msg, err := e.appendRecord(nil, []byte(b)); err != nil && (len(msg) > 0 || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("%q: error %q with %x", b, err, msg)
			}
		}
		if size > len(text) {
			t.Fatalf("%d bytes of %d", size, len(text))
		}
	})
}
