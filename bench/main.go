package main

import (
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
	only  string
	out   io.Writer
}

// A table is one thing that the command measures.
type table struct {
	name, about string
	run         func(*config) error
}

var tables = []table{
	{"parse", "records in memory to batches", parseTable},
}

func main() {
	c := &config{out: os.Stdout}
	flag.Float64Var(&c.scale, "scale", 0.2, "the part of every set of records that is read")
	flag.IntVar(&c.turns, "turns", 5, "how often each side works; the median counts")
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
func run(c *config, names []string) error {
	runtime.GOMAXPROCS(1) // one thread
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

// wanted reports whether a row is to be measured.
func (c *config) wanted(row string) bool { return strings.Contains(row, c.only) }
