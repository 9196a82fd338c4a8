package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestCaveats proves that every command that makes statistics of records names what they do not
// describe, and does not exit as if they did.
func TestCaveats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	many := writeExamples(t, dir, "many", 600, func(i int) example.Example {
		return example.Example{"a": example.Int64s(int64(i)), fmt.Sprintf("word %d", i): example.Int64s(1)}
	})
	kinds := writeExamples(t, dir, "kinds", 20, func(i int) example.Example {
		if i == 7 {
			return example.Example{"a": example.Strings("seven")}
		}
		return example.Example{"a": example.Int64s(int64(i))}
	})
	one := writeExamples(t, dir, "one", 20, func(i int) example.Example { return example.Example{"a": example.Int64s(int64(i))} })
	schema := filepath.Join(dir, "schema.pbtxt")
	if out, err := tfparse(t, "schema", "-o", schema, one).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const (
		severalTypes = `feature "a" has values of several types`
		tooMany      = `"word 499" is too many: names look like data (--max-features)`
	)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stats", "--max-features", "500", many}, tooMany},
		{[]string{"validate", "--max-features", "500", "--schema", schema, many}, tooMany},
		{[]string{"drift", "--max-features", "500", many, one}, tooMany},
		{[]string{"stats", kinds}, severalTypes},
		{[]string{"validate", "--schema", schema, kinds}, "a: error: UNEXPECTED_DATA_TYPE: The feature has values of several types; "},
		{[]string{"schema", "-o", filepath.Join(dir, "kinds.pbtxt"), kinds}, severalTypes},
		{[]string{"drift", one, kinds}, severalTypes},
	} {
		cmd := tfparse(t, c.args...)
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		code := cli.ExitSkipped
		switch {
		case c.want == tooMany:
			code = cli.ExitBadInput
		case c.args[0] == "validate": // which has findings, too
			code = cli.ExitNegative
		}
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != code || !strings.Contains(text.String(), c.want) {
			t.Errorf("tfparse %s: %v; wanted exit code %d, and %q in\n%s", strings.Join(c.args, " "), err, code, c.want, &text)
		}
	}
}

// writeExamples writes a file of n records, and returns its name.
func writeExamples(t *testing.T, dir, name string, n int, at func(i int) example.Example) string {
	t.Helper()
	name = filepath.Join(dir, name)
	w, err := tfrecord.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		b, err := at(i).MarshalBinary()
		if err == nil {
			err = w.WriteRecord(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestManyNames proves that records of bags of words, whose names are data, are described and checked whole.
func TestManyNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const each = 50
	names := 12_000 // more than --max-features is without the flag
	if testkit.Long(t, "50,000 names") {
		names = 50_000
	}
	file := writeExamples(t, dir, "names", names/each, func(i int) example.Example {
		e := example.Example{}
		for k := range each {
			e[fmt.Sprintf("w_%d", i*each+k)] = example.Int64s(1)
		}
		return e
	})
	schema := filepath.Join(dir, "schema.pbtxt")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"schema", "--max-features", "100000", "-o", schema, file}, ""}, // its report is on standard error
		{[]string{"validate", "--schema", schema, file}, "no anomalies\n"},
	} {
		if out, err := tfparse(t, c.args...).Output(); err != nil || string(out) != c.want {
			t.Errorf("tfparse %s: %v, %.500s", strings.Join(c.args, " "), err, out)
		}
	}
}
