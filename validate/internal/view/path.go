package view

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// Names of structs that TensorFlow Data Validation's statistics, or ours, add to paths.
const (
	SequenceStep = "##SEQUENCE##" // holds the feature lists of a SequenceExample
	ExamplesStep = "##EXAMPLES##" // holds the features of the examples of an ExampleListWithContext
)

// A Path is the names of the structs around a feature, outermost first, and the feature's own name.
type Path []string

// Of returns the path of a message. It shares the steps.
func Of(p *metadatapb.Path) Path { return p.GetStep() }

// Proto returns the path as a message. It copies the steps.
func (p Path) Proto() *metadatapb.Path { return &metadatapb.Path{Step: slices.Clone(p)} }

// Child returns the path of a child. It copies the steps.
func (p Path) Child(step string) Path { return append(slices.Clone(p), step) }

// Parent returns the path without its last step.
func (p Path) Parent() Path { return p[: len(p)-1 : len(p)-1] }

// Last returns the last step.
func (p Path) Last() string { return p[len(p)-1] }

// Compare orders paths step by step; a prefix comes first.
func (p Path) Compare(q Path) int { return slices.Compare(p, q) }

// SlicePrefix returns the prefix of the first step of paths in a slice.
func SlicePrefix(slice string) string { return fmt.Sprintf("slice(%s)::", slice) }

// InSlice returns a copy of p within the slice; for an empty p, the path of the slice itself.
func InSlice(slice string, p Path) Path {
	if len(p) == 0 {
		return Path{SlicePrefix(slice)}
	}
	p = slices.Clone(p)
	p[0] = SlicePrefix(slice) + p[0]
	return p
}

// CutSlice splits a first step that InSlice made into the name of the slice and the rest. Of several known slices it
// takes the one with the longest name. slice is "" if the step is not in a known slice.
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

// String joins the steps with dots. It quotes the steps that are not plain (see isPlain), so that different paths have
// different strings.
func (p Path) String() string {
	if len(p) == 1 && isPlain(p[0]) { // the usual case, without an allocation
		return p[0]
	}
	var b strings.Builder
	for i, step := range p {
		if i > 0 {
			b.WriteByte('.')
		}
		if isPlain(step) {
			b.WriteString(step)
		} else {
			b.WriteString("'" + strings.ReplaceAll(step, "'", "''") + "'")
		}
	}
	return b.String()
}

// isPlain reports whether a step needs no quotes: it is not empty and has no dots, quotes or parentheses, or it is enclosed in
// its only pair of parentheses.
func isPlain(step string) bool {
	if n := len(step); n >= 2 && step[0] == '(' && step[n-1] == ')' {
		return !strings.ContainsAny(step[1:n-1], "()")
	}
	return step != "" && !strings.ContainsAny(step, "().'")
}

// ParsePath is the inverse of String. It also accepts unnecessary quotes.
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

// cutStep returns the first step of s, and its length in s.
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
		return "", 0, fmt.Errorf("unterminated quote")
	case strings.HasPrefix(s, "("):
		i := strings.IndexAny(s[1:], "()")
		if i < 0 || s[i+1] == '(' {
			return "", 0, fmt.Errorf("unterminated parenthesis")
		}
		return s[:i+2], i + 2, nil
	}
	n = strings.IndexAny(s, ".()'")
	if n < 0 {
		n = len(s)
	}
	if n == 0 {
		return "", 0, fmt.Errorf("empty step without quotes")
	}
	return s[:n], n, nil
}

// Encoded is the prefix of a step that encodes a name that is not UTF-8.
const Encoded = "b64:"

// Step returns the step for the name of a feature: the name, or Encoded and its base64 if it is not UTF-8.
func Step(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return Encoded + base64.StdEncoding.EncodeToString([]byte(name))
}
