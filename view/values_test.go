package view

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tensor"
	"github.com/tfparse/tfparse/tfrecord"
)

// testPNG returns a PNG file.
func testPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	im := image.NewGray(image.Rect(0, 0, width, height))
	im.SetGray(1, 1, color.Gray{200})
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// testWAV returns a WAV file of one channel of 16 bits with 8000 samples a second.
func testWAV(samples int) []byte {
	head := "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00"
	return append([]byte(head), make([]byte, 2*samples)...)
}

// A decodedRecord is the answer about a record as the page reads it.
type decodedRecord struct {
	Error    *string
	Fault    *string
	Skipped  *skippedAnswer
	Features []decodedFeature
	More     int
	Lists    []struct {
		ID           string
		Steps, Shown int
		Values       []decodedFeature
	}
	Examples     []struct{ Features []decodedFeature }
	ExampleCount int
	Columns      []columnAnswer
	Boxes        map[string][]box
}

type decodedFeature struct {
	ID, Name, Kind, Error string
	N, Shown              int
	Values                json.RawMessage
	Names                 []string
}

func (r *decodedRecord) feature(t testing.TB, id string) decodedFeature {
	t.Helper()
	for _, f := range r.Features {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("no feature %s: %+v", id, r)
	return decodedFeature{}
}

func (f *decodedFeature) strings(t testing.TB) (v []bytesAnswer) {
	t.Helper()
	if err := json.Unmarshal(f.Values, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func getRecord(t testing.TB, h *Handler, n int) (r decodedRecord) {
	t.Helper()
	getJSON(t, h, fmt.Sprintf("api/record?file=0&record=%d", n), &r)
	return r
}

// TestNumbers compares numbers with the digits that Go prints.
func TestNumbers(t *testing.T) {
	e := example.Example{
		"i": example.Int64s(0, -1, math.MaxInt64, math.MinInt64),
		"f": example.Floats(0.1, float32(math.NaN()), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), math.MaxFloat32, 1),
		"e": example.Int64s(), "u": {},
	}
	r := getRecord(t, recordsHandler(t, &Options{Classes: map[string][]string{"i": {"zero", "one"}}}, marshal(t, e)), 0)
	for id, want := range map[string]string{
		"features:i": `["0","-1","9223372036854775807","-9223372036854775808"]`,
		"features:f": `["0.1","NaN","-Infinity","-0.0","3.4028235e+38","1.0"]`,
		"features:e": `[]`,
		"features:u": `[]`,
	} {
		f := r.feature(t, id)
		if string(f.Values) != want {
			t.Errorf("%s: %s, want %s", id, f.Values, want)
		}
	}
	if f := r.feature(t, "features:i"); !reflect.DeepEqual(f.Names, []string{"zero", "", "", ""}) {
		t.Errorf("names %q", f.Names)
	}
	for id, want := range map[string]string{"features:e": "int64", "features:u": "unset", "features:f": "float"} {
		if f := r.feature(t, id); f.Kind != want || f.Names != nil {
			t.Errorf("%s: kind %s, want %s, names %v", id, f.Kind, want, f.Names)
		}
	}
}

// TestUnpacked reads values in the encodings that other writers use.
func TestUnpacked(t *testing.T) {
	entry := func(name, feature string) string {
		e := "\x0a" + string(rune(len(name))) + name + "\x12" + string(rune(len(feature))) + feature
		return "\x0a" + string(rune(len(e))) + e
	}
	features := entry("f", "\x12\x0a\x0d\x00\x00\x80\x3f\x0d\x00\x00\x00\x40") + entry("i", "\x1a\x06\x08\x05\x08\x80\x80\x00") + entry("two", "\x1a\x03\x0a\x01\x05\x1a\x04\x0a\x02\x06\x07")
	record := []byte("\x0a" + string(rune(len(features))) + features)
	r := getRecord(t, recordsHandler(t, nil, record), 0)
	for id, want := range map[string]string{"features:f": `["1.0","2.0"]`, "features:i": `["5","0"]`} {
		if f := r.feature(t, id); string(f.Values) != want || f.N != 2 {
			t.Errorf("%s: %+v %s, want %s", id, f, f.Values, want)
		}
	}
	if f := r.feature(t, "features:two"); f.Error == "" || f.Kind != "malformed" { // TensorFlow reads only the first list
		t.Errorf("two lists: %+v", f)
	}
}

// TestContent reads byte strings by their content.
func TestContent(t *testing.T) {
	x, err := tensor.New([]float32{0, 0.5, 1, 0.25, 0.75, 1}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	proto, err := tensor.Append(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	filled := "\x08\x01\x12\x0a\x12\x08\x08\xff\xff\xff\xff\xff\xff\x01\x2a\x04\x00\x00\x80\x3f" // 2^48 equal elements
	values := example.Bytes(testPNG(t, 4, 3), testWAV(4000), []byte("Grüße"), []byte("a\x00\xff"), proto, []byte{}, []byte("<svg onload=alert(1)>"), []byte(filled))
	h := recordsHandler(t, nil, marshal(t, example.Example{"v": values}))
	r := getRecord(t, h, 0)
	f := r.feature(t, "features:v")
	v := f.strings(t)
	for i, want := range []struct{ content, text, hex, mediaType string }{
		{"PNG 4x3x1", "", "", "image/png"},
		{"WAV 8000 Hz", "", "", "audio/wav"},
		{"text", "Grüße", "", anyBytes},
		{"raw", "", "6100ff", anyBytes},
		{"TensorProto float32 [2,3]", "", fmt.Sprintf("%x", proto), anyBytes},
		{"empty", "", "", anyBytes},
		{"text", "<svg onload=alert(1)>", "", anyBytes},
		{"TensorProto float32 [8796093022207]", "", fmt.Sprintf("%x", filled), anyBytes},
	} {
		text, hex := "", ""
		if v[i].Text != nil {
			text = *v[i].Text
		}
		if v[i].Hex != nil {
			hex = *v[i].Hex
		}
		if v[i].Content != want.content || text != want.text || hex != want.hex || v[i].Cut {
			t.Errorf("value %d: %+v %q %q, want %+v", i, v[i], text, hex, want)
		}
		w := get(t, h, v[i].Href)
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != want.mediaType || !bytes.Equal(w.Body.Bytes(), values.Bytes[i]) {
			t.Errorf("value %d: status %d, %s, %q", i, w.Code, got, w.Body)
		}
		if got := w.Header().Get("Content-Disposition") != ""; got != (want.mediaType == anyBytes) {
			t.Errorf("value %d: attachment %v", i, got)
		}
	}
	if p := v[0]; !p.Image || p.Width != 4 || p.Height != 3 {
		t.Errorf("image %+v", p)
	}
	if s := v[1]; !s.Audio || s.Seconds != 0.5 {
		t.Errorf("sound %+v", s)
	}
	if x := v[4].Tensor; x == nil || !reflect.DeepEqual(*x, tensorAnswer{"float32", []int64{2, 3}, 6, []string{"0.0", "0.5", "1.0", "0.25", "0.75", "1.0"}}) {
		t.Errorf("tensor %+v", x)
	}
	if v[7].Tensor != nil || v[7].Picture != "" {
		t.Errorf("a tensor with 2^48 equal elements: %+v", v[7])
	}
	checkPicture(t, get(t, h, v[4].Picture).Body.Bytes(), 3, 2, map[image.Point]color.Color{{1, 0}: color.Gray{128}, {2, 1}: color.Gray{255}})
	var rows struct{ Rows []rowAnswer }
	getJSON(t, h, "api/rows", &rows)
	if c := rows.Rows[0].Cells["features:v"]; !c.Image || c.Href != v[0].Href || c.N != 8 || !strings.HasPrefix(c.Text, "PNG 4x3, ") || !strings.Contains(c.Text, "WAV 8000 Hz 0.5 s, 8.0 kB") {
		t.Errorf("cell %+v", c)
	}
}

func checkPicture(t *testing.T, b []byte, width, height int, pixels map[image.Point]color.Color) {
	t.Helper()
	im, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%v: %.200q", err, b)
	}
	if size := im.Bounds().Size(); size.X != width || size.Y != height {
		t.Errorf("a picture of %v, want %dx%d", size, width, height)
	}
	for p, want := range pixels {
		r, g, b, a := im.At(p.X, p.Y).RGBA()
		if r2, g2, b2, a2 := want.RGBA(); r != r2 || g != g2 || b != b2 || a != a2 {
			t.Errorf("pixel %v is %v, want %v", p, im.At(p.X, p.Y), want)
		}
	}
}

// TestPictures makes pictures of raw bytes and of columns.
func TestPictures(t *testing.T) {
	rgb := []byte{10, 20, 30, 0xff, 0, 1, 2, 3, 4, 5, 6, 0xfe}
	e := example.Example{
		"image/raw": example.Bytes(rgb), "image/height": example.Int64s(2), "image/width": example.Int64s(2), "image/depth": example.Int64s(3),
		"wide": example.Bytes(make([]byte, 4096)), "huge": example.Bytes(make([]byte, 100)), "height": example.Int64s(1 << 40), "width": example.Int64s(1 << 40),
	}
	spec := feature.Spec{Features: feature.Features{
		"image/raw": feature.FixedLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.Uint8, Shape: []feature.Dimension{feature.Size(2), feature.Size(2), feature.Size(3)}}},
		"wide":      feature.FixedLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.Uint8, Shape: []feature.Dimension{feature.Size(64), feature.Size(64)}}},
		"huge":      feature.FixedLen{DType: feature.String, Decode: feature.DecodeRaw{DType: tensor.Uint8}},
	}}
	h := recordsHandler(t, &Options{Spec: spec, MaxPixels: 1000}, marshal(t, e))
	r := getRecord(t, h, 0)
	f := r.feature(t, "features:image/raw")
	want := map[image.Point]color.Color{{0, 0}: color.NRGBA{10, 20, 30, 255}, {1, 1}: color.NRGBA{5, 6, 254, 255}}
	checkPicture(t, get(t, h, f.strings(t)[0].Picture).Body.Bytes(), 2, 2, want)
	for _, c := range r.Columns {
		switch c.ID {
		case "features:image/raw":
			checkPicture(t, get(t, h, *c.Picture).Body.Bytes(), 2, 2, want)
		case "features:wide":
			if w := get(t, h, *c.Picture); w.Code != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d for a large picture", w.Code)
			}
		default:
			if c.Picture != nil {
				t.Errorf("%s: a picture of a vector", c.ID)
			}
		}
	}
	if f := r.feature(t, "features:huge"); f.strings(t)[0].Picture != "" {
		t.Error("a picture of 2^80 pixels")
	}
	for path, status := range map[string]int{
		"api/picture?file=0&record=0&column=features:huge":                    404,
		"api/picture?file=0&record=0&column=features:none":                    404,
		"api/picture?file=0&record=0&feature=features:huge&value=0":           404,
		"api/picture?file=0&record=0&feature=features:image%2Fheight&value=0": 404,
	} {
		if w := get(t, h, path); w.Code != status {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	}
}

// hostileNames are names that a page could misread.
var hostileNames = []string{"", "\xff\xfe", "b64:AAAA", "</script><script>alert(1)</script>", "<!--", "a\u2028b", "../../etc/passwd", "a&b=c#d?e%00+f", "__proto__", "constructor", "\x00", "\u202egnp.exe",
	strings.Repeat("long ", 2000), "features:x", "x:y"}

// TestHostileNames follows the links of features with hostile names and values.
func TestHostileNames(t *testing.T) {
	e, s, l := example.Example{}, example.Sequence{Context: example.Example{}, Lists: map[string][]example.Value{}}, example.ExampleList{HasContext: true, Context: example.Example{}, Examples: []example.Example{{}, {}}}
	for i, name := range hostileNames {
		v := example.Strings(name, fmt.Sprint(i))
		e[name], s.Context[name], l.Context[name], l.Examples[1][name] = v, v, v, v
		s.Lists[name] = []example.Value{{}, v}
	}
	for kind, record := range map[example.MessageType][]byte{example.TypeExample: marshal(t, e), example.TypeSequence: marshal(t, s), example.TypeExampleList: marshal(t, l)} {
		h := recordsHandler(t, &Options{Type: kind}, record)
		w := get(t, h, "api/record?record=0")
		if body := w.Body.String(); !utf8.ValidString(body) || strings.ContainsAny(body, "<>\u2028") {
			t.Errorf("%v: not escaped: %.300s", kind, body)
		}
		r := getRecord(t, h, 0)
		if r.Error != nil {
			t.Fatal(*r.Error)
		}
		all := r.Features
		for _, list := range r.Lists {
			all = append(all, list.Values...)
		}
		for _, e := range r.Examples {
			all = append(all, e.Features...)
		}
		links := 0
		for _, f := range all {
			_, name, err := parseFeatureID(f.ID)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range f.strings(t) {
				want := name
				if i == 1 {
					want = fmt.Sprint(indexOf(hostileNames, name))
				}
				if w := get(t, h, v.Href); w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Type") != anyBytes {
					t.Errorf("%v: %q: status %d, %q", kind, name, w.Code, w.Body)
				}
				links++
			}
		}
		if want := 2 * len(hostileNames) * map[example.MessageType]int{example.TypeExample: 1, example.TypeSequence: 2, example.TypeExampleList: 2}[kind]; links != want {
			t.Errorf("%v: %d links, want %d", kind, links, want)
		}
		if w := get(t, h, "api/rows"); w.Code != 200 || strings.ContainsAny(w.Body.String(), "<>\u2028") {
			t.Errorf("rows: %d %.300s", w.Code, w.Body)
		}
	}
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// TestFeatureLimits checks the limits of features, steps and examples.
func TestFeatureLimits(t *testing.T) {
	many := make([]int64, 3*maxNumbers)
	e := example.Example{"n": example.Int64s(many...), "s": example.Bytes(make([][]byte, 3*maxStrings)...),
		"t": example.Strings(strings.Repeat("é", maxText+1)), "h": example.Bytes(bytes.Repeat([]byte{0xff}, maxHex+1)), "exact": example.Strings(strings.Repeat("é", maxText))}
	r := getRecord(t, recordsHandler(t, nil, marshal(t, e)), 0)
	for id, want := range map[string][2]int{"features:n": {3 * maxNumbers, maxNumbers}, "features:s": {3 * maxStrings, maxStrings}} {
		if f := r.feature(t, id); [2]int{f.N, f.Shown} != want {
			t.Errorf("%s: %d of %d, want %v", id, f.Shown, f.N, want)
		}
	}
	text, hex, exact := r.feature(t, "features:t"), r.feature(t, "features:h"), r.feature(t, "features:exact")
	if v := text.strings(t)[0]; !v.Cut || *v.Text != strings.Repeat("é", maxText) {
		t.Errorf("text of %d characters, cut %v", utf8.RuneCountInString(*v.Text), v.Cut)
	}
	if v := hex.strings(t)[0]; !v.Cut || *v.Hex != strings.Repeat("ff", maxHex) {
		t.Errorf("hex of %d bytes, cut %v", len(*v.Hex)/2, v.Cut)
	}
	if v := exact.strings(t)[0]; v.Cut {
		t.Error("a text at the limit is cut")
	}

	names := example.Example{}
	for i := range maxFeatures + 10 {
		names[fmt.Sprintf("%05d", i)] = example.Int64s(1)
	}
	h := recordsHandler(t, nil, marshal(t, names))
	if r := getRecord(t, h, 0); len(r.Features) != maxFeatures || r.More != 10 {
		t.Errorf("%d features, %d more", len(r.Features), r.More)
	}
	var rows struct{ Rows []rowAnswer }
	getJSON(t, h, "api/rows", &rows)
	if row := rows.Rows[0]; len(row.Cells) != maxCells || row.More != maxFeatures+10-maxCells {
		t.Errorf("%d cells, %d more", len(row.Cells), row.More)
	}

	s := example.Sequence{Lists: map[string][]example.Value{"l": make([]example.Value, maxSteps+5)}}
	r = getRecord(t, recordsHandler(t, &Options{Type: example.TypeSequence}, marshal(t, s)), 0)
	if l := r.Lists[0]; l.Steps != maxSteps+5 || l.Shown != maxSteps || len(l.Values) != maxSteps {
		t.Errorf("%d of %d steps", l.Shown, l.Steps)
	}
	list := example.ExampleList{Examples: make([]example.Example, maxExamples+5)}
	r = getRecord(t, recordsHandler(t, &Options{Type: example.TypeExampleList}, marshal(t, list)), 0)
	if r.ExampleCount != maxExamples+5 || len(r.Examples) != maxExamples {
		t.Errorf("%d of %d examples", len(r.Examples), r.ExampleCount)
	}
}

// TestAnswerSize checks that the answer about a large record stays small.
func TestAnswerSize(t *testing.T) {
	testkit.OneGoroutine(t)
	e, s := example.Example{}, example.Sequence{Lists: map[string][]example.Value{}}
	text := example.Strings(strings.Repeat("x", maxText))
	numbers := example.Floats(make([]float32, maxNumbers)...)
	l := example.ExampleList{}
	for i := range 150 {
		e[fmt.Sprint("n", i)], e[fmt.Sprint("t", i)] = numbers, example.Strings(strings.Repeat("<", 8000), strings.Repeat("\xff", 8000))
		l.Examples = append(l.Examples, example.Example{"n": numbers, "t": text})
		s.Lists[fmt.Sprint("t", i)] = slices.Repeat([]example.Value{example.Strings(strings.Repeat("x", 50))}, maxSteps)
	}
	spec := feature.Spec{Features: feature.Features{}}
	for name := range e {
		dtype := feature.Float32
		if name[0] == 't' {
			dtype = feature.String
		}
		spec.Features[name] = feature.VarLen{DType: dtype}
	}
	long := strings.Repeat("n", 1<<20)
	for kind, records := range map[example.MessageType][][]byte{
		example.TypeExample:     {marshal(t, e), marshal(t, example.Example{long: example.Bytes(make([][]byte, maxStrings)...)})},
		example.TypeSequence:    {marshal(t, s), marshal(t, example.Sequence{Lists: map[string][]example.Value{long: make([]example.Value, maxSteps)}})},
		example.TypeExampleList: {marshal(t, l)},
	} {
		opts := &Options{Type: kind}
		if kind == example.TypeExample {
			opts.Spec = spec
		}
		h := recordsHandler(t, opts, records...)
		for i := range records {
			if w := get(t, h, fmt.Sprint("api/record?record=", i)); w.Code != 200 || w.Body.Len() > 20<<20 {
				t.Errorf("%v: record %d: status %d, %d bytes", kind, i, w.Code, w.Body.Len())
			}
		}
		if w := get(t, h, "api/rows?count=1"); w.Code != 200 || w.Body.Len() > 1<<20 {
			t.Errorf("%v: rows: status %d, %d bytes", kind, w.Code, w.Body.Len())
		}
	}
}

// TestColumnLimits checks that a column is cut where its splits end.
func TestColumnLimits(t *testing.T) {
	lengths := make([]int64, 3*maxNumbers)
	for i := range lengths {
		lengths[i] = int64(i % 3)
	}
	values := make([]float32, 3*maxNumbers)
	e := example.Example{"v": example.Floats(values...), "len": example.Int64s(lengths...), "outer": example.Int64s(0, 5, 3*maxNumbers), "pairs": example.Floats(values...)}
	spec := feature.Spec{Features: feature.Features{
		"r":     feature.Ragged{DType: feature.Float32, ValueKey: "v", Partitions: []feature.Partition{feature.RowSplits("outer"), feature.RowLengths("len")}},
		"pairs": feature.Ragged{DType: feature.Float32, Partitions: []feature.Partition{feature.UniformRowLength(3)}},
	}}
	r := getRecord(t, recordsHandler(t, &Options{Spec: spec}, marshal(t, e)), 0)
	if r.Fault != nil {
		t.Fatal(*r.Fault)
	}
	for _, c := range r.Columns {
		shown := len(c.Values)
		if !c.Cut || c.N != 3*maxNumbers || shown != c.Shown || shown > maxNumbers || shown < maxNumbers-3 || len(c.At) != shown {
			t.Errorf("%s: %d of %d values, shown %d, cut %v", c.ID, shown, c.N, c.Shown, c.Cut)
		}
		for level, splits := range c.RowSplits {
			limit := int64(shown)
			if level+1 < len(c.RowSplits) {
				limit = int64(len(c.RowSplits[level+1]) - 1)
			}
			if last := splits[len(splits)-1]; last > limit || len(splits) > maxNumbers+1 {
				t.Errorf("%s: level %d ends at %d, want at most %d", c.ID, level, last, limit)
			}
		}
	}
}

// TestFault shows a record that does not fit the spec.
func TestFault(t *testing.T) {
	spec := feature.Spec{Features: feature.Features{"a": feature.FixedLen{DType: feature.Int64}}}
	h := recordsHandler(t, &Options{Spec: spec}, marshal(t, example.Example{"a": example.Int64s(1, 2), "b": example.Int64s(3)}), []byte("\x0a\x05"))
	r := getRecord(t, h, 0)
	if r.Error != nil || r.Fault == nil || !strings.Contains(*r.Fault, `feature "a"`) || len(r.Features) != 2 || len(r.Columns) != 0 {
		t.Errorf("%+v", r)
	}
	r = getRecord(t, h, 1)
	if r.Error == nil || r.Fault == nil || len(r.Features) != 0 {
		t.Errorf("a record that does not decode: %+v", r)
	}
}

// TestDamage shows damage in its place.
func TestDamage(t *testing.T) {
	var b []byte
	for i := range 4 {
		b = tfrecord.AppendRecord(b, marshal(t, example.Example{"i": example.Int64s(int64(i))}))
	}
	size := len(b) / 4
	b[size+size/2] ^= 0xff // in the payload of record 1
	name := t.TempDir() + "/damaged"
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	h := newFileHandler(t, nil, name)
	r := getRecord(t, h, 1)
	if r.Error == nil || !strings.Contains(*r.Error, "checksum") || r.Features == nil || len(r.Features) != 0 {
		t.Errorf("%+v", r)
	}
	var rows struct {
		Rows []rowAnswer
		End  bool
	}
	getJSON(t, h, "api/rows?file=0&from=0&count=10", &rows)
	for i, row := range rows.Rows {
		if row.Record != int64(i) || (row.Error != nil) != (i == 1) || (len(row.Cells) == 1) != (i != 1) {
			t.Errorf("row %d: %+v", i, row)
		}
	}
	if len(rows.Rows) != 4 || !rows.End {
		t.Errorf("%d rows, end %v", len(rows.Rows), rows.End)
	}
	getJSON(t, h, "api/rows?at=0:3,0:1,0:2", &rows)
	if rows.Rows[0].Record != 3 || rows.Rows[1].Error == nil || rows.Rows[2].Record != 2 {
		t.Errorf("%+v", rows.Rows)
	}
	for _, as := range copyForms {
		if w := get(t, h, "api/copy?record=1&as="+as); w.Code != 404 {
			t.Errorf("%s of a damaged record: status %d", as, w.Code)
		}
	}
}

// TestRequests checks what requests may ask for.
func TestRequests(t *testing.T) {
	h := recordsHandler(t, nil, marshal(t, example.Example{"v": example.Strings("x", "y"), "i": example.Int64s(1)}))
	for path, status := range map[string]int{
		"api/record":                                                   400,
		"api/record?record=-1":                                         400,
		"api/record?record=1e3":                                        400,
		"api/record?record=99999999999999":                             404,
		"api/record?record=5":                                          404,
		"api/record?record=0&file=1":                                   404,
		"api/record?record=0&file=9999999999999999999":                 400,
		"api/record?record=0&record=1":                                 400,
		"api/rows?file=2":                                              404,
		"api/rows?count=201":                                           400,
		"api/rows?count=0":                                             200,
		"api/rows?at=0:0":                                              200,
		"api/rows?at=":                                                 400,
		"api/rows?at=0":                                                400,
		"api/rows?at=1:0":                                              400,
		"api/rows?at=0:-1":                                             400,
		"api/rows?at=0:0" + strings.Repeat(",0:0", 200):                400,
		"api/bytes?record=0":                                           400,
		"api/bytes?record=0&feature=v":                                 400,
		"api/bytes?record=0&feature=other:v":                           400,
		"api/bytes?record=0&feature=features:b64:!":                    400,
		"api/bytes?record=0&feature=features:v":                        200,
		"api/bytes?record=0&feature=features:v&value=1":                200,
		"api/bytes?record=0&feature=features:v&value=2":                404,
		"api/bytes?record=0&feature=features:i&value=0":                404,
		"api/bytes?record=0&feature=context:v&value=0":                 404,
		"api/bytes?record=0&feature=feature_lists:v&value=0&step=0":    404,
		"api/bytes?record=0&feature=examples:v&value=0&example=0":      404,
		"api/copy?record=0":                                            400,
		"api/copy?record=0&as=xml":                                     400,
		"api/spec?as=json":                                             404,
		"api/picture?record=0&column=" + url.QueryEscape("features:v"): 404,
	} {
		w := get(t, h, path)
		if w.Code != status {
			t.Errorf("%s: status %d, want %d: %s", path, w.Code, status, w.Body)
		}
		if status != 200 && !strings.HasPrefix(w.Body.String(), `{"error":"`) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	h = recordsHandler(t, &Options{MaxBytes: 99}, marshal(t, example.Example{"v": example.Strings(strings.Repeat("y", 100))}))
	if w := get(t, h, "api/bytes?record=0&feature=features:v"); w.Code != 404 || !strings.Contains(w.Body.String(), "99") {
		t.Errorf("status %d for a record over the limit: %s", w.Code, w.Body)
	}
	h = recordsHandler(t, nil, marshal(t, example.Example{"v": example.Bytes(make([]byte, maxCopied))}))
	if w := get(t, h, "api/copy?record=0&as=go"); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d for a copy of 8 MiB", w.Code)
	}
}

func TestSizeText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1840: "1.8 kB", 9949: "9.9 kB", 9951: "10 kB", 51_200: "51 kB", 999_499: "999 kB", 999_501: "1.0 MB", 2e9: "2.0 GB", 5e15: "5000 TB"} {
		if got := sizeText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestVisibleText(t *testing.T) {
	for s, want := range map[string]string{"": "", "Grüße\n": "Grüße\n", "\xffa\xfe": `\xffa\xfe`, "\x00": `\x00`, "a\u202eb": `a\u202eb`, "\ufffd": "\ufffd", "\xe2\x80": `\xe2\x80`} {
		if got := visibleText(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// FuzzRecord shows arbitrary bytes as a record of each type, with a spec and without.
func FuzzRecord(f *testing.F) {
	e := example.Example{"v": example.Int64s(1, 2), "n": example.Int64s(2), "s": example.Strings("a", "\xff"), "bbox": example.Floats(0, 0, 1, 1), "i": example.Bytes(testPNG(f, 2, 2))}
	s := example.Sequence{Context: e, Lists: map[string][]example.Value{"v": {example.Int64s(1, 2)}, "n": {example.Int64s(2)}}}
	l := example.ExampleList{Context: e, HasContext: true, Examples: []example.Example{e, {}}}
	for _, m := range []interface{ MarshalBinary() ([]byte, error) }{e, s, l} {
		b := marshal(f, m)
		f.Add(b)
		f.Add(b[:len(b)-1])
	}
	features := feature.Features{"v": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n")}}, "s": feature.VarLen{DType: feature.String}}
	lists := feature.Features{"v": features["v"]}
	var handlers []*Handler
	for _, spec := range []feature.Spec{{Features: features}, {Context: features, Sequence: lists}, {Context: features, Examples: features}} {
		parser, err := feature.NewParser(spec, nil)
		if err != nil {
			f.Fatal(err)
		}
		handlers = append(handlers, &Handler{kind: parser.Message(), parser: parser, files: []*recordFile{{name: "f"}}})
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		for _, h := range handlers {
			a := h.answerRecord(0, row{data: record})
			b, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			if !utf8.Valid(b) {
				t.Errorf("not UTF-8: %q", b)
			}
			valid := h.kind.Validate(record) == nil
			if valid && a.Error != nil {
				t.Errorf("%v: a valid record has the error %s", h.kind, *a.Error)
			}
			if r := h.answerRow(0, row{data: record}); valid && r.Error != nil {
				t.Errorf("%v: a row of a valid record has the error %s", h.kind, *r.Error)
			} else if _, err := json.Marshal(r); err != nil {
				t.Fatal(err)
			}
			for _, form := range copyForms {
				if _, err := copyRecord(h.kind, record, form); valid && err != nil && form != "python" {
					t.Errorf("%v: %s: %v", h.kind, form, err)
				}
			}
			if columns, err := h.answerColumns(record, valuePlace{}, newQuota()); err == nil {
				for _, c := range columns {
					checkPositions(t, record, &c)
				}
			}
		}
	})
}

// TestAllocations checks that answers about large records allocate by the limits, not by the number of values, names or steps.
func TestAllocations(t *testing.T) {
	testkit.OneGoroutine(t)
	const n = 500_000
	names := example.Example{}
	for i := range 100_000 {
		names[fmt.Sprint(i)] = example.Value{}
	}
	steps := slices.Repeat([]example.Value{example.Int64s(1)}, n)
	for name, c := range map[string]struct {
		kind   example.MessageType
		record []byte
	}{
		"numbers": {example.TypeExample, marshal(t, example.Example{"v": example.Int64s(make([]int64, 8*n)...)})},
		"strings": {example.TypeExample, marshal(t, example.Example{"v": example.Bytes(make([][]byte, 2*n)...)})},
		"bytes":   {example.TypeExample, marshal(t, example.Example{"v": example.Bytes(make([]byte, 8*n))})},
		"names":   {example.TypeExample, marshal(t, names)},
		"steps":   {example.TypeSequence, marshal(t, example.Sequence{Lists: map[string][]example.Value{"v": steps}})},
		"list":    {example.TypeExampleList, marshal(t, example.ExampleList{Examples: make([]example.Example, n)})},
	} {
		h := &Handler{kind: c.kind, files: []*recordFile{{name: "f"}}}
		for form, answer := range map[string]func(){
			"record": func() { h.answerRecord(0, row{data: c.record}) },
			"row":    func() { h.answerRow(0, row{data: c.record}) },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			answer()
			runtime.ReadMemStats(&after)
			if size := after.TotalAlloc - before.TotalAlloc; size > 3<<20 {
				t.Errorf("%s: the %s of %d bytes allocates %d bytes", name, form, len(c.record), size)
			}
		}
	}
}

// TestColumnClasses has the names of classes in columns.
func TestColumnClasses(t *testing.T) {
	e := example.Example{"label": example.Int64s(1, 7, 0)}
	spec := feature.Spec{Features: map[string]feature.Feature{"label": feature.VarLen{DType: feature.Int64}}}
	h := recordsHandler(t, &Options{Spec: spec, Classes: map[string][]string{"label": {"cat", "dog"}}}, marshal(t, e))
	if text := get(t, h, "api/record?file=0&record=0").Body.String(); strings.Count(text, `"names":["dog","","cat"]`) != 2 {
		t.Errorf("no names in the feature or its column: %s", text)
	}
}

// TestLargeImage offers an image with more pixels than a browser should decode as bytes, and says its size.
func TestLargeImage(t *testing.T) {
	small := testPNG(t, 4, 3)
	for side, want := range map[uint32]string{5000: "image/png", 10_000: "image/png", 10_001: anyBytes, 30_000: anyBytes} {
		b := bytes.Clone(small)
		binary.BigEndian.PutUint32(b[16:], side)
		binary.BigEndian.PutUint32(b[20:], side)
		binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
		h := recordsHandler(t, nil, marshal(t, example.Example{"image": example.Bytes(b)}))
		r := getRecord(t, h, 0)
		feature := r.feature(t, "features:image")
		f := feature.strings(t)[0]
		if w := get(t, h, f.Href); w.Header().Get("Content-Type") != want || !strings.Contains(f.Content, fmt.Sprintf("PNG %dx%d", side, side)) || f.Image != (want != anyBytes) {
			t.Errorf("%d: %s, %+v", side, w.Header().Get("Content-Type"), f)
		}
	}
}
