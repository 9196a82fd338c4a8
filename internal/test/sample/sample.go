// Package sample reads the samples in testdata, for tests.
package sample

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// Records returns the records of a TFRecord in testdata. The memory is new.
func Records(t testing.TB, name string) (all [][]byte) {
	t.Helper()
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	f, err := tfrecord.Open(filepath.Join(root, "testdata", filepath.FromSlash(name)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for rec, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bytes.Clone(rec))
	}
	return all
}
