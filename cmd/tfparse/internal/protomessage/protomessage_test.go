package protomessage_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/protomessage"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/sample"
	"github.com/tfparse/tfparse/tfrecord"
)

const messages = "../../../../testdata/messages/"

func load(t testing.TB, file, name string) *protomessage.Type {
	t.Helper()
	typ, err := protomessage.Load(t.Context(), file, name)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestTensorFlow compares with the JSON that Python's json_format prints, and encodes that JSON: testdata/make/events.py.
func TestTensorFlow(t *testing.T) {
	for _, c := range []struct{ message, records, lines string }{
		{"tensorflow.Event", "scalars.tfevents", "scalars.proto.jsonl"},
		{"tensorflow.MetaGraphDef", "graphs.records", "graphs.proto.jsonl"},
	} {
		typ := load(t, messages+"tensorflow.desc", c.message)
		text, err := os.ReadFile(messages + c.lines)
		if err != nil {
			t.Fatal(err)
		}
		lines, printer := bytes.Split(bytes.TrimSpace(text), []byte("\n")), typ.NewPrinter(false)
		for i, rec := range sample.Records(t, "messages/"+c.records) {
			line, err := printer.Append(nil, rec, tfrecord.Position{})
			if err != nil {
				t.Fatalf("%s: record %d: %v", c.records, i, err)
			}
			if bytes.ContainsAny(line, "\n") || bytes.Contains(line, []byte(`": `)) {
				t.Errorf("%s: record %d: spaces in %s", c.records, i, line)
			}
			var got, want any
			if err := errors.Join(json.Unmarshal(line, &got), json.Unmarshal(lines[i], &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: record %d: %s", c.records, i, diff)
			}
			for _, text := range [][]byte{line, lines[i]} {
				if again, err := typ.Encode(nil, text); err != nil || !bytes.Equal(again, rec) {
					t.Errorf("%s: record %d: %x, %v; want %x", c.records, i, again, err, rec)
				}
			}
		}
		if n, of := typ.Changed.Load(), typ.Printed.Load(); n != 0 || of != int64(len(lines)) {
			t.Errorf("%s: %d of %d changed", c.records, n, of)
		}
	}
}

// write writes files into a new folder, and returns the first.
func write(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(files[i+1]), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

const kitchen = `syntax = "proto3";
package kitchen;
import "google/protobuf/any.proto";
message Recipe {
  double time = 1;
  int32 rating = 2;
  string title = 3;
  repeated Step steps = 4;
  google.protobuf.Any extra = 5;
  map<string, int32> counts = 6;
  optional float score = 7;
  uint64 id = 8;
  repeated sint32 offsets = 9;
  Kind kind = 10;
  repeated fixed64 hashes = 11;
  bool vegan = 12;
  Recipe with = 13;
}
message Step { string text = 1; repeated int64 minutes = 2; }
enum Kind { ANY = 0; SOUP = 2; }
`

const old = `syntax = "proto2";
package old;
message Note {
  required int32 id = 1;
  repeated group Line = 2 { optional string text = 3; oneof of { int32 a = 9; int32 b = 4; } optional int32 c = 5; }
  extensions 100 to 200;
  optional string text = 6 [default = "none"];
}
extend Note { optional double weight = 100; }
`

func bytesField(num protowire.Number, b ...byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
}

func TestErrors(t *testing.T) {
	recipe, note := load(t, write(t, "kitchen.proto", kitchen), "kitchen.Recipe"), load(t, write(t, "old.proto", old), "old.Note")
	deep := []byte(nil)
	for range 101 {
		deep = bytesField(13, deep...)
	}
	for _, c := range []struct {
		name, want string
		typ        *protomessage.Type
		rec        []byte
	}{
		{"unknown field", "at byte 2: field 14: unknown field of kitchen.Recipe", recipe, append(bytesField(3), bytesField(14)...)},
		{"unknown field in a list", "at byte 6: steps[1].field 3: unknown field of kitchen.Step", recipe, append(bytesField(4, 10, 0), bytesField(4, bytesField(3)...)...)},
		{"unknown field in a map", "at byte 2: counts.field 3: unknown field", recipe, bytesField(6, bytesField(3)...)},
		{"unknown field in an Any", "extra.value.field 3: unknown field of kitchen.Step", recipe, bytesField(5, append(bytesField(1, []byte("/kitchen.Step")...), bytesField(2, bytesField(3)...)...)...)},
		{"Any of another message", `extra: google.protobuf.Any of an unknown message: "x/other.Message"`, recipe, bytesField(5, bytesField(1, []byte("x/other.Message")...)...)},
		{"truncated record", "at byte 0: unexpected EOF", recipe, []byte{9, 0, 0}},
		{"truncated message", "at byte 2: steps[0]: unexpected EOF", recipe, bytesField(4, 10, 5, 'x')},
		{"truncated list", "steps[0].minutes[0]: unexpected EOF", recipe, bytesField(4, bytesField(2, 0x80)...)},
		{"numbers of 8 bytes", "hashes[0]: unexpected EOF", recipe, bytesField(11, 1, 2, 3)},
		{"wire type", "at byte 0: rating: want wire type VARINT, got LEN", recipe, bytesField(2)},
		{"text", "title: string is not UTF-8", recipe, bytesField(3, 0xff)},
		{"nesting", "more than 100 nested messages", recipe, deep},
		{"required field", "required field old.Note.id not set", note, nil},
		{"group without end", "at byte 0: ", note, []byte{2<<3 | 3, 9 << 3, 1}},
		{"in a group", "at byte 1: line[0].field 8: unknown field", note, []byte{2<<3 | 3, 8 << 3, 1, 2<<3 | 4}},
	} {
		line, err := c.typ.NewPrinter(false).Append([]byte("x"), c.rec, tfrecord.Position{})
		if err == nil || !strings.Contains(err.Error(), c.want) || string(line) != "x" {
			t.Errorf("%s: %q, %v; want %s", c.name, line, err, c.want)
		}
		if err := c.typ.Explain(io.Discard, c.rec); err == nil {
			t.Errorf("%s: explained", c.name)
		}
	}
}

func TestLoad(t *testing.T) {
	file := write(t, "a/b/main.proto", `syntax = "proto3"; package p; import "a/part.proto"; message Main { Part part = 1; }`,
		"a/part.proto", `syntax = "proto3"; package p; message Part { int32 x = 1; }`)
	if line, err := load(t, file, "p.Main").NewPrinter(true).Append(nil, bytesField(1, 8, 7), tfrecord.Position{Name: "f", Record: 1, Offset: 9}); err != nil ||
		string(line) != `{"_file":"f","_record":1,"_offset":9,"part":{"x":7}}` {
		t.Errorf("%s, %v", line, err)
	}
	for _, c := range []struct{ file, name, want string }{
		{file, "p.Mian", `main.proto: no message "p.Mian"; is it "p.Main"?`},
		{file, "Part", `; is it "p.Part"?`},
		{messages + "tensorflow.desc", "Event", `; is it "tensorflow.Event"?`},
		{messages + "tensorflow.desc", "tensorflow.DataType", `no message "tensorflow.DataType"`},
		{messages + "scalars.jsonl", "M", "scalars.jsonl: not a FileDescriptorSet, and not a .proto file"},
		{write(t, "empty.desc", ""), "M", "not a FileDescriptorSet"},
		{"none.desc", "M", "none.desc: no such file or directory"},
		{"none.proto", "M", "none.proto: no such file or directory"},
		{write(t, "bad.proto", "syntax = \"proto3\";\nmessage M { Gone x = 1; }"), "M", "bad.proto:2:13: field M.x: unknown type Gone"},
		{write(t, "bad.proto", "syntax = \"proto3\";\nimport \"gone.proto\";"), "M", "bad.proto:2:8: "},
		{write(t, "bad.proto", "import \"b.proto\";", "b.proto", "message {}"), "M", "bad.proto: b.proto:1:9: "},
	} {
		if _, err := protomessage.Load(t.Context(), c.file, c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.file, err, c.want)
		}
	}
}

// TestJSON has messages that Python's protobuf has not printed: of proto2, with a position, and in other encodings.
func TestJSON(t *testing.T) {
	note := load(t, write(t, "old.proto", old), "old.Note")
	for _, c := range []struct{ line, want string }{
		{`{"id":1,"line":[{"text":"x","a":9,"c":5},{"b":4}],"[old.weight]":0.5}`, `{"id":1,"line":[{"text":"x","a":9,"c":5},{"b":4}],"[old.weight]":0.5}`},
		{`{"_file": "f", "_record": 1, "_offset": 2, "id": 1}`, `{"id":1}`},
	} {
		rec, err := note.Encode(nil, []byte(c.line))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := note.NewPrinter(false).Append(nil, rec, tfrecord.Position{}); err != nil || string(line) != c.want {
			t.Errorf("%s, %v; want %s", line, err, c.want)
		}
	}
	if n := note.Changed.Load(); n > 0 {
		t.Errorf("%d changed", n)
	}
	if rec, err := note.Encode(nil, []byte(`{"_file": "f"}`)); err == nil {
		t.Errorf("a message without its required field: %x", rec)
	}
	for _, rec := range [][]byte{
		{1 << 3, 1, 0xa1, 6, 2, 0, 0, 0, 0, 0, 0xf8, 0x7f}, // a NaN with a payload
		{1 << 3, 0x81, 0},                   // a padded number
		{6<<3 | 2, 1, 'x', 1 << 3, 1},       // another order
		{1 << 3, 1, 6<<3 | 2, 0, 1 << 3, 2}, // a field twice
	} {
		before := note.Changed.Load()
		if _, err := note.NewPrinter(false).Append(nil, rec, tfrecord.Position{}); err != nil || note.Changed.Load() != before+1 {
			t.Errorf("%x: %v, changed %d", rec, err, note.Changed.Load()-before)
		}
	}
}

func TestFilter(t *testing.T) {
	recipe := load(t, write(t, "kitchen.proto", kitchen), "kitchen.Recipe")
	rec, err := recipe.Encode(nil, []byte(`{"time":1753100000.25,"title":"soup","steps":[{"text":"cut","minutes":[1,2]},{"text":"boil","minutes":["9007199254740993"]}],
		"score":0.1,"id":"9","offsets":[-3,4],"kind":"SOUP","with":{"title":"bread"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"time == 1753100000.25": true, "time == 1753100000.2": false, "time > 1753100000.2": true, "time in 1753100000.2..1753100000.3": true,
		"any(time) == 1753100000.25": true, "time[0] > 1.5": true, "time[1] > 1.5": false, "time * 2 == 3506200000.5": true,
		"rating == 0": true, "has(rating)": false, "vegan == 0": true, "has(time)": true, "score == 0.1": true, "has(score)": true,
		"title =~ \"^s\"": true, "with.title == \"bread\"": true, "has(with.with.title)": false, "with.with.rating == 0": false,
		"len(steps.minutes) == 3": true, "any(steps.minutes) == 9007199254740993": true, "any(steps.minutes) == 9007199254740992": false,
		"\"boil\" in steps.text": true, "all(offsets) > 0": false, "kind == 2": true, "id == 9": true,
	} {
		filter, err := expr.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := recipe.NewFilter(filter)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for range 2 { // with the buffers of the first record
			if got, err := f.Match(rec); err != nil || got != want {
				t.Errorf("%s: %v, %v; want %v", text, got, err, want)
			}
		}
	}
	big, err := recipe.Encode(nil, []byte(`{"id":"18446744073709551615"}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"titel == 3": `no field "titel" in kitchen.Recipe; is it "title"?`, "steps == 1": "steps is a message; name a field in it",
		"title.x == 1": "title.x: kitchen.Recipe.title has no fields", "counts.key == \"x\"": "counts.key: counts is a map",
		"any(list(steps)) == 1": "list(steps) is for feature lists", "title == 1": "another kind", "id == 1": "18446744073709551615 is beyond int64",
	} {
		filter, err := expr.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := recipe.NewFilter(filter)
		for _, rec := range [][]byte{rec, big} {
			if err == nil {
				_, err = f.Match(rec)
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

func TestExplain(t *testing.T) {
	recipe := load(t, write(t, "kitchen.proto", kitchen), "kitchen.Recipe")
	rec, err := recipe.Encode(nil, []byte(`{"time":1.5,"rating":-2,"title":"soup","steps":[{"text":"cut","minutes":[1,2]}],"extra":{"@type":"/kitchen.Step","text":"x"},"offsets":[-3],"kind":"SOUP","vegan":true}`))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = recipe.Explain(&out, append(rec, 0x72, 0))
	const want = `BYTE  FIELD       TYPE             VALUE
0     time        double           1.5
9     rating      int32            -2
20    title       string           "soup"
26    steps       repeated Step    9 bytes
28      text      string           "cut"
33      minutes   repeated int64   packed, 2 bytes
37    extra       Any              20 bytes
39      type_url  string           "/kitchen.Step"
54      value     bytes            3 bytes
56        text    string           "x"
59    offsets     repeated sint32  packed, 1 bytes
62    kind        Kind             2 SOUP
64    vegan       bool             true
`
	if out.String() != want || err == nil || !strings.Contains(err.Error(), "at byte 66: field 14: unknown field") {
		t.Errorf("%s, %v; want %s", out.String(), err, want)
	}
}

func FuzzAppend(f *testing.F) {
	event := load(f, messages+"tensorflow.desc", "tensorflow.MetaGraphDef")
	for _, rec := range sample.Records(f, "messages/graphs.records") {
		f.Add(rec)
	}
	f.Fuzz(func(t *testing.T, rec []byte) {
		line, err := event.NewPrinter(false).Append([]byte("x"), rec, tfrecord.Position{})
		event.Explain(io.Discard, rec)
		if err != nil {
			if string(line) != "x" {
				t.Errorf("%s, %v", line, err)
			}
			return
		}
		again, err := event.Encode(nil, line[1:])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if second, err := event.NewPrinter(false).Append([]byte("x"), again, tfrecord.Position{}); err != nil || !bytes.Equal(line, second) {
			t.Errorf("%s, %v; want %s", second, err, line)
		}
	})
}
