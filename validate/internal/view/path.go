package view

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// Steps of the structs that hold the feature lists of a SequenceExample, and the features of the examples of an ExampleListWithContext.
const (
	SequenceStep = "##SEQUENCE##"
	ExamplesStep = "##EXAMPLES##"
)

// A Path leads from the root to a feature, one step for each level.
type Path []string

// Of returns the path of the message; it shares the steps.
func Of(p *metadatapb.Path) Path { return p.GetStep() }

// Proto returns the path as a message with steps of its own.
func (p Path) Proto() *metadatapb.Path { return &metadatapb.Path{Step: slices.Clone(p)} }

// Child returns the path of a child, with steps of its own.
func (p Path) Child(step string) Path { return append(slices.Clone(p), step) }

// Parent returns the path without its last step.
func (p Path) Parent() Path { return p[: len(p)-1 : len(p)-1] }

// Last returns the last step.
func (p Path) Last() string { return p[len(p)-1] }

// Compare orders paths step by step; a prefix comes first.
func (p Path) Compare(q Path) int { return slices.Compare(p, q) }

// SlicePrefix is what is before the first step of a path in a slice.
func SlicePrefix(slice string) string { return fmt.Sprintf("slice(%s)::", slice) }

// InSlice returns the path of a feature in a slice, with steps of its own. Without steps it is that of the slice.
func InSlice(slice string, p Path) Path {
	if len(p) == 0 {
		return Path{SlicePrefix(slice)}
	}
	p = slices.Clone(p)
	p[0] = SlicePrefix(slice) + p[0]
	return p
}

// CutSlice takes the longest of some names of slices, as SlicePrefix writes it, from the first step of a
// path; the slice is empty if there is none.
func CutSlice(step string, known map[string]bool) (slice, rest string) {
	const end = ")::"
	inner, ok := strings.CutPrefix(step, "slice(")
	if !ok {
		return "", step
	}
	for at := strings.LastIndex(inner, end); at >= 0; at = strings.LastIndex(inner[:at], end) {
		if known[inner[:at]] {
			return inner[:at], inner[at+len(end):]
		}
	}
	return "", step
}

// String joins the steps with dots. A step that would be taken apart is quoted, so that no other path has the same string.
func (p Path) String() string {
	if len(p) == 1 && bare(p[0]) { // most are, and share the step
		return p[0]
	}
	var b strings.Builder
	for i, step := range p {
		if i > 0 {
			b.WriteByte('.')
		}
		if bare(step) {
			b.WriteString(step)
		} else {
			b.WriteString("'" + strings.ReplaceAll(step, "'", "''") + "'")
		}
	}
	return b.String()
}

// bare reports whether a step stands without quotes: plain words, and one pair of
// parentheses around anything.
func bare(step string) bool {
	if n := len(step); n >= 2 && step[0] == '(' && step[n-1] == ')' {
		return !strings.ContainsAny(step[1:n-1], "()")
	}
	return step != "" && !strings.ContainsAny(step, "().'")
}

// ParsePath is the inverse of String. It takes quotes where none are needed, too.
func ParsePath(s string) (Path, error) {
	if s == "" {
		return nil, nil
	}
	var p Path
	for rest := s; ; {
		step, n, err := cutStep(rest)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w at byte %d", s, err, len(s)-len(rest))
		}
		p = append(p, step)
		if n == len(rest) {
			return p, nil
		}
		if rest[n] != '.' {
			return nil, fmt.Errorf("path %q: no dot after the step %q at byte %d", s, step, len(s)-len(rest)+n)
		}
		rest = rest[n+1:]
	}
}

// cutStep returns the first step of s, and how many bytes it takes.
func cutStep(s string) (step string, n int, err error) {
	switch {
	case strings.HasPrefix(s, "'"):
		var b strings.Builder
		for i := 1; i < len(s); i++ {
			switch {
			case s[i] != '\'':
				b.WriteByte(s[i])
			case i+1 < len(s) && s[i+1] == '\'':
				b.WriteByte('\'')
				i++
			default:
				return b.String(), i + 1, nil
			}
		}
		return "", 0, fmt.Errorf("a quote that does not end")
	case strings.HasPrefix(s, "("):
		i := strings.IndexAny(s[1:], "()")
		if i < 0 || s[i+1] == '(' {
			return "", 0, fmt.Errorf("a parenthesis that does not end")
		}
		return s[:i+2], i + 2, nil
	}
	n = strings.IndexAny(s, ".()'")
	if n < 0 {
		n = len(s)
	}
	if n == 0 {
		return "", 0, fmt.Errorf("an empty step without quotes")
	}
	return s[:n], n, nil
}

// Encoded begins the step of a path whose name is not UTF-8.
const Encoded = "b64:"

// Step is the name of a feature as a step of a path: one that is not UTF-8 becomes "b64:"
// and its base64.
func Step(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return Encoded + base64.StdEncoding.EncodeToString([]byte(name))
}
