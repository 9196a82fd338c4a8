//go:build race

package feed

// poison spoils a record that is done with, so that a test run with -race shows
// who kept it.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xdb
	}
}
