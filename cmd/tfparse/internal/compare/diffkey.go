package compare

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tfrecord"
)

// A keyed is a chunk, and the keys of its records.
type keyed struct {
	chunk *chunk
	refs  []ref
	bad   []pair    // records that do not decode, or have no key
	sum   [2]uint64 // of the hashes of the payloads, modulo 2^128
}

// byKey compares the records that have the same key.
func (c *diff) byKey() error {
	s := extsort.New(c.env.Ctx, c.memory/2+1, "")
	defer s.Close()
	all := c.newKeySums()
	defer all.close()
	var sums [2][2]uint64
	var types [2][]example.MessageType // by file; TypeAuto: no records
	for side := range c.in {
		types[side] = make([]example.MessageType, len(c.in[side]))
		if err := c.addKeys(side, s, &sums[side], types[side]); err != nil {
			return err
		}
	}
	m := matcher{keep: int(c.limit), pair: all.add}
	if err := s.Each(func(b, _ []byte) error { m.add(refOf(b)); return nil }); err != nil {
		return err
	}
	m.finish()
	s.Close()
	r := &c.result
	r.unsummed = m.counted
	if err := all.sum(types); err != nil {
		return err
	}
	r.same, r.bytesSame, r.changed, r.only = m.same, m.same, m.changed, m.only
	r.reordered = sums[0] != sums[1]
	for side, rep := range m.repeated {
		r.repeated[side] = repeats{keys: rep.keys, records: rep.records}
		for _, ref := range rep.first {
			r.repeated[side].first = append(r.repeated[side].first, c.placeOf(ref))
		}
	}
	return c.showFound(m.found, types)
}

func (c *diff) placeOf(r ref) recordPlace {
	return recordPlace{File: recordjson.Name(c.in[r.side][r.file].Name), Record: r.record}
}

// addKeys adds the records of one side.
func (c *diff) addKeys(side int, to *extsort.Sorter, sum *[2]uint64, types []example.MessageType) error {
	s := c.open(side)
	defer s.close()
	files := map[string]uint32{} // a name that is given twice is one file
	for i, in := range c.in[side] {
		files[in.Name] = uint32(i)
	}
	var b []byte
	queue := ordered.NewQueue(c.env.Ctx, workers(c.jobs), 2*c.jobs, func() func(*keyed) error {
		cmp := newComparer()
		return func(k *keyed) error { cmp.keys(k, c.keys); return nil }
	}, func(k *keyed) error {
		for _, bad := range k.bad {
			if err := c.misfit(k.chunk, bad.at, bad.err); err != nil {
				return err
			}
		}
		for _, r := range k.refs {
			pos := k.chunk.positions[r.record]
			r.side, r.file, r.record = uint8(side), files[pos.Name], pos.Record
			types[r.file] = k.chunk.typ
			b = r.appendTo(b[:0])
			if err := to.Add(b, nil); err != nil {
				return err
			}
		}
		var carry uint64
		sum[0], carry = bits.Add64(sum[0], k.sum[0], 0)
		sum[1], _ = bits.Add64(sum[1], k.sum[1], carry)
		s.release(k.chunk)
		return nil
	})
	defer queue.Close()
	for {
		chunk, err := c.next(s)
		if err != nil {
			return err
		}
		if chunk == nil {
			return queue.Drain()
		}
		c.result.records[side] += int64(chunk.intact())
		c.result.uncompared += int64(len(chunk.missing))
		if err := queue.Submit(&keyed{chunk: chunk}); err != nil {
			return err
		}
	}
}

// keys finds the keys and the content of a chunk. The record of a ref is its place in the chunk.
func (c *comparer) keys(k *keyed, names []string) {
	var key []byte
	for i := range k.chunk.ends {
		if k.chunk.missing[i] {
			continue
		}
		rec := k.chunk.record(i)
		err := c.form(0, k.chunk.typ, rec)
		if err == nil {
			key, err = appendKey(key[:0], k.chunk.typ, c.forms[0], names)
		}
		if err != nil {
			k.bad = append(k.bad, pair{at: i, err: err})
			continue
		}
		k.refs = append(k.refs, ref{key: hash128(key), content: hash128(c.forms[0]), record: int64(i)})
		h := hash128(rec)
		var carry uint64
		k.sum[0], carry = bits.Add64(k.sum[0], h[0], 0)
		k.sum[1], _ = bits.Add64(k.sum[1], h[1], carry)
	}
}

// hash128 is the beginning of SHA-256.
func hash128(b []byte) [2]uint64 {
	h := sha256.Sum256(b)
	return [2]uint64{binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])}
}

// appendKey appends the values of the named features of a record in its one form.
func appendKey(key []byte, typ example.MessageType, form []byte, names []string) ([]byte, error) {
	lookup, in := example.Lookup, ""
	switch typ {
	case example.TypeRaw:
		return nil, fmt.Errorf("no features, and --by names some")
	case example.TypeSequence:
		lookup, in = example.LookupContext, " in the context"
	case example.TypeExampleList:
		form, _, _ = example.ExampleListContext(form) // forms are sound
		in = " in the context"
	}
	for _, name := range names {
		f, ok, err := lookup(form, name)
		if err != nil {
			return nil, err
		}
		if !ok || f.Kind() == example.Unset {
			return nil, fmt.Errorf("no feature %s%s, which --by names", recordjson.AppendName(nil, []byte(name)), in)
		}
		key = append(wire.AppendVarint(key, uint64(len(f.Raw()))), f.Raw()...)
	}
	return key, nil
}

// showFound prints the differences that were found by key, for which their records are read again.
func (c *diff) showFound(all []difference, types [2][]example.MessageType) error {
	again := [2]reread{}
	for side := range again {
		again[side] = reread{wanted: map[string]map[int64][]byte{}, limit: mostReread}
	}
	for _, d := range all {
		for side, r := range d.refs {
			if d.has[side] {
				again[side].want(c.in[side][r.file].Name, r.record)
			}
		}
	}
	for side := range again {
		if err := c.readAgain(side, &again[side]); err != nil {
			return err
		}
	}
	for _, d := range all {
		var two [2]found
		for side, r := range d.refs {
			if d.has[side] {
				p := c.placeOf(r)
				two[side] = found{types[side][r.file], again[side].wanted[string(p.File)][p.Record], p}
			}
		}
		if !d.has[0] || !d.has[1] {
			side := 0
			if d.has[1] {
				side = 1
			}
			if err := c.showOnly(side, two[side]); err != nil {
				return err
			}
			continue
		}
		if two[0].rec != nil && two[1].rec != nil {
			how, _, err := c.here.two(two[0].typ, two[0].rec, two[1].typ, two[1].rec)
			if err != nil || how != changed {
				two[0].rec = nil // the files have changed since
			}
		}
		if err := c.showChanged(two[0], two[1]); err != nil {
			return err
		}
	}
	return nil
}

// keyText is the key of a record, "" where records have none or it could not be read again.
func (c *diff) keyText(f found) string {
	if c.keys == nil || f.rec == nil || c.here.form(0, f.typ, f.rec) != nil {
		return ""
	}
	form, lookup := c.here.forms[0], example.Lookup
	switch f.typ {
	case example.TypeSequence:
		lookup = example.LookupContext
	case example.TypeExampleList:
		form, _, _ = example.ExampleListContext(form) // forms are sound
	}
	var parts []string
	for _, name := range c.keys {
		if feature, ok, err := lookup(form, name); ok && err == nil {
			v, _ := feature.Value()
			parts = append(parts, cli.FeatureName(name)+" "+listText(v))
		}
	}
	return strings.Join(parts, ", ")
}

// mostReread is how many bytes of records of one side are kept to be printed.
const mostReread = 32 << 20

// A reread is a visitor that keeps some records.
type reread struct {
	wanted map[string]map[int64][]byte // by file and number; nil: not read
	limit  int64                       // bytes left
}

func (r *reread) want(file string, record int64) {
	if r.wanted[file] == nil {
		r.wanted[file] = map[int64][]byte{}
	}
	r.wanted[file][record] = nil
}

// readAgain reads the files that have wanted records, and no other records of them.
func (c *diff) readAgain(side int, r *reread) error {
	var in []recordscan.Input
	for _, i := range c.in[side] {
		if r.wanted[i.Name] != nil {
			in = append(in, i)
		}
	}
	if len(in) == 0 {
		return nil
	}
	opts := c.walk
	opts.Progress, opts.Jobs = nil, 1
	opts.Choose = func(file int, record int64) dataset.Choice {
		if _, ok := r.wanted[in[file].Name][record]; ok {
			return dataset.ReadRecord
		}
		return dataset.LeaveOut
	}
	return recordscan.Walk(c.env.Ctx, in, &opts, r)
}

func (r *reread) Begin(*recordscan.File) error { return nil }

func (r *reread) End(*recordscan.File) error { return nil }

func (r *reread) Skipped(*recordscan.Fault) error { return nil } // was reported before

func (r *reread) Record(rec []byte, pos tfrecord.Position) error {
	if _, ok := r.wanted[pos.Name][pos.Record]; !ok {
		return nil
	}
	if r.limit -= int64(len(rec)); r.limit < 0 {
		return recordscan.ErrStop
	}
	r.wanted[pos.Name][pos.Record] = append([]byte{}, rec...)
	return nil
}
