//go:build purego || !amd64

package castagnoli

import "hash/crc32"

const kernel = false

// There is no kernel: these functions are not called.

func update(crc uint32, p []byte) uint32 { return ^crc32.Update(^crc, Table, p) }

func copyUpdate(crc uint32, dst, p []byte) uint32 {
	copy(dst, p)
	return update(crc, p)
}
