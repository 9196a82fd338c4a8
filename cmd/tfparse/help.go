package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// helpWidth is how wide help is: the width of the narrowest terminal that is common.
const helpWidth = 80

func helpCommand() *command {
	return &command{
		name:  "help",
		args:  "[COMMAND]",
		short: "say what tfparse, or a command, does",
		long:  "Print the help of a command, as its flag --help does, or that of tfparse.",
		examples: []string{
			"tfparse help cat",
			"tfparse help stats merge",
		},
		words: topNames(verbs()),
		run:   func(e *env, _ []string) error { return e.print(overview()) },
	}
}

func (c *command) help(fs *pflag.FlagSet) string {
	var b strings.Builder
	usage := "tfparse " + c.name
	if c.flags != nil {
		usage += " [flags]"
	}
	if c.args != "" {
		usage += " " + c.args
	}
	fmt.Fprintf(&b, "Usage: %s\n\n%s", usage, wrapped(c.long, helpWidth))
	if strings.Contains(c.args, "FILE") {
		b.WriteString("\n" + wrapped("A FILE is a path, a directory (its plain files), a glob, a shard pattern such as train@12, or - for standard input; tfparse --help says more.", helpWidth))
	}
	if c.flags != nil {
		fmt.Fprintf(&b, "\nFlags:\n%s", fs.FlagUsagesWrapped(helpWidth))
	}
	b.WriteString("\nExamples:\n")
	for _, x := range c.examples {
		b.WriteString(continued(x, helpWidth))
	}
	return b.String()
}

func overview() string {
	var b strings.Builder
	b.WriteString(wrapped(about, helpWidth))
	b.WriteString("\nUsage: tfparse COMMAND [flags] [FILE...]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-12s%s\n", c.name, c.short)
	}
	b.WriteString("\ntfparse COMMAND --help says more about each.\n")
	return b.String()
}

// wrapped breaks the lines of paragraphs anew, so that none is wider than width. Paragraphs
// with columns, which have three spaces in a row, stay as they are.
func wrapped(text string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if strings.Contains(paragraph, "   ") {
			b.WriteString(paragraph + "\n")
			continue
		}
		column := 0
		for word := range strings.FieldsSeq(paragraph) {
			n := utf8.RuneCountInString(word)
			switch {
			case column == 0:
			case column+1+n > width:
				b.WriteByte('\n')
				column = 0
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// continued is a command line of an example, on several lines for the shell if it is wider
// than width.
func continued(line string, width int) string {
	const indent, more = "  ", "      "
	var b strings.Builder
	b.WriteString(indent)
	column := len(indent)
	for i, part := range shellParts(line) {
		n := utf8.RuneCountInString(part)
		switch {
		case i == 0:
		case column+1+n+len(` \`) > width:
			b.WriteString(" \\\n" + more)
			column = len(more)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(part)
		column += n
	}
	b.WriteByte('\n')
	return b.String()
}

// shellParts cuts a command line where it reads well to go on in another line: before flags,
// and after what joins commands, outside of single quotes.
func shellParts(line string) []string {
	var parts []string
	begin, quoted := 0, false
	for i, r := range line {
		before, after := line[begin:i], line[i:]
		switch {
		case r == '\'':
			quoted = !quoted
		case r != ' ' || quoted:
		case strings.HasPrefix(after, " -") && !strings.HasPrefix(after, " - "), strings.HasSuffix(before, "|"), strings.HasSuffix(before, "&&"):
			parts = append(parts, before)
			begin = i + 1
		}
	}
	return append(parts, line[begin:])
}
