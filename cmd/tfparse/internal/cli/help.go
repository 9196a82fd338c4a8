package cli

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// helpWidth is the width of help in characters: that of the narrowest terminal in common use.
const helpWidth = 80

// A helpText is what help, manual pages and docs/commands.md say of a verb or a topic. It is a file, written by
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
type helpText struct {
	short, usage, about, examples, details string
}

// helpText returns the text of a verb or topic; the zero text if there is none.
func (a *App) readText(name string) (t helpText) {
	b, err := fs.ReadFile(a.Texts, strings.ReplaceAll(name, " ", "-")+".txt")
	if err != nil {
		return helpText{}
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

// helpCommand returns the verb that prints the help of the program, of a verb or of a topic.
func (a *App) helpCommand() *Command {
	return &Command{Name: "help", Offers: a.offeredCommands, Run: func(e *Env, args []string) error {
		name := strings.Join(args, " ")
		if name == "" {
			return e.print(a.overview())
		}
		if c := a.findVerb(name); c != nil {
			return e.print(a.Help(c))
		}
		if slices.Contains(topics, name) {
			return e.print(a.topic(name))
		}
		return Usagef("unknown command or topic %q", name)
	}}
}

// Help returns the help of a verb.
func (a *App) Help(c *Command) string {
	t := a.readText(c.Name)
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

// topics are the names of texts about common features of verbs.
var topics = []string{"files", "csv", "messages", "expressions", "rules"}

// topic returns the text of a topic, and the flags that the help of verbs only names.
func (a *App) topic(name string) string {
	t := a.readText(name)
	var b strings.Builder
	b.WriteString(t.about)
	if g := a.topicFlags("help " + name); g != nil {
		fmt.Fprintf(&b, "\nFlags:\n%s", FlagUsages(g.FlagSet, helpWidth))
	}
	return b.String()
}

// topicFlags returns the flags of a topic, which are the same in all verbs that have them; nil if the topic has no
// flags.
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

// overview returns the help of the program: all verbs on one screen.
func (a *App) overview() string {
	var b strings.Builder
	t := a.readText("tfparse")
	fmt.Fprintf(&b, "Usage: tfparse %s\n\n%s", t.usage, t.about)
	for _, g := range a.allGroups() {
		fmt.Fprintf(&b, "\n%s:\n", g.Title)
		for _, c := range g.Verbs {
			if !strings.Contains(c.Name, " ") {
				fmt.Fprintf(&b, "  %-10s  %s\n", c.Name, a.readText(c.Name).short)
			}
		}
	}
	b.WriteString("\nMore: tfparse help COMMAND, or tfparse help " + strings.Join(topics, "|") + "\n")
	return b.String()
}

// Annotations of flags, for help and completion.
const (
	groupNote    = "group"    // title of the group in help, and its topic or ""
	ValuesNote   = "values"   // the possible values
	FilesNote    = "file"     // the value is the name of a file
	FeaturesNote = "features" // the value is names of features, separated by commas
)

// GroupFlags assigns the flags that add defines to a group of the help. With a topic, such as "help files", the help of
// verbs has only the names of the flags, and the help of the topic describes them.
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

// A flagGroup is the flags of a verb under one heading.
type flagGroup struct {
	*pflag.FlagSet
	title, topic string
}

// flagGroups returns the groups of the flags of a verb, in the order of the help.
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

// order returns the position of a group: first the flags without a group, last the groups with a topic.
func (g *flagGroup) order() int {
	switch {
	case g.title == "Flags":
		return 0
	case g.topic == "":
		return 1
	}
	return 2
}

// manCommand returns the verb that prints manual pages. Those of cobra lack the names of values and the exit codes.
func (a *App) manCommand() *Command {
	return &Command{Name: "man", Offers: a.offeredCommands, Run: func(e *Env, args []string) error {
		if len(args) == 0 {
			return e.print(a.manPage())
		}
		c := a.findVerb(strings.Join(args, " "))
		if c == nil {
			return Usagef("unknown command %q", strings.Join(args, " "))
		}
		return e.print(a.manPageOf(c))
	}}
}

// manPage returns the manual page of the program.
func (a *App) manPage() string {
	var p manPageText
	t := a.readText("tfparse")
	p.begin("tfparse", t.short, t)
	p.section("COMMANDS")
	for _, c := range a.Commands() {
		p.entry(`\fB`+roff(c.Name)+`\fR`, a.readText(c.Name).short)
	}
	for _, topic := range topics {
		p.section(strings.ToUpper(topic))
		p.paragraphs(a.readText(topic).about)
	}
	p.exitStatus()
	p.section("SEE ALSO")
	for _, c := range a.Commands() {
		fmt.Fprintf(&p, ".BR %s (1)\n", roff(pageName(c.Name)))
	}
	return p.String()
}

// manPageOf returns the manual page of a verb.
func (a *App) manPageOf(c *Command) string {
	var p manPageText
	t := a.readText(c.Name)
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
			p.entry(names, usage+defaultText(f, usage))
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

// FlagUsages returns the help of flags, wrapped at a width. Unlike pflag it prints no [=true|false] after boolean
// flags; their default is always false.
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

// A plainValue is a boolean value that pflag formats like other values.
type plainValue struct{ pflag.Value }

// defaultText returns what pflag prints after the usage of a flag: the default, unless it is the zero value. pflag does
// not export it.
func defaultText(f *pflag.Flag, usage string) string {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	one.AddFlag(f)
	_, helpText, _ := strings.Cut(one.FlagUsages(), usage)
	return strings.TrimSuffix(helpText, "\n")
}

// pageName returns the name of the manual page of a verb.
func pageName(command string) string {
	return "tfparse-" + strings.ReplaceAll(command, " ", "-")
}

// A manPageText builds the text of a manual page.
type manPageText struct{ strings.Builder }

// begin writes the sections before the flags.
func (p *manPageText) begin(name, short string, t helpText) {
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

// section begins a section.
func (p *manPageText) section(name string) { fmt.Fprintf(p, ".SH %s\n", name) }

// paragraphs writes text. Indented code keeps its lines.
func (p *manPageText) paragraphs(helpText string) {
	for i, paragraph := range strings.Split(strings.TrimRight(helpText, "\n"), "\n\n") {
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

// lines writes text without filling the lines.
func (p *manPageText) lines(helpText string) {
	fmt.Fprintf(p, ".nf\n%s\n.fi\n", roff(helpText))
}

// entry writes an item of a definition list.
func (p *manPageText) entry(term, helpText string) {
	fmt.Fprintf(p, ".TP\n%s\n%s\n", term, roff(helpText))
}

// exitStatus writes the section about exit codes.
func (p *manPageText) exitStatus() {
	p.section("EXIT STATUS")
	for _, x := range exitCodes {
		p.entry(fmt.Sprintf(`\fB%d\fR`, x.code), x.meaning)
	}
	fmt.Fprintf(p, ".PP\n%s\n", roff(exitOrder))
}

// roff escapes requests and special characters of roff.
func roff(helpText string) string {
	helpText = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(helpText)
	lines := strings.Split(helpText, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
