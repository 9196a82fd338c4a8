// Package schema infers a schema from statistics of a data set, updates one so that
// statistics fit it, and checks one for sense. The package prototext of protobuf-go
// reads and writes the text form.
//
// Memory: nothing of the arguments is changed or kept, and results share nothing with
// them.
package schema
