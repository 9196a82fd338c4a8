package parquetfile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestFiles writes the records of files that TensorFlow wrote in all formats, with a spec and without, and compares
// what comes back with their canonical form. So digests are equal, unless a record has a feature without kind.
func TestFiles(t *testing.T) {
	for _, c := range []struct{ file, spec string }{
		{"recipes.tfrecord", ""}, {"recipes.tfrecord", "recipes.spec.json"}, {"sessions.tfrecord", "sessions.spec.json"}, {"ranking.tfrecord", "ranking.spec.json"},
	} {
		file, err := tfrecord.Open("../../testdata/"+c.file, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var records, want [][]byte
		for record, err := range file.All() {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, bytes.Clone(record))
		}
		var s *recordbatch.Schema
		var rec arrow.RecordBatch
		if c.spec == "" {
			kinds := recordbatch.Kinds{}
			for _, r := range records {
				if err := kinds.Add(r); err != nil {
					t.Fatal(err)
				}
				var e example.Example
				if err := e.UnmarshalBinary(r); err != nil {
					t.Fatal(err)
				}
				for name, v := range e {
					if v.Kind() == example.Unset { // a column has no difference between it and an absent feature
						delete(e, name)
					}
				}
				canonical, err := e.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, canonical)
			}
			if s, err = recordbatch.ForKinds(kinds, nil); err != nil {
				t.Fatal(err)
			}
			rec, err = s.FromRecords(records)
		} else {
			var spec feature.Spec
			text, readErr := os.ReadFile("../../testdata/" + c.spec)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if err := json.Unmarshal(text, &spec); err != nil {
				t.Fatal(err)
			}
			p, parserErr := feature.NewParser(spec, nil)
			if parserErr != nil {
				t.Fatal(parserErr)
			}
			b, parseErr := p.Parse(records...)
			if parseErr != nil {
				t.Fatal(parseErr)
			}
			if want, err = b.Encode(); err != nil {
				t.Fatal(err)
			}
			if s, err = recordbatch.ForSpec(spec, &recordbatch.Options{Text: textColumns(b)}); err != nil {
				t.Fatal(err)
			}
			rec, err = s.FromBatch(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range formats {
			var out bytes.Buffer
			if err := f.write(&out, s.Arrow(), []arrow.RecordBatch{rec}); err != nil {
				t.Fatal(err)
			}
			got, note, err := recordsOf(f, out.Bytes())
			if err != nil || note != "" {
				t.Fatalf("%s, %s: %v %s", c.file, f.name, err, note)
			}
			compareRecords(t, got, want)
		}
	}
}

// textColumns returns the string features of a batch whose values are all UTF-8.
func textColumns(b *feature.Batch) []string {
	var names []string
	for name, c := range b.Columns().All() {
		values, ok := feature.FlatOf[string](c.Ragged())
		if ok && len(values) > 0 && feature.DecodeOf(c.Spec()) == nil && !slices.ContainsFunc(values, func(s string) bool { return !utf8.ValidString(s) }) {
			names = append(names, name)
		}
	}
	return names
}
