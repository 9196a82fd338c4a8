// Package bulk moves many values at once. It is the only package of the module that
// uses unsafe, and only where the memory of a machine is laid out as the wire is:
// on little-endian platforms. Elsewhere, and with the build tag purego, the same
// functions do it value by value.
//
//	go test -tags purego ./...
package bulk
