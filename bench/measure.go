package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// A side is one of the ways to do the work of a row.
type side struct {
	name string
	run  func() (time.Duration, error)
}

// A clock says by which time the sides are measured.
type clock string

const (
	wall clock = "wall" // what a watch says
	cpu  clock = "cpu"  // for how long processors computed, the collector of garbage included
)

var began = time.Now()

// now returns a time to take differences of.
func (c clock) now() time.Duration {
	if c == cpu {
		return cpuTime()
	}
	return time.Since(began)
}

// set reads a clock's name.
func (c *clock) set(name string) error {
	if *c = clock(name); *c != wall && *c != cpu {
		return fmt.Errorf("want wall or cpu")
	}
	return nil
}

// timed makes a run of a function that does the work once. Garbage is collected
// before, so that every run finds the memory of the last one free, as it does in
// TensorFlow, which counts references.
func (c clock) timed(work func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		runtime.GC()
		start := c.now()
		err := work()
		return c.now() - start, err
	}
}

// steady is the least time of a turn that measures a steady state.
const steady = 400 * time.Millisecond

// repeated makes a run of a function that does the work once, which does it again and again
// as someone would who reads all data once an epoch: what the first pass must get
// from the system the others have.
func (c clock) repeated(least time.Duration, work func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		runtime.GC()
		began, start := time.Now(), c.now()
		n := time.Duration(0)
		for n == 0 || time.Since(began) < least {
			if err := work(); err != nil {
				return 0, err
			}
			n++
		}
		return (c.now() - start) / n, nil
	}
}

// alternate lets all sides work in turns, after one turn that does not count, and
// returns the median of each.
func alternate(turns int, sides []side) ([]time.Duration, error) {
	times := make([][]time.Duration, len(sides))
	for turn := range turns + 1 {
		for i, s := range sides {
			d, err := s.run()
			if err != nil {
				return nil, err
			}
			if turn > 0 {
				times[i] = append(times[i], d)
			}
		}
	}
	out := make([]time.Duration, len(sides))
	for i, t := range times {
		slices.Sort(t)
		out[i] = t[len(t)/2]
	}
	return out, nil
}
