package recordbatch_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tensor"
)

// rows returns the rows of a record batch as JSON.
func rows(t *testing.T, rec arrow.RecordBatch) string {
	t.Helper()
	text, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestImages checks columns of images: their type, their metadata for datasets, and the records of the way back.
func TestImages(t *testing.T) {
	const image = "struct<bytes: binary nullable, path: utf8 nullable>"
	records := [][]byte{
		encode(t, example.Example{"i": example.Strings("\x89PNG"), "many": example.Strings("a", "b"), "pair": example.Strings("c", "d"), "label": example.Int64s(1)}),
		encode(t, example.Example{"i": example.Strings(""), "pair": example.Strings("e", "f"), "label": example.Int64s(-1)}),
	}
	spec := parseSpec(t, `{"features":{"i":{"fixed_len":{"dtype":"string","shape":[]}},"many":{"var_len":{"dtype":"string"}},"pair":{"fixed_len":{"dtype":"string","shape":[2]}},
		"label":{"fixed_len":{"dtype":"int64","shape":[]}}}}`)
	opts := &recordbatch.Options{Images: []string{"i", "many", "pair"}, Text: []string{"i"}, Labels: map[string][]string{"label": {"cat", "dög"}}}
	rec := convert(t, spec, opts, records...)
	const want = `[{"i":{"bytes":"iVBORw==","path":null},"label":1,"many":[{"bytes":"YQ==","path":null},{"bytes":"Yg==","path":null}],"pair":[{"bytes":"Yw==","path":null},{"bytes":"ZA==","path":null}]},{"i":{"bytes":"","path":null},"label":-1,"many":[],"pair":[{"bytes":"ZQ==","path":null},{"bytes":"Zg==","path":null}]}]`
	if got := rows(t, rec); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	md := rec.Schema().Metadata()
	if got, _ := md.GetValue("huggingface"); got != `{"info":{"features":{"i":{"_type":"Image"},"label":{"_type":"ClassLabel","names":["cat","dög"]},`+
		`"many":{"_type":"LargeList","feature":{"_type":"Image"}},"pair":{"_type":"List","feature":{"_type":"Image"},"length":2}}}}` {
		t.Error(got)
	}
	for _, f := range rec.Schema().Fields() {
		if !f.Nullable { // datasets ignores the metadata of other fields
			t.Errorf("%s is not nullable", f.Name)
		}
	}
	back, d, err := recordsOf(rec)
	if err != nil || d.Note() != "" || len(back) != 2 || rows(t, convert(t, spec, opts, back...)) != want {
		t.Errorf("back: %q %v %s", back, err, d.Note())
	}

	kinds := recordbatch.Kinds{"i": {Kind: example.BytesList}, "label": {Kind: example.Int64List}}
	s, err := recordbatch.ForKinds(kinds, &recordbatch.Options{Images: []string{"i"}, IgnoreOthers: true})
	if err != nil {
		t.Fatal(err)
	}
	rec, err = s.FromRecords([][]byte{records[0], encode(t, example.Example{"label": example.Int64s(7)}), encode(t, example.Example{"i": example.Strings()})})
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(t, rec); got != `[{"i":{"bytes":"iVBORw==","path":null},"label":[1]},{"i":null,"label":[7]},{"i":null,"label":null}]` {
		t.Error(got)
	}
	if got := rec.Schema().Field(0).Type.String(); got != image {
		t.Error(got)
	}
	if _, err := s.FromRecords([][]byte{records[0], encode(t, example.Example{"i": example.Strings("a", "b")})}); err == nil || err.Error() != `row 1: column "i": bad column data: want 1 image, got 2` {
		t.Error(err)
	}
	sparse := parseSpec(t, `{"features":{"i":{"sparse":{"dtype":"string","index_key":"k","value_key":"v","size":3}}}}`)
	if _, err := recordbatch.ForSpec(sparse, opts); err == nil || err.Error() != `column "i": unsupported column: a sparse feature cannot be images` {
		t.Error(err)
	}
}

// TestLabels checks names of classes, bools and uint64, and that the records of the way back parse to the same columns.
func TestLabels(t *testing.T) {
	spec := parseSpec(t, `{"features":{"c":{"ragged":{"dtype":"int64","value_key":"c","partitions":[]}},"b":{"var_len":{"dtype":"int64"}},"u":{"fixed_len":{"dtype":"int64","shape":[]}}}}`)
	opts := &recordbatch.Options{Labels: map[string][]string{"c": {"cat", "dog"}}, LabelNames: true, DTypes: map[string]tensor.DType{"b": tensor.Bool, "u": tensor.Uint64}}
	record := encode(t, example.Example{"c": example.Int64s(1, 0, -1, 2), "b": example.Int64s(0, 1, 1, 0, 0, 0, 0, 0, 1), "u": example.Int64s(-1)})
	rec := convert(t, spec, opts, record)
	if got := rows(t, rec); got != `[{"b":[false,true,true,false,false,false,false,false,true],"c":["dog","cat","-1","2"],"u":18446744073709551615}]` {
		t.Error(got)
	}
	want := encode(t, example.Example{"c": example.Strings("dog", "cat", "-1", "2"), "b": example.Int64s(0, 1, 1, 0, 0, 0, 0, 0, 1), "u": example.Int64s(-1)})
	back, d, err := recordsOf(rec)
	if err != nil || d.Note() != "" || len(back) != 1 || !bytes.Equal(back[0], want) {
		t.Errorf("back: %q %v %s", back, err, d.Note())
	}
	if _, ok := rec.Schema().Metadata().GetValue("huggingface"); ok {
		t.Error("metadata of names")
	}
	opts.Labels["c"][0] = "\xff"
	if _, err := recordbatch.ForSpec(spec, opts); err == nil || !strings.Contains(err.Error(), `the label "\xff" is not UTF-8`) {
		t.Error(err)
	}
}
