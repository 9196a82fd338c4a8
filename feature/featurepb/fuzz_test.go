package featurepb_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
)

// check tests a spec that was read: it must be valid, and equal after writing it to a schema and reading that, if a
// schema can represent it.
func check(t *testing.T, spec feature.Spec) {
	t.Helper()
	if _, err := feature.NewParser(spec, nil); err != nil {
		t.Fatalf("a spec that makes no sense: %v", err)
	}
	text, err := featurepb.ToSchema(spec)
	if err != nil {
		return // a schema cannot represent it
	}
	again, err := featurepb.FromSchema(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	same := cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b })
	if d := cmp.Diff(spec, again, same); d != "" {
		t.Fatalf("%s\n%s", d, text)
	}
}

func FuzzFromSchema(f *testing.F) {
	for i, c := range vectors(f, "schema.jsonl.gz") {
		if i%3 == 0 {
			f.Add([]byte(member(f, c, "schema")))
		}
	}
	f.Add([]byte("\x0a\x05\x0a\x01a\x30\x02"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if spec, err := featurepb.FromSchema(b); err == nil {
			check(t, spec)
		}
	})
}

func FuzzFromParserConfig(f *testing.F) {
	for i, c := range vectors(f, "parser_config.jsonl.gz") {
		if i%3 == 0 || c.Tagged("default") {
			f.Add([]byte(member(f, c, "text")))
		}
		if c.Has("binary") && i%3 == 1 {
			var b []byte
			if err := c.Decode("binary", &b); err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if spec, err := featurepb.FromParserConfig(b); err == nil {
			check(t, spec)
		}
	})
}
