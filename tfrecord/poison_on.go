//go:build race

package tfrecord

// In race builds a record is overwritten when its loan ends, so that tests with -race find code that kept it.
const poisonLent = true

func poison(b []byte) {
	for i := range b {
		b[i] = 0xdb
	}
}
