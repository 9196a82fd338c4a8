package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// config is what the flags say.
type config struct {
	scale float64
	turns int
	rows  int
	only  string
	clock clock
	out   io.Writer

	python  string
	workers []*worker // at most one, once it was asked for
}

// A table is one thing that the command measures.
type table struct {
	name, about string
	run         func(*config) error
}

var tables = []table{
	{"parse", "records in memory to batches", parseTable},
	{"ragged", "operations on ragged tensors", raggedTable},
}

func main() {
	c := &config{clock: wall, out: os.Stdout}
	flag.Float64Var(&c.scale, "scale", 0.2, "the part of every set of records that is read")
	flag.IntVar(&c.turns, "turns", 5, "how often each side works; the median counts")
	flag.IntVar(&c.rows, "rows", 1_000_000, "how many rows the ragged tensors have")
	flag.StringVar(&c.python, "python", os.Getenv("TFPARSE_BENCH_PYTHON"), "a Python with TensorFlow, to measure against; the environment variable TFPARSE_BENCH_PYTHON is the default")
	flag.Func("clock", "wall or cpu: measure what a watch says (the default), or what the process computes, where other programs run, too", c.clock.set)
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
	if len(c.workers) == 0 {
		w, err := startWorker(c.python)
		if err != nil {
			return nil, err
		}
		c.workers = append(c.workers, w)
		a, err := w.ask(request{"op": "version"})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(c.out, "\n(against %s)\n", a.Text)
	}
	return c.workers[0], nil
}

// close ends the worker, if there is one.
func (c *config) close() error {
	var err error
	for _, w := range c.workers {
		err = errors.Join(err, w.Close())
	}
	c.workers = nil
	return err
}

// wanted reports whether a row is to be measured.
func (c *config) wanted(row string) bool { return strings.Contains(row, c.only) }
