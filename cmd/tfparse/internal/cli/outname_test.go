package cli

import (
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// Every codec has an extension that promises it.
func TestCodecExtensions(t *testing.T) {
	named := map[tfrecord.Compression]bool{tfrecord.None: true} // all other extensions
	for _, c := range codecOf {
		named[c] = true
	}
	for _, c := range tfrecord.Compressions() {
		if !named[c] {
			t.Errorf("no name of an output promises %v", c)
		}
	}
}
