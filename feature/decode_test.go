package feature_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
)

func encodeExample(t testing.TB, add func(b *example.Builder)) []byte {
	t.Helper()
	var b example.Builder
	add(&b)
	record, err := b.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func deflate(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDecodeSpecs reads and writes the option as JSON, and refuses what no record could fit.
func TestDecodeSpecs(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{`"decode_raw":"int16"`, `"decode":{"raw":{"dtype":"int16"}}`},
		{`"decode_raw":"half"`, `"decode":{"raw":{"dtype":"float16"}}`},
		{`"decode":{"raw":{"shape":[],"dtype":"double","big_endian":false}}`, `"decode":{"raw":{"dtype":"float64","shape":[]}}`},
		{`"decode":{"raw":{"dtype":"int64","shape":[-1,"n",{"feature":"v","index":1},"b64:/w=="],"big_endian":true,"zlib":true,"bitcast":"uint64"}}`, ``},
		{`"decode":{"tensor_proto":{}}`, ``},
		{`"decode":{"tensor_proto":{"dtype":"qint8"}}`, ``},
		{`"decode":{"tensor_proto":{"shape":[-1,3]}}`, ``},
		{`"decode":{"tensor_proto":{"dtype":"string","shape":[]}}`, ``},
	} {
		text := func(option string) string {
			return `{"features":{"b64:/w==":{"fixed_len":{"dtype":"int64","shape":[]}},"n":{"fixed_len":{"dtype":"int64","shape":[]}},` +
				`"v":{"fixed_len":{"dtype":"int64","shape":[2]}},"x":{"fixed_len":{"dtype":"string","shape":[],` + option + `}}}}`
		}
		if c.out == "" {
			c.out = c.in
		}
		var spec, again feature.Spec
		if err := json.Unmarshal([]byte(text(c.in)), &spec); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		out, err := json.Marshal(spec)
		var want, got bytes.Buffer
		if err := errors.Join(err, json.Compact(&want, []byte(text(c.out))), json.Compact(&got, out)); err != nil || !sameMembers(t, want.Bytes(), got.Bytes()) {
			t.Errorf("%s: written as %s, %v", c.in, out, err)
		}
		if err := json.Unmarshal(out, &again); err != nil || !reflect.DeepEqual(again, spec) {
			t.Errorf("%s: read again as %+v, %v", c.in, again, err)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{`{"features":{"x":{"fixed_len":{"dtype":"int64","shape":[],"decode_raw":"int16"}}}}`, `decode needs dtype string, not int64`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode_raw":"uint32"}}}}`, `decode_raw has no dtype uint32`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode_raw":"long"}}}}`, `decode_raw "long" is not a dtype of elements`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode_raw":"int16","decode":{"tensor_proto":{}}}}}}`, `decode and decode_raw: want one of them`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"png":{}}}}}}`, `want one member, raw or tensor_proto`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{}}}}}}`, `raw without dtype`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","fixed_length":4}}}}}}`, `unknown member "fixed_length"`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","shape":[-1,-1]}}}}}}`, `2 dimensions are -1, want at most one`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","shape":[-2]}}}}}}`, `dimension 0 is -2`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","shape":[4294967296,4294967296,0]}}}}}}`, `2^63 or more elements`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","bitcast":"int64"}}}}}}`, `bitcast from int16 to int64, of another size`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"tensor_proto":{"shape":["n"]}}}}}}`, `a TensorProto has its own shape`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"tensor_proto":{"shape":[-2]}}}}}}`, `dimension 0 is -2`},
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","shape":["n"]}}}}}}`, `the spec has no fixed_len feature "n" of int64 in features`},
		{`{"features":{"n":{"fixed_len":{"dtype":"int64","shape":[2]}},"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","shape":[{"feature":"n","index":2}]}}}}}}`, `"n" has shape [2], without an index 2`},
		{`{"sequence":{"x":{"var_len":{"dtype":"string","decode_raw":"int16"}}}}`, `not var_len in sequence`},
		{`{"examples":{"x":{"fixed_len":{"dtype":"string","shape":[],"decode_raw":"int16"}}}}`, `not fixed_len in examples`},
		{`{"sequence":{"x":{"ragged":{"dtype":"string","partitions":[{"row_lengths":"l"}],"decode_raw":"int16"}}}}`, `not ragged in sequence`},
		{`{"features":{"x":{"sparse":{"dtype":"string","index_key":"i","value_key":"v","size":3,"decode_raw":"int16"}}}}`, `unknown member "decode_raw"`},
	} {
		p, err := newParser([]byte(c.spec))
		if _, ok := errors.AsType[*feature.SpecError](err); p != nil || !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", c.spec, err, c.want)
		}
	}
}

// sameMembers reports whether two JSON documents are equal, whatever the order of their members.
func sameMembers(t *testing.T, a, b []byte) bool {
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// decodeSpec has every way to decode, and sizes in the record.
const decodeSpec = `{"features":{
	"h":{"fixed_len":{"dtype":"int64","shape":[]}},
	"image":{"fixed_len":{"dtype":"string","shape":[],"decode":{"raw":{"dtype":"uint8","shape":["h",-1]}}}},
	"packed":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"int16","shape":[2],"zlib":true,"big_endian":true}}}},
	"proto":{"fixed_len_sequence":{"dtype":"string","shape":[],"decode":{"tensor_proto":{"shape":[-1]}}}}}}`

func decodeRecord(t testing.TB) []byte {
	proto := func(v ...string) []byte {
		x, err := tensor.New(v)
		b, err2 := tensor.Append(nil, x)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return b
	}
	return encodeExample(t, func(b *example.Builder) {
		b.Add("h", example.Int64s(2))
		b.AddStrings("image", "abcdef")
		b.Add("packed", example.Bytes(deflate(t, []byte("\x01\x02\x03\x04")), deflate(t, []byte("\x05\x06\x07\x08"))))
		b.Add("proto", example.Bytes(proto("a", ""), proto("b", "c")))
	})
}

// TestDecoded reads tensors of a batch and of a row, and writes the records back.
func TestDecoded(t *testing.T) {
	p, err := newParser([]byte(decodeSpec))
	if err != nil {
		t.Fatal(err)
	}
	record := decodeRecord(t)
	batch, err := p.Parse(record, record)
	if err != nil {
		t.Fatal(err)
	}
	single, err := p.ParseSingle(record)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"image": "[[97 98 99] [100 101 102]]", "packed": "[[258 772] [1286 1800]]", "proto": `[[a ] [b c]]`,
	} {
		for _, columns := range []feature.Columns{batch.Columns(), batch.Row(1), single} {
			c, err := columns.Column(name)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]func() (any, error){
				"image":  func() (any, error) { return slicesOf[uint8](c) },
				"packed": func() (any, error) { return slicesOf[int16](c) },
				"proto":  func() (any, error) { return slicesOf[string](c) },
			}[name]
			if v, err := got(); err != nil || fmt.Sprint(v) != want {
				t.Errorf("%s: %v, %v; want %s", name, v, err, want)
			}
			if c.DType() != feature.String {
				t.Errorf("%s: dtype %v", name, c.DType())
			}
		}
	}
	c, _ := batch.Columns().Column("h")
	if _, ok := c.Decoded(0); ok {
		t.Error("h is decoded")
	}
	if _, err := feature.DecodedOf[int8](c, 0); !errors.Is(err, feature.ErrNoColumn) {
		t.Error(err)
	}
	c, _ = batch.Columns().Column("image")
	if _, err := feature.DecodedOf[int8](c, 0); !errors.Is(err, tensor.ErrDType) {
		t.Error(err)
	}
	back, err := batch.Encode()
	if err != nil || !bytes.Equal(back[0], record) {
		t.Errorf("encoded as %x, %v; want %x", back, err, record)
	}
	other := p.NewBatch()
	if err := other.AppendRow(batch.Row(1)); err != nil {
		t.Fatal(err)
	}
	copied, _ := other.Columns().Column("image")
	if !reflect.DeepEqual(decodedOf(copied), decodedOf(c)) {
		t.Error("a copied row decodes to something else")
	}
}

func decodedOf(c feature.Column) tensor.Tensor {
	t, _ := c.Decoded(0)
	return t
}

func slicesOf[T tensor.Element](c feature.Column) (any, error) {
	t, err := feature.DecodedOf[T](c, 0)
	if err != nil {
		return nil, err
	}
	return ragged.ToSlices[any](t)
}

// TestDecodeSequence decodes the frames of a SequenceExample by sizes in its context.
func TestDecodeSequence(t *testing.T) {
	p, err := newParser([]byte(`{"context":{"w":{"fixed_len":{"dtype":"int64","shape":[]}},"one":{"fixed_len":{"dtype":"string","shape":[],"decode_raw":"bool"}}},
		"sequence":{"frames":{"fixed_len_sequence":{"dtype":"string","shape":[],"decode":{"raw":{"dtype":"uint8","shape":["w",-1]}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	e := example.Sequence{
		Context: map[string]example.Value{"w": example.Int64s(1), "one": example.Strings("\x00\x02")},
		Lists:   map[string][]example.Value{"frames": {example.Strings("ab"), example.Strings("cd"), example.Strings("ef")}},
	}
	record, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := p.ParseSingle(record)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := columns.Column("frames")
	if v, err := slicesOf[uint8](c); err != nil || fmt.Sprint(v) != "[[[97 98]] [[99 100]] [[101 102]]]" {
		t.Errorf("%v, %v", v, err)
	}
	c, _ = columns.Column("one")
	if v, err := slicesOf[bool](c); err != nil || fmt.Sprint(v) != "[false true]" {
		t.Errorf("%v, %v", v, err)
	}
	e.Lists["frames"][1] = example.Strings("c")
	if record, err = e.AppendBinary(nil); err != nil {
		t.Fatal(err)
	}
	_, err = p.ParseSingle(record)
	if want := `sequence feature "frames": string does not decode: want 2 bytes, as string 0 has, got 1 in string 1`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestDecodeAssemble encodes columns of strings, which must decode.
func TestDecodeAssemble(t *testing.T) {
	p, err := newParser([]byte(`{"features":{"x":{"fixed_len":{"dtype":"string","shape":[],"decode":{"raw":{"dtype":"int16","shape":[2]}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"abcd", "efgh"}, ""},
		{[]string{"abcd", "efg"}, `record 1: feature "x": string does not decode: want a multiple of 2 bytes, for int16, got 3`},
		{[]string{"ab"}, `record 0: feature "x": string does not decode: want 2 elements for shape [2], got 1`},
	} {
		b, err := p.Assemble(feature.Table{Features: map[string]feature.Column{"x": feature.NewColumn(must(ragged.Dense(c.values, len(c.values))))}})
		if c.want != "" {
			if err == nil || err.Error() != c.want || !errors.Is(err, feature.ErrDecode) {
				t.Errorf("%q: got  %v\nwant %s", c.values, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		column, _ := b.Columns().Column("x")
		if got, ok := column.Decoded(1); !ok || string(got.Bytes) != "efgh" || !slices.Equal(got.Shape, tensor.Shape{2}) {
			t.Errorf("%v, %v", got, ok)
		}
	}
}

// TestDecodeErrors has the texts of errors: record, feature, what is wanted and what there is.
func TestDecodeErrors(t *testing.T) {
	p, err := newParser([]byte(decodeSpec))
	if err != nil {
		t.Fatal(err)
	}
	good := decodeRecord(t)
	for _, c := range []struct {
		name  string
		value example.Value
		want  string
	}{
		{"image", example.Strings("abc"), `record 1: feature "image": string does not decode: want a multiple of 2 elements for shape [2, ?], got 3 (byte `},
		{"packed", example.Strings("abc"), `record 1: feature "packed": string does not decode: string 0: zlib: invalid header`},
		{"packed", example.Bytes(deflate(t, []byte("abcd"))[:6]), `record 1: feature "packed": string does not decode: string 0: zlib: the stream is truncated`},
		{"packed", example.Bytes(deflate(t, []byte("ab"))), `record 1: feature "packed": string does not decode: want 2 elements for shape [1, 2], got 1 (byte `},
		{"proto", example.Strings("abc"), `record 1: feature "proto": string does not decode: string 0: TensorProto: byte 0: `},
		{"proto", example.Strings("\x08\x01\x12\x04\x12\x02\x08\x01", "\x08\x01\x12\x04\x12\x02\x08\x02"), `record 1: feature "proto": string does not decode: want float32 of shape [1], as string 0 has, got float32 of shape [2] in string 1 (byte `},
		{"proto", example.Strings("\x08\x01"), `record 1: feature "proto": string does not decode: want shape [?], got [] in string 0 (byte `},
	} {
		bad := encodeExample(t, func(b *example.Builder) {
			for _, name := range []string{"h", "image", "packed", "proto"} {
				v := example.Int64s(2)
				switch {
				case name == c.name:
					v = c.value
				case name == "image":
					v = example.Strings("ab")
				case name != "h":
					v = example.Strings()
				}
				b.Add(name, v)
			}
		})
		_, err := p.Parse(good, bad)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, feature.ErrDecode) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestDecodeRowLimit checks that the strings of a row share the limit of bytes after decompression.
func TestDecodeRowLimit(t *testing.T) {
	p, err := newParser([]byte(`{"features":{"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"uint8","zlib":true}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	part := string(deflate(t, make([]byte, 30<<20)))
	record := encodeExample(t, func(b *example.Builder) { b.AddStrings("x", part, part, part) })
	const want = "want at most 4194304 bytes in string 2, got more"
	if err := p.NewBatch().Append(record); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestDecodeLimits checks that a few bytes do not become much memory.
func TestDecodeLimits(t *testing.T) {
	bomb := deflate(t, make([]byte, 10<<20))
	for _, c := range []struct {
		option, value, want string
	}{
		{`{"raw":{"dtype":"uint8","shape":[4],"zlib":true}}`, string(bomb), "want at most 4 bytes in string 0, got more"},
		{`{"raw":{"dtype":"uint8","shape":["n"],"zlib":true}}`, string(bomb), "want at most 7 bytes in string 0, got more"},
		{`{"raw":{"dtype":"uint8","shape":["n"]}}`, "abc", "want 7 elements for shape [7], got 3"},
		{`{"tensor_proto":{}}`, "\x08\x01\x12\x08\x12\x06\x08\x81\x80\x80\x80\x01", "more than 1048576 elements to fill"},
	} {
		p, err := newParser([]byte(`{"features":{"n":{"fixed_len":{"dtype":"int64","shape":[]}},"x":{"fixed_len":{"dtype":"string","shape":[],"decode":` + c.option + `}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		record := encodeExample(t, func(b *example.Builder) {
			b.Add("n", example.Int64s(7))
			b.AddStrings("x", c.value)
		})
		batch := p.NewBatch()
		_ = batch.Append(record) // makes the buffers
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = batch.Append(record)
		runtime.ReadMemStats(&after)
		bytes := after.TotalAlloc - before.TotalAlloc
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got  %v\nwant %s", c.option, err, c.want)
		}
		if bytes > 200_000 {
			t.Errorf("%s: %d bytes", c.option, bytes)
		}
	}
}

// TestDecodeDamage cuts records and flips their bits: an error, or rows that print and encode.
func TestDecodeDamage(t *testing.T) {
	p, err := newParser([]byte(decodeSpec))
	if err != nil {
		t.Fatal(err)
	}
	record := decodeRecord(t)
	for n := range record {
		checkDecodedRecord(t, p, record[:n])
	}
	step := 1
	if testing.Short() || testkit.Race {
		step = 7
	}
	for i := 0; i < 8*len(record); i += step {
		b := bytes.Clone(record)
		b[i/8] ^= 1 << (i % 8)
		checkDecodedRecord(t, p, b)
	}
}

// checkDecodedRecord parses a record, reads its tensors, and parses what it is encoded as.
func checkDecodedRecord(t *testing.T, p *feature.Parser, record []byte) {
	t.Helper()
	columns, err := p.ParseSingle(record)
	if err != nil {
		if _, ok := errors.AsType[*feature.Error](err); !ok || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%x: %v", record, err)
		}
		return
	}
	batch, _ := columns.Batch()
	back, err := batch.Encode()
	if err != nil {
		t.Fatalf("%x: %v", record, err)
	}
	again, err := p.ParseSingle(back[0])
	if err != nil {
		t.Fatalf("%x: encoded as %x: %v", record, back[0], err)
	}
	for name, c := range columns.All() {
		got, ok := c.Decoded(0)
		if !ok {
			continue
		}
		n := int64(1)
		for _, d := range got.Shape {
			n *= d
		}
		c2, _ := again.Column(name)
		if second, _ := c2.Decoded(0); !reflect.DeepEqual(second, got) || n != int64(got.Len()) {
			t.Fatalf("%x: %q is %v, and %v again", record, name, got, second)
		}
	}
}

// FuzzDecode decodes one string in every way.
func FuzzDecode(f *testing.F) {
	var parsers []*feature.Parser
	for _, option := range []string{`{"raw":{"dtype":"int16","shape":["n",-1]}}`, `{"raw":{"dtype":"complex64","big_endian":true}}`, `{"raw":{"dtype":"uint8","zlib":true}}`,
		`{"raw":{"dtype":"int64","shape":["n","n"],"zlib":true,"bitcast":"uint64"}}`, `{"tensor_proto":{}}`, `{"tensor_proto":{"dtype":"string","shape":[-1]}}`} {
		p, err := newParser([]byte(`{"features":{"n":{"fixed_len":{"dtype":"int64","shape":[]}},"x":{"var_len":{"dtype":"string","decode":` + option + `}}}}`))
		if err != nil {
			f.Fatal(err)
		}
		parsers = append(parsers, p)
	}
	for _, s := range []string{"", "abcdefgh", string(deflate(f, []byte("abcdefgh"))), "\x08\x01\x12\x04\x12\x02\x08\x02*\x04abcd", "\x08\x07\x12\x04\x12\x02\x08\x02B\x01a", "\x08\x01\x12\x08\x12\x06\x08\x80\x80\x80\x80\x01"} {
		for _, n := range []int64{-1, 0, 1, 2, 1 << 40} {
			f.Add([]byte(s), n, uint8(2))
		}
	}
	f.Fuzz(func(t *testing.T, value []byte, n int64, count uint8) {
		record := encodeExample(t, func(b *example.Builder) {
			b.Add("n", example.Int64s(n))
			b.Add("x", example.Bytes(slices.Repeat([][]byte{value}, int(count%4))...))
		})
		for _, p := range parsers {
			checkDecodedRecord(t, p, record)
		}
	})
}
