// Package conformance runs the vectors: one file for each family, which says how its
// cases are carried out by the packages of this module. Package testkit does the rest.
// The tests are those of the packages that the vectors prove:
//
//	go test ./ragged -run Vectors            Ragged: all operations on ragged tensors
//	go test ./ragged/layout -run Vectors     Layout
//	go test ./tfrecord -run Vectors          Container
//	go test ./example -run Conformance       Wire: which bytes are accepted
//	go test ./feature -run Vectors           Parse
//	go test ./internal/test/conformance      validation and statistics, and what needs several packages
//
// To see the counts, or to run some cases alone, or other vectors of the same form:
//
//	go test -v ./tfrecord -run Vectors -case gzip
//	TFPARSE_VECTORS=folder go test -v -count=1 ./ragged -run Vectors
package conformance
