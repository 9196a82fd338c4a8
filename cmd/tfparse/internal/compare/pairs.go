package compare

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/extsort"
)

// A pairList collects pairs of records by position and then reads the records again. It needs as much disk
// space as these records.
type pairList struct {
	join *joiner
	n    int64              // pairs added
	refs [2]*extsort.Sorter // file, record -> pair, role
	err  error              // the first error of a sorter
}

// A pairRole is the role of a record in a pair. Records are sorted by pair, then by role.
type pairRole byte

const (
	roleA    pairRole = iota // record of A; the record with roleB follows
	roleB                    // record of B
	roleSame                 // record of A that serves for B too: both have the same content
	onlyA                    // record of A without a partner
	onlyB                    // record of B without a partner
)

func (c *joiner) newPairList() *pairList {
	p := &pairList{join: c}
	for side := range p.refs {
		p.refs[side] = extsort.New(c.env.Ctx, int64(c.memory/8+1), "")
	}
	return p
}

func (p *pairList) close() {
	for _, s := range p.refs {
		s.Close()
	}
}

// addPair adds a pair. One of the two may be nil.
func (p *pairList) addPair(a, b *ref) {
	switch {
	case b == nil:
		p.addRef(a, onlyA)
	case a == nil:
		p.addRef(b, onlyB)
	case a.content == b.content:
		p.addRef(a, roleSame)
	default:
		p.addRef(a, roleA)
		p.addRef(b, roleB)
	}
	p.n++
}

func (p *pairList) addRef(r *ref, role pairRole) {
	if p.err != nil {
		return
	}
	position := binary.BigEndian.AppendUint32(nil, r.file)
	position = binary.BigEndian.AppendUint64(position, uint64(r.record))
	p.err = p.refs[r.side].Add(position, append(binary.BigEndian.AppendUint64(nil, uint64(p.n)), byte(role)))
}

// errChanged is the error if a file has other records when it is read again.
var errChanged = errors.New("the input has changed while it was read")

// A pairedRecord is a record of a pair, read for comparison.
type pairedRecord struct {
	typ      example.MessageType
	rec      []byte
	position recordPosition
}

// decode sets p to a record that pairReader.addRecord encoded. It aliases value.
func (p *pairedRecord) decode(c *joiner, side uint8, value []byte) *pairedRecord {
	r := ref{side: side, file: binary.BigEndian.Uint32(value), record: int64(binary.BigEndian.Uint64(value[4:]))}
	p.position, p.typ, p.rec = c.positionOf(r), c.types[side][r.file], value[12:]
	return p
}

// eachPair reads the records and calls yield for each pair, with its index, in the order of addPair. The
// records are valid only during the call. If they have the same content, a and b are the same record.
func (p *pairList) eachPair(yield func(i int64, a, b *pairedRecord) error) error {
	if p.err != nil || p.n == 0 {
		return p.err
	}
	records := extsort.New(p.join.env.Ctx, int64(p.join.memory/4+1), "") // pair, role -> file, record number, record
	defer records.Close()
	for side := range p.refs {
		if err := p.readSide(side, records); err != nil {
			return err
		}
		p.refs[side].Close()
	}
	var a, b pairedRecord
	var kept []byte // copy of the record of a
	next := int64(0)
	waiting := false // a was read, b comes next
	err := records.Each(func(key, value []byte) error {
		role := pairRole(key[8])
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

// readSide reads the wanted records of one side and adds them to a Sorter.
func (p *pairList) readSide(side int, to *extsort.Sorter) error {
	next, stop := iter.Pull2(func(yield func(wantedRecord, error) bool) {
		err := p.refs[side].Each(func(position, pair []byte) error {
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
	last := map[string]int{} // file name -> last index, as in keyReader.files
	for i := range in {
		last[in[i].Name] = i
	}
	r := &pairReader{next: next, sorter: to}
	r.advance()
	for i := range in {
		if !r.hasWanted || r.err != nil || last[in[i].Name] != i || r.wanted.file != uint32(i) {
			continue
		}
		r.file = uint32(i)
		src, err := p.join.reading.Open(p.join.env, in[i:i+1], &scan.Options{
			Type: p.join.types[side][i], Choose: r.chooseRecord,
			Fault: func(*scan.Fault) error { return nil }, // reported by the first reading
		})
		if err == nil {
			err = src.Each(r.addRecord)
		}
		if err != nil {
			return err
		}
	}
	if r.err == nil && r.hasWanted {
		return errChanged
	}
	return r.err
}

// A wantedRecord is the position of a record of a pair.
type wantedRecord struct {
	file   uint32
	record int64
	pair   [9]byte // index of the pair and role
}

// A pairReader reads the wanted records of a file and adds them to a Sorter.
type pairReader struct {
	next   func() (wantedRecord, error, bool) // in the order of positions
	sorter *extsort.Sorter                    // receives the records
	file   uint32                             // index of the current file

	wanted    wantedRecord // the next wanted record, if hasWanted
	hasWanted bool         // false: all wanted records of the side were read
	err       error        // from next
	row       []byte       // buffer of addRecord
}

func (r *pairReader) advance() { r.wanted, r.err, r.hasWanted = r.next() }

func (r *pairReader) chooseRecord(_ int, record int64) scan.Choice {
	switch {
	case !r.hasWanted || r.wanted.file != r.file || r.err != nil:
		return scan.LeaveFile
	case r.wanted.record == record:
		return scan.ReadRecord
	}
	return scan.LeaveOut
}

// addRecord adds a record to the Sorter, once for each pair that has it.
func (r *pairReader) addRecord(rec scan.Record) error {
	r.row = binary.BigEndian.AppendUint32(r.row[:0], r.file)
	r.row = append(binary.BigEndian.AppendUint64(r.row, uint64(rec.Record)), rec.Bytes...)
	for r.err == nil && r.hasWanted && r.wanted.file == r.file && r.wanted.record == rec.Record {
		if err := r.sorter.Add(r.wanted.pair[:], r.row); err != nil {
			return err
		}
		r.advance()
	}
	return r.err
}
