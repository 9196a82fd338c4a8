// Package schema infers a schema from statistics of a data set, updates one so that
// statistics fit it, and checks one for sense. Package pbtext reads and writes its text.
//
// Memory: nothing of the arguments is changed or kept, and results share nothing with
// them.
package schema
