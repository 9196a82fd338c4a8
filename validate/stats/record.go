package stats

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
)

// A record is the decoded features of one record. The memory is reused for the next record.
type record struct {
	entries      []entry   // in the order of message.Table.Entries; features that are not read have no values
	ints         []int64   // the values of all Int64List features
	floats       []float32 // the values of all FloatList features
	bytes        [][]byte  // the values of all BytesList features; they alias message.Table.Bytes
	steps        []int32   // number of values in each step of all feature lists; -1 for a step without kind
	exampleCount int       // number of examples of an ExampleListWithContext

	needed    []int32 // index in entries of each field needed for weights, slices or pairs, by field ID; -1: absent
	kindError error   // ErrKind if a feature list has values of two types; else nil
}

// An entry is one feature of a record.
type entry struct {
	field        int32        // ID; -1: not in the field table yet
	fieldPresent bool         // copy of knownName.fieldPresent
	kind         example.Kind // Unset: no kind, or not read; of a feature list: the first kind among the steps
	nested       bool         // the feature is a feature list
	part         message.Part // map of the message that has the feature; with name, the key in Accumulator.nameCache
	name         int32        // ID of the name in its part
	lo, hi       int          // range of the values in record.ints, floats or bytes
	first, last  int          // range of the steps in record.steps
}

// A knownName caches the field of a name in a part of messages.
type knownName struct {
	field        int32 // ID; -1: not in the field table yet
	isRead       bool  // fieldTable.isRead
	fieldPresent bool  // the field is marked as present
	cached       bool  // the other fields are set
}

// parseRecord decodes a record into a.rec. It does not change the field table.
func (a *Accumulator) parseRecord(msg []byte) error {
	if err := a.message.Read(msg, a.readValues); err != nil {
		return err
	}
	return a.rec.kindError
}

// readValues decodes the features of a message that are listed or needed. It returns false if a value is not canonical;
// message.Table then rewrites the message and calls it again.
func (a *Accumulator) readValues(t *message.Table) bool {
	r := &a.rec
	r.entries, r.ints, r.floats, r.bytes, r.steps = r.entries[:0], r.ints[:0], r.floats[:0], r.bytes[:0], r.steps[:0]
	r.exampleCount, r.kindError = 0, nil
	for i := range r.needed {
		r.needed[i] = -1
	}
	for _, m := range t.Maps {
		if m.Part == message.Examples {
			r.exampleCount++
		}
		names := a.knownNames(t, m.Part)
		for i := m.Lo; i < m.Hi; i++ {
			in := &t.Entries[i]
			var name knownName
			if in.ID >= 0 {
				if name = names[in.ID]; !name.cached {
					name = a.knownName(t, m.Part, in.ID)
					names[in.ID] = name
				}
			} else {
				name = a.knownName(t, m.Part, in.ID)
			}
			if uint(name.field) < uint(len(r.needed)) {
				r.needed[name.field] = int32(len(r.entries))
			}
			r.entries = append(r.entries, entry{})
			e := &r.entries[len(r.entries)-1] // filled in place: a composite literal in the append took a tenth more time for parsing
			e.field, e.fieldPresent, e.part, e.name = name.field, name.fieldPresent, m.Part, in.ID
			switch {
			case m.Part == message.Lists:
				e.nested, e.first, e.last = true, len(r.steps), len(r.steps)
				if name.isRead && !a.readSteps(e, t.Bytes[:in.Hi], in.Lo) {
					return false
				}
			case name.isRead && !r.readFeature(e, t.Bytes[:in.Hi], in.Lo):
				return false
			}
		}
	}
	return true
}

// knownNames returns the cache of a part, by ID of the name.
func (a *Accumulator) knownNames(t *message.Table, p message.Part) []knownName {
	if n := t.Names(p); len(a.nameCache[p]) < n {
		a.nameCache[p] = append(a.nameCache[p], make([]knownName, n-len(a.nameCache[p]))...)
	}
	return a.nameCache[p]
}

// knownName looks a name up in the field table.
func (a *Accumulator) knownName(t *message.Table, p message.Part, id int32) knownName {
	g, name := groupOf(p), t.Name(p, id)
	return knownName{field: a.table.findField(g, name), isRead: a.table.isRead(g, name), cached: true}
}

// readSteps decodes the feature list b[i:]. It returns false if the bytes are not canonical.
func (a *Accumulator) readSteps(e *entry, b []byte, i int) bool {
	r := &a.rec
	for n := 0; i < len(b); n++ {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		step := entry{}
		if !ok || !r.readFeature(&step, b[:hi], lo) {
			return false
		}
		i = hi
		if step.kind == example.Unset {
			r.steps = append(r.steps, -1)
			continue
		}
		if e.kind == example.Unset {
			e.kind, e.lo = step.kind, step.lo
		} else if e.kind != step.kind && r.kindError == nil {
			name := a.message.Name(message.Lists, e.name)
			r.kindError = fmt.Errorf("%w: feature list %q has a %v in step %d, and a %v before", ErrKind, name, step.kind, n, e.kind)
		}
		e.hi = step.hi
		r.steps = append(r.steps, int32(step.hi-step.lo))
	}
	e.last = len(r.steps)
	return true
}

// readFeature decodes the Feature b[i:]. It returns false if the bytes are not canonical.
func (r *record) readFeature(e *entry, b []byte, i int) (ok bool) {
	if i == len(b) {
		return true
	}
	switch b[i] {
	case canonical.Int64Tag:
		e.kind, e.lo = example.Int64List, len(r.ints)
		var v int64
		if v, ok = canonical.Int64(b, i); ok {
			r.ints = append(r.ints, v)
		} else {
			r.ints, ok = canonical.AppendInt64s(r.ints, b, i)
		}
		e.hi = len(r.ints)
	case canonical.FloatTag:
		e.kind, e.lo = example.FloatList, len(r.floats)
		r.floats, ok = canonical.AppendFloats(r.floats, b, i)
		e.hi = len(r.floats)
	case canonical.BytesTag:
		e.kind, e.lo = example.BytesList, len(r.bytes)
		i, ok = canonical.List(b, i)
		for ok && i < len(b) {
			var lo, hi int
			if lo, hi, ok = canonical.Message(b, i, canonical.Tag1); ok {
				r.bytes = append(r.bytes, b[lo:hi])
				i = hi
			}
		}
		e.hi = len(r.bytes)
	}
	return ok
}

// neededEntry returns the entry of a needed field in the current record, or nil if the record lacks it.
func (a *Accumulator) neededEntry(g group, name string) *entry {
	if i := a.rec.needed[a.table.findField(g, name)]; i >= 0 {
		return &a.rec.entries[i]
	}
	return nil
}

// markFields adds the new fields of the current record to the field table, and marks all its fields as present. The
// error is ErrFeatures.
func (a *Accumulator) markFields() (err error) {
	for i := range a.rec.entries {
		e := &a.rec.entries[i]
		if e.fieldPresent { // without access to the field table: with thousands of features each access is a cache miss
			continue
		}
		if e.field < 0 {
			e.field = a.fieldOf(e.part, e.name)
		}
		if e.name >= 0 {
			name := &a.nameCache[e.part][e.name]
			name.field, name.fieldPresent = e.field, true
		}
		if err := a.table.markPresent(e.field, len(a.slicers) > 0); err != nil {
			return err
		}
	}
	return nil
}

// fieldOf returns the ID of the field of a name. It adds the field if it is missing.
func (a *Accumulator) fieldOf(p message.Part, name int32) int32 {
	g, text := groupOf(p), a.message.Name(p, name)
	id := a.table.findField(g, text)
	if id < 0 {
		id = a.table.addField(g, text)
	}
	return id
}
