package simd

import (
	"os"
	"syscall"
	"testing"
)

// edge returns memory of at least size bytes. Reading before or after it is a fault.
func edge(t *testing.T, size int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, page+size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{b[:page], b[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return b[page : page+size : page+size]
}
