package stats

import "maps"

// A vocabulary is the tokens that Options.Vocabularies has under a name: what a number
// stands for, and which number a word has, the last one if it is there several times.
type vocabulary struct {
	words   []string
	numbers map[string]int64
}

// newVocabularies returns the vocabularies by their names.
func newVocabularies(all map[string][]string) map[string]*vocabulary {
	out := make(map[string]*vocabulary, len(all))
	for name, words := range all {
		v := &vocabulary{words: words, numbers: make(map[string]int64, len(words))}
		for i, w := range words {
			v.numbers[w] = int64(i)
		}
		out[name] = v
	}
	return out
}

// other returns the token of the other kind that stands for a token, "" if there is none.
func (v *vocabulary) other(token string, number int64) string {
	if v == nil {
		return ""
	}
	if token[0] == 's' {
		if n, ok := v.numbers[token[1:]]; ok {
			return intToken(n)
		}
		return ""
	}
	if number >= 0 && number < int64(len(v.words)) {
		return textToken(v.words[number])
	}
	return ""
}

// cloneVocabularies copies the tokens of all vocabularies.
func cloneVocabularies(all map[string][]string) map[string][]string {
	out := maps.Clone(all)
	for name, words := range out {
		out[name] = append([]string(nil), words...)
	}
	return out
}
