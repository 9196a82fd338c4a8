package cli

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// helpWidth is the width of help: that of the narrowest terminal in common use.
const helpWidth = 80

// A text is what help, manual pages and docs/commands.md say of a verb or a topic. It is a file, written by
// hand, whose lines nothing wraps:
//
//	print records as JSON lines                    what it does, for lists
//	tfparse cat [flags] FILE[#RECORDS]...          the command line; empty for a topic
//
//	Print every record as one line of JSON. ...    paragraphs
//
//	Examples:
//	  tfparse cat testdata/recipes.tfrecord        command lines, which tests run
//
//	Details:
//
//	...                                            paragraphs for pages and docs alone
type text struct {
	short, usage, about, examples, details string
}

// text returns the text of a verb or topic; the zero text if there is none.
func (a *App) text(name string) (t text) {
	b, err := fs.ReadFile(a.Texts, strings.ReplaceAll(name, " ", "-")+".txt")
	if err != nil {
		return text{}
	}
	rest := string(b)
	t.short, rest, _ = strings.Cut(rest, "\n")
	t.usage, rest, _ = strings.Cut(rest, "\n")
	t.usage = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(t.usage, "tfparse"), " "+name))
	rest, t.details, _ = strings.Cut(rest, "\nDetails:\n")
	t.about, t.examples, _ = strings.Cut(rest, "\nExamples:\n")
	t.about, t.details = strings.TrimSpace(t.about)+"\n", strings.TrimSpace(t.details)
	t.examples = strings.TrimRight(t.examples, "\n")
	return t
}

// helpCommand prints the help of the program, of a verb or of a topic.
func (a *App) helpCommand() *Command {
	return &Command{Name: "help", Offers: a.offeredCommands, Run: func(e *Env, args []string) error {
		name := strings.Join(args, " ")
		if name == "" {
			return e.print(a.overview())
		}
		if c := a.find(name); c != nil {
			return e.print(a.Help(c))
		}
		if slices.Contains(topics, name) {
			return e.print(a.topic(name))
		}
		return Usagef("there is no command or topic %q", name)
	}}
}

// Help is the help of a verb.
func (a *App) Help(c *Command) string {
	t := a.text(c.Name)
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s", strings.TrimSpace("tfparse "+c.Name+" "+t.usage), t.about)
	if t.examples != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", t.examples)
	}
	for _, g := range flagGroups(c.FlagSet()) {
		if g.topic == "" {
			fmt.Fprintf(&b, "\n%s:\n%s", g.title, FlagUsages(g.FlagSet, helpWidth))
			continue
		}
		fmt.Fprintf(&b, "\n%s (tfparse %s):\n", g.title, g.topic)
		line := " "
		g.VisitAll(func(f *pflag.Flag) {
			if len(line)+len(f.Name)+3 > helpWidth {
				b.WriteString(line + "\n")
				line = " "
			}
			line += " --" + f.Name
		})
		b.WriteString(line + "\n")
	}
	if t.details != "" {
		fmt.Fprintf(&b, "\nMore: tfparse man %s | man -l -\n", c.Name)
	}
	return b.String()
}

// topics are texts about what verbs have in common.
var topics = []string{"files", "csv", "expressions", "rules"}

// topic is the help of a topic, with the flags that verbs only name.
func (a *App) topic(name string) string {
	t := a.text(name)
	var b strings.Builder
	b.WriteString(t.about)
	if g := a.topicFlags("help " + name); g != nil {
		fmt.Fprintf(&b, "\nFlags:\n%s", FlagUsages(g.FlagSet, helpWidth))
	}
	return b.String()
}

// topicFlags returns the flags of a topic, which are alike in all verbs that have them; nil if it has none.
func (a *App) topicFlags(topic string) *flagGroup {
	for _, c := range a.Commands() {
		for _, g := range flagGroups(c.FlagSet()) {
			if g.topic == topic {
				return g
			}
		}
	}
	return nil
}

// overview is the help of the program: all verbs on one screen.
func (a *App) overview() string {
	var b strings.Builder
	t := a.text("tfparse")
	fmt.Fprintf(&b, "Usage: tfparse %s\n\n%s", t.usage, t.about)
	for _, g := range a.allGroups() {
		fmt.Fprintf(&b, "\n%s:\n", g.Title)
		for _, c := range g.Verbs {
			if !strings.Contains(c.Name, " ") {
				fmt.Fprintf(&b, "  %-10s  %s\n", c.Name, a.text(c.Name).short)
			}
		}
	}
	b.WriteString("\nMore: tfparse help COMMAND, or tfparse help " + strings.Join(topics, "|") + "\n")
	return b.String()
}

// Annotations of flags, for help and completion.
const (
	groupNote    = "group"    // the title of its group in help, and the topic that describes it, if one does
	ValuesNote   = "values"   // the values that it takes
	FilesNote    = "file"     // it takes the name of a file
	FeaturesNote = "features" // it takes names of features, with commas between them
)

// GroupFlags puts the flags that add defines below a heading of the help. With a topic, such as "help files", the help
// of verbs has only their names, and what tfparse prints for the topic has the rest.
func GroupFlags(fs *pflag.FlagSet, title, topic string, add func(*pflag.FlagSet)) {
	before := map[string]bool{}
	fs.VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	add(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] && f.Annotations[groupNote] == nil {
			fs.SetAnnotation(f.Name, groupNote, []string{title, topic})
		}
	})
}

// A flagGroup is some flags of a verb below one heading.
type flagGroup struct {
	*pflag.FlagSet
	title, topic string
}

// flagGroups returns the flags of a verb as help shows them: those without a group first.
func flagGroups(fs *pflag.FlagSet) (all []*flagGroup) {
	groups := map[string]*flagGroup{}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		note := f.Annotations[groupNote]
		if note == nil {
			note = []string{"Flags", ""}
		}
		g := groups[note[0]]
		if g == nil {
			g = &flagGroup{pflag.NewFlagSet("", pflag.ContinueOnError), note[0], note[1]}
			g.SortFlags = false
			groups[note[0]] = g
			all = append(all, g)
		}
		g.AddFlag(f)
	})
	slices.SortStableFunc(all, func(a, b *flagGroup) int { return a.order() - b.order() })
	return all
}

// order puts the flags of the verb itself first, and flags that a topic describes last.
func (g *flagGroup) order() int {
	switch {
	case g.title == "Flags":
		return 0
	case g.topic == "":
		return 1
	}
	return 2
}

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

// FlagUsages is the text of the flags, wrapped at the width. Unlike that of pflag it has no [=true|false] after each boolean
// flag: all of them are off without the flag.
func FlagUsages(fs *pflag.FlagSet, width int) string {
	plain := pflag.NewFlagSet("", pflag.ContinueOnError)
	plain.SortFlags = fs.SortFlags
	fs.VisitAll(func(f *pflag.Flag) {
		copied := *f
		if f.Value.Type() == "bool" {
			copied.Value = plainValue{f.Value}
		}
		plain.AddFlag(&copied)
	})
	return plain.FlagUsagesWrapped(width)
}

// A plainValue hides from pflag that a value is boolean.
type plainValue struct{ pflag.Value }

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
