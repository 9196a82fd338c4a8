package infer

import (
	"slices"
	"strconv"
	"strings"
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

// roles are words that say what a feature is for, and not what it is about. "segment_ids"
// are not among them: most are those of BERT, a feature like others.
var roles = map[string][]partitionKind{
	"splits": {splits}, "split": {splits}, "rowsplits": {splits},
	"lengths": {lengths}, "length": {lengths}, "lens": {lengths}, "len": {lengths}, "rowlengths": {lengths},
	"sizes": {lengths}, "size": {lengths}, "counts": {lengths}, "count": {lengths}, "num": {lengths},
	"limits": {limits}, "limit": {limits}, "ends": {limits}, "end": {limits}, "rowlimits": {limits},
	"starts": {starts}, "start": {starts}, "begins": {starts}, "rowstarts": {starts},
	"offsets": {splits, starts, limits}, "offset": {splits, starts, limits},
	"rowids": {rowIDs}, "rowid": {rowIDs}, "ids": {rowIDs}, "id": {rowIDs},
	"row": nil, "rows": nil, "values": nil, "value": nil, "flat": nil, "partition": nil, "partitions": nil, "of": nil, "n": nil,
}

// nameHint returns whether the words name the encoding, or others.
func nameHint(words []string, e partitionKind) (named, others bool) {
	for i, w := range words {
		if (w == "ids" || w == "id") && (i == 0 || !slices.Contains([]string{"row", "rows"}, words[i-1])) {
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

// affinity returns how much the name of a partition says that it partitions another
// feature: 3 if both are about the same, 2 if the feature is a part of it, 1 if they
// begin with the same word, else 0.
func affinity(partition, of *featureStats) int {
	switch p, q := partition.topic, of.topic; {
	case len(p) == 0:
		return 0
	case slices.Equal(p, of.words) || slices.Equal(p, q):
		return 3
	case len(p) < len(of.words) && slices.Equal(p, of.words[:len(p)]):
		return 2
	case len(q) > 0 && p[0] == q[0]:
		return 1
	}
	return 0
}

// TensorFlow Datasets writes a ragged feature X as X/ragged_flat_values with
// X/ragged_row_lengths_0 and so on, the outermost first. Such names decide: their pairs
// are believed whenever they hold, and no others of these features are.

const (
	flatValues = "/ragged_flat_values"
	rowLengths = "/ragged_row_lengths_"

	noLevel = -2 // of other names
	flat    = -1 // of flat values
)

// levelOf splits a name of that form.
func levelOf(name string) (base string, level int) {
	if base, ok := strings.CutSuffix(name, flatValues); ok {
		return base, flat
	}
	if i := strings.LastIndex(name, rowLengths); i >= 0 {
		digits := name[i+len(rowLengths):]
		if n, err := strconv.ParseUint(digits, 10, 16); err == nil && strconv.FormatUint(n, 10) == digits {
			return name[:i], int(n)
		}
	}
	return "", noLevel
}

// byName reports whether names decide on a pair, and then whether it is one by them.
func (g *groupStats) byName(p *candidatePair) (decided, match bool) {
	from, to := g.stats[p.partition], g.stats[p.target]
	if !g.leveled(from) && !g.leveled(to) {
		return false, false
	}
	if from.level < 0 || p.encoding != lengths || from.base != to.base {
		return true, false
	}
	if to.level == flat {
		_, inner := g.index[from.base+rowLengths+strconv.Itoa(from.level+1)]
		return true, p.rows == noPartition && !inner
	}
	return true, p.rows == lengths && to.level == from.level+1
}

// leveled reports whether a feature is a part of one of TensorFlow Datasets: there are
// values and row lengths of one name.
func (g *groupStats) leveled(s *featureStats) bool {
	if s.level == noLevel {
		return false
	}
	_, values := g.index[s.base+flatValues]
	_, outermost := g.index[s.base+rowLengths+"0"]
	return values && outermost
}
