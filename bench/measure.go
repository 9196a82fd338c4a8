package main

import (
	"slices"
	"time"
)

// A side is one of the ways to do the work of a row.
type side struct {
	name string
	run  func() (time.Duration, error)
}

// timed makes a run of a function that does the work once.
func timed(work func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		start := time.Now()
		err := work()
		return time.Since(start), err
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
