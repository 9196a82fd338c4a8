package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// manCommand prints manual pages. They are our own: those of cobra lose the names of values and the exit codes.
func (a *App) manCommand() *Command {
	return &Command{Name: "man", Offers: a.offeredCommands, Run: func(e *Env, args []string) error {
		if len(args) == 0 {
			return e.print(a.manPage())
		}
		c := a.find(strings.Join(args, " "))
		if c == nil {
			return Usagef("there is no command %q", strings.Join(args, " "))
		}
		return e.print(a.manPageOf(c))
	}}
}

// manPage is the manual page of the program.
func (a *App) manPage() string {
	var p page
	t := a.text("tfparse")
	p.begin("tfparse", t.short, t)
	p.section("COMMANDS")
	for _, c := range a.Commands() {
		p.entry(`\fB`+roff(c.Name)+`\fR`, a.text(c.Name).short)
	}
	for _, topic := range topics {
		p.section(strings.ToUpper(topic))
		p.paragraphs(a.text(topic).about)
	}
	p.exitStatus()
	p.section("SEE ALSO")
	for _, c := range a.Commands() {
		fmt.Fprintf(&p, ".BR %s (1)\n", roff(pageName(c.Name)))
	}
	return p.String()
}

// manPageOf is the manual page of one verb.
func (a *App) manPageOf(c *Command) string {
	var p page
	t := a.text(c.Name)
	p.begin(pageName(c.Name), t.short, t)
	for _, g := range flagGroups(c.FlagSet()) {
		title := "OPTIONS"
		if g.title != "Flags" {
			title += ": " + strings.ToUpper(g.title)
		}
		p.section(title)
		g.VisitAll(func(f *pflag.Flag) {
			name, usage := pflag.UnquoteUsage(f)
			names := `\fB` + roff("--"+f.Name) + `\fR`
			if f.Shorthand != "" {
				names = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + names
			}
			if name != "" {
				names += ` \fI` + roff(name) + `\fR`
			}
			p.entry(names, usage+preset(f, usage))
		})
	}
	p.exitStatus()
	if t.examples != "" {
		p.section("EXAMPLES")
		p.lines(t.examples)
	}
	p.section("SEE ALSO")
	p.WriteString(".BR tfparse (1)\n")
	return p.String()
}

// preset is what pflag prints after the usage of a flag: its default, if that is not the zero value. pflag
// has no function that returns it.
func preset(f *pflag.Flag, usage string) string {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	one.AddFlag(f)
	_, text, _ := strings.Cut(one.FlagUsages(), usage)
	return strings.TrimSuffix(text, "\n")
}

func pageName(command string) string {
	return "tfparse-" + strings.ReplaceAll(command, " ", "-")
}

// A page is the text of a manual page.
type page struct{ strings.Builder }

// begin writes the sections that come before the flags.
func (p *page) begin(name, short string, t text) {
	fmt.Fprintf(p, ".TH %s 1\n", strings.ToUpper(roff(name)))
	p.section("NAME")
	fmt.Fprintf(p, "%s \\- %s\n", roff(name), roff(short))
	p.section("SYNOPSIS")
	fmt.Fprintf(p, "\\fB%s\\fR %s\n", roff(strings.ReplaceAll(name, "tfparse-", "tfparse ")), roff(t.usage))
	p.section("DESCRIPTION")
	p.paragraphs(t.about)
	if t.details != "" {
		p.WriteString(".PP\n")
		p.paragraphs(t.details)
	}
}

func (p *page) section(name string) { fmt.Fprintf(p, ".SH %s\n", name) }

// paragraphs writes text; code, which is indented, keeps its lines.
func (p *page) paragraphs(text string) {
	for i, paragraph := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") {
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

func (p *page) exitStatus() {
	p.section("EXIT STATUS")
	for _, x := range exitCodes {
		p.entry(fmt.Sprintf(`\fB%d\fR`, x.code), x.meaning)
	}
	fmt.Fprintf(p, ".PP\n%s\n", roff(exitOrder))
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
