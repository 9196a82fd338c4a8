// Package conformance runs the vectors: one file of tests for each family, which
// says how its cases are carried out by the packages of this module. Package
// testkit does the rest. To see the counts, or to run some cases alone:
//
//	go test -v ./internal/test/conformance
//	go test -v ./internal/test/conformance -run Container -case gzip
//	TFPARSE_VECTORS=folder go test -v -count=1 ./internal/test/conformance
package conformance
