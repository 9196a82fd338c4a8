package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/tfrecord"
)

// config holds the flags, and what the tables share: workers and a folder.
type config struct {
	scale   float64
	turns   int
	threads int // for the programs in the table "command"
	rows    int
	only    string
	clock   clock
	least   time.Duration // shortest time of a turn over files
	out     io.Writer

	python, pythonBSL string
	records           string // a file name pattern; validate is also measured on these files of Examples
	workers           []*worker
	tensorflow, tfx   *worker // elements of workers, or nil before they are first needed
	dir               string  // folder for files, or "" before one is written
}

// A table is one thing that the command measures.
type table struct {
	name, about string
	run         func(*config) error
}

var tables = []table{
	{"parse", "records in memory to batches", parseTable},
	{"files", "files to batches", filesTable},
	{"encode", "columns to records, and records to frames", encodeTable},
	{"command", "the command tfparse", commandTable},
	{"ragged", "operations on ragged tensors", raggedTable},
	{"validate", "statistics of records, and checks", validateTable},
}

func main() {
	c := &config{clock: wall, least: steady, out: os.Stdout}
	flag.Float64Var(&c.scale, "scale", 0.2, "read this part of every set of records")
	flag.IntVar(&c.turns, "turns", 5, "how often each side is measured; the median is printed")
	flag.IntVar(&c.threads, "threads", 1, "how many threads the programs in the table command use")
	flag.IntVar(&c.rows, "rows", 1_000_000, "how many rows the ragged tensors have")
	flag.StringVar(&c.python, "python", os.Getenv("TFPARSE_BENCH_PYTHON"), "a Python with TensorFlow, to measure against; the environment variable TFPARSE_BENCH_PYTHON is the default")
	flag.Func("clock", "wall (the default) measures elapsed time; cpu measures processor time, for machines where other programs run", c.clock.set)
	flag.StringVar(&c.pythonBSL, "python-bsl", os.Getenv("TFPARSE_BENCH_PYTHON_BSL"), "a Python with TensorFlow and tfx_bsl; the environment variable TFPARSE_BENCH_PYTHON_BSL is the default")
	flag.StringVar(&c.records, "records", "", "also measure validate on the files of Examples that match this pattern")
	flag.StringVar(&c.only, "only", "", "measure only the rows whose name contains this text")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: bench [flags] [table…]\n\ntables, all of them if none is named:\n")
		for _, t := range tables {
			fmt.Fprintf(flag.CommandLine.Output(), "  %-8s %s\n", t.name, t.about)
		}
		fmt.Fprintln(flag.CommandLine.Output(), "\nflags:")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(c, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run prints the tables with the given names, or all tables.
func run(c *config, names []string) (err error) {
	runtime.GOMAXPROCS(1) // measure on one thread
	defer func() { err = errors.Join(err, c.close()) }()
	chosen := tables
	if len(names) > 0 {
		chosen = nil
		for _, name := range names {
			t, err := find(name)
			if err != nil {
				return err
			}
			chosen = append(chosen, t)
		}
	}
	for _, t := range chosen {
		if err := t.run(c); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

func find(name string) (table, error) {
	for _, t := range tables {
		if t.name == name {
			return t, nil
		}
	}
	return table{}, fmt.Errorf("no table is called %q", name)
}

// worker returns the Python process to measure against, or nil if the flag -python is not set.
func (c *config) worker() (*worker, error) {
	if c.python == "" {
		fmt.Fprintln(c.out, "\n(without TensorFlow: name a Python that has it with -python)")
		return nil, nil
	}
	return c.started(&c.tensorflow, c.python)
}

// bsl returns the Python process that has tfx_bsl, or nil if the flag -python-bsl is not set.
func (c *config) bsl() (*worker, error) {
	if c.pythonBSL == "" {
		return nil, nil
	}
	return c.started(&c.tfx, c.pythonBSL)
}

// started returns the worker *w, and starts it if it does not run yet.
func (c *config) started(w **worker, python string) (*worker, error) {
	if *w != nil {
		return *w, nil
	}
	var err error
	if *w, err = startWorker(python); err != nil {
		return nil, err
	}
	c.workers = append(c.workers, *w)
	a, err := (*w).ask(request{"op": "version"})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(c.out, "\n(against %s)\n", a.Text)
	return *w, nil
}

// files writes n records of a set to files, and returns their names.
func (c *config) files(set datasets.Set, n, shards int, codec tfrecord.Compression) ([]string, error) {
	if c.dir == "" {
		var err error
		if c.dir, err = os.MkdirTemp("", "tfparse-bench-"); err != nil {
			return nil, err
		}
	}
	return set.WriteFiles(c.dir, n, shards, codec)
}

// close ends the workers and removes the files.
func (c *config) close() error {
	var err error
	if c.dir != "" {
		err = os.RemoveAll(c.dir)
	}
	for _, w := range c.workers {
		err = errors.Join(err, w.Close())
	}
	c.workers, c.tensorflow, c.tfx, c.dir = nil, nil, nil, ""
	return err
}

// wanted reports whether the flag -only selects a row.
func (c *config) wanted(row string) bool { return strings.Contains(row, c.only) }
