package feature_test

import (
	"testing"

	"github.com/tfparse/tfparse/internal/test/conformance"
)

// TestVectors runs what TensorFlow's parsers gave.
func TestVectors(t *testing.T) { conformance.Parse(t) }
