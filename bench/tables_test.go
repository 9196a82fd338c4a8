package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestTables prints tables of tiny sets without TensorFlow: the results of the Go sides must be equal. The table of
// the command is left out, because it needs a build.
func TestTables(t *testing.T) {
	var out bytes.Buffer
	c := &config{scale: 0.001, turns: 1, rows: 100, clock: wall, out: &out}
	if err := run(c, []string{"parse", "files", "encode", "ragged"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sequence-padded", "embedding mean", "4 gzip", "records -> frames", "without TensorFlow"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables do not have %q:\n%s", want, &out)
		}
	}
	if err := run(c, []string{"poems"}); err == nil {
		t.Error("run accepted a table that does not exist")
	}
}

// TestCommandRow prints rows of the table of the command.
func TestCommandRow(t *testing.T) {
	var out bytes.Buffer
	c := &config{turns: 3, out: &out}
	takes := func(d time.Duration) side {
		return side{"other", func() (time.Duration, error) { return d, nil }}
	}
	if err := c.commandRow("count", 100, 10, takes(time.Second/10), takes(time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := c.commandRow("cat", 100, 10, takes(time.Second)); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(strings.Fields(out.String()), " "), "count 1000 other: 10.0 100.00x cat 100 - -"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

// TestRecords proves that reading files returns the records that were written, and that specOf returns every
// feature.
func TestRecords(t *testing.T) {
	c := &config{}
	defer c.close()
	set, view, err := datasets.Find("ads")
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.files(set, 100, 2, tfrecord.None)
	if err != nil {
		t.Fatal(err)
	}
	records, err := readRecords(files)
	if err != nil || !slices.EqualFunc(records, set.Slice(100), bytes.Equal) {
		t.Errorf("%d records, not those that were written: %v", len(records), err)
	}
	if got, want := len(specOf(records).Features), len(view.Spec.Features); got != want {
		t.Errorf("%d features, wanted %d", got, want)
	}
	if err := describe(records); err != nil {
		t.Error(err)
	}
}

// TestOperations proves that different results have different checksums, and that the words have the lengths that
// their comment says.
func TestOperations(t *testing.T) {
	o, err := newOperands(1000)
	if err != nil {
		t.Fatal(err)
	}
	var seen []checksum
	for _, op := range operations {
		sum, err := op.run(o)
		if err != nil {
			t.Fatalf("%s: %v", op.name, err)
		}
		s := sum()
		same := slices.ContainsFunc(seen, func(u checksum) bool { return s.near(u) })
		if s.Count == 0 || same != (op.name == "add, equal rows") {
			t.Errorf("%s: %+v, seen before: %t", op.name, s, same)
		}
		seen = append(seen, s)
	}
	for _, w := range o.words.Values() {
		if len(w) < 1 || len(w) > 24 {
			t.Errorf("the word %q has %d bytes", w, len(w))
		}
	}
}

// TestClocks uses both clocks.
func TestClocks(t *testing.T) {
	var c clock
	for _, name := range []string{"wall", "cpu"} {
		if err := c.set(name); err != nil || string(c) != name {
			t.Errorf("%s: %v", name, err)
		}
		work := func() error { newOperands(10_000); return nil }
		if d, err := c.timed(work)(); d <= 0 || err != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if c.set("sun") == nil {
		t.Error("set accepted a clock that does not exist")
	}
}
