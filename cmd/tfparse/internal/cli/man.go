package cli

import (
	"fmt"
	"strings"
)

func (a *App) manCommand() *Command {
	return &Command{
		Name:  "man",
		Args:  "[COMMAND]",
		Short: "print the manual page of tfparse, or of a command",
		Long: `
Print a manual page in roff, made from the same text as --help. To install the page of a
command, write it to man1/tfparse-COMMAND.1 in a directory of $MANPATH; man -l reads
it from a file.`,
		Examples: []string{
			"tfparse man > tfparse.1",
			"tfparse man stats merge > tfparse-stats-merge.1",
		},
		takesCommand: true,
		Run: func(e *Env, args []string) error {
			if len(args) == 0 {
				return e.print(a.manPage())
			}
			c, rest := a.find(args)
			if c == nil || len(rest) > 0 {
				return Usagef("there is no command %q", strings.Join(args, " "))
			}
			return e.print(c.manPage())
		},
	}
}

// manPage is the manual page of all commands.
func (a *App) manPage() string {
	var p page
	p.title("tfparse")
	p.section("NAME", "tfparse \\- "+roff("see into files of TensorFlow training data"))
	p.section("SYNOPSIS", `\fBtfparse\fR \fICOMMAND\fR [flags] [\fIFILE\fR...]`)
	p.section("DESCRIPTION", "")
	p.paragraphs(a.About)
	p.section("COMMANDS", "")
	for _, c := range a.Commands() {
		p.entry(`\fB`+roff(c.Name)+`\fR`, c.Short)
	}
	p.exitStatus("a check failed")
	p.section("SEE ALSO", "")
	for _, c := range a.Commands() {
		fmt.Fprintf(&p, ".BR %s (1)\n", roff(pageName(c.Name)))
	}
	return p.String()
}

// manPage is the manual page of one command.
func (c *Command) manPage() string {
	fs := c.FlagSet()
	var p page
	p.title(pageName(c.Name))
	p.section("NAME", roff(pageName(c.Name))+` \- `+roff(c.Short))
	p.section("SYNOPSIS", `\fB`+roff("tfparse "+c.Name)+`\fR `+roff(strings.TrimSpace(strings.TrimPrefix(c.usage(), "tfparse "+c.Name))))
	p.section("DESCRIPTION", "")
	p.paragraphs(c.Long)
	if fs.HasAvailableFlags() {
		p.section("OPTIONS", "")
	}
	for _, f := range c.completedFlags() {
		names := `\fB` + roff("--"+f.long) + `\fR`
		if f.short != "" {
			names = `\fB` + roff("-"+f.short) + `\fR, ` + names
		}
		if f.takes != "" {
			names += " " + `\fI` + roff(f.takes) + `\fR`
		}
		p.entry(names, f.usage+f.preset)
	}
	p.exitStatus(c.Negative)
	p.section("EXAMPLES", "")
	for _, x := range c.Examples {
		p.lines(strings.TrimSuffix(continued(x, helpWidth), "\n"))
	}
	p.section("SEE ALSO", ".BR tfparse (1)")
	return p.String()
}

func pageName(command string) string {
	return "tfparse-" + strings.ReplaceAll(command, " ", "-")
}

// A page is the text of a manual page.
type page struct{ strings.Builder }

func (p *page) title(name string) {
	fmt.Fprintf(p, ".TH %s 1\n", strings.ToUpper(roff(name)))
}

func (p *page) section(name, text string) {
	fmt.Fprintf(p, ".SH %s\n", name)
	if text != "" {
		fmt.Fprintln(p, text)
	}
}

// paragraphs writes text; code and columns keep their lines.
func (p *page) paragraphs(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		if keepsLines(paragraph) {
			p.lines(paragraph)
			continue
		}
		fmt.Fprintln(p, roff(paragraph))
	}
}

// lines writes text whose lines stay as they are.
func (p *page) lines(text string) {
	fmt.Fprintf(p, ".nf\n%s\n.fi\n", roff(text))
}

func (p *page) entry(term, text string) {
	fmt.Fprintf(p, ".TP\n%s\n%s\n", term, roff(text))
}

// exitStatus writes the table of exit codes; negative is what 1 says of this command, "" if
// it never answers so.
func (p *page) exitStatus(negative string) {
	p.section("EXIT STATUS", "")
	for _, x := range exitCodes {
		meaning := x.meaning
		if x.code == ExitNegative {
			meaning = negative
		}
		if meaning == "" {
			continue
		}
		p.entry(fmt.Sprintf(`\fB%d\fR`, x.code), meaning)
	}
	if negative != "" {
		fmt.Fprintf(p, ".PP\n%s\n", roff(exitOrder))
	}
}

// roff escapes what would be a request or an escape of roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
