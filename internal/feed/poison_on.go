//go:build race

package feed

// poison overwrites a record after its last use, so that tests with -race find code that kept it.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xdb
	}
}
