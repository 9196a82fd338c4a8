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

// config is what the flags say.
type config struct {
	scale   float64
	turns   int
	threads int // of the programs in the table of the command
	rows    int
	only    string
	clock   clock
	least   time.Duration // of a turn over files
	out     io.Writer

	python, pythonBSL string
	records           string // a pattern: files of Examples that validate is measured on, too
	workers           []*worker
	tensorflow, tfx   *worker // of these, once they were asked for
	dir               string  // of files, once there are any
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
	flag.Float64Var(&c.scale, "scale", 0.2, "the part of every set of records that is read")
	flag.IntVar(&c.turns, "turns", 5, "how often each side works; the median counts")
	flag.IntVar(&c.threads, "threads", 1, "how many threads the programs in the table of the command use")
	flag.IntVar(&c.rows, "rows", 1_000_000, "how many rows the ragged tensors have")
	flag.StringVar(&c.python, "python", os.Getenv("TFPARSE_BENCH_PYTHON"), "a Python with TensorFlow, to measure against; the environment variable TFPARSE_BENCH_PYTHON is the default")
	flag.Func("clock", "wall or cpu: measure what a watch says (the default), or what the process computes, where other programs run, too", c.clock.set)
	flag.StringVar(&c.pythonBSL, "python-bsl", os.Getenv("TFPARSE_BENCH_PYTHON_BSL"), "a Python with TensorFlow and tfx_bsl; the environment variable TFPARSE_BENCH_PYTHON_BSL is the default")
	flag.StringVar(&c.records, "records", "", "measure validate on the files of Examples that this pattern names, too")
	flag.StringVar(&c.only, "only", "", "measure only the rows whose name has this in it")
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

// run prints the tables of the names, or all.
func run(c *config, names []string) (err error) {
	runtime.GOMAXPROCS(1) // one thread
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

// worker returns the Python to measure against, or nil if none is named.
func (c *config) worker() (*worker, error) {
	if c.python == "" {
		fmt.Fprintln(c.out, "\n(without TensorFlow: name a Python that has it with -python)")
		return nil, nil
	}
	return c.started(&c.tensorflow, c.python)
}

// bsl returns the Python that has tfx_bsl, or nil if none is named.
func (c *config) bsl() (*worker, error) {
	if c.pythonBSL == "" {
		return nil, nil
	}
	return c.started(&c.tfx, c.pythonBSL)
}

// started returns a worker, and starts it if it does not run yet.
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

// wanted reports whether a row is to be measured.
func (c *config) wanted(row string) bool { return strings.Contains(row, c.only) }
