package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
)

// TestDocumentedVerbs holds that the table of commands names every verb, and nothing else.
func TestDocumentedVerbs(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "\n| command | does |\n| --- | --- |\n")
	if !ok {
		t.Fatal("docs/commands.md has no table of commands")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	name := regexp.MustCompile("`([a-z]+)`")
	var named []string
	for row := range strings.Lines(table) {
		first, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		for _, m := range name.FindAllStringSubmatch(first, -1) {
			named = append(named, m[1])
		}
	}
	want := []string{"completion", "man", "version"}
	for _, v := range command.Program().Verbs() {
		if verb, _, sub := strings.Cut(v.Name, " "); !sub {
			want = append(want, verb)
		}
	}
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		t.Errorf("the table of commands in docs/commands.md has\n%q\nand the command\n%q", named, want)
	}
}
