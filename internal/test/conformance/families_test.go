package conformance

import (
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestFamilies holds that some test runs each family of vectors that there is.
func TestFamilies(t *testing.T) {
	run := map[string]string{
		"container":  "go test ./tfrecord",
		"parse":      "go test ./feature ./example ./cmd/tfparse",
		"ragged":     "go test ./ragged",
		"layout":     "go test ./ragged/layout",
		"validation": "go test ./internal/test/conformance",
		"encode":     "go test ./feature",
		"decode":     "go test ./internal/sniff ./feature",
	}
	families := testkit.Families(t)
	for _, family := range families {
		if run[family] == "" {
			t.Errorf("there are vectors of the family %q, which no test runs", family)
		}
	}
	if _, own, err := testkit.Folder(); err != nil || own && len(families) != len(run) {
		t.Errorf("vectors of the families %q (%v), wanted each of %v", families, err, run)
	}
}
