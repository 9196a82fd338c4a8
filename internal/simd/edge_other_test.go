//go:build !linux

package simd

import "testing"

// edge returns memory of size bytes. Reading outside of it is detected only on Linux.
func edge(_ *testing.T, size int) []byte { return make([]byte, size) }
