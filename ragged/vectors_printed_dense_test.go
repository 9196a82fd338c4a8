//go:build !novectors

package ragged_test

import (
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestPrintedDense prints dense tensors, mostly of floats, as TensorFlow did.
func TestPrintedDense(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	f, err := testkit.ReadVectors(filepath.Join(root, "testdata", "text", "dense.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Cases {
		t.Run(c.Name, func(t *testing.T) {
			args, err := c.Values("args")
			if err != nil || len(args) != 1 {
				t.Fatalf("%d arguments, %v", len(args), err)
			}
			var want struct{ String string }
			if err := c.Decode("expect", &want); err != nil {
				t.Fatal(err)
			}
			got, err := stringOf(args[0])
			if err != nil {
				t.Fatal(err)
			}
			if got != want.String {
				t.Errorf("want\n%s\ngot\n%s", want.String, got)
			}
		})
	}
	if len(f.Cases) < 100 {
		t.Errorf("%d cases", len(f.Cases))
	}
}
