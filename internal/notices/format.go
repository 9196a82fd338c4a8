package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const preface = `The command tfparse is under the licence in the file LICENSE. It contains code
of other projects, listed here, whose licences follow.

Made by internal/notices of the source code; do not edit.
`

// heavy is the line above and below the name of a section. No licence contains it, so the sections
// can be found again.
var heavy = strings.Repeat("#", 80)

// format returns the text of the file.
func format(sections []section) string {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteByte('\n')
	for _, s := range sections {
		fmt.Fprintf(&b, "  %s\n", s.name)
	}
	for _, s := range sections {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n", heavy, s.name, heavy)
		for _, t := range s.texts {
			fmt.Fprintf(&b, "\n%s\n%s\n\n%s", t.source, strings.Repeat("-", min(len(t.source), 80)), t.body)
		}
	}
	return b.String()
}

// compare returns an error that says how the file differs from the wanted text.
func compare(have, want string) error {
	if have == want {
		return nil
	}
	var faults []error
	for _, name := range names(want) {
		if !slices.Contains(names(have), name) {
			faults = append(faults, fmt.Errorf("it has no section for %s", name))
		}
	}
	for _, name := range names(have) {
		if !slices.Contains(names(want), name) {
			faults = append(faults, fmt.Errorf("it has a section for %s, which is not linked", name))
		}
	}
	if faults != nil {
		return errors.Join(faults...)
	}
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	n := 0
	for n < len(h) && n < len(w) && h[n] == w[n] {
		n++
	}
	line := func(lines []string) string {
		if n < len(lines) {
			return fmt.Sprintf("%q", lines[n])
		}
		return "the end"
	}
	return fmt.Errorf("line %d is %s, not %s", n+1, line(h), line(w))
}

// names returns the names of the sections in a file.
func names(file string) (names []string) {
	lines := strings.Split(file, "\n")
	for i, l := range lines {
		if l == heavy && i+2 < len(lines) && lines[i+2] == heavy {
			names = append(names, lines[i+1])
		}
	}
	return names
}
