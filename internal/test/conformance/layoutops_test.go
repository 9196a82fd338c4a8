package conformance

import (
	"maps"
	"slices"
	"testing"
)

// TestLayoutOps keeps the table of operations as long as the document's list.
func TestLayoutOps(t *testing.T) {
	if got := slices.Sorted(maps.Keys(layoutOps)); len(got) != 15 {
		t.Errorf("operations: %v", got)
	}
}
