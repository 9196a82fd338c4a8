package compare

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// keySums counts the features of all pairs that have one key and different content. The matcher knows
// where they are: keySums sorts their positions, reads both sides again in that order, sorts the
// records by pair, and compares the two of each.
type keySums struct {
	c     *diff
	sides [2]*extsort.Sorter // file, record -> pair
	pairs int64
	err   error
}

func (c *diff) newKeySums() *keySums {
	k := &keySums{c: c}
	for side := range k.sides {
		k.sides[side] = extsort.New(c.env.Ctx, c.memory/8+1, "")
	}
	return k
}

func (k *keySums) close() {
	for _, s := range k.sides {
		s.Close()
	}
}

// add adds a pair.
func (k *keySums) add(a, b ref) {
	for side, r := range [2]ref{a, b} {
		if k.err == nil {
			at := binary.BigEndian.AppendUint32(nil, r.file)
			at = binary.BigEndian.AppendUint64(at, uint64(r.record))
			k.err = k.sides[side].Add(at, binary.BigEndian.AppendUint64(nil, uint64(k.pairs)))
		}
	}
	k.pairs++
}

// A wantedRecord is a record of a pair.
type wantedRecord struct {
	file   uint32
	record int64
	pair   [8]byte
}

// errChanged is the error of files that have other records the second time.
var errChanged = errors.New("the input has changed while it was read")

// sum reads the records again and counts the features that differ.
func (k *keySums) sum(types [2][]example.MessageType) error {
	if k.err != nil || k.pairs == 0 {
		return k.err
	}
	records := extsort.New(k.c.env.Ctx, k.c.memory/4+1, "") // pair, side -> file, record
	defer records.Close()
	for side := range k.sides {
		if err := k.read(side, records); err != nil {
			return err
		}
		k.sides[side].Close()
	}
	here, features := k.c.here, &k.c.result.features
	var first, pair []byte // the record of A, and its pair
	n := int64(0)
	err := records.Each(func(key, value []byte) error {
		if key[8] == 0 {
			first, pair = append(first[:0], value...), append(pair[:0], key[:8]...)
			return nil
		}
		if string(pair) != string(key[:8]) {
			return errChanged
		}
		typ := func(side int, v []byte) example.MessageType { return types[side][binary.BigEndian.Uint32(v)] }
		how, _, err := here.two(typ(0, first), first[4:], typ(1, value), value[4:])
		if err != nil || how != changed {
			return errChanged
		}
		features.record()
		here.changes(typ(0, first), typ(1, value), features.add)
		n++
		return nil
	})
	if err == nil && n != k.pairs {
		err = errChanged
	}
	return err
}

// read adds the records of one side that are wanted.
func (k *keySums) read(side int, to *extsort.Sorter) error {
	next, stop := iter.Pull2(func(yield func(wantedRecord, error) bool) {
		err := k.sides[side].Each(func(at, pair []byte) error {
			w := wantedRecord{file: binary.BigEndian.Uint32(at), record: int64(binary.BigEndian.Uint64(at[4:]))}
			copy(w.pair[:], pair)
			if !yield(w, nil) {
				return recordscan.ErrStop
			}
			return nil
		})
		if err != nil && err != recordscan.ErrStop {
			yield(wantedRecord{}, err)
		}
	})
	defer stop()
	c := k.c
	last := map[string]int{} // a name that is given twice is one file
	for i, in := range c.in[side] {
		last[in.Name] = i
	}
	v := &wantedVisitor{side: byte(side), next: next, to: to}
	if v.advance(); v.err != nil {
		return v.err
	}
	for i, in := range c.in[side] {
		if !v.more || last[in.Name] != i || v.at.file != uint32(i) {
			continue
		}
		opts := c.walk
		opts.Jobs = 1 // Choose depends on the records before
		opts.Progress.More(recordscan.TotalSize([]recordscan.Input{in}))
		v.file = uint32(i)
		opts.Choose = func(_ int, record int64) dataset.Choice {
			switch {
			case !v.more || v.at.file != v.file || v.err != nil:
				return dataset.LeaveFile
			case v.at.record == record:
				return dataset.ReadRecord
			}
			return dataset.LeaveOut
		}
		if err := recordscan.Walk(c.env.Ctx, []recordscan.Input{in}, &opts, v); err != nil {
			return err
		}
	}
	if v.err == nil && v.more {
		return errChanged
	}
	return v.err
}

// A wantedVisitor adds the records that are wanted to a sorter.
type wantedVisitor struct {
	side byte
	file uint32
	next func() (wantedRecord, error, bool)
	to   *extsort.Sorter

	at    wantedRecord
	more  bool
	err   error
	value []byte
}

func (v *wantedVisitor) advance() { v.at, v.err, v.more = v.next() }

func (v *wantedVisitor) Begin(*recordscan.File) error { return nil }

func (v *wantedVisitor) End(*recordscan.File) error { return nil }

func (v *wantedVisitor) Skipped(*recordscan.Fault) error { return nil } // was reported before

func (v *wantedVisitor) Record(rec []byte, pos tfrecord.Position) error {
	v.value = append(binary.BigEndian.AppendUint32(v.value[:0], v.file), rec...)
	for v.err == nil && v.more && v.at.file == v.file && v.at.record == pos.Record {
		key := append(append([]byte{}, v.at.pair[:]...), v.side)
		if err := v.to.Add(key, v.value); err != nil {
			return err
		}
		v.advance()
	}
	return v.err
}
