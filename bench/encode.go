package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/bench/flatten"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/proto/examplepb"
	"github.com/tfparse/tfparse/tfrecord"
)

// turnBytes is about how many bytes one turn of a row writes, in several passes over the batch. A single pass is
// too short: cache misses would take much of its time.
const turnBytes = 64 << 20

// encodeTable measures columns -> records, and records -> frames.
func encodeTable(c *config) error {
	fmt.Fprintf(c.out, "\none batch of %d -> records: MB/s, one thread, %s time\n\n", rows, c.clock)
	fmt.Fprintf(c.out, "%-16s %9s %12s %8s %14s\n", "set", "tfparse", "protobuf-go", "ratio", "copying alone")
	for _, name := range []string{"ads", "text", "wide", "image", "sequence"} {
		if !c.wanted(name) {
			continue
		}
		if err := encodeRow(c, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Fprintf(c.out, "\nrecords -> frames with their checksums: MB/s, and as a part of hash/crc32 alone, one thread, %s time\n\n", c.clock)
	fmt.Fprintf(c.out, "%-16s %15s %15s %8s %15s\n", "set", "AppendRecord", "Writer", "hash/crc32", "that and a copy")
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

// encodeRow measures writing a batch as records into reused memory, against protobuf-go, which marshals messages
// that exist already. It also measures only copying the records to that memory: neither side can be faster.
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
	if err := checkRoundTrip(p, batch); err != nil {
		return err
	}
	var dst []byte
	size := datasets.Size(records)
	passes := max(1, int(turnBytes/size))
	again := func(pass func() (int64, error)) func() (time.Duration, error) {
		return c.clock.timed(func() error {
			for range passes {
				if n, err := pass(); err != nil {
					return err
				} else if n != size {
					return fmt.Errorf("%d bytes were written, want %d", n, size)
				}
			}
			return nil
		})
	}
	times, err := alternate(c.turns, []side{
		{"tfparse", again(func() (n int64, err error) {
			for i := range batch.Len() {
				if dst, err = batch.AppendRecord(dst[:0], i); err != nil {
					return n, err
				}
				n += int64(len(dst))
			}
			return n, nil
		})},
		{"protobuf-go", again(func() (n int64, err error) {
			for _, m := range messages {
				if dst, err = (proto.MarshalOptions{}).MarshalAppend(dst[:0], m); err != nil {
					return n, err
				}
				n += int64(len(dst))
			}
			return n, nil
		})},
		{"copying", again(func() (n int64, err error) {
			for _, r := range records {
				dst = append(dst[:0], r...)
				n += int64(len(dst))
			}
			return n, nil
		})},
	})
	if err != nil {
		return err
	}
	ours, theirs, copying := times[0].Seconds(), times[1].Seconds(), times[2].Seconds()
	mb := float64(size) * float64(passes) / 1e6
	fmt.Fprintf(c.out, "%-16s %9.0f %12.0f %7.2fx %8.0f (%.1fx)\n", name, mb/ours, mb/theirs, theirs/ours, mb/copying, theirs/copying)
	return nil
}

// checkRoundTrip encodes a batch, parses the records, and checks that the batches are equal.
func checkRoundTrip(p *feature.Parser, b *feature.Batch) error {
	records, err := b.Encode()
	if err != nil {
		return err
	}
	again, err := p.Parse(records...)
	if err != nil {
		return err
	}
	var sums [2]flatten.Sum
	sums[0].AddColumns(b.Columns())
	sums[1].AddColumns(again.Columns())
	if sums[0] != sums[1] {
		return errors.New("the batch changed when it was encoded and parsed")
	}
	return nil
}

// frameRow measures writing records as frames, into reused memory and through a Writer that discards them. Most of
// that time is checksums, so it also measures one checksum of every payload by hash/crc32, alone and with a copy of
// the payload. The latter is the limit without a faster checksum.
func frameRow(c *config, name string) error {
	set, _, err := datasets.Find(name)
	if err != nil {
		return err
	}
	records := set.Slice(set.Scaled(c.scale / 4))
	size := datasets.Size(records)
	again := int(max(1, int64(c.scale*256e6)/size)) // short turns are too imprecise
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := uint32(0)
	buf := make([]byte, 0, 256<<10)
	w := tfrecord.NewWriter(io.Discard, nil)
	all := func(name string, do func(payload []byte) error) side {
		return side{name, c.clock.timed(func() error {
			for range again {
				for _, r := range records {
					if err := do(r); err != nil {
						return err
					}
				}
			}
			return nil
		})}
	}
	into := func(add func(dst, payload []byte) []byte) func([]byte) error {
		return func(r []byte) error {
			if cap(buf)-len(buf) < len(r)+16 {
				buf = buf[:0]
			}
			buf = add(buf, r)
			return nil
		}
	}
	sides := []side{
		all("AppendRecord", into(tfrecord.AppendRecord)),
		all("Writer", w.WriteRecord),
		all("hash/crc32", func(r []byte) error {
			sum += crc32.Checksum(r, castagnoli)
			return nil
		}),
		all("and a copy", into(func(dst, r []byte) []byte {
			sum += crc32.Checksum(r, castagnoli)
			return append(dst, r...)
		})),
	}
	times, err := alternate(c.turns, sides)
	if err != nil {
		return err
	}
	mb, alone := float64(size)*float64(again)/1e6, times[2].Seconds()
	fmt.Fprintf(c.out, "%-16s", name)
	for i := range sides {
		fmt.Fprintf(c.out, " %8.0f", mb/times[i].Seconds())
		if i != 2 {
			fmt.Fprintf(c.out, " (%.2f)", alone/times[i].Seconds())
		}
	}
	fmt.Fprintln(c.out)
	return w.Close()
}
