package main

import (
	"fmt"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/bench/flatten"
	"github.com/tfparse/tfparse/feature"
)

// rows is how many records a batch has, in all that is measured.
const rows = 1024

// A parser turns records into batches of rows, and adds every batch to a sum if
// there is one. A batch is used again for the next.
type parser func(records [][]byte, sum *flatten.Sum) error

// ours is package feature.
func ours(spec feature.Spec) (parser, error) {
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		return nil, err
	}
	b := p.NewBatch()
	return inBatches(b.Reset, b.Append, func(sum *flatten.Sum) { sum.AddBatch(b) }), nil
}

// protobufs is what a Go program does without it.
func protobufs(spec feature.Spec) (parser, error) {
	f, err := flatten.New(spec)
	if err != nil {
		return nil, err
	}
	return inBatches(f.Reset, f.Append, func(sum *flatten.Sum) { sum.Add(f) }), nil
}

func inBatches(reset func(), add func([]byte) error, sumUp func(*flatten.Sum)) parser {
	return func(records [][]byte, sum *flatten.Sum) error {
		for len(records) > 0 {
			reset()
			n := min(rows, len(records))
			for _, r := range records[:n] {
				if err := add(r); err != nil {
					return err
				}
			}
			if sum != nil {
				sumUp(sum)
			}
			records = records[n:]
		}
		return nil
	}
}

// parseTable measures records in memory -> batches.
func parseTable(c *config) error {
	fmt.Fprintf(c.out, "\nrecords in memory -> batches of %d, one thread\n\n", rows)
	fmt.Fprintf(c.out, "%-16s %10s %12s %12s %8s\n", "set", "records", "tfparse", "protobuf-go", "ratio")
	for _, set := range datasets.All() {
		var records [][]byte
		for _, view := range set.Views {
			if !c.wanted(view.Name) {
				continue
			}
			if records == nil {
				records = set.Slice(set.Scaled(c.scale))
			}
			if err := parseRow(c, view, records); err != nil {
				return fmt.Errorf("%s: %w", view.Name, err)
			}
		}
	}
	return nil
}

func parseRow(c *config, view datasets.View, records [][]byte) error {
	var sums [2]flatten.Sum
	var sides []side
	for i, make := range []func(feature.Spec) (parser, error){ours, protobufs} {
		read, err := make(view.Spec)
		if err != nil {
			return err
		}
		if err := read(records, &sums[i]); err != nil {
			return err
		}
		sides = append(sides, side{"", c.clock.timed(func() error { return read(records, nil) })})
	}
	if sums[0] != sums[1] {
		return fmt.Errorf("the sides differ: tfparse %+v, protobuf-go %+v", sums[0], sums[1])
	}
	times, err := alternate(c.turns, sides)
	if err != nil {
		return err
	}
	mb := float64(datasets.Size(records)) / 1e6
	fmt.Fprintf(c.out, "%-16s %10d %7.0f MB/s %7.0f MB/s %7.1fx\n", view.Name, len(records), mb/times[0].Seconds(), mb/times[1].Seconds(), times[1].Seconds()/times[0].Seconds())
	return nil
}
