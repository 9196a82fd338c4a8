// Package conformance runs the vectors of validation, which need several packages. All other
// vectors are run by the tests of the package that they prove:
//
//	go test ./tfrecord -run Vectors          streams
//	go test ./example -run Conformance       which bytes are accepted
//	go test ./feature -run Vectors           specs and records
//	go test ./ragged -run Vectors            all operations on ragged tensors
//	go test ./ragged/layout -run Vectors     layouts
//	go test ./internal/test/conformance      statistics, schemas, anomalies
//
// The build tag novectors leaves those of ragged out: they instantiate all operations for
// all types, which takes a while to compile.
//
// To see the counts, or to run some cases alone, or other vectors of the same form, whatever
// their files are named:
//
//	go test -v ./tfrecord -run Vectors -case gzip
//	TFPARSE_VECTORS=folder go test -v -count=1 ./ragged -run Vectors
package conformance
