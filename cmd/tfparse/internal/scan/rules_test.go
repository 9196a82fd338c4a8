package scan

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Flags break a rule only where they are given.
func TestRules(t *testing.T) {
	for args, want := range map[string]string{
		"":              "",
		"--a":           "",
		"--a=false --b": "",
		"--a --b":       "--a cannot be combined with --b",
		"--c":           "--c needs --a or --b",
		"--c --b":       "",
	} {
		r := &Flags{}
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		for _, name := range []string{"a", "b", "c"} {
			fs.Bool(name, false, "")
		}
		r.Rules(fs, Excludes("a", "b"), Needs("c", "a", "b"))
		if err := fs.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := r.CheckRules(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}
