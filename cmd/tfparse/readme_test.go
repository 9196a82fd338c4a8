package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// referenceMark begins the part of docs/commands.md that TestReference writes.
const referenceMark = "<!-- From here on go test ./cmd/tfparse -run TestReference -update writes this page, from cmd/tfparse/command/help. -->\n"

// The reference in docs/commands.md has a table of all verbs, and the text, the examples, the flags and the details of each.
func TestReference(t *testing.T) {
	const page = "../../docs/commands.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(b), referenceMark)
	if !ok {
		t.Fatalf("%s has no line %s", page, referenceMark)
	}
	var want strings.Builder
	want.WriteString(before + referenceMark + "\n# Reference\n\n| verb | does |\n| --- | --- |\n")
	for _, c := range command.Program().Commands() {
		short, _, _, _ := helpText(t, c.Name)
		fmt.Fprintf(&want, "| [%s](#%s) | %s |\n", c.Name, strings.ReplaceAll(c.Name, " ", "-"), short)
	}
	for _, topic := range []string{"files", "csv", "messages", "expressions", "rules"} {
		_, usage, about, _ := helpText(t, topic)
		fmt.Fprintf(&want, "\n## %s\n\n%s%s", strings.ToUpper(topic[:1])+topic[1:], usage, about)
		for _, c := range command.Program().Commands() {
			if flags := flagsIn(c.FlagSet(), "help "+topic); flags.HasFlags() {
				fmt.Fprintf(&want, "\n```\n%s```\n", cli.FlagUsages(flags, 100))
				break
			}
		}
	}
	for _, c := range command.Program().Commands() {
		short, usage, about, details := helpText(t, c.Name)
		fmt.Fprintf(&want, "\n## %s\n\n%s%s.\n\n%s", c.Name, usage, strings.ToUpper(short[:1])+short[1:], about)
		fs := c.FlagSet()
		if flags := flagsIn(fs, "", "man stats"); flags.HasFlags() {
			fmt.Fprintf(&want, "\n```\n%s```\n", cli.FlagUsages(flags, 100))
		}
		for _, topic := range []string{"files", "csv"} {
			var names []string
			flagsIn(fs, "help "+topic).VisitAll(func(f *pflag.Flag) { names = append(names, "`--"+f.Name+"`") })
			if names != nil {
				fmt.Fprintf(&want, "\nFlags of [%s](#%s): %s\n", topic, topic, strings.Join(names, " "))
			}
		}
		if details != "" {
			want.WriteString("\n" + details)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(want.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want.String() != string(b) {
		t.Errorf("%s is not what the help says: run go test ./cmd/tfparse -run TestReference -update", page)
	}
}

// helpText returns what a file of help has, as Markdown.
func helpText(t *testing.T, name string) (short, usage, about, details string) {
	t.Helper()
	b, err := os.ReadFile("command/help/" + strings.ReplaceAll(name, " ", "-") + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	short, text, _ := strings.Cut(string(b), "\n")
	usage, text, _ = strings.Cut(text, "\n")
	if usage != "" {
		usage = "```\n" + usage + "\n```\n\n"
	}
	about, details, _ = strings.Cut(text, "\nDetails:\n")
	return short, usage, markdown(about), markdown(details)
}

// markdown puts fences around code, which is indented, in paragraphs of help.
func markdown(text string) string {
	var all []string
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		prose, code, _ := strings.Cut("\n"+paragraph, "\n ")
		prose = strings.NewReplacer("*", `\*`, "<", "&lt;").Replace(strings.TrimSpace(prose))
		if code != "" {
			if prose != "" {
				prose += "\n\n"
			}
			prose += "```\n" + strings.ReplaceAll(" "+code, "\n  ", "\n")[min(2, len(code)):] + "\n```"
		}
		all = append(all, prose)
	}
	return strings.TrimPrefix(strings.Join(all, "\n\n")+"\n", "\n")
}

// flagsIn returns the flags whose group of help has one of some topics.
func flagsIn(fs *pflag.FlagSet, topics ...string) *pflag.FlagSet {
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	some.SortFlags = false
	fs.VisitAll(func(f *pflag.Flag) {
		topic := ""
		if group := f.Annotations["group"]; group != nil {
			topic = group[1]
		}
		if !f.Hidden && slices.Contains(topics, topic) {
			some.AddFlag(f)
		}
	})
	return some
}
