package ragged_test

import (
	"testing"

	"github.com/tfparse/tfparse/internal/test/conformance"
)

// TestVectors runs what TensorFlow's operations on ragged tensors gave, those of the packages below too.
func TestVectors(t *testing.T) { conformance.Ragged(t) }
