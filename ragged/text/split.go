package text

import (
	"strings"

	"github.com/tfparse/tfparse/ragged"
)

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// Split splits every string at a separator. The result has one axis more, with a row of parts
// for every string. The parts are views.
//
// An empty separator means one or more blanks: no part is empty, and a string of blanks has
// no parts. With any other separator, parts between successive separators are empty, and an
// empty string is one empty part.
//
// A string is split at most max times, or without a limit if max is negative; the rest is
// the last part. As in TensorFlow an empty rest is a part too after max splits at blanks,
// where the end of the string counts as a split: Split of "a" with a max of 1 is ["a" ""].
// TensorFlow calls it strings.split.
func Split(t ragged.Tensor[string], sep string, max int) ragged.Tensor[string] {
	values := t.Values()
	n := len(values)
	if sep != "" && max != 0 {
		for _, s := range values {
			n += strings.Count(s, sep)
		}
	}
	out, limits := make([]string, 0, n), make([]int64, len(values))
	for i, s := range values {
		switch {
		case max == 0:
			out = append(out, s)
		case sep == "":
			out = appendFields(out, s, max)
		default:
			out = appendPieces(out, s, sep, max)
		}
		limits[i] = int64(len(out))
	}
	return withRows(t, out, limits)
}

// appendPieces appends the parts of a string between separators.
func appendPieces(out []string, s, sep string, max int) []string {
	for ; max != 0; max-- {
		piece, rest, found := strings.Cut(s, sep)
		if !found {
			break
		}
		out = append(out, piece)
		s = rest
	}
	return append(out, s)
}

// appendFields appends the parts of a string between blanks.
func appendFields(out []string, s string, max int) []string {
	s = trimLeft(s)
	for s != "" {
		n := 0
		for n < len(s) && !isBlank(s[n]) {
			n++
		}
		out = append(out, s[:n])
		s = trimLeft(s[n:])
		if max--; max == 0 {
			return append(out, s)
		}
	}
	return out
}

func trimLeft(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	return s
}

// SplitBytes splits every string into its bytes. The result has one axis more, with a row for
// every string. The parts are views. TensorFlow calls it bytes_split.
func SplitBytes(t ragged.Tensor[string]) ragged.Tensor[string] {
	values := t.Values()
	out, limits := make([]string, 0, bytesIn(values)), make([]int64, len(values))
	for i, s := range values {
		for k := range len(s) {
			out = append(out, s[k:k+1])
		}
		limits[i] = int64(len(out))
	}
	return withRows(t, out, limits)
}
