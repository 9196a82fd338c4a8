package raggedjson

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tfrecord"
)

// batchOf makes a batch from lines.
func batchOf(t testing.TB, p *feature.Parser, lines ...string) *feature.Batch {
	t.Helper()
	r := NewReader(p)
	for _, line := range lines {
		if err := r.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := r.Batch()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const ranking = `{"context":{"q":{"var_len":{"dtype":"string"}},"m":{"fixed_len_sequence":{"dtype":"int64","shape":[2],"default":-1}}},
	"examples":{"n":{"fixed_len":{"dtype":"int64","shape":[2],"default":[0,0]}},"f":{"fixed_len_sequence":{"dtype":"float32","shape":[],"default":0.5}},
	"v":{"var_len":{"dtype":"string"}},"s":{"sparse":{"index_key":["i","j"],"value_key":"w","dtype":"int64","size":[9,9]}},
	"r":{"ragged":{"dtype":"int64","value_key":"x","partitions":[{"row_lengths":"y"},{"uniform_row_length":2},{"row_lengths":"z"}]}}}}`

// The vectors have no lists of examples. So their tensors are compared with those of the library, which can print
// themselves.
func TestBatchOfLists(t *testing.T) {
	p := newParser(t, ranking)
	b := batchOf(t, p,
		`{"context":{"q":["a"],"m":[[1,2]]},"examples":[{"n":[1,2],"f":[1,2,3],"v":["x","y"]},{},{"s":{"indices":[[3,4],[5,6]],"values":[7,8]},"r":[[],[[[1],[2,3]]]]}]}`,
		`{"examples":[]}`,
		`{"context":{"q":["b","c","d"],"m":[[3,4],[5,6]]},"examples":[{"f":[4],"v":["z"],"s":{"indices":[[8,0]],"values":[9]}}]}`)
	want := `{"rows":3`
	for _, g := range []feature.Group{feature.InContext, feature.InExamples} {
		want += `,"` + g.String() + `":{`
		sep := ""
		for name, c := range b.Columns().In(g).All() {
			want += sep + strconv.Quote(name) + ":" + tensorJSON(c)
			sep = ","
		}
		want += "}"
	}
	want += "}"
	printer := NewPrinter(p, nil)
	printer.Load(b)
	got, err := printer.AppendBatch(nil, nil)
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if !strings.Contains(want, `[0,3,3,4]`) || !strings.Contains(want, `"dense_shape":[3,3,9,9]`) || !strings.Contains(want, `[4,3],"values":[1.0,2.0,3.0,0.5`) {
		t.Errorf("this is not what it should be: %s", want)
	}
}

// tensorJSON converts a column to a tensor and prints that.
func tensorJSON(c feature.Column) string {
	if c.Form() == feature.SparseForm {
		switch c.DType() {
		case feature.Int64:
			return sparseJSON[int64](c)
		default:
			return sparseJSON[string](c)
		}
	}
	switch c.DType() {
	case feature.Int64:
		x, _ := feature.TensorOf[int64](c)
		return string(x.AppendJSON(nil, func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }))
	case feature.Float32:
		x, _ := feature.TensorOf[float32](c)
		return string(x.AppendJSON(nil, func(dst []byte, v float32) []byte { return fmt.Appendf(dst, "%.1f", v) }))
	}
	x, _ := feature.TensorOf[string](c)
	return string(x.AppendJSON(nil, func(dst []byte, v string) []byte { return strconv.AppendQuote(dst, v) }))
}

func sparseJSON[T feature.Element](c feature.Column) string {
	s, _ := feature.SparseOf[T](c)
	list := func(n int, each func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, each(i))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	ints := func(v []int64) string {
		return list(len(v), func(i int) string { return fmt.Sprint(v[i]) })
	}
	values := ragged.Vector(s.Values...).AppendNested(nil, func(dst []byte, v T) []byte {
		return fmt.Appendf(dst, map[bool]string{true: "%q", false: "%v"}[c.DType() == feature.String], v)
	})
	return fmt.Sprintf(`{"sparse":{"indices":%s,"dense_shape":%s,"dtype":"%s","values":%s}}`,
		list(len(s.Values), func(i int) string { return ints(s.Index(i)) }), ints(s.Shape), c.DType(), values)
}

// Values have the forms of Record JSON. Splits and indices are always numbers.
func TestForms(t *testing.T) {
	p := newParser(t, `{"context":{"b":{"fixed_len":{"dtype":"string","shape":[]}}},
		"sequence":{"i":{"fixed_len_sequence":{"dtype":"int64","shape":[]}},"v":{"var_len":{"dtype":"int64"}},"f":{"ragged":{"dtype":"float32"}}}}`)
	b := batchOf(t, p, `{"context":{"b":"ü"},"sequence":{"i":[1,2],"v":[[],[3]],"f":[["NaN","-Infinity"]]}}`,
		`{"context":{"b":{"b64":"/w=="}},"sequence":{"i":[4],"v":[]}}`)
	opts := &recordjson.Options{Bytes: recordjson.BytesHex, Int64: recordjson.Int64String, NaN: recordjson.NaNNull, Position: true}
	printer := NewPrinter(p, opts)
	printer.Load(b)
	at := []tfrecord.Position{{Name: "x", Record: 3, Offset: 4}, {Name: "y", Record: 5, Offset: 6}}
	got, err := printer.AppendRow([]byte("> "), 0, at[0])
	want := `> {"_file":"x","_record":3,"_offset":4,"context":{"b":{"hex":"c3bc"}},"sequence":{"f":[[null,null]],"i":["1","2"],"v":[[],["3"]]}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	got, err = printer.AppendBatch([]byte("> "), at)
	want = `> {"_file":["x","y"],"_record":[3,5],"_offset":[4,6],"rows":2,"context":{"b":{"dense":{"dtype":"string","shape":[2],"values":[{"hex":"c3bc"},{"hex":"ff"}]}}},` +
		`"sequence":{"f":{"ragged":{"partitions":[{"row_splits":[0,1,1]},{"row_splits":[0,2]}],"flat_values":{"dtype":"float32","shape":[2],"values":[null,null]}}},` +
		`"i":{"dense":{"dtype":"int64","shape":[2,2],"values":["1","2","4","0"]}},"v":{"sparse":{"indices":[[0,1,0]],"dense_shape":[2,2,1],"dtype":"int64","values":["3"]}}},` +
		`"lengths":{"i":{"dense":{"dtype":"int64","shape":[2],"values":[2,1]}}}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// A value that the options refuse is an error with its place, and nothing is appended.
func TestRefusedValues(t *testing.T) {
	const sequence = `{"context":{"c":{"ragged":{"dtype":"float32","partitions":[{"row_lengths":"l"}]}}},"sequence":{"s":{"ragged":{"dtype":"string"}}}}`
	for _, c := range []struct{ spec, line, want string }{
		{`{"features":{"a":{"fixed_len":{"dtype":"float32","shape":[2]}}}}`, `{"a":[1,"NaN"]}`, `feature "a": value 1: value is not a finite number`},
		{`{"features":{"a":{"var_len":{"dtype":"string"}}}}`, `{"a":["x",{"hex":"ff"}]}`, `feature "a": value 1: value is not UTF-8`},
		{sequence, `{"context":{"c":[[1],[2,"Infinity"]]}}`, `context: feature "c": value 2: value is not a finite number`},
		{sequence, `{"sequence":{"s":[["x"],[],[{"hex":"ff"}]]}}`, `sequence: feature "s": value 1: value is not UTF-8`},
		{ranking, `{"examples":[{},{"v":["x",{"hex":"ff"}]}]}`, `examples[1]: feature "v": value 1: value is not UTF-8`},
	} {
		p := newParser(t, c.spec)
		printer := NewPrinter(p, &recordjson.Options{Bytes: recordjson.BytesUTF8, NaN: recordjson.NaNError})
		printer.Load(batchOf(t, p, strings.NewReplacer(`"NaN"`, "3", `"Infinity"`, "3", `{"hex":"ff"}`, `"y"`).Replace(c.line), c.line))
		if got, err := printer.AppendRow([]byte("x"), 0, tfrecord.Position{}); err != nil || len(got) < 3 {
			t.Errorf("%s: the row before: %s, %v", c.line, got, err)
		}
		got, err := printer.AppendRow([]byte("x"), 1, tfrecord.Position{})
		var e *recordjson.Error
		if string(got) != "x" || !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.line, got, err, c.want)
		}
		if got, err := printer.AppendBatch([]byte("x"), nil); string(got) != "x" || !errors.As(err, &e) {
			t.Errorf("%s: as a batch: %s, %v", c.line, got, err)
		}
	}
}

// Padding that cannot be printed is an error even before a row needs padding.
func TestValidateBatch(t *testing.T) {
	for _, c := range []struct{ kind, want string }{
		{`"dtype":"float32","shape":[],"default":"NaN"`, `feature "a": value is not a finite number`},
		{`"dtype":"string","shape":[],"default":{"b64":"/w=="}`, `feature "a": value is not UTF-8`},
		{`"dtype":"string","shape":[]`, `<nil>`},
		{`"dtype":"int64","shape":[],"default":3`, `<nil>`},
	} {
		p := newParser(t, `{"features":{"a":{"fixed_len_sequence":{`+c.kind+`}}}}`)
		err := NewPrinter(p, &recordjson.Options{Bytes: recordjson.BytesUTF8, NaN: recordjson.NaNError}).ValidateBatch()
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s: got %s, want %s", c.kind, got, c.want)
		}
		if err := NewPrinter(p, nil).ValidateBatch(); err != nil {
			t.Errorf("%s: by default: %v", c.kind, err)
		}
	}
}

// All printers share the default of a spec, so they must not append to it.
func TestPaddingIsNotShared(t *testing.T) {
	ints := []int64{5, 7, 7}
	spec := feature.Spec{Features: feature.Features{"a": feature.FixedLenSequence{DType: feature.Int64, Default: example.Int64s(ints[:1]...)}}}
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	long, err := example.Example{"a": example.Int64s(1, 2, 3)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Parse(nil, long)
	if err != nil {
		t.Fatal(err)
	}
	NewPrinter(p, nil)
	if tensor, err := feature.ColumnOf[int64](b.Columns(), "a"); err != nil || !slices.Equal(tensor.Values(), []int64{5, 5, 5, 1, 2, 3}) {
		t.Errorf("%v, %v", tensor, err)
	}
	if !slices.Equal(ints, []int64{5, 7, 7}) {
		t.Errorf("the memory behind the default was written to: %v", ints)
	}
}

// trips returns a spec and typical records of a service. Their text is ASCII, or has other characters.
func trips(t testing.TB, n int) (*feature.Parser, [][]byte) {
	p := newParser(t, `{"features":{
		"fare":{"fixed_len":{"dtype":"float32","shape":[]}},"company":{"fixed_len":{"dtype":"string","shape":[],"default":""}},
		"start":{"fixed_len":{"dtype":"int64","shape":[]}},"where":{"fixed_len_sequence":{"dtype":"float32","shape":[2]}},
		"tags":{"var_len":{"dtype":"string"}},"bag":{"sparse":{"index_key":"ix","value_key":"val","dtype":"float32","size":1000}},
		"legs":{"ragged":{"dtype":"int64","value_key":"legs/v","partitions":[{"row_lengths":"legs/n"},{"row_splits":"legs/s"}]}}}}`)
	var records [][]byte
	for i := range n {
		x := float32(i)
		m, err := example.Example{
			"fare": example.Floats(x * 1.37), "company": example.Strings([]string{"Blue", "Grün & Söhne", ""}[i%3]), "start": example.Int64s(int64(1500000000 + 977*i)),
			"where": example.Floats(41+x/999, -87-x/777, float32(math.Sin(float64(i))), x), "tags": example.Strings("night", "airport", "x"),
			"ix": example.Int64s(int64(i%1000), int64((i+9)%1000)), "val": example.Floats(x/7, x*x),
			"legs/v": example.Int64s(1, 22, 333, int64(i), -5, 1<<40), "legs/n": example.Int64s(2, 0, 1), "legs/s": example.Int64s(0, 1, 4, 6),
		}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, m)
	}
	return p, records
}

// After its memory has grown, printing a row allocates nothing, in every form.
func TestPrinterAllocs(t *testing.T) {
	p, records := trips(t, 500)
	b := p.NewBatch()
	printer := NewPrinter(p, nil)
	var text []byte
	each := func(print func()) func() {
		return func() {
			b.Reset()
			for _, r := range records {
				if err := b.Append(r); err != nil {
					t.Fatal(err)
				}
			}
			printer.Load(b)
			text = text[:0]
			print()
		}
	}
	rows := each(func() {
		for i := range b.Len() {
			text, _ = printer.AppendRow(text, i, tfrecord.Position{})
		}
	})
	batch := each(func() { text, _ = printer.AppendBatch(text, nil) })
	for name, f := range map[string]func(){"rows": rows, "batch": batch} {
		f()
		f()
		if n := testing.AllocsPerRun(10, f); n > 20 {
			t.Errorf("%s: %v allocations for %d records", name, n, len(records))
		}
	}
}

// BenchmarkPrint measures parsing and printing, in bytes of records.
func BenchmarkPrint(b *testing.B) {
	p, records := trips(b, 500)
	size := int64(0)
	for _, r := range records {
		size += int64(len(r))
	}
	printer := NewPrinter(p, nil)
	batch := p.NewBatch()
	var text []byte
	for _, form := range []string{"parse", "rows", "batch"} {
		b.Run("form="+form, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				batch.Reset()
				for _, r := range records {
					if err := batch.Append(r); err != nil {
						b.Fatal(err)
					}
				}
				text = text[:0]
				printer.Load(batch)
				switch form {
				case "rows":
					for i := range batch.Len() {
						text, _ = printer.AppendRow(text, i, tfrecord.Position{})
					}
				case "batch":
					text, _ = printer.AppendBatch(text, nil)
				}
			}
		})
	}
}

// TestDecodedStrings prints rows and batches of decoded strings in every dtype.
func TestDecodedStrings(t *testing.T) {
	for _, c := range []struct{ option, value, want string }{
		{`{"raw":{"dtype":"int16","shape":[-1,2]}}`, "\x01\x00\xff\xff\x00\x80\xff\x7f", `[[1,-1],[-32768,32767]]`},
		{`{"raw":{"dtype":"uint8"}}`, "\x00\xff", `[0,255]`},
		{`{"raw":{"dtype":"int8"}}`, "\x00\xff", `[0,-1]`},
		{`{"raw":{"dtype":"uint16"}}`, "\xff\xff", `[65535]`},
		{`{"raw":{"dtype":"int32","big_endian":true}}`, "\xff\xff\xff\xfe", `[-2]`},
		{`{"raw":{"dtype":"int32","bitcast":"uint32"}}`, "\xff\xff\xff\xff", `[4294967295]`},
		{`{"raw":{"dtype":"int64","shape":[]}}`, "\xff\xff\xff\xff\xff\xff\xff\x7f", `9223372036854775807`},
		{`{"raw":{"dtype":"int64","bitcast":"uint64"}}`, "\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00", `[18446744073709551615,1]`},
		{`{"raw":{"dtype":"float16"}}`, "\x66\x2e\xff\x7b\x01\x00\x00\x80\x00\x7e\x00\xfc", `[0.1,65500.0,6e-08,-0.0,"NaN","-Infinity"]`},
		{`{"raw":{"dtype":"bfloat16"}}`, "\xcd\x3d\x49\x40\x7f\x7f", `[0.1,3.14,3.39e+38]`},
		{`{"raw":{"dtype":"float32"}}`, "\xcd\xcc\xcc\x3d", `[0.1]`},
		{`{"raw":{"dtype":"float64"}}`, "\x9a\x99\x99\x99\x99\x99\xb9\x3f", `[0.1]`},
		{`{"raw":{"dtype":"complex64"}}`, "\x00\x00\x80\x3f\x00\x00\x00\xc0", `[[1.0,-2.0]]`},
		{`{"raw":{"dtype":"bool"}}`, "\x00\x01\x02", `[false,true,true]`},
		{`{"raw":{"dtype":"int16","shape":[2,0,3]}}`, "", `[[],[]]`},
		{`{"tensor_proto":{}}`, "\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x01\xff", `["a",{"b64":"/w=="}]`},
		{`{"tensor_proto":{"dtype":"int4"}}`, "\x08\x1d\x12\x04\x12\x02\x08\x02\x22\x02\x07\xf8", `[7,-8]`},
		{`{"tensor_proto":{"dtype":"float8_e4m3fn"}}`, "\x08\x19\x12\x04\x12\x02\x08\x02\x22\x02\x40\x7b", `[2.0,350.0]`},
		{`{"tensor_proto":{"dtype":"float32","shape":[]}}`, "\x08\x01\x2d\x00\x00\x80\x3f", `1.0`},
	} {
		p := newParser(t, `{"features":{"x":{"fixed_len":{"dtype":"string","shape":[],"decode":`+c.option+`}}}}`)
		var b example.Builder
		b.AddStrings("x", c.value)
		record, err := b.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := p.Parse(record, record)
		if err != nil {
			t.Errorf("%s: %v", c.option, err)
			continue
		}
		printer := NewPrinter(p, nil)
		printer.Load(batch)
		if row, err := printer.AppendRow(nil, 1, tfrecord.Position{}); err != nil || string(row) != `{"x":`+c.want+`}` {
			t.Errorf("%s: %s, %v; want %s", c.option, row, err, c.want)
		}
	}
}

// TestDecodedBatch prints rows of unequal shapes, and refuses values and shapes.
func TestDecodedBatch(t *testing.T) {
	p := newParser(t, `{"features":{"n":{"fixed_len":{"dtype":"int64","shape":[]}},"x":{"var_len":{"dtype":"string","decode":{"raw":{"dtype":"float32","shape":["n"]}}}}}}`)
	record := func(n int64, values ...string) []byte {
		var b example.Builder
		b.Add("n", example.Int64s(n))
		b.AddStrings("x", values...)
		return must(b.AppendBinary(nil))
	}
	batch := must(p.Parse(record(1, "\x00\x00\x80\x3f", "\x00\x00\xc0\x7f"), record(-1), record(1<<40)))
	for _, c := range []struct {
		opts *recordjson.Options
		row  int
		want string
	}{
		{nil, 0, `{"n":1,"x":[[1.0],["NaN"]]}`},
		{nil, 1, `{"n":-1,"x":[]}`},
		{nil, 2, `{"n":1099511627776,"x":[]}`},
		{&recordjson.Options{NaN: recordjson.NaNError}, 0, `feature "x": value 1: value is not a finite number`},
	} {
		printer := NewPrinter(p, c.opts)
		printer.Load(batch)
		row, err := printer.AppendRow(nil, c.row, tfrecord.Position{})
		if got := string(row); got != c.want && (err == nil || err.Error() != c.want) {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
	printer := NewPrinter(p, nil)
	printer.Load(batch)
	want := `{"rows":3,"columns":{"n":{"dense":{"dtype":"int64","shape":[3],"values":[1,-1,1099511627776]}},"x":{"list":[{"dense":{"dtype":"float32","shape":[2,1],"values":[1.0,"NaN"]}},` +
		`{"dense":{"dtype":"float32","shape":[0,1],"values":[]}},{"dense":{"dtype":"float32","shape":[0,1099511627776],"values":[]}}]}}}`
	if got, err := printer.AppendBatch(nil, nil); err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	p = newParser(t, `{"features":{"x":{"fixed_len":{"dtype":"string","shape":[],"decode":{"raw":{"dtype":"int8","shape":[1099511627776,0]}}}}}}`)
	var b example.Builder
	b.AddStrings("x", "")
	printer = NewPrinter(p, nil)
	printer.Load(must(p.Parse(must(b.AppendBinary(nil)))))
	if got, err := printer.AppendRow(nil, 0, tfrecord.Position{}); err == nil || err.Error() != `feature "x": shape [1099511627776, 0] prints as more than 1048576 empty lists` {
		t.Errorf("%s, %v", got, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
