// Package schema infers a schema from statistics of a data set, updates one so that
// statistics fit it, checks one for sense, and reads and writes the text of one.
//
// Memory: nothing of the arguments is changed or kept, and results share nothing with
// them.
package schema
