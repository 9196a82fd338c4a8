// Package extsort sorts items of any number in bounded memory, with temporary files for what does
// not fit.
package extsort
