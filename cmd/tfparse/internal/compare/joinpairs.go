package compare

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/tfrecord"
)

// keyPairs are pairs of positions of records with one key. each sorts their
// positions, reads both sides again in that order, sorts the records by pair, and calls a function
// for the two of each. That takes as much room as the records do.
type keyPairs struct {
	c     *joiner
	sides [2]*extsort.Sorter // file, record -> pair, role
	pairs int64
	err   error
}

// Roles of a record in a pair.
const (
	roleA    byte = iota
	roleB         // behind its partner, in the order of sorting
	roleBoth      // that of A, which stands for that of B too: they have the same content
)

func (c *joiner) newKeyPairs() *keyPairs {
	k := &keyPairs{c: c}
	for side := range k.sides {
		k.sides[side] = extsort.New(c.env.Ctx, int64(c.memory/8+1), "")
	}
	return k
}

func (k *keyPairs) close() {
	for _, s := range k.sides {
		s.Close()
	}
}

// add adds a pair.
func (k *keyPairs) add(a, b ref) {
	k.want(a, roleA)
	k.want(b, roleB)
	k.pairs++
}

// addSame adds a pair whose content is the same; only the record of A is read again.
func (k *keyPairs) addSame(a ref) {
	k.want(a, roleBoth)
	k.pairs++
}

func (k *keyPairs) want(r ref, role byte) {
	if k.err != nil {
		return
	}
	at := binary.BigEndian.AppendUint32(nil, r.file)
	at = binary.BigEndian.AppendUint64(at, uint64(r.record))
	k.err = k.sides[r.side].Add(at, append(binary.BigEndian.AppendUint64(nil, uint64(k.pairs)), role))
}

// A wantedRecord is a record of a pair.
type wantedRecord struct {
	file   uint32
	record int64
	pair   [9]byte // and its role
}

// errChanged is the error of files that have other records the second time.
var errChanged = errors.New("the input has changed while it was read")

// A pairedRecord is a record of a pair that was read again.
type pairedRecord struct {
	ref
	typ example.MessageType
	rec []byte
}

// of takes what wantedVisitor has written, except for the record.
func (p *pairedRecord) of(c *joiner, side uint8, value []byte) (rec []byte) {
	p.side, p.file, p.record = side, binary.BigEndian.Uint32(value), int64(binary.BigEndian.Uint64(value[4:]))
	p.typ = c.types[side][p.file]
	return value[12:]
}

// each reads the records again and calls yield for the two of each pair, in the order in which the pairs
// were added. What it is given is lent for the call; of a pair that was added with addSame both are one.
func (k *keyPairs) each(yield func(a, b *pairedRecord) error) error {
	if k.err != nil || k.pairs == 0 {
		return k.err
	}
	records := extsort.New(k.c.env.Ctx, int64(k.c.memory/4+1), "") // pair, role -> file, record number, record
	defer records.Close()
	for side := range k.sides {
		if err := k.read(side, records); err != nil {
			return err
		}
		k.sides[side].Close()
	}
	var a, b pairedRecord
	var pair []byte // of a
	n := int64(0)
	err := records.Each(func(key, value []byte) error {
		switch role := key[8]; {
		case role == roleA:
			a.rec, pair = append(a.rec[:0], a.of(k.c, 0, value)...), append(pair[:0], key[:8]...)
			return nil
		case role == roleBoth:
			b.rec = b.of(k.c, 0, value)
			n++
			return yield(&b, &b)
		case string(pair) != string(key[:8]):
			return errChanged
		}
		b.rec = b.of(k.c, 1, value)
		n++
		return yield(&a, &b)
	})
	if err == nil && n != k.pairs {
		err = errChanged
	}
	return err
}

// read adds the records of one side that are wanted.
func (k *keyPairs) read(side int, to *extsort.Sorter) error {
	next, stop := iter.Pull2(func(yield func(wantedRecord, error) bool) {
		err := k.sides[side].Each(func(at, pair []byte) error {
			w := wantedRecord{file: binary.BigEndian.Uint32(at), record: int64(binary.BigEndian.Uint64(at[4:]))}
			copy(w.pair[:], pair)
			if !yield(w, nil) {
				return scan.ErrStop
			}
			return nil
		})
		if err != nil && err != scan.ErrStop {
			yield(wantedRecord{}, err)
		}
	})
	defer stop()
	c := k.c
	last := map[string]int{} // a name that is given twice is one file
	for i, in := range c.in[side] {
		last[in.Name] = i
	}
	v := &wantedVisitor{next: next, to: to}
	if v.advance(); v.err != nil {
		return v.err
	}
	for i, in := range c.in[side] {
		if !v.more || last[in.Name] != i || v.at.file != uint32(i) {
			continue
		}
		opts := c.walk
		opts.Jobs = 1 // Choose depends on the records before
		opts.Progress.More(scan.TotalSize([]scan.Input{in}))
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
		if err := scan.Walk(c.env.Ctx, []scan.Input{in}, &opts, v); err != nil {
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
	file uint32
	next func() (wantedRecord, error, bool)
	to   *extsort.Sorter

	at    wantedRecord
	more  bool
	err   error
	value []byte
}

func (v *wantedVisitor) advance() { v.at, v.err, v.more = v.next() }

func (v *wantedVisitor) Begin(*scan.OldFile) error { return nil }

func (v *wantedVisitor) End(*scan.OldFile) error { return nil }

func (v *wantedVisitor) Skipped(*scan.Fault) error { return nil } // was reported before

func (v *wantedVisitor) Record(rec []byte, pos tfrecord.Position) error {
	v.value = binary.BigEndian.AppendUint32(v.value[:0], v.file)
	v.value = append(binary.BigEndian.AppendUint64(v.value, uint64(pos.Record)), rec...)
	for v.err == nil && v.more && v.at.file == v.file && v.at.record == pos.Record {
		if err := v.to.Add(v.at.pair[:], v.value); err != nil {
			return err
		}
		v.advance()
	}
	return v.err
}
