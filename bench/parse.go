package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/bench/flatten"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// rows is the number of records in a batch, in all tables.
const rows = 1024

// A parser turns records into batches of the constant rows, and adds every batch to sum if sum is not nil. All
// batches use the same memory.
type parser func(records [][]byte, sum *flatten.Sum) error

// ours returns a parser that uses package feature.
func ours(v datasets.View) (parser, error) {
	p, err := feature.NewParser(v.Spec, &feature.ParserOptions{AliasRecords: v.Alias})
	if err != nil {
		return nil, err
	}
	b := p.NewBatch()
	return inBatches(b.Reset, b.Append, func(sum *flatten.Sum) {
		if v.Padded {
			pad(b)
		}
		if sum != nil {
			sum.AddColumns(b.Columns())
		}
	}), nil
}

// pad makes the dense tensors of those columns that need padding.
func pad(b *feature.Batch) {
	for _, c := range b.Columns().All() {
		if _, ok := c.Spec().(feature.FixedLenSequence); !ok {
			continue
		}
		switch c.DType() {
		case feature.Int64:
			feature.TensorOf[int64](c)
		case feature.Float32:
			feature.TensorOf[float32](c)
		default:
			feature.TensorOf[string](c)
		}
	}
}

// protobufs returns a parser that uses protobuf-go and package flatten. It never pads.
func protobufs(v datasets.View) (parser, error) {
	f, err := flatten.New(v.Spec)
	if err != nil {
		return nil, err
	}
	return inBatches(f.Reset, f.Append, func(sum *flatten.Sum) {
		if sum != nil {
			sum.Add(f)
		}
	}), nil
}

func inBatches(reset func(), add func([]byte) error, end func(*flatten.Sum)) parser {
	return func(records [][]byte, sum *flatten.Sum) error {
		for len(records) > 0 {
			reset()
			n := min(rows, len(records))
			for _, r := range records[:n] {
				if err := add(r); err != nil {
					return err
				}
			}
			if end != nil {
				end(sum)
			}
			records = records[n:]
		}
		return nil
	}
}

// parseTable measures records in memory -> batches.
func parseTable(c *config) error {
	w, err := c.worker()
	if err != nil {
		return err
	}
	bsl, err := c.bsl()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "\nrecords in memory -> batches of %d: MB/s, one thread, %s time\n\n", rows, c.clock)
	fmt.Fprintf(c.out, "%-16s %8s %9s %12s %8s %12s %8s %12s %8s\n", "set", "records", "tfparse", "protobuf-go", "ratio", "TensorFlow", "ratio", "tfx_bsl", "ratio")
	for _, set := range datasets.All() {
		var records [][]byte
		for _, view := range set.Views {
			if !c.wanted(view.Name) {
				continue
			}
			if records == nil {
				n := set.Scaled(c.scale)
				records = set.Slice(n)
				if err := c.load(set, n); err != nil {
					return fmt.Errorf("%s: %w", set.Name, err)
				}
			}
			if err := parseRow(c, w, bsl, view, records); err != nil {
				return fmt.Errorf("%s: %w", view.Name, err)
			}
		}
	}
	return nil
}

// load writes the records of a set to a file, and has the workers read it.
func (c *config) load(set datasets.Set, n int) error {
	if len(c.workers) == 0 {
		return nil
	}
	files, err := c.files(set, n, 1, tfrecord.None)
	if err != nil {
		return err
	}
	for _, w := range c.workers {
		if _, err := w.ask(request{"op": "parse.load", "file": files[0]}); err != nil {
			return err
		}
	}
	return nil
}

// theirs has a worker compile the spec of a view, and returns the worker's checksum.
func (w *worker) theirs(kind string, v datasets.View) (sum flatten.Sum, err error) {
	if _, err := w.ask(request{"op": kind + ".view", "spec": v.Spec}); err != nil {
		return sum, err
	}
	a, err := w.ask(request{"op": kind + ".sum"})
	if err != nil {
		return sum, err
	}
	return sum, json.Unmarshal(a.Sum, &sum)
}

func parseRow(c *config, w, bsl *worker, view datasets.View, records [][]byte) error {
	var sums [2]flatten.Sum
	var sides []side
	for i, make := range []func(datasets.View) (parser, error){ours, protobufs} {
		read, err := make(view)
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
	if w != nil {
		sum, err := w.theirs("parse", view)
		if err != nil {
			return err
		}
		if sum != sums[0] {
			return fmt.Errorf("the sides differ: tfparse %+v, TensorFlow %+v", sums[0], sum)
		}
		sides = append(sides, side{"TensorFlow", w.timed(request{"op": "parse.run", "clock": c.clock})})
	}
	if bsl != nil && view.Spec.Features != nil {
		sum, err := bsl.theirs("bsl", view)
		if err != nil {
			return err
		}
		// tfx_bsl does not apply partitions, so only the values are compared.
		if ours := sums[0]; sum.Floats != ours.Floats || sum.Bytes != ours.Bytes {
			return fmt.Errorf("the sides differ: tfparse %+v, tfx_bsl %+v", ours, sum)
		}
		sides = append(sides, side{"tfx_bsl", bsl.timed(request{"op": "bsl.run", "clock": c.clock})})
	}
	times, err := alternate(c.turns, sides)
	if err != nil {
		return err
	}
	mb := float64(datasets.Size(records)) / 1e6
	rate := func(d time.Duration) float64 { return mb / d.Seconds() }
	fmt.Fprintf(c.out, "%-16s %8d %9.0f", view.Name, len(records), rate(times[0]))
	at := map[string]time.Duration{"protobuf-go": times[1]}
	for i, s := range sides[2:] {
		at[s.name] = times[2+i]
	}
	for _, name := range []string{"protobuf-go", "TensorFlow", "tfx_bsl"} {
		if d, ok := at[name]; ok {
			fmt.Fprintf(c.out, " %12.0f %7.1fx", rate(d), d.Seconds()/times[0].Seconds())
		} else {
			fmt.Fprintf(c.out, " %12s %8s", "-", "-")
		}
	}
	fmt.Fprintln(c.out)
	return nil
}
