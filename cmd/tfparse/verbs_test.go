package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

const (
	sample        = "../../testdata/recipes.tfrecord"
	sampleRecords = 12
	sampleSpec    = "../../testdata/recipes.spec.json"
)

// A verbCase is a command line with which a verb succeeds on the sample file, and, if it reads records of no other file, on
// those of manyRecords.
type verbCase struct {
	verb    string
	args    []string // flags and conditions; %n is a quarter of the number of records, %/ begins a name in the folder of the outputs
	inputs  []string // arguments after those; nil for a file of records
	output  string   // what -o gets, in the folder of the outputs; empty if the verb prints its result without -o
	records bool     // it writes all its outputs complete or not at all, from a file of records
}

// verbCases drive the tests that hold for all verbs: a full disk, a closed pipe, a process that is killed, odd names of files.
// A verb that is not here prints something about a file of records without flags.
var verbCases = []verbCase{
	{verb: "cat", args: []string{"--spec", sampleSpec, "--batch", "5"}},
	{verb: "head", args: []string{"--spec", sampleSpec, "--batch", "5"}},
	{verb: "get", args: []string{"--spec", sampleSpec, "--batch", "5"}, inputs: []string{sample + "#0"}},
	{verb: "tail", args: []string{"--spec", sampleSpec, "--batch", "5"}},
	{verb: "view", output: "out.html"},
	{verb: "sample", args: []string{"--spec", sampleSpec, "--batch", "5"}},
	{verb: "explain", args: []string{"--spec", sampleSpec}},
	{verb: "validate", args: []string{"--schema", "../../testdata/recipes.schema.pbtxt"}},
	{verb: "digest", args: []string{"--each"}},
	{verb: "du", args: []string{"--each"}},
	{verb: "diff", inputs: []string{sample, sample}},
	{verb: "drift", inputs: []string{sample, sample}},
	{verb: "skew", args: []string{"--by", "title"}, inputs: []string{sample, sample}},
	{verb: "model", inputs: []string{"../../testdata/models/nested_dict"}},
	{verb: "request", args: []string{"--spec", sampleSpec}, inputs: []string{"../../testdata/models/recipes", sample}},
	{verb: "warmup", args: []string{"--spec", sampleSpec}, inputs: []string{"../../testdata/models/recipes", sample}, output: "out"},
	{verb: "encode", inputs: []string{}, output: "out"},
	{verb: "index", output: "out"},
	{verb: "extract", args: []string{"--feature", "title"}, output: "out"},
	{verb: "export", args: []string{"--to", "npz"}, output: "out@2.npz", records: true},
	{verb: "export", args: []string{"--to", "jsonl"}, output: "out.jsonl", records: true},
	{verb: "export", args: []string{"--to", "csv", "--select", "title,minutes"}, output: "out.csv"},
	{verb: "recover", output: "out", records: true},
	{verb: "convert", output: "out", records: true},
	{verb: "merge", output: "out@3", records: true},
	{verb: "split", args: []string{"--records-per-shard", "%n"}, output: "out", records: true},
	{verb: "split", args: []string{"--part", "%/train@2=0.5", "--part", "%/test=0.5"}, records: true},
	{verb: "filter", args: []string{"has(title)"}, output: "out@2", records: true},
	{verb: "project", args: []string{"--drop", "title"}, output: "out", records: true},
	{verb: "rename", args: []string{"--name", "title=name"}, output: "out@2", records: true},
	{verb: "set", args: []string{"--value", "x=1"}, output: "out", records: true},
	{verb: "sort", args: []string{"--by", "title"}, output: "out@2", records: true},
	{verb: "shuffle", output: "out", records: true},
	{verb: "dedup", output: "out@2", records: true},
	{verb: "completion", inputs: []string{"bash"}},
	{verb: "help", inputs: []string{"cat"}},
	{verb: "version", inputs: []string{}},
	{verb: "man", inputs: []string{"cat"}},
}

// verbInput is standard input for all cases: encode reads it.
const verbInput = `{"title":["x"]}` + "\n"

// line returns the command line, with outputs in dir and some more flags. A nil input is the sample file.
func (c *verbCase) line(dir, input string, records int, flags ...string) []string {
	if c.output != "" {
		flags = append([]string{"-o", filepath.Join(dir, c.output)}, flags...)
	}
	return c.lineTo(dir, input, records, flags...)
}

// lineTo is line without -o.
func (c *verbCase) lineTo(dir, input string, records int, flags ...string) []string {
	line := append(strings.Fields(c.verb), flags...)
	for _, arg := range c.args {
		line = append(line, strings.NewReplacer("%n", fmt.Sprint(records/4), "%/", filepath.ToSlash(dir)+"/").Replace(arg))
	}
	if c.inputs == nil {
		return append(line, input)
	}
	return append(line, c.inputs...)
}

// has reports whether the verb has a flag, and the values that it can have.
func (c *verbCase) has(flag string) (values []string, ok bool) {
	for _, v := range command.Program().Commands() {
		if v.Name == c.verb {
			if f := v.FlagSet().Lookup(flag); f != nil {
				return f.Annotations[cli.ValuesNote], true
			}
		}
	}
	return nil, false
}

// allVerbs returns the cases of all verbs. The input of stats merge and its kin is made: the partial output of the verb.
func allVerbs(t *testing.T) []*verbCase {
	t.Helper()
	var all []*verbCase
	of := map[string]*verbCase{}
	for i := range verbCases {
		c := &verbCases[i]
		all, of[c.verb] = append(all, c), c
	}
	for _, v := range command.Program().Commands() {
		if of[v.Name] == nil && !strings.HasSuffix(v.Name, " merge") {
			of[v.Name] = &verbCase{verb: v.Name}
			all = append(all, of[v.Name])
		}
	}
	for _, v := range command.Program().Commands() {
		verb, ok := strings.CutSuffix(v.Name, " merge")
		if !ok {
			continue
		}
		part := filepath.Join(t.TempDir(), "part")
		if code := runCommand(of[verb].line("", sample, sampleRecords, "--partial", part), strings.NewReader(verbInput), io.Discard, io.Discard); code != 0 {
			t.Fatalf("%s --partial: exit code %d", verb, code)
		}
		all = append(all, &verbCase{verb: v.Name, args: of[verb].args, inputs: []string{part}})
	}
	for _, c := range all {
		if !slices.ContainsFunc(command.Program().Commands(), func(v *cli.Command) bool { return v.Name == c.verb }) {
			t.Errorf("there is no verb %s", c.verb)
		}
	}
	return all
}
