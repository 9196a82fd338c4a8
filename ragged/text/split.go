package text

import (
	"regexp"
	"regexp/syntax"
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

// RegexReplace replaces the matches of a regular expression. In the rewrite, \1 to \9 are
// the matches of groups, \0 is the whole match, and \\ a backslash; a $ has no meaning.
// With firstOnly only the first match is replaced.
//
// The syntax is that of package regexp, which is RE2's without \C. In a string that is not
// UTF-8 a single byte matches like U+FFFD; in TensorFlow it matches nothing. A rewrite with
// a group that does not exist is an error; TensorFlow does not replace anything then.
// TensorFlow calls it regex_replace.
func RegexReplace(t ragged.Tensor[string], pattern, rewrite string, firstOnly bool) (ragged.Tensor[string], error) {
	const op = "regex replace"
	re, err := regexp.Compile(pattern)
	if err != nil {
		return ragged.Tensor[string]{}, argumentErrorf(op, "%v", err)
	}
	template, plain, err := template(op, rewrite, re.NumSubexp())
	if err != nil {
		return ragged.Tensor[string]{}, err
	}
	return ragged.Map(t, func(s string) string {
		switch {
		case firstOnly:
			match := re.FindStringSubmatchIndex(s)
			if match == nil {
				return s
			}
			out := append(make([]byte, 0, len(s)+len(template)), s[:match[0]]...)
			return string(append(re.ExpandString(out, template, s, match), s[match[1]:]...))
		case plain:
			return re.ReplaceAllLiteralString(s, strings.ReplaceAll(template, "$$", "$"))
		}
		return re.ReplaceAllString(s, template)
	}), nil
}

// template converts RE2's rewrite to a template of package regexp. It is plain if it refers
// to no group.
func template(op, rewrite string, groups int) (template string, plain bool, err error) {
	var b strings.Builder
	plain = true
	for i := 0; i < len(rewrite); i++ {
		c := rewrite[i]
		switch c {
		case '$':
			b.WriteString("$$")
		case '\\':
			i++
			switch {
			case i < len(rewrite) && rewrite[i] == '\\':
				b.WriteByte('\\')
			case i < len(rewrite) && '0' <= rewrite[i] && rewrite[i] <= '9':
				if int(rewrite[i]-'0') > groups {
					return "", false, argumentErrorf(op, "the rewrite %q has a group above %d", rewrite, groups)
				}
				b.WriteString("${" + rewrite[i:i+1] + "}")
				plain = false
			default:
				return "", false, argumentErrorf(op, "the rewrite %q has an invalid backslash", rewrite)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), plain, nil
}

// RegexFullMatch reports for every string whether a regular expression matches all of it; see
// RegexReplace for the syntax. TensorFlow calls it regex_full_match.
func RegexFullMatch(t ragged.Tensor[string], pattern string) (ragged.Tensor[bool], error) {
	const op = "regex full match"
	// The text of the parsed pattern can be put into a group even if the pattern sets flags.
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ragged.Tensor[bool]{}, argumentErrorf(op, "%v", err)
	}
	re, err := regexp.Compile(`\A(?:` + tree.String() + `)\z`)
	if err != nil {
		return ragged.Tensor[bool]{}, argumentErrorf(op, "%v", err)
	}
	return ragged.Map(t, re.MatchString), nil
}
