package infer

import (
	"slices"
	"unicode"
)

// wordsOf splits a name into lower-case words, at anything that is no letter and
// where capitals begin a word. Digits are left out: they number things.
func wordsOf(name string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = word[:0]
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			end()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			end()
		}
		lower = unicode.IsLower(r)
		word = append(word, unicode.ToLower(r))
	}
	end()
	return words
}

// roles are words that say what a feature is for, and not what it is about.
var roles = map[string][]encoding{
	"splits": {splits}, "split": {splits}, "rowsplits": {splits},
	"lengths": {lengths}, "length": {lengths}, "lens": {lengths}, "len": {lengths}, "rowlengths": {lengths},
	"sizes": {lengths}, "size": {lengths}, "counts": {lengths}, "count": {lengths}, "num": {lengths},
	"limits": {limits}, "limit": {limits}, "ends": {limits}, "end": {limits}, "rowlimits": {limits},
	"starts": {starts}, "start": {starts}, "begins": {starts}, "rowstarts": {starts},
	"offsets": {splits, starts, limits}, "offset": {splits, starts, limits},
	"rowids": {rowIDs}, "rowid": {rowIDs}, "segments": {rowIDs}, "segment": {rowIDs}, "ids": {rowIDs}, "id": {rowIDs},
	"row": nil, "rows": nil, "values": nil, "value": nil, "flat": nil, "partition": nil, "partitions": nil, "of": nil, "n": nil,
}

// hint returns whether the words name the encoding, or others.
func hint(words []string, e encoding) (named, others bool) {
	for i, w := range words {
		if (w == "ids" || w == "id") && (i == 0 || !slices.Contains([]string{"row", "rows", "segment", "segments"}, words[i-1])) {
			continue // of something else
		}
		if slices.Contains(roles[w], e) {
			named = true
		} else if len(roles[w]) > 0 {
			others = true
		}
	}
	return named, others && !named
}

// aboutOf leaves out the words that say what a feature is for.
func aboutOf(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { _, ok := roles[w]; return ok })
}

// affinity returns how much the name of a partition says that it cuts another
// feature: 3 if both are about the same, 2 if the feature is a part of it, 1 if they
// begin with the same word, else 0.
func affinity(partition, cut *stat) int {
	switch p, q := partition.about, cut.about; {
	case len(p) == 0:
		return 0
	case slices.Equal(p, cut.words) || slices.Equal(p, q):
		return 3
	case len(p) < len(cut.words) && slices.Equal(p, cut.words[:len(p)]):
		return 2
	case len(q) > 0 && p[0] == q[0]:
		return 1
	}
	return 0
}
