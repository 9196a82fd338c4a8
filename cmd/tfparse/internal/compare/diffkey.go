package compare

import (
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// byKey compares the records that have the same key.
func (c *diff) byKey() error {
	all := c.newKeyPairs()
	defer all.close()
	m := matcher{keep: int(c.limit), pair: all.add}
	if err := c.eachRef(m.add); err != nil {
		return err
	}
	m.finish()
	r := &c.result
	r.unsummed = m.counted
	features := &r.features
	if err := all.each(func(a, b *pairedRecord) error {
		how, _, err := c.here.two(a.typ, a.rec, b.typ, b.rec)
		if err != nil || how != changed {
			return errChanged
		}
		features.record()
		c.here.changes(a.typ, b.typ, features.add)
		return nil
	}); err != nil {
		return err
	}
	r.same, r.bytesSame, r.changed, r.only = m.same, m.same, m.changed, m.only
	r.reordered = c.sums[0] != c.sums[1]
	for side, rep := range m.repeated {
		r.repeated[side] = repeats{keys: rep.keys, records: rep.records}
		for _, two := range rep.first {
			r.repeated[side].first = append(r.repeated[side].first, c.placeOf(two[0]), c.placeOf(two[1]))
		}
	}
	return c.showFound(m.found)
}

// showFound prints the differences that were found by key, for which their records are read again.
func (c *diff) showFound(all []difference) error {
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
				two[side] = found{c.types[side][r.file], again[side].wanted[string(p.File)][p.Record], p}
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
	return c.here.keyText(f.typ, c.keys)
}

// keyText is the key of the record of A whose form was made last.
func (c *comparer) keyText(typ example.MessageType, keys []string) string {
	var parts []string
	for _, name := range keys {
		if feature, ok, err := typ.Lookup(c.forms[0], name); ok && err == nil {
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
func (c *joiner) readAgain(side int, r *reread) error {
	var in []scan.Input
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
	return scan.Walk(c.env.Ctx, in, &opts, r)
}

func (r *reread) Begin(*scan.OldFile) error { return nil }

func (r *reread) End(*scan.OldFile) error { return nil }

func (r *reread) Skipped(*scan.Fault) error { return nil } // was reported before

func (r *reread) Record(rec []byte, pos tfrecord.Position) error {
	if _, ok := r.wanted[pos.Name][pos.Record]; !ok {
		return nil
	}
	if r.limit -= int64(len(rec)); r.limit < 0 {
		return scan.ErrStop
	}
	r.wanted[pos.Name][pos.Record] = append([]byte{}, rec...)
	return nil
}
