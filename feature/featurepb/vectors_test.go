package featurepb_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// vectors reads the output of testdata/make/schema.py.
func vectors(t testing.TB, name string) []*testkit.Case {
	t.Helper()
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	f, err := testkit.ReadVectors(filepath.Join(root, "testdata", "spec", name))
	if err != nil {
		t.Fatal(err)
	}
	return f.Cases
}

// member returns a string member of a case, or "" if it is missing.
func member(t testing.TB, c *testkit.Case, name string) (s string) {
	t.Helper()
	if c.Has(name) {
		if err := c.Decode(name, &s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// normal returns a spec in the form that readers of protos return.
func normal(s feature.Spec) feature.Spec {
	for _, fs := range s.Groups() {
		for name, f := range fs {
			switch f := f.(type) {
			case feature.Ragged:
				if f.ValueKey == name {
					f.ValueKey = ""
				}
				f.Partitions = slices.Clip(f.Partitions)
				if len(f.Partitions) == 0 {
					f.Partitions = nil
				}
				fs[name] = f
			case feature.FixedLen:
				if len(f.Shape) == 0 {
					f.Shape = nil
				}
				fs[name] = f
			case feature.FixedLenSequence:
				if len(f.Shape) == 0 {
					f.Shape = nil
				}
				if _, ok := s.Features[name]; ok {
					f.AllowMissing = true // always true in features
				}
				fs[name] = f
			}
		}
	}
	return s
}

// outcome compares the result of a reader with the one that a case requires.
func outcome(t *testing.T, c *testkit.Case, got feature.Spec, err error) {
	t.Helper()
	w := c.Want()
	switch {
	case w.Fail && err == nil:
		b, _ := got.MarshalJSON()
		t.Errorf("want an error (%s), got %s", w.Error, b)
		return
	case w.Fail:
		return
	case err != nil:
		t.Errorf("unexpected error: %v\nwant %s", err, w.Expect)
		return
	}
	var want feature.Spec
	if err := json.Unmarshal(w.Expect, &want); err != nil {
		t.Fatalf("%s: %v", w.Expect, err)
	}
	if d := cmp.Diff(normal(want), normal(got)); d != "" {
		t.Error(d)
	}
}

// Every schema gives the same spec as in tfx_bsl.
func TestSchemaVectors(t *testing.T) {
	for _, name := range []string{"schema.jsonl.gz", "written.jsonl.gz"} {
		for _, c := range vectors(t, name) {
			t.Run(c.Name, func(t *testing.T) {
				got, err := featurepb.FromSchema([]byte(member(t, c, "schema")))
				outcome(t, c, got, err)
			})
		}
	}
}

// Every parser configuration, as text and in binary form, gives the features from which TensorFlow made it.
func TestParserConfigVectors(t *testing.T) {
	for _, c := range vectors(t, "parser_config.jsonl.gz") {
		t.Run(c.Name, func(t *testing.T) {
			got, err := featurepb.FromParserConfig([]byte(member(t, c, "text")))
			outcome(t, c, got, err)
			if !c.Has("binary") {
				return
			}
			var b []byte
			if err := c.Decode("binary", &b); err != nil {
				t.Fatal(err)
			}
			got, err = featurepb.FromParserConfig(b)
			outcome(t, c, got, err)
		})
	}
}
