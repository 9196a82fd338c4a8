package example_test

import (
	"testing"

	"github.com/tfparse/tfparse/internal/test/conformance"
)

// TestConformance runs which bytes TensorFlow and protobuf accept, and the values.
func TestConformance(t *testing.T) { conformance.Wire(t) }
