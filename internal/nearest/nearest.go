// Package nearest finds the name that a misspelled word was probably meant to be.
package nearest

import (
	"fmt"
	"slices"
	"strings"
)

// Name returns the name with the smallest edit distance to word, or "" if none is similar.
func Name(word string, names []string) string {
	best, least := "", len([]rune(word))/3+1
	for _, name := range names {
		if strings.EqualFold(word, name) {
			return name
		}
		if d := distance([]rune(word), []rune(name), least); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns the edit distance of a and b (optimal string alignment): the number of insertions,
// deletions, substitutions and swaps of neighbours. It may return limit for any distance of at least limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			row[j+1] = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// Question suggests the name that a word was probably meant to be, as the end of a message; "" if no name is similar.
func Question(word string, names []string) string {
	names = slices.Sorted(slices.Values(names)) // of two names with the same distance, suggest the first
	if near := Name(word, names); near != "" && near != word {
		return fmt.Sprintf("; is it %q?", near)
	}
	return ""
}
