package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// A batch is what TensorFlow Data Validation knows of the records that it reads
// together, where that shows in its results.
type batch struct {
	number uint64
	rows   uint64

	// A batch that is not in the sample has no rows.
	dropped bool
	leftOut uint64
	domains bool // semantic domains are looked for in it

	listed bool // one of the records has a feature that is described
	lists  bool // one of the records has feature lists
	fields []int32
	kept   [][]byte // the records, if there are slices
	weight float64  // of the records
}

func (b *batch) start() {
	*b = batch{number: b.number + 1, fields: b.fields[:0], kept: b.kept[:0]}
}

// addInBatch adds the record that was parsed, with TFDV.
func (a *Accumulator) addInBatch(msg []byte) error {
	b := &a.batch
	for i := range a.rec.entries {
		e := &a.rec.entries[i]
		f := &a.table.fields[e.field]
		if e.kind != example.Unset && int(e.field) < len(a.all.features) {
			for kind, c := range a.all.features[e.field].kinds[1:] {
				if c != nil && example.Kind(kind+1) != e.kind {
					return fmt.Errorf("%w: %q is %v here, and was %v before", ErrKind, f.name, e.kind, example.Kind(kind+1))
				}
			}
		}
		if f.batch != b.number {
			f.batch = b.number
			b.fields = append(b.fields, e.field)
		}
		if e.kind != example.Unset {
			f.typed = b.number
			if f.listed && f.tokens != nil && f.tokens.vocabulary != "" && f.tokens.words == nil && e.kind != example.FloatList {
				return fmt.Errorf("%w: feature %q needs the vocabulary %q", ErrOptions, f.name, f.tokens.vocabulary)
			}
		}
		b.listed = b.listed || f.listed
	}
	b.lists = b.lists || a.rec.lists
	b.weight += a.weight()
	if len(a.slicers) > 0 {
		b.kept = append(b.kept, bytes.Clone(msg))
	}
	a.describe(a.all)
	a.all.examples-- // until it is known whether the batch counts
	if b.rows++; b.rows == uint64(a.opts.DesiredBatchSize) {
		return a.endBatch()
	}
	return nil
}

// weight is the weight of the record, but for features that have one of their own.
func (a *Accumulator) weight() float64 {
	if a.opts.WeightFeature == "" {
		return 0
	}
	return a.rowWeights[0]
}

// endBatch counts the records of the batch, if there are any, and begins a new
// one.
func (a *Accumulator) endBatch() error {
	if !a.opts.TFDV || a.batch.rows == 0 {
		a.batch.leftOut = 0
		return nil
	}
	b := &a.batch
	if a.table.listed == nil || b.listed {
		a.all.examples += b.rows
	}
	if b.lists {
		a.all.structs += b.rows
		a.all.structWeight.Add(b.weight)
	}
	a.sortBatch()
	for _, id := range b.fields {
		if !a.table.fields[id].ordered {
			a.table.fields[id].ordered = true
			a.place(a.all, id)
		}
	}
	if err := a.sliceBatch(); err != nil {
		return err
	}
	for _, d := range a.datasets() {
		d.columns((*column).endBatch)
	}
	b.start()
	return nil
}

// A presence says how a batch has a feature to slice by.
type presence uint8

const (
	typed   presence = iota // with values of a type, or lists of one
	untyped                 // only without kind: then each record has the value None
	absent                  // not at all: then it drops out of the names
)

// sliceBatch adds the records of the batch to the slices that they are in.
func (a *Accumulator) sliceBatch() error {
	if len(a.slicers) == 0 {
		return nil
	}
	in := map[string]presence{}
	for _, s := range a.slicers {
		for _, f := range s.features {
			id, ok := a.table.byName[rootGroup][f.name]
			switch {
			case !ok || a.table.fields[id].batch != a.batch.number:
				in[f.name] = absent
			case a.table.fields[id].typed != a.batch.number:
				in[f.name] = untyped
			}
		}
	}
	for i := range a.slicers {
		if a.isLost(i) {
			continue
		}
		var names []string
		keys := make([][]string, len(a.batch.kept))
		for row, msg := range a.batch.kept {
			err := a.parse(msg)
			if err == nil {
				keys[row], err = a.keysOf(&a.slicers[i], in)
			}
			if err != nil {
				return err
			}
			names = append(names, keys[row]...)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			d := a.slice(sliceKey{name, a.slicers[i].only})
			for _, id := range a.batch.fields {
				a.column(d, id, example.Unset)
				if a.table.fields[id].typed == a.batch.number {
					d.features[id].typed = true
				}
				if !d.features[id].inData {
					d.features[id].inData = true
					a.place(d, id)
				}
			}
		}
		made := map[string]batch{} // as far as they are in a slice
		for row, msg := range a.batch.kept {
			if len(keys[row]) == 0 {
				continue
			}
			if err := cmp.Or(a.parse(msg), a.weigh()); err != nil {
				return err
			}
			for _, k := range keys[row] {
				a.describe(a.slices[k])
				in := made[k]
				made[k] = batch{rows: in.rows + 1, weight: in.weight + a.weight()}
			}
		}
		for k, in := range made {
			if a.batch.lists {
				a.slices[k].structs += in.rows
				a.slices[k].structWeight.Add(in.weight)
			}
		}
	}
	return nil
}

// validNames reports whether all names of the record are UTF-8.
func (a *Accumulator) validNames() bool {
	for i := range a.rec.entries {
		if !utf8.ValidString(a.table.fields[a.rec.entries[i].field].name) {
			return false
		}
	}
	return true
}

// conform reads a record as a conforming decoder does, and writes it again.
func conform(msg []byte, t example.MessageType) ([]byte, error) {
	var m proto.Message = &examplepb.Example{}
	switch t {
	case example.TypeSequence:
		m = &examplepb.SequenceExample{}
	case example.TypeExampleList:
		m = &examplepb.ExampleListWithContext{}
	}
	err := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(msg, m)
	if err == nil {
		msg, err = proto.Marshal(m)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return msg, nil
}
