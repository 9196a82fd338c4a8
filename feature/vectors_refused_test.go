package feature_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestRefusedSpec proves that the runner reports the reason if a spec is refused unexpectedly.
func TestRefusedSpec(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	const text = `{"vectors": "parse", "version": 1, "made_by": "hand", "program": "none", "cases": 1}
{"name": "x", "tags": ["parse"], "call": "parse_example", "records": [], "spec": {"features": {"a": {"no_kind": {}}}}, "expect": {}}
`
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := testkit.ReadVectors(name)
	if err != nil {
		t.Fatal(err)
	}
	err = parseCall{}.run(f.Cases[0])
	if fault := (*feature.SpecError)(nil); !errors.As(err, &fault) || strings.Contains(err.Error(), "%!") {
		t.Errorf("%v, wanted what is wrong with the spec", err)
	}
}
