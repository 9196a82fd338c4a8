//go:build race

package tfrecord

// In race builds a record is spoiled when its loan ends, so that a test run
// with -race shows who kept it.
const poisonLent = true

func poison(b []byte) {
	for i := range b {
		b[i] = 0xdb
	}
}
