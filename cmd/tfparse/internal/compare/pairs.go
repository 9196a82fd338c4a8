package compare

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
)

// A pairList has the positions of pairs of records, and reads the records again. It takes as much
// space on disk as these records do.
type pairList struct {
	join  *joiner
	n     int64              // pairs that were added
	sides [2]*extsort.Sorter // file, record -> pair, role
	err   error              // of the sorters
}

// A role says what a record is in a pair. Records are sorted by pair, then by role.
type role byte

const (
	roleA    role = iota // is followed by its roleB
	roleB                //
	roleBoth             // that of A, read for B too: they have the same content
	onlyA                // a record without a partner
	onlyB                //
)

func (c *joiner) newPairList() *pairList {
	p := &pairList{join: c}
	for side := range p.sides {
		p.sides[side] = extsort.New(c.env.Ctx, int64(c.memory/8+1), "")
	}
	return p
}

func (p *pairList) close() {
	for _, s := range p.sides {
		s.Close()
	}
}

// add adds a pair. One of the two may be nil.
func (p *pairList) add(a, b *ref) {
	switch {
	case b == nil:
		p.want(a, onlyA)
	case a == nil:
		p.want(b, onlyB)
	case a.content == b.content:
		p.want(a, roleBoth)
	default:
		p.want(a, roleA)
		p.want(b, roleB)
	}
	p.n++
}

func (p *pairList) want(r *ref, role role) {
	if p.err != nil {
		return
	}
	position := binary.BigEndian.AppendUint32(nil, r.file)
	position = binary.BigEndian.AppendUint64(position, uint64(r.record))
	p.err = p.sides[r.side].Add(position, append(binary.BigEndian.AppendUint64(nil, uint64(p.n)), byte(role)))
}

// errChanged is the error of files that have other records the second time.
var errChanged = errors.New("the input has changed while it was read")

// A pairedRecord is a record of a pair that was read again.
type pairedRecord struct {
	typ   example.MessageType
	rec   []byte
	place recordPlace
}

// decode reads what pairReader.addRecord has written. The record is lent.
func (p *pairedRecord) decode(c *joiner, side uint8, value []byte) *pairedRecord {
	r := ref{side: side, file: binary.BigEndian.Uint32(value), record: int64(binary.BigEndian.Uint64(value[4:]))}
	p.place, p.typ, p.rec = c.placeOf(r), c.types[side][r.file], value[12:]
	return p
}

// each reads the records and calls yield for the index and the records of each pair, in the order in
// which the pairs were added. They are lent for the call. Of a pair with the same content both are one.
func (p *pairList) each(yield func(i int64, a, b *pairedRecord) error) error {
	if p.err != nil || p.n == 0 {
		return p.err
	}
	records := extsort.New(p.join.env.Ctx, int64(p.join.memory/4+1), "") // pair, role -> file, record number, record
	defer records.Close()
	for side := range p.sides {
		if err := p.read(side, records); err != nil {
			return err
		}
		p.sides[side].Close()
	}
	var a, b pairedRecord
	var kept []byte // the record of a
	next := int64(0)
	waiting := false // a waits for b
	err := records.Each(func(key, value []byte) error {
		role := role(key[8])
		if int64(binary.BigEndian.Uint64(key)) != next || waiting != (role == roleB) {
			return errChanged
		}
		if waiting = role == roleA; waiting {
			a.decode(p.join, 0, value)
			kept = append(kept[:0], a.rec...)
			a.rec = kept
			return nil
		}
		next++
		switch role {
		case roleB:
			return yield(next-1, &a, b.decode(p.join, 1, value))
		case onlyB:
			return yield(next-1, nil, b.decode(p.join, 1, value))
		case onlyA:
			return yield(next-1, b.decode(p.join, 0, value), nil)
		}
		b.decode(p.join, 0, value)
		return yield(next-1, &b, &b)
	})
	if err == nil && next != p.n {
		err = errChanged
	}
	return err
}

// read adds the wanted records of one side to a Sorter.
func (p *pairList) read(side int, to *extsort.Sorter) error {
	next, stop := iter.Pull2(func(yield func(wantedRecord, error) bool) {
		err := p.sides[side].Each(func(position, pair []byte) error {
			w := wantedRecord{file: binary.BigEndian.Uint32(position), record: int64(binary.BigEndian.Uint64(position[4:]))}
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
	in := p.join.in[side]
	last := map[string]int{} // a name that is given twice is one file
	for i := range in {
		last[in[i].Name] = i
	}
	r := &pairReader{next: next, to: to}
	r.advance()
	for i := range in {
		if !r.more || r.err != nil || last[in[i].Name] != i || r.at.file != uint32(i) {
			continue
		}
		r.file = uint32(i)
		src, err := p.join.reading.Open(p.join.env, in[i:i+1], &scan.Options{
			Type: p.join.types[side][i], Choose: r.choose,
			Fault: func(*scan.Fault) error { return nil }, // was reported before
		})
		if err == nil {
			err = src.Each(r.addRecord)
		}
		if err != nil {
			return err
		}
	}
	if r.err == nil && r.more {
		return errChanged
	}
	return r.err
}

// A wantedRecord is a record of a pair.
type wantedRecord struct {
	file   uint32
	record int64
	pair   [9]byte // and its role
}

// A pairReader reads the wanted records of a file and adds them to a Sorter.
type pairReader struct {
	next func() (wantedRecord, error, bool)
	to   *extsort.Sorter
	file uint32 // at hand

	at   wantedRecord // the next wanted record, if there is one
	more bool
	err  error  // of next
	row  []byte // scratch of addRecord
}

func (r *pairReader) advance() { r.at, r.err, r.more = r.next() }

func (r *pairReader) choose(_ int, record int64) scan.Choice {
	switch {
	case !r.more || r.at.file != r.file || r.err != nil:
		return scan.LeaveFile
	case r.at.record == record:
		return scan.ReadRecord
	}
	return scan.LeaveOut
}

// addRecord adds a record to the Sorter, for each pair that wants it.
func (r *pairReader) addRecord(rec scan.Record) error {
	r.row = binary.BigEndian.AppendUint32(r.row[:0], r.file)
	r.row = append(binary.BigEndian.AppendUint64(r.row, uint64(rec.Record)), rec.Bytes...)
	for r.err == nil && r.more && r.at.file == r.file && r.at.record == rec.Record {
		if err := r.to.Add(r.at.pair[:], r.row); err != nil {
			return err
		}
		r.advance()
	}
	return r.err
}
