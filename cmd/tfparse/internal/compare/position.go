package compare

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A pairBatch is consecutive pairs of records, and the results of comparing them.
type pairBatch struct {
	sides [2]struct {
		typ       example.MessageType // of all records
		records   []byte              // concatenated
		ends      []int               // end of each record in records
		positions []tfrecord.Position
	}

	results  []pairResult // pairs with different bytes, in order
	features featureSums  // of the changed pairs
}

// A pairResult is the result of one pair.
type pairResult struct {
	index   int // in the batch
	verdict verdict
	err     error // if a record does not decode
	badSide int   // side of that record
}

// Limits of a pairBatch. A single longer pair is a batch by itself.
const (
	batchBytes  = 256 << 10
	batchPairs  = 4 << 10
	queuedBytes = 16 << 20 // total of the queued batches, unless a single one is larger
)

// add copies a pair.
func (b *pairBatch) addPair(pair *[2]scan.Record) {
	for i := range b.sides {
		s := &b.sides[i]
		s.typ = pair[i].Type
		s.records = append(s.records, pair[i].Bytes...)
		s.ends = append(s.ends, len(s.records))
		s.positions = append(s.positions, pair[i].Position)
	}
}

func (b *pairBatch) bytes() int { return len(b.sides[0].records) + len(b.sides[1].records) }

// canAdd reports whether a pair may be added within the limits.
func (b *pairBatch) canAdd(pair *[2]scan.Record) bool {
	return len(b.sides[0].ends) == 0 ||
		len(b.sides[0].ends) < batchPairs && b.bytes() < batchBytes && b.sides[0].typ == pair[0].Type && b.sides[1].typ == pair[1].Type
}

// pairAt returns the pair at an index.
func (b *pairBatch) pairAt(i int) (two [2]pairedRecord) {
	for k := range two {
		s, from := &b.sides[k], 0
		if i > 0 {
			from = s.ends[i-1]
		}
		two[k] = pairedRecord{s.typ, s.records[from:s.ends[i]], newPosition(s.positions[i])}
	}
	return two
}

func newPosition(pos tfrecord.Position) recordPosition {
	return recordPosition{jsonscan.Name(pos.Name), pos.Record}
}

func (b *pairBatch) reset() {
	for i := range b.sides {
		s := &b.sides[i]
		s.records, s.ends, s.positions = s.records[:0], s.ends[:0], s.positions[:0]
	}
	b.results, b.features = b.results[:0], featureSums{}
}

// compareBatch compares the pairs of a batch.
func (c *comparer) compareBatch(b *pairBatch) error {
	for i := range b.sides[0].ends {
		two := b.pairAt(i)
		v, bad, err := c.compare(two[0].typ, two[0].rec, two[1].typ, two[1].rec)
		if v == sameBytes {
			continue
		}
		b.results = append(b.results, pairResult{i, v, err, bad})
		if v == changed {
			b.features.addRecord()
			c.eachChange(two[0].typ, two[1].typ, b.features.addChange)
		}
	}
	return nil
}

// byPosition compares the records of both sides with the same ordinal. The calling goroutine reads both sides
// and prints; workers compare.
func (c *diff) byPosition() error {
	workers := c.jobs
	if workers == 1 {
		workers = 0 // this goroutine compares
	}
	var free []*pairBatch
	queue := ordered.NewQueue(c.env.Ctx, workers, 2*c.jobs, func() func(*pairBatch) error {
		return new(comparer).compareBatch
	}, func(b *pairBatch) error {
		err := c.addBatch(b)
		if b.bytes() <= 2*batchBytes { // the memory of long records is not kept
			b.reset()
			free = append(free, b)
		}
		return err
	})
	defer queue.Close()
	var missing [2]int64 // by side: skipped records that are not yet paired
	var next [2]func() (scan.Record, error, bool)
	for side := range next {
		opts := c.options(func(f *scan.Fault) error {
			missing[side] += skippedRecords(f)
			return c.reading.Fault(c.env, f)
		})
		var stop func()
		next[side], stop = iter.Pull2(func(yield func(scan.Record, error) bool) { // opens a pipe only when it is read
			src, err := c.reading.Open(c.env, c.in[side], opts)
			if err != nil {
				yield(scan.Record{}, err)
				return
			}
			src.Records()(yield)
		})
		defer stop()
	}
	batch := &pairBatch{}
	submit := func() error {
		queue.Limit = min(2*c.jobs, queuedBytes/max(batch.bytes(), 1))
		err := queue.Submit(batch)
		if n := len(free); n > 0 {
			batch, free = free[n-1], free[:n-1]
		} else {
			batch = &pairBatch{}
		}
		return err
	}
	var pair [2]scan.Record
	var read [2]bool // by side: pair has the next record, valid until the following one is read
	for {
		var has, absent [2]bool // by side: a record; a skipped record
		for side := range next {
			if !read[side] && missing[side] == 0 {
				var err error
				if pair[side], err, read[side] = next[side](); err != nil {
					return err
				}
				if read[side] {
					c.records[side]++
				}
			}
			if missing[side] > 0 { // skipped before the record in pair
				missing[side]--
				absent[side] = true
			} else {
				has[side], read[side] = read[side], false
			}
		}
		there := [2]bool{has[0] || absent[0], has[1] || absent[1]}
		switch {
		case has[0] && has[1]:
			if !batch.canAdd(&pair) {
				if err := submit(); err != nil {
					return err
				}
			}
			batch.addPair(&pair)
		case there[0] && there[1]:
			c.uncompared++
		case there[0] || there[1]:
			side := boolIndex(there[1])
			if len(batch.sides[0].ends) > 0 {
				if err := submit(); err != nil {
					return err
				}
			}
			if err := queue.Drain(); err != nil {
				return err
			}
			if has[side] {
				c.result.only[side]++
				if err := c.showOnly(side, &pairedRecord{position: newPosition(pair[side].Position)}); err != nil {
					return err
				}
			}
		default:
			if err := submit(); err != nil {
				return err
			}
			return queue.Drain()
		}
	}
}

// addBatch adds the results of a batch to the totals, and prints its differences.
func (c *diff) addBatch(b *pairBatch) error {
	r := &c.result
	r.features.mergeSums(&b.features)
	n := int64(len(b.sides[0].ends) - len(b.results))
	r.bytesSame += n
	r.same += n
	for _, p := range b.results {
		var err error
		switch p.verdict {
		case sameContent:
			r.same++
		case undecodable:
			c.uncompared++
			err = c.reading.Fault(c.env, scan.Misfit(b.sides[p.badSide].positions[p.index], p.err))
		default:
			r.changed++
			two := b.pairAt(p.index)
			err = c.showChanged(&two[0], &two[1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A fileComparison is the result of comparing the files of two data sets byte by byte.
type fileComparison struct {
	compared bool // false if an input is a pipe, which can be read only once
	same     bool
	reason   string // why the files differ or were not compared
}

// compareFiles compares the files of A and B pairwise. It treats unreadable files as different; reading their
// records reports the error.
func compareFiles(ctx context.Context, a, b []scan.Input) (fileComparison, error) {
	for _, in := range [][]scan.Input{a, b} {
		for _, i := range in {
			if i.Err == nil && !i.Regular() {
				return fileComparison{reason: i.Name + " is not a regular file"}, nil
			}
			if i.Records != nil {
				return fileComparison{reason: i.Name + " is read in part"}, nil
			}
		}
	}
	if len(a) != len(b) {
		return fileComparison{compared: true, reason: fmt.Sprintf("%s and %s", cli.Plural(int64(len(a)), "file"), cli.Plural(int64(len(b)), "file"))}, nil
	}
	if sizeA, sizeB := scan.TotalSize(a), scan.TotalSize(b); sizeA != sizeB {
		return fileComparison{compared: true, reason: fmt.Sprintf("%s and %s", cli.Plural(sizeA, "byte"), cli.Plural(sizeB, "byte"))}, nil
	}
	for i := range a {
		at, err := firstDifferingByte(ctx, a[i], b[i])
		if err != nil {
			return fileComparison{}, err
		}
		if at >= 0 {
			return fileComparison{compared: true, reason: fmt.Sprintf("%s and %s from byte %d on", a[i].Name, b[i].Name, at)}, nil
		}
	}
	return fileComparison{compared: true, same: true}, nil
}

// firstDifferingByte returns the offset at which two files begin to differ, or -1 if they are the same.
func firstDifferingByte(ctx context.Context, a, b scan.Input) (int64, error) {
	if a.Err != nil || b.Err != nil {
		return 0, nil
	}
	fa, err := storage.Open(a.Name)
	if err != nil {
		return 0, nil
	}
	defer fa.Close()
	fb, err := storage.Open(b.Name)
	if err != nil {
		return 0, nil
	}
	defer fb.Close()
	const size = 256 << 10
	ra, rb := bufio.NewReaderSize(fa, size), bufio.NewReaderSize(fb, size)
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		pa, errA := ra.Peek(size)
		pb, errB := rb.Peek(size)
		n := min(len(pa), len(pb))
		if !bytes.Equal(pa[:n], pb[:n]) {
			for i := range n {
				if pa[i] != pb[i] {
					return at + int64(i), nil
				}
			}
		}
		at += int64(n)
		switch {
		case len(pa) != len(pb), errA != nil && errA != io.EOF, errB != nil && errB != io.EOF:
			return at, nil
		case errA == io.EOF:
			return -1, nil
		}
		ra.Discard(n)
		rb.Discard(n)
	}
}
