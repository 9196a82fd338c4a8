package tfrecord_test

import (
	"testing"

	"github.com/tfparse/tfparse/internal/test/conformance"
)

// TestVectors runs the files that TensorFlow wrote, and damaged ones.
func TestVectors(t *testing.T) { conformance.Container(t) }
