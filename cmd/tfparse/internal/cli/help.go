package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// helpWidth is how wide help is: the width of the narrowest terminal that is common.
const helpWidth = 80

func (a *App) helpCommand() *Command {
	return &Command{
		Name:         "help",
		Args:         "[COMMAND]",
		Short:        "print the help of tfparse, or of a command",
		Long:         "Print the help of a command, like its flag --help, or that of tfparse.",
		Examples:     []string{"tfparse help cat", "tfparse help stats merge"},
		takesCommand: true,
		Run:          func(e *Env, _ []string) error { return e.print(a.overview()) },
	}
}

// usage is a command line with all that a command takes.
func (c *Command) usage() string {
	usage := "tfparse " + c.Name
	if c.Flags != nil {
		usage += " [flags]"
	}
	if c.Args != "" {
		usage += " " + c.Args
	}
	return usage
}

func (c *Command) Help(fs *pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s", c.usage(), wrapped(c.Long, helpWidth))
	if strings.Contains(c.Args, "FILE") {
		b.WriteString("\n" + wrapped("A FILE is a path, a directory (its regular files), a glob, a shard pattern such as train@12, or - for standard input; see tfparse --help.", helpWidth))
	}
	if c.Flags != nil {
		fmt.Fprintf(&b, "\nFlags:\n%s", fs.FlagUsagesWrapped(helpWidth))
	}
	b.WriteString("\nExamples:\n")
	for _, x := range c.Examples {
		b.WriteString(continued(x, helpWidth))
	}
	return b.String()
}

func (a *App) overview() string {
	var b strings.Builder
	b.WriteString(wrapped(a.About+"\n"+exitText(), helpWidth))
	b.WriteString("\nUsage: tfparse COMMAND [flags] [FILE...]\n\nCommands:\n")
	width := 0
	for _, c := range a.Commands() {
		width = max(width, len(c.Name))
	}
	for _, c := range a.Commands() {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name, c.Short)
	}
	b.WriteString("\ntfparse COMMAND --help prints the help of each.\n")
	return b.String()
}

// keepsLines reports whether a paragraph stays as it is: code, which is indented, or columns, which have three spaces in a row.
func keepsLines(paragraph string) bool {
	return strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") || strings.Contains(paragraph, "   ")
}

// wrapped breaks the lines of paragraphs of prose anew, so that none is wider than width.
func wrapped(text string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if keepsLines(paragraph) {
			b.WriteString(paragraph + "\n")
			continue
		}
		fill(&b, strings.Fields(paragraph), 0, width, "\n")
	}
	return b.String()
}

// continued is a command line of an example, on several lines for the shell if it is wider
// than width.
func continued(line string, width int) string {
	const indent = "  "
	var b strings.Builder
	b.WriteString(indent)
	fill(&b, shellParts(line), len(indent), width-len(` \`), " \\\n      ")
	return b.String()
}

// fill writes parts with spaces between them, the first one at a column, and next where a line
// would be wider than width.
func fill(b *strings.Builder, parts []string, column, width int, next string) {
	indent := len(next) - 1 - strings.LastIndexByte(next, '\n')
	for i, part := range parts {
		n := utf8.RuneCountInString(part)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString(next)
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(part)
		column += n
	}
	b.WriteByte('\n')
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
