package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/bench/flatten"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// A pipeline is a row of the table that filesTable prints.
type pipeline struct {
	name            string
	set             string
	threads, shards int
	codec           tfrecord.Compression
	interleave      int // how many files tfparse reads in turn; tf.data reads one per thread
}

func pipelines() (ps []pipeline) {
	sets := []string{"ads", "text", "wide", "image"}
	for _, s := range sets {
		ps = append(ps, pipeline{s, s, 1, 1, tfrecord.None, 1})
	}
	// For ads and text one file at a time keeps two parsers busy. For wide and image most of the work is reading,
	// so two files are read at a time.
	for i, s := range sets {
		ps = append(ps, pipeline{s + ", 4 shards", s, 2, 4, tfrecord.None, 1 + i/2})
	}
	for _, s := range sets[:2] {
		ps = append(ps, pipeline{s + ", 4 gzip", s, 2, 4, tfrecord.GZIP, 2})
	}
	return ps
}

// filesTable measures files -> batches.
func filesTable(c *config) error {
	w, err := c.worker()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "\nfiles in the page cache -> batches of %d: MB/s of records, %s time\n\n", rows, c.clock)
	fmt.Fprintf(c.out, "%-16s %8s %9s %12s %12s %8s %12s\n", "set", "threads", "tfparse", "to 1 thread", "tf.data", "ratio", "reading")
	for _, p := range pipelines() {
		if !c.wanted(p.name) {
			continue
		}
		if err := filesRow(c, w, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func filesRow(c *config, w *worker, p pipeline) error {
	set, view, err := datasets.Find(p.set)
	if err != nil {
		return err
	}
	n := set.Scaled(c.scale)
	files, err := c.files(set, n, p.shards, p.codec)
	if err != nil {
		return err
	}
	parser, err := feature.NewParser(view.Spec, &feature.ParserOptions{AliasRecords: view.Alias})
	if err != nil {
		return err
	}
	// As in tf.data, the pipeline is made once and run repeatedly.
	ours := map[int]*dataset.Files{}
	for _, threads := range []int{1, p.threads} {
		ours[threads] = dataset.NewFiles(files, &dataset.FilesOptions{Workers: threads, Interleave: p.interleave})
	}
	read := func(threads int, sum *flatten.Sum) error {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		for batch, err := range ours[threads].Batches(context.Background(), parser, rows).All() {
			if err != nil {
				return err
			}
			if sum != nil {
				sum.AddColumns(batch.Columns())
			}
			batch.Release()
		}
		return nil
	}
	var sum flatten.Sum
	if err := read(p.threads, &sum); err != nil {
		return err
	}
	sides := []side{
		{"tfparse", c.clock.repeated(c.least, func() error { return read(p.threads, nil) })},
		{"tfparse, 1 thread", c.clock.repeated(c.least, func() error { return read(1, nil) })},
	}
	if p.codec == tfrecord.None && p.threads == 1 {
		sides = append(sides, side{"reading", c.clock.repeated(c.least, func() error { return readAlone(files) })})
	}
	if w != nil {
		codec := ""
		if p.codec == tfrecord.GZIP {
			codec = "GZIP"
		}
		if _, err := w.ask(request{"op": "files.open", "files": files, "compression": codec, "threads": p.threads, "spec": view.Spec}); err != nil {
			return err
		}
		a, err := w.ask(request{"op": "files.sum"})
		if err != nil {
			return err
		}
		var theirs flatten.Sum
		if err := json.Unmarshal(a.Sum, &theirs); err != nil {
			return err
		}
		if sum.Splits = 0; sum != theirs { // splits depend on the order of the records
			return fmt.Errorf("the sides differ: tfparse %+v, tf.data %+v", sum, theirs)
		}
		sides = append(sides, side{"tf.data", w.timed(request{"op": "files.run", "clock": c.clock, "least": c.least.Seconds()})})
	}
	times, err := alternate(c.turns, sides)
	if err != nil {
		return err
	}
	mb := float64(datasets.Size(set.Slice(min(n, 1000)))) / float64(min(n, 1000)) * float64(n) / 1e6
	rate := func(name string) float64 {
		i := slices.IndexFunc(sides, func(s side) bool { return s.name == name })
		if i < 0 {
			return math.NaN()
		}
		return mb / times[i].Seconds()
	}
	ours1, ours2, theirs, reading := rate("tfparse, 1 thread"), rate("tfparse"), rate("tf.data"), rate("reading")
	cell := func(width int, x float64, format string) string {
		if math.IsNaN(x) {
			return fmt.Sprintf(" %*s", width, "-")
		}
		return fmt.Sprintf(" %*s", width, fmt.Sprintf(format, x))
	}
	scaling := math.NaN()
	if p.threads > 1 {
		scaling = ours2 / ours1
	}
	fmt.Fprintf(c.out, "%-16s %8d %9.0f%s%s%s%s\n", p.name, p.threads, ours2, cell(12, scaling, "%.2fx"),
		cell(12, theirs, "%.0f"), cell(8, ours2/theirs, "%.1fx"), cell(12, reading, "%.0f"))
	return nil
}

// readAlone reads files and ignores the content: no reader on one thread can be faster.
func readAlone(files []string) error {
	b := make([]byte, 256<<10)
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		for err == nil {
			_, err = f.Read(b)
		}
		closed := f.Close()
		if err != io.EOF {
			return err
		}
		if closed != nil {
			return closed
		}
	}
	return nil
}
