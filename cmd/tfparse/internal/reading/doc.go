// Package reading has what verbs that read records share: the flags that say how, the files
// that arguments stand for, faults that are skipped, picked records, and specs.
package reading
