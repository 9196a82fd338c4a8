package infer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// wordsOf splits a name into lower-case words, at every character that is not a letter and before
// a capital after a small letter. Digits are ignored.
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

// roles maps the words that describe the purpose of a feature to kinds of partition. "segment_ids"
// are not here: most are those of BERT, an ordinary feature.
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

// nameHint reports whether the words name this kind of partition, or only other kinds.
func nameHint(words []string, e partitionKind) (named, others bool) {
	for i, w := range words {
		if (w == "ids" || w == "id") && (i == 0 || !slices.Contains([]string{"row", "rows"}, words[i-1])) {
			continue // IDs of something other than rows
		}
		if slices.Contains(roles[w], e) {
			named = true
		} else if len(roles[w]) > 0 {
			others = true
		}
	}
	return named, others && !named
}

// aboutOf removes the words in roles.
func aboutOf(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { _, ok := roles[w]; return ok })
}

// affinity rates by the names how likely a partition belongs to a target: 3 if their topics are equal, 2 if the
// name of the target starts with the topic of the partition, 1 if their first words are equal, else 0.
func affinity(partition, target *featureStats) int {
	switch p, q := partition.topic, target.topic; {
	case len(p) == 0:
		return 0
	case slices.Equal(p, target.words) || slices.Equal(p, q):
		return 3
	case len(p) < len(target.words) && slices.Equal(p, target.words[:len(p)]):
		return 2
	case len(q) > 0 && p[0] == q[0]:
		return 1
	}
	return 0
}

// TensorFlow Datasets writes a ragged feature X as X/ragged_flat_values with
// X/ragged_row_lengths_0 and so on, the outermost first. These names decide: their pairs
// are believed if they hold, and no other pairs of these features are.

const (
	flatValues = "/ragged_flat_values"
	rowLengths = "/ragged_row_lengths_"

	noLevel = -2 // level of other names
	flat    = -1 // level of flat values
)

// levelOf splits a name of this form into X and the level; level is noLevel for other names.
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

// byName reports whether the names decide about a pair, and if so, whether the pair matches them.
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

// leveled reports whether a feature belongs to a ragged feature of TensorFlow Datasets: the group has
// its flat values and its outermost row lengths.
func (g *groupStats) leveled(s *featureStats) bool {
	if s.level == noLevel {
		return false
	}
	_, values := g.index[s.base+flatValues]
	_, outermost := g.index[s.base+rowLengths+"0"]
	return values && outermost
}
