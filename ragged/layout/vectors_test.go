package layout_test

import (
	"testing"

	"github.com/tfparse/tfparse/internal/test/conformance"
)

// TestVectors runs what XLA, libtpu and the model of layouts gave.
func TestVectors(t *testing.T) { conformance.Layout(t) }
