package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/bench/flatten"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/proto/examplepb"
	"github.com/tfparse/tfparse/tfrecord"
)

// encodeTable measures columns -> records, and records -> frames.
func encodeTable(c *config) error {
	fmt.Fprintf(c.out, "\none batch of %d -> records: MB/s, one thread, %s time\n\n", rows, c.clock)
	fmt.Fprintf(c.out, "%-16s %9s %12s %8s\n", "set", "tfparse", "protobuf-go", "ratio")
	for _, name := range []string{"ads", "text", "wide", "image", "sequence"} {
		if !c.wanted(name) {
			continue
		}
		if err := encodeRow(c, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Fprintf(c.out, "\nrecords -> frames with their checksums: MB/s, one thread, %s time\n\n", c.clock)
	fmt.Fprintf(c.out, "%-16s %9s %12s %8s\n", "set", "tfparse", "CRC alone", "ratio")
	for _, name := range []string{"ads", "text", "wide", "image"} {
		if !c.wanted(name) {
			continue
		}
		if err := frameRow(c, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// encodeRow writes the rows of a batch as records into memory that is used again, and
// the same records as protobuf messages that were built before.
func encodeRow(c *config, name string) error {
	set, view, err := datasets.Find(name)
	if err != nil {
		return err
	}
	records := set.Slice(min(rows, set.Scaled(c.scale)))
	p, err := feature.NewParser(view.Spec, nil)
	if err != nil {
		return err
	}
	batch, err := p.Parse(records...)
	if err != nil {
		return err
	}
	var messages []proto.Message
	for _, r := range records {
		var m proto.Message = &examplepb.Example{}
		if view.Spec.Message() == example.TypeSequence {
			m = &examplepb.SequenceExample{}
		}
		if err := proto.Unmarshal(r, m); err != nil {
			return err
		}
		messages = append(messages, m)
	}
	if err := sameAgain(p, batch); err != nil {
		return err
	}
	var dst []byte
	size := datasets.Size(records)
	total := func(n int64) error {
		if n != size {
			return fmt.Errorf("%d bytes were written, want %d", n, size)
		}
		return nil
	}
	return c.pairRow(name, size,
		func() error {
			n := int64(0)
			for i := range batch.Len() {
				var err error
				if dst, err = batch.AppendRecord(dst[:0], i); err != nil {
					return err
				}
				n += int64(len(dst))
			}
			return total(n)
		},
		func() error {
			n := int64(0)
			for _, m := range messages {
				var err error
				if dst, err = (proto.MarshalOptions{}).MarshalAppend(dst[:0], m); err != nil {
					return err
				}
				n += int64(len(dst))
			}
			return total(n)
		})
}

// sameAgain proves that the records of a batch make the same batch.
func sameAgain(p *feature.Parser, b *feature.Batch) error {
	records, err := b.Encode()
	if err != nil {
		return err
	}
	again, err := p.Parse(records...)
	if err != nil {
		return err
	}
	var sums [2]flatten.Sum
	sums[0].AddBatch(b)
	sums[1].AddBatch(again)
	if sums[0] != sums[1] {
		return errors.New("what was encoded is another batch")
	}
	return nil
}

// frameRow writes records as frames to nowhere, and computes what takes most of the
// time of that: one checksum of every payload.
func frameRow(c *config, name string) error {
	set, _, err := datasets.Find(name)
	if err != nil {
		return err
	}
	records := set.Slice(set.Scaled(c.scale / 4))
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := uint32(0)
	return c.pairRow(name, datasets.Size(records),
		func() error {
			w := tfrecord.NewWriter(io.Discard, nil)
			for _, r := range records {
				if err := w.WriteRecord(r); err != nil {
					return err
				}
			}
			return w.Close()
		},
		func() error {
			for _, r := range records {
				sum += crc32.Checksum(r, castagnoli)
			}
			return nil
		})
}

// pairRow prints how fast ours and theirs go through so many bytes.
func (c *config) pairRow(name string, size int64, ours, theirs func() error) error {
	times, err := alternate(c.turns, []side{{"tfparse", c.clock.timed(ours)}, {"other", c.clock.timed(theirs)}})
	if err != nil {
		return err
	}
	mb := float64(size) / 1e6
	fmt.Fprintf(c.out, "%-16s %9.0f %12.0f %7.2fx\n", name, mb/times[0].Seconds(), mb/times[1].Seconds(), times[1].Seconds()/times[0].Seconds())
	return nil
}
