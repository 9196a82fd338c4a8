// Package numbers keeps what is known of the numbers of one feature: how many there
// are of each sort, mean and deviation, and all of them for quantiles, in as few
// bytes as they need.
//
// Numbers come in chunks of a few thousand, each of which is looked at once. Integers
// are added up exactly, so that neither order nor splitting shows. Integers of few
// different values are counted, all other numbers are packed into blocks: as
// distances from the least, of as many bytes as the largest of them takes. What
// quantiles and histograms look at is found among them without sorting the rest.
// After Compact a sketch takes evenly spread ones of each chunk, sorted.
//
// Where package bulk has kernels, integers are packed, added up and put into buckets
// eight at a time; what they leave, and all of it elsewhere, is done in Go.
package numbers
