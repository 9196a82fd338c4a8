//go:build !linux

package simd

import "testing"

// edge returns memory of size bytes. Whether more is read shows on Linux alone.
func edge(_ *testing.T, size int) []byte { return make([]byte, size) }
