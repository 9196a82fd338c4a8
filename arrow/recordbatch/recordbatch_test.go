package recordbatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// parseSpec reads a spec in JSON.
func parseSpec(t testing.TB, text string) feature.Spec {
	t.Helper()
	var spec feature.Spec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// encode returns the record of an Example.
func encode(t testing.TB, e example.Example) []byte {
	t.Helper()
	b, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// convert parses records and returns their record batch.
func convert(t testing.TB, spec feature.Spec, opts *recordbatch.Options, records ...[]byte) arrow.RecordBatch {
	t.Helper()
	s, err := recordbatch.ForSpec(spec, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Parse(records...)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.FromBatch(b)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// recordsOf returns the records of a record batch.
func recordsOf(rec arrow.RecordBatch) (out [][]byte, d *recordbatch.Decoder, err error) {
	if d, err = recordbatch.NewDecoder(rec.Schema()); err != nil {
		return nil, d, err
	}
	for record, err := range d.Records(rec) {
		if err != nil {
			return out, d, err
		}
		out = append(out, bytes.Clone(record))
	}
	return out, d, nil
}

// TestSchema checks the type of each kind of feature.
func TestSchema(t *testing.T) {
	text := func(t arrow.DataType) string {
		return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(t.String(), "element: ", ""), ", nullable", "?"), "large_", "L")
	}
	for _, c := range []struct{ group, feature, want string }{
		{"features", `{"fixed_len":{"dtype":"int64","shape":[]}}`, "int64"},
		{"features", `{"fixed_len":{"dtype":"string","shape":[2,3]}}`, "fixed_size_list<fixed_size_list<Lbinary>[3]>[2]"},
		{"features", `{"fixed_len":{"dtype":"string","shape":[0,3]}}`, "Llist<fixed_size_list<Lbinary>[3]>"},
		{"features", `{"fixed_len_sequence":{"dtype":"float32","shape":[2],"allow_missing":true}}`, "Llist<fixed_size_list<float32>[2]>"},
		{"features", `{"var_len":{"dtype":"float32"}}`, "Llist<float32>"},
		{"features", `{"sparse":{"dtype":"int64","index_key":["i","j"],"value_key":"v","size":[3,4]}}`, "struct<indices: Llist<fixed_size_list<int64>[2]>, values: Llist<int64>>"},
		{"features", `{"ragged":{"dtype":"int64","partitions":[]}}`, "Llist<int64>"},
		{"features", `{"ragged":{"dtype":"int64","partitions":[{"row_splits":"s"},{"uniform_row_length":2},{"row_lengths":"l"},{"uniform_row_length":3}]}}`,
			"Llist<Llist<fixed_size_list<Llist<fixed_size_list<int64>[3]>>[2]>>"},
		{"sequence", `{"fixed_len_sequence":{"dtype":"int64","shape":[2]}}`, "Llist<fixed_size_list<int64>[2]>"},
		{"sequence", `{"var_len":{"dtype":"int64"}}`, "Llist<Llist<int64>>"},
		{"examples", `{"fixed_len":{"dtype":"int64","shape":[2]}}`, "Llist<fixed_size_list<int64>[2]>"},
		{"examples", `{"fixed_len_sequence":{"dtype":"int64","shape":[],"allow_missing":true}}`, "Llist<Llist<int64>>"},
		{"examples", `{"sparse":{"dtype":"int64","index_key":"i","value_key":"v","size":3}}`, "Llist<struct<indices: Llist<fixed_size_list<int64>[1]>, values: Llist<int64>>>"},
		{"features", `{"fixed_len":{"dtype":"string","shape":[],"decode_raw":"int16"}}`, "Llist<int16>"},
		{"features", `{"fixed_len":{"dtype":"string","shape":[2],"decode":{"raw":{"dtype":"int16","shape":[-1,3]}}}}`, "fixed_size_list<Llist<fixed_size_list<int16>[3]>>[2]"},
		{"features", `{"fixed_len":{"dtype":"string","shape":[],"decode":{"raw":{"dtype":"int32","shape":[],"bitcast":"float32"}}}}`, "float32"},
		{"features", `{"fixed_len":{"dtype":"string","shape":[],"decode":{"raw":{"dtype":"complex64","shape":[0]}}}}`, "Llist<fixed_size_list<float32>[2]>"},
		{"features", `{"var_len":{"dtype":"string","decode":{"tensor_proto":{"dtype":"bfloat16","shape":[-1,13]}}}}`, "Llist<Llist<fixed_size_list<float32>[13]>>"},
	} {
		spec := parseSpec(t, `{"`+c.group+`":{"x":`+c.feature+`}}`)
		s, err := recordbatch.ForSpec(spec, nil)
		if err != nil {
			t.Errorf("%s: %v", c.feature, err)
			continue
		}
		f := s.Arrow().Field(0)
		if got := text(f.Type); got != c.want || f.Nullable || strings.Contains(f.Type.String(), "nullable") {
			t.Errorf("%s in %s:\ngot  %s\nwant %s", c.feature, c.group, got, c.want)
		}
		alone, _ := f.Metadata.GetValue(recordbatch.SpecKey)
		whole, _ := json.Marshal(spec)
		if md := s.Arrow().Metadata(); alone != string(whole) || md.Values()[0] != "1" || md.Values()[1] != alone {
			t.Errorf("metadata %v and %s, want %s", md, alone, whole)
		}
	}
	s, err := recordbatch.ForSpec(parseSpec(t, `{"context":{"a":{"var_len":{"dtype":"string"}},"b":{"var_len":{"dtype":"string"}}},"sequence":{"a":{"var_len":{"dtype":"int64"}}}}`),
		&recordbatch.Options{Text: []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"context/a: Llist<Lbinary>", "b: Llist<Lutf8>", "sequence/a: Llist<Llist<int64>>"} {
		if f := s.Arrow().Field(i); f.Name+": "+strings.Replace(text(f.Type), "Lstring", "Lutf8", 1) != want {
			t.Errorf("got %s: %s, want %s", f.Name, text(f.Type), want)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{`{"features":{"x":{"var_len":{"dtype":"string","decode":{"tensor_proto":{"shape":[]}}}}}}`, `column "x": unsupported column: want dtype and shape in the spec, as "shape":[-1,-1]`},
		{`{"features":{"b64:/w==":{"var_len":{"dtype":"string"}}}}`, `column "\xff": unsupported column: the name is not UTF-8`},
		{`{"context":{"a":{"var_len":{"dtype":"int64"}},"context/a":{"var_len":{"dtype":"int64"}}},"sequence":{"a":{"var_len":{"dtype":"int64"}}}}`, `column "context/a": unsupported column: two features have a column of this name`},
	} {
		if _, err := recordbatch.ForSpec(parseSpec(t, c.spec), nil); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestDecodedColumns checks the values of decoded strings of every dtype, and that they become the same strings.
func TestDecodedColumns(t *testing.T) {
	raw := func(option, value, want string) {
		t.Helper()
		spec := parseSpec(t, `{"features":{"n":{"fixed_len":{"dtype":"int64","shape":[]}},"x":{"var_len":{"dtype":"string","decode":{`+option+`}}}}}`)
		var in [][]byte
		for i := range 4 {
			in = append(in, encode(t, example.Example{"n": example.Int64s(2), "x": example.Strings([]string{value, value, value}[:i%3]...)}))
		}
		rec := convert(t, spec, nil, in...)
		if got := rec.Column(1).ValueStr(2); got != "["+want+","+want+"]" || rec.Column(1).ValueStr(0) != "[]" {
			t.Errorf("%s: got %s, want %s twice", option, got, want)
		}
		out, d, err := recordsOf(rec)
		if err != nil || d.Note() != "" {
			t.Fatalf("%s: %v %s", option, err, d.Note())
		}
		for i := range in {
			if !bytes.Equal(in[i], out[i]) {
				t.Errorf("%s: record %d is %q, want %q", option, i, out[i], in[i])
			}
		}
	}
	raw(`"raw":{"dtype":"int8","shape":[]}`, "\xff", "-1")
	raw(`"raw":{"dtype":"uint8","shape":["n",-1]}`, "\xff\x01\x02\x03", "[[255,1],[2,3]]")
	raw(`"raw":{"dtype":"int16"}`, "\x01\x00\xff\xff", "[1,-1]")
	raw(`"raw":{"dtype":"int16","big_endian":true}`, "\x00\x01\xff\xff", "[1,-1]")
	raw(`"raw":{"dtype":"uint16","shape":[2]}`, "\x01\x00\xff\xff", "[1,65535]")
	raw(`"raw":{"dtype":"int32","bitcast":"uint32"}`, "\xff\xff\xff\xff", "[4294967295]")
	raw(`"raw":{"dtype":"int64"}`, "\xff\xff\xff\xff\xff\xff\xff\xff", "[-1]")
	raw(`"raw":{"dtype":"bool"}`, "\x00\x01\x01\x00\x01\x01\x01\x01\x01", "[false,true,true,false,true,true,true,true,true]")
	raw(`"raw":{"dtype":"float16"}`, "\x00\x3c\x00\xbe", "[1,-1.5]")
	raw(`"raw":{"dtype":"bfloat16"}`, "\x80\x3f\xc0\xbf", "[1,-1.5]")
	raw(`"raw":{"dtype":"float32"}`, "\x00\x00\xc0\xbf", "[-1.5]")
	raw(`"raw":{"dtype":"float64"}`, "\x00\x00\x00\x00\x00\x00\xf8\xbf", "[-1.5]")
	raw(`"raw":{"dtype":"complex64"}`, "\x00\x00\x80\x3f\x00\x00\xc0\xbf", "[[1,-1.5]]")
	raw(`"raw":{"dtype":"complex64","big_endian":true}`, "\x3f\x80\x00\x00\xbf\xc0\x00\x00", "[[1,-1.5]]")
	raw(`"raw":{"dtype":"complex128"}`, "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\xf8\xbf", "[[1,-1.5]]")
	raw(`"raw":{"dtype":"uint8","shape":[0,3]}`, "", "[]")
	proto := func(dtype string, want string, v tensor.Tensor, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b, err := tensor.Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		raw(`"tensor_proto":{"dtype":"`+dtype+`","shape":[-1,2]}`, string(b), want)
	}
	tensorOf := func(v tensor.Tensor, err error) (tensor.Tensor, error) { return v, err }
	v, err := tensorOf(tensor.New([]uint64{1, math.MaxUint64}, 1, 2))
	proto("uint64", "[[1,18446744073709551615]]", v, err)
	v, err = tensorOf(tensor.New([]string{"a", "\xff"}, 1, 2))
	proto("string", `[["YQ==","/w=="]]`, v, err)
	v, err = tensorOf(tensor.New([]float64{}, 0, 2))
	proto("float64", "[]", v, err)
	proto("float8_e5m2", "[[1,-1.5],[0.000015258789,57344]]", tensor.Tensor{DType: tensor.Float8E5M2, Shape: tensor.Shape{2, 2}, Bytes: []byte{0x3c, 0xbe, 1, 0x7b}}, nil)
	proto("float8_e4m3fn", "[[1,-1.5],[0.001953125,448]]", tensor.Tensor{DType: tensor.Float8E4M3FN, Shape: tensor.Shape{2, 2}, Bytes: []byte{0x38, 0xbc, 1, 0x7e}}, nil)
	proto("bfloat16", "[[1,-1.5]]", tensor.Tensor{DType: tensor.BFloat16, Shape: tensor.Shape{1, 2}, Bytes: []byte{0x80, 0x3f, 0xc0, 0xbf}}, nil)
	proto("int4", "[[1,-2]]", tensor.Tensor{DType: tensor.Int4, Shape: tensor.Shape{1, 2}, Bytes: []byte{1, 0xfe}}, nil)
	proto("uint4", "[[1,15]]", tensor.Tensor{DType: tensor.Uint4, Shape: tensor.Shape{1, 2}, Bytes: []byte{1, 15}}, nil)
	proto("qint8", "[[1,-2]]", tensor.Tensor{DType: tensor.QInt8, Shape: tensor.Shape{1, 2}, Bytes: []byte{1, 0xfe}}, nil)
}

// TestUTF8 checks that text columns refuse other bytes, with the row.
func TestUTF8(t *testing.T) {
	spec := parseSpec(t, `{"features":{"x":{"ragged":{"dtype":"string","partitions":[{"row_lengths":"l"},{"uniform_row_length":2}]}},"y":{"var_len":{"dtype":"string"}}}}`)
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := p.NewBatch()
	for _, values := range [][]string{{"a", "b"}, {}, {"é", "ü", "c", "\xff"}} {
		err := b.Append(encode(t, example.Example{"x": example.Strings(values...), "l": example.Int64s(int64(len(values)) / 2), "y": example.Strings("é")}))
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := recordbatch.ForSpec(spec, &recordbatch.Options{Text: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.FromBatch(b)
	if want := `row 2: column "x": bad column data: the value is not UTF-8`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	other, err := feature.NewParser(feature.Spec{Features: feature.Features{"x": feature.VarLen{DType: feature.Int64}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.FromBatch(other.NewBatch()); !errors.Is(err, recordbatch.ErrType) {
		t.Errorf("a batch of another spec: %v", err)
	}
}

// parseArray makes an array of a type from JSON.
func parseArray(t testing.TB, dt arrow.DataType, text string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// batchOf returns a record batch of one column x.
func batchOf(a arrow.Array, md *arrow.Metadata) arrow.RecordBatch {
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType(), Nullable: true}}, md), []arrow.Array{a}, int64(a.Len()))
}

// TestTypes checks the records of columns without metadata.
func TestTypes(t *testing.T) {
	prim := arrow.PrimitiveTypes
	large := arrow.LargeListOf
	ints, floats := example.Int64s, example.Floats
	none := example.Example{}
	image := arrow.StructOf(arrow.Field{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true}, arrow.Field{Name: "path", Type: arrow.BinaryTypes.String, Nullable: true})
	x := func(v example.Value) example.Example { return example.Example{"x": v} }
	for _, c := range []struct {
		dt   arrow.DataType
		text string
		want []example.Example // or:
		err  string
	}{
		{prim.Int8, `[1,null,-1]`, []example.Example{x(ints(1)), none, x(ints(-1))}, ""},
		{prim.Int16, `[1]`, []example.Example{x(ints(1))}, ""},
		{prim.Int32, `[1]`, []example.Example{x(ints(1))}, ""},
		{prim.Int64, `[1]`, []example.Example{x(ints(1))}, ""},
		{prim.Uint8, `[200]`, []example.Example{x(ints(200))}, ""},
		{prim.Uint16, `[1]`, []example.Example{x(ints(1))}, ""},
		{prim.Uint32, `[4294967295]`, []example.Example{x(ints(4294967295))}, ""},
		{prim.Uint64, `[1,9223372036854775807]`, []example.Example{x(ints(1)), x(ints(math.MaxInt64))}, ""},
		{arrow.ListOf(prim.Uint64), `[[1],[],[2,9223372036854775808]]`, nil, `row 2: column "x": bad column data: 9223372036854775808 is beyond int64`},
		{arrow.FixedWidthTypes.Boolean, `[true,false]`, []example.Example{x(ints(1)), x(ints(0))}, ""},
		{arrow.Null, `[null,null]`, []example.Example{none, none}, ""},
		{arrow.FixedWidthTypes.Float16, `[1.5]`, []example.Example{x(floats(1.5))}, ""},
		{prim.Float32, `[1.5]`, []example.Example{x(floats(1.5))}, ""},
		{prim.Float64, `[0.1,null]`, []example.Example{x(floats(0.1)), none}, ""},
		{prim.Float64, `[1,1e300]`, nil, `row 1: column "x": bad column data: 1e+300 is beyond float32`},
		{arrow.BinaryTypes.String, `["a",null,""]`, []example.Example{x(example.Strings("a")), none, x(example.Strings(""))}, ""},
		{arrow.BinaryTypes.LargeBinary, `["YQ=="]`, []example.Example{x(example.Strings("a"))}, ""},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1}, `["YQ==","Yg=="]`, []example.Example{x(example.Strings("a")), x(example.Strings("b"))}, ""},
		{arrow.ListOf(prim.Int32), `[[1,2],null,[]]`, []example.Example{x(ints(1, 2)), none, x(ints())}, ""},
		{large(arrow.BinaryTypes.LargeString), `[["a","b"],null,[],["c"]]`, []example.Example{x(example.Strings("a", "b")), none, x(example.Strings()), x(example.Strings("c"))}, ""},
		{arrow.FixedSizeListOf(2, prim.Float32), `[[1,2],null,[3,4]]`, []example.Example{x(floats(1, 2)), none, x(floats(3, 4))}, ""},
		{large(arrow.FixedSizeListOf(2, prim.Int64)), `[[[1,2],[3,4]],[]]`, []example.Example{x(ints(1, 2, 3, 4)), x(ints())}, ""},
		{large(arrow.ListOf(prim.Int64)), `[[[1,2],[],[3]],null,[],[[]]]`, []example.Example{
			{"x": ints(1, 2, 3), "x/lengths_0": ints(2, 0, 1)}, none, {"x": ints(), "x/lengths_0": ints()}, {"x": ints(), "x/lengths_0": ints(0)}}, ""},
		{large(large(large(prim.Int64))), `[[[[1,2]],[]],[[[],[3]]]]`, []example.Example{
			{"x": ints(1, 2), "x/lengths_0": ints(1, 0), "x/lengths_1": ints(2)}, {"x": ints(3), "x/lengths_0": ints(2), "x/lengths_1": ints(0, 1)}}, ""},
		{arrow.StructOf(arrow.Field{Name: "a", Type: prim.Int64, Nullable: true}, arrow.Field{Name: "b", Type: large(prim.Float32), Nullable: true}),
			`[{"a":1,"b":[2]},null,{"a":null,"b":[]}]`, []example.Example{{"x/a": ints(1), "x/b": floats(2)}, none, {"x/b": floats()}}, ""},
		{large(prim.Int64), `[[1],[2,null]]`, nil, `row 1: column "x": bad column data: null inside a list`},
		{large(large(prim.Int64)), `[[[1]],[[2],null]]`, nil, `row 1: column "x": bad column data: null inside a list`},
		{arrow.ListOf(arrow.Null), `[[],[null]]`, nil, `row 1: column "x": bad column data: null inside a list`},
		{arrow.FixedWidthTypes.Date32, `[]`, nil, `column "x": unsupported column: no feature holds date32`},
		{arrow.ListOf(arrow.Null), `[[],null]`, []example.Example{x(example.Value{}), none}, ""},
		{large(arrow.ListOf(arrow.Null)), `[[[],[]]]`, []example.Example{{"x": example.Value{}, "x/lengths_0": ints(0, 0)}}, ""},
		{&arrow.DictionaryType{IndexType: prim.Int8, ValueType: arrow.BinaryTypes.String}, `["a","b",null,"a"]`,
			[]example.Example{x(example.Strings("a")), x(example.Strings("b")), none, x(example.Strings("a"))}, ""},
		{&arrow.DictionaryType{IndexType: prim.Uint32, ValueType: prim.Int32}, `[7,8]`, []example.Example{x(ints(7)), x(ints(8))}, ""},
		{&arrow.DictionaryType{IndexType: prim.Int16, ValueType: prim.Float64}, `[0.5]`, []example.Example{x(floats(0.5))}, ""},
		{&arrow.DictionaryType{IndexType: prim.Int16, ValueType: prim.Float64}, `[1e300]`, nil, `column "x": bad column data: 1e+300 is beyond float32`},
		{large(&arrow.DictionaryType{IndexType: prim.Int8, ValueType: arrow.BinaryTypes.String}), `[["a","b"],[],null,["b"]]`,
			[]example.Example{x(example.Strings("a", "b")), x(example.Strings()), none, x(example.Strings("b"))}, ""},
		{image, `[{"bytes":"YQ==","path":null},null,{"bytes":"Yg==","path":"b.png"},{"bytes":null,"path":null}]`,
			[]example.Example{x(example.Strings("a")), none, x(example.Strings("b")), none}, ""},
		{image, `[{"bytes":null,"path":"b.png"}]`, nil, `row 0: column "x": bad column data: want the bytes of the image, got only its path`},
		{large(image), `[[{"bytes":"YQ==","path":null}],null,[],[{"bytes":"YQ==","path":"a"},{"bytes":"Yg==","path":null}]]`,
			[]example.Example{x(example.Strings("a")), none, x(example.Strings()), x(example.Strings("a", "b"))}, ""},
		{arrow.StructOf(arrow.Field{Name: "a", Type: image, Nullable: true}), `[{"a":{"bytes":"YQ==","path":null}},null,{"a":null}]`, []example.Example{{"x/a": example.Strings("a")}, none, none}, ""},
		{arrow.StructOf(arrow.Field{Name: "path", Type: arrow.Null, Nullable: true}, arrow.Field{Name: "bytes", Type: arrow.BinaryTypes.LargeBinary, Nullable: true}),
			`[{"path":null,"bytes":"YQ=="}]`, []example.Example{x(example.Strings("a"))}, ""},
		{arrow.BinaryTypes.StringView, `["a",null,"","longer than a view"]`,
			[]example.Example{x(example.Strings("a")), none, x(example.Strings("")), x(example.Strings("longer than a view"))}, ""},
		{large(arrow.BinaryTypes.BinaryView), `[["YQ=="],null,["bG9uZ2VyIHRoYW4gYSB2aWV3","YQ=="]]`,
			[]example.Example{x(example.Strings("a")), none, x(example.Strings("longer than a view", "a"))}, ""},
		{arrow.ListViewOf(prim.Int64), `[]`, nil, `column "x": unsupported column: no feature holds list_view<item: int64, nullable>`},
		{arrow.ListOf(arrow.StructOf()), `[]`, nil, `column "x": unsupported column: no feature holds list<item: struct<>, nullable>`},
	} {
		rec := batchOf(parseArray(t, c.dt, c.text), nil)
		for _, cut := range []int64{0, 1} { // also a slice, whose offset is not 0
			got, d, err := recordsOf(rec.NewSlice(min(cut, rec.NumRows()), rec.NumRows()))
			switch {
			case c.err != "":
				if cut == 0 && (err == nil || err.Error() != c.err) {
					t.Errorf("%v %s:\ngot  %v\nwant %s", c.dt, c.text, err, c.err)
				}
			case err != nil || d.Message() != example.TypeExample:
				t.Errorf("%v %s: %v", c.dt, c.text, err)
			default:
				for i, e := range c.want[cut:] {
					if want := encode(t, e); i >= len(got) || !bytes.Equal(got[i], want) {
						t.Errorf("%v %s from %d, row %d:\ngot  %q\nwant %q", c.dt, c.text, cut, i, got, want)
						break
					}
				}
			}
		}
	}
}

// TestViews checks dictionaries of views, and views that point outside of their buffers.
func TestViews(t *testing.T) {
	const long = "longer than a view"
	keys := parseArray(t, arrow.PrimitiveTypes.Uint32, `[1,0,1]`)
	values := parseArray(t, arrow.BinaryTypes.StringView, `["a","`+long+`"]`)
	labels := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: keys.DataType(), ValueType: values.DataType()}, keys, values)
	got, _, err := recordsOf(batchOf(labels, nil))
	if want := encode(t, example.Example{"x": example.Strings(long)}); err != nil || len(got) != 3 || !bytes.Equal(got[0], want) || !bytes.Equal(got[2], want) {
		t.Errorf("got %q, %v", got, err)
	}
	for _, c := range []struct {
		length, buffer, offset int32
		want                   string
	}{
		{100, 0, 0, `row 1: column "x": bad column data: a string of 100 bytes at offset 0 in 20`},
		{13, 0, 8, `row 1: column "x": bad column data: a string of 13 bytes at offset 8 in 20`},
		{13, 0, -1, `row 1: column "x": bad column data: a string of 13 bytes at offset -1 in 20`},
		{13, 1, 0, `row 1: column "x": bad column data: a string of 13 bytes at offset 0 in 0`},
		{13, -3, 0, `row 1: column "x": bad column data: a string of 13 bytes at offset 0 in 0`},
		{-1, 0, 0, `row 1: column "x": bad column data: a string of -1 bytes at offset 0 in 20`},
	} {
		views := arrow.Int32Traits.CastToBytes([]int32{0, 0, 0, 0, c.length, 0, c.buffer, c.offset})
		data := array.NewData(arrow.BinaryTypes.StringView, 2, []*memory.Buffer{nil, memory.NewBufferBytes(views), memory.NewBufferBytes(make([]byte, 20))}, nil, 0, 0)
		if _, _, err := recordsOf(batchOf(array.MakeFromData(data), nil)); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestDamagedMetadata checks that a damaged spec is an error, and so is a damaged key of it.
func TestDamagedMetadata(t *testing.T) {
	rec := convert(t, parseSpec(t, `{"features":{"x":{"fixed_len":{"dtype":"int64","shape":[]}}}}`), nil, encode(t, example.Example{"x": example.Int64s(1)}))
	md := rec.Schema().Metadata()
	for _, c := range []struct{ from, to, want string }{
		{`{"features`, `["features`, "bad column data: metadata tfparse:spec: "},
		{"fixed_len", "fixed_lem", "bad column data: metadata tfparse:spec: "},
		{"tfparse:spec", "tfparse:spdc", `column "x": bad column data: the column has a spec, but the schema lacks tfparse:spec`},
	} {
		var keys, values []string
		for i, k := range md.Keys() {
			keys, values = append(keys, strings.Replace(k, c.from, c.to, 1)), append(values, strings.Replace(md.Values()[i], c.from, c.to, 1))
		}
		damaged := arrow.NewMetadata(keys, values)
		_, err := recordbatch.NewDecoder(arrow.NewSchema(rec.Schema().Fields(), &damaged))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, recordbatch.ErrData) {
			t.Errorf("%s: got %v, want %s", c.to, err, c.want)
		}
	}
}

// TestHint checks the metadata against the types: lists and strings of another size fit, other columns do not.
func TestHint(t *testing.T) {
	const spec = `{"features":{"x":{"ragged":{"dtype":"string","value_key":"v","partitions":[{"row_splits":"s"},{"uniform_row_length":2}]}},"y":{"var_len":{"dtype":"int64"}}}}`
	md := arrow.NewMetadata([]string{recordbatch.SpecKey}, []string{spec})
	list := arrow.ListOf
	text := list(list(list(arrow.BinaryTypes.String)))
	bySpec := example.Example{"v": example.Strings("a", "b"), "s": example.Int64s(0, 1)}
	for _, c := range []struct {
		dt         arrow.DataType
		text       string
		want       example.Example
		note, fail string
	}{
		{text, `[[[["a","b"]]]]`, bySpec, "", ""},
		{list(list(arrow.FixedSizeListOf(2, arrow.BinaryTypes.Binary))), `[[[["YQ==","Yg=="]]]]`, bySpec, "", ""},
		{arrow.LargeListOf(list(list(arrow.BinaryTypes.LargeString))), `[[[["a","b"]]]]`, bySpec, "", ""},
		{text, `[[[["a"]]]]`, nil, "", `column "x": feature "x": column does not fit the spec: want shape [rows, ragged, ragged, 2], got [rows, ragged, ragged, ragged], with a row of length 1 at axis 3`},
		{text, `[[[["a","b"]]],null]`, nil, "", `row 1: column "x": bad column data: want a value, got null`},
		{list(arrow.BinaryTypes.String), `[["a"]]`, example.Example{"x": example.Strings("a")}, "want list<list<list<binary>>>, got list<binary>", ""},
		{list(list(list(arrow.PrimitiveTypes.Int64))), `[[[[1]]]]`, example.Example{"x": example.Int64s(1), "x/lengths_0": example.Int64s(1), "x/lengths_1": example.Int64s(1)},
			"want list<list<list<binary>>>, got list<list<list<int64>>>", ""},
	} {
		got, d, err := recordsOf(batchOf(parseArray(t, c.dt, c.text), &md))
		switch {
		case !strings.Contains(d.Note(), c.note) || (c.note == "") != (d.Note() == ""):
			t.Errorf("%v: note %q, want %q", c.dt, d.Note(), c.note)
		case c.fail != "":
			if err == nil || err.Error() != c.fail {
				t.Errorf("%v: %v, want %s", c.dt, err, c.fail)
			}
		case err != nil || len(got) != 1 || !bytes.Equal(got[0], encode(t, c.want)):
			t.Errorf("%v: %q, want %v (%v)", c.dt, got, c.want, err)
		}
		if spec, ok := d.Spec(); ok != (c.note == "") || ok && len(spec.Features) != 1 {
			t.Errorf("%v: spec %v", c.dt, spec)
		}
	}
}

// TestHostile changes the buffers and children of arrays, as a broken file does: an error, never a panic.
func TestHostile(t *testing.T) {
	offsets := func(v ...int64) *memory.Buffer { return memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(v)) }
	ints := array.NewData(arrow.PrimitiveTypes.Int64, 3, []*memory.Buffer{nil, offsets(1, 2, 3)}, nil, 0, 0)
	list := arrow.LargeListOf(arrow.PrimitiveTypes.Int64)
	keys := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.PrimitiveTypes.Int64}
	data := func(dt arrow.DataType, n int, buffers []*memory.Buffer, children ...arrow.ArrayData) arrow.ArrayData {
		return array.NewData(dt, n, buffers, children, array.UnknownNullCount, 0)
	}
	for _, c := range []struct {
		data arrow.ArrayData
		want string
	}{
		{data(list, 2, []*memory.Buffer{nil, offsets(0, 3, 2)}, ints), "row 1: column \"x\": bad column data: offset 2 after 3"},
		{data(list, 2, []*memory.Buffer{nil, offsets(-1, 1, 2)}, ints), "offset -1 after 0"},
		{data(list, 2, []*memory.Buffer{nil, offsets(0, 1, 4)}, ints), "items 0 to 4 of 3"},
		{data(list, 2, []*memory.Buffer{nil, offsets(0, 1, math.MaxInt64)}, ints), "items 0 to 9223372036854775807 of 3"},
		{data(list, 2, []*memory.Buffer{nil, offsets(0, 1)}, ints), "16 bytes of offsets for 2 items"},
		{data(list, 2, []*memory.Buffer{nil, nil}, ints), "0 bytes of offsets for 2 items"},
		{data(list, 9, []*memory.Buffer{memory.NewBufferBytes([]byte{255}), offsets(0, 1)}, ints), "a bitmap of 1 bytes for 9 items"},
		{data(arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int64), 2, []*memory.Buffer{nil}, ints), "items 0 to 4 of 3"},
		{data(arrow.FixedSizeListOf(math.MaxInt32, arrow.PrimitiveTypes.Int64), math.MaxInt, []*memory.Buffer{nil}, ints), "lists of size"},
		{data(arrow.PrimitiveTypes.Int64, 4, []*memory.Buffer{nil, offsets(1, 2, 3)}), "24 bytes of values, want 4 of 64 bits"},
		{data(keys, 1, []*memory.Buffer{nil, offsets(0)}), "a column without its dictionary"},
		{array.NewDataWithDictionary(keys, 2, []*memory.Buffer{nil, offsets(0, 3)}, 0, 0, ints), "row 1: column \"x\": bad column data: no value 3 in a dictionary of 3"},
		{array.NewDataWithDictionary(keys, 1, []*memory.Buffer{nil, offsets(-1)}, 0, 0, ints), "no value -1 in a dictionary of 3"},
		{array.NewDataWithDictionary(keys, 2, []*memory.Buffer{nil, offsets(0)}, 0, 0, ints), "8 bytes of values, want 2 of 64 bits"},
		{data(arrow.BinaryTypes.LargeBinary, 1, []*memory.Buffer{nil, offsets(0, 9), memory.NewBufferBytes([]byte("abc"))}), "3 bytes of strings, offsets end at 9"},
	} {
		d, err := recordbatch.NewDecoder(arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.data.DataType(), Nullable: true}}, nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, err = range d.Records(brokenBatch{data: c.data}) {
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A brokenBatch is a record batch of one array that Arrow's constructors would refuse, or crash with.
type brokenBatch struct {
	arrow.RecordBatch
	data arrow.ArrayData
}

func (b brokenBatch) NumRows() int64         { return int64(b.data.Len()) }
func (b brokenBatch) Column(int) arrow.Array { return brokenArray{data: b.data} }

// A brokenArray is the array of a brokenBatch.
type brokenArray struct {
	arrow.Array
	data arrow.ArrayData
}

func (a brokenArray) Data() arrow.ArrayData { return a.data }
