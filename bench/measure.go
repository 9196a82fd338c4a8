package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// A side is one of the programs that do the work of a row.
type side struct {
	name string
	run  func() (time.Duration, error)
}

// A clock is the kind of time that is measured.
type clock string

const (
	wall clock = "wall" // elapsed time
	cpu  clock = "cpu"  // processor time, including garbage collection
)

var began = time.Now()

// now returns the current time. Only differences between such times have a meaning.
func (c clock) now() time.Duration {
	if c == cpu {
		return cpuTime()
	}
	return time.Since(began)
}

// set sets the clock to the one with the given name.
func (c *clock) set(name string) error {
	if *c = clock(name); *c != wall && *c != cpu {
		return fmt.Errorf("want wall or cpu")
	}
	return nil
}

// timed returns a function that calls work once and returns the time it took. It collects garbage first, so the
// memory of the last call is free. In TensorFlow it is free as well, because TensorFlow counts references.
func (c clock) timed(work func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		runtime.GC()
		start := c.now()
		err := work()
		return c.now() - start, err
	}
}

// steady is the shortest time of a turn that measures a steady state.
const steady = 400 * time.Millisecond

// repeated returns a function that calls work repeatedly for the time least, and returns the mean time of a call.
// Training reads all data in each epoch in the same way: only the first pass must get memory from the system.
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

// alternate runs all sides in turns, and returns the median time of each side. One turn before these does not
// count.
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
