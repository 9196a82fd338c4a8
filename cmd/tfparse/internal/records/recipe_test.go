package records

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
)

// The verb of the recipe in CONTRIBUTING.md.

// Tally prints how many records there are of each size.
func Tally() *cli.Command {
	t := &tally{}
	return &cli.Command{Name: "tally", Flags: t.addFlags, Run: t.run}
}

// tally has the flags of the verb.
type tally struct {
	reading scan.Flags // which files are read, and how
	step    int        // bytes between two sizes
}

func (t *tally) addFlags(fs *pflag.FlagSet) {
	cli.NumberVar(fs, &t.step, "step", 1, 1, "round sizes down to `N` bytes")
	t.reading.Add(fs)
}

func (t *tally) run(e *cli.Env, args []string) error {
	in, err := t.reading.Expand(e, args)
	if err != nil {
		return err
	}
	out := e.Report()
	src, err := t.reading.Open(e, in, &scan.Options{})
	if err != nil {
		return out.Finish(err)
	}
	counts := map[int]int{}
	for rec, err := range src.Records() {
		if err != nil {
			return out.Finish(err)
		}
		counts[len(rec.Bytes)/t.step*t.step]++
	}
	for _, size := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "%d\t%d\n", size, counts[size])
	}
	return out.Finish(nil)
}

// TestRecipe runs the verb of CONTRIBUTING.md, which the test of documents compares with this file.
func TestRecipe(t *testing.T) {
	var stdout bytes.Buffer
	e := &cli.Env{Ctx: t.Context(), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: io.Discard, Console: console.New(io.Discard, "tfparse")}
	c := Tally()
	fs := pflag.NewFlagSet("tally", pflag.ContinueOnError)
	c.Flags(fs)
	if err := fs.Parse([]string{"--step=100", "../../../../testdata/recipes.tfrecord"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(e, fs.Args()); err != nil {
		t.Fatal(err)
	}
	if want := "300\t1\n400\t3\n500\t5\n600\t3\n"; stdout.String() != want {
		t.Errorf("got %q, want %q", &stdout, want)
	}
}
