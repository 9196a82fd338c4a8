package stats

import (
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/message"
)

// A record is the decoded features of one record. The values of all features of a kind are in one slice; bytes alias the message, or a
// copy of it.
type record struct {
	entries []entry
	ints    []int64
	floats  []float32
	bytes   [][]byte
	steps   []int32 // number of values of each step of feature lists; -1 for a step without kind
	items   int     // number of examples of an ExampleListWithContext

	needed  []int32 // index in entries by ID of the fields that come first in the table; -1: the record lacks it
	refused error   // why the record is refused although it decodes; nil
}

// An entry is one feature of a record: the values from lo to hi, and the steps
// from first to last of a feature list.
type entry struct {
	field       int32 // ID of its field; -1: the name is new
	met         bool  // knownName.met
	kind        example.Kind
	nested      bool // it is a feature list
	part        message.Part
	name        int32 // ID of the name in its part
	lo, hi      int   // range of its values in record.ints, floats or bytes
	first, last int   // range of its steps in record.steps
}

// A knownName caches what the field table says of a name in a part of messages.
type knownName struct {
	field int32 // ID of its field; -1: it has none yet
	read  bool  // its values are read
	met   bool  // a record that was not refused had it
	known bool  // the other fields are set
}

// parse reads a record into a.rec. It makes no fields.
func (a *Accumulator) parse(msg []byte) error {
	if err := a.message.Read(msg, a.readValues); err != nil {
		return err
	}
	return a.rec.refused
}

// readValues reads the values of the features that are described or needed. It returns false if one is not canonical.
func (a *Accumulator) readValues(t *message.Table) bool {
	r := &a.rec
	r.entries, r.ints, r.floats, r.bytes, r.steps = r.entries[:0], r.ints[:0], r.floats[:0], r.bytes[:0], r.steps[:0]
	r.items, r.refused = 0, nil
	for i := range r.needed {
		r.needed[i] = -1
	}
	for _, m := range t.Maps {
		if m.Part == message.Examples {
			r.items++
		}
		names := a.knownNames(t, m.Part)
		for i := m.Lo; i < m.Hi; i++ {
			in := &t.Entries[i]
			var name knownName
			if in.ID >= 0 {
				if name = names[in.ID]; !name.known {
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
			e := &r.entries[len(r.entries)-1] // to set its fields in the append would cost a tenth of parsing: the processor waits to copy what was just written
			e.field, e.met, e.part, e.name = name.field, name.met, m.Part, in.ID
			switch {
			case m.Part == message.Lists:
				e.nested, e.first, e.last = true, len(r.steps), len(r.steps)
				if name.read && !a.readSteps(e, t.Bytes[:in.Hi], in.Lo) {
					return false
				}
			case name.read && !r.readFeature(e, t.Bytes[:in.Hi], in.Lo):
				return false
			}
		}
	}
	return true
}

// knownNames returns what is known of the names of a part, by ID.
func (a *Accumulator) knownNames(t *message.Table, p message.Part) []knownName {
	if n := t.Names(p); len(a.known[p]) < n {
		a.known[p] = append(a.known[p], make([]knownName, n-len(a.known[p]))...)
	}
	return a.known[p]
}

func (a *Accumulator) knownName(t *message.Table, p message.Part, id int32) knownName {
	g, name := groupOf(p), t.Name(p, id)
	return knownName{field: a.table.find(g, name), read: a.table.reads(g, name), known: true}
}

// readSteps reads the steps of the feature list b[i:].
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
		} else if e.kind != step.kind && r.refused == nil {
			name := a.message.Name(message.Lists, e.name)
			r.refused = fmt.Errorf("%w: feature list %q has a %v in step %d, and a %v before", ErrKind, name, step.kind, n, e.kind)
		}
		e.hi = step.hi
		r.steps = append(r.steps, int32(step.hi-step.lo))
	}
	e.last = len(r.steps)
	return true
}

// readFeature appends the values of the Feature b[i:].
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

// neededEntry returns what the record has for a field that is needed; nil if it lacks it.
func (a *Accumulator) neededEntry(g group, name string) *entry {
	if i := a.rec.needed[a.table.find(g, name)]; i >= 0 {
		return &a.rec.entries[i]
	}
	return nil
}

// meetFields makes the fields of the record that are new. The error is ErrFeatures.
func (a *Accumulator) meetFields() (err error) {
	for i := range a.rec.entries {
		e := &a.rec.entries[i]
		if e.met { // without a look at the field: where there are thousands of features the processor waits for each piece of memory
			continue
		}
		if e.field < 0 {
			e.field = a.fieldOf(e.part, e.name)
		}
		if e.name >= 0 {
			name := &a.known[e.part][e.name]
			name.field, name.met = e.field, true
		}
		if err := a.table.meet(e.field, len(a.slicers) > 0); err != nil {
			return err
		}
	}
	return nil
}

// fieldOf returns the field of a name, which is made if there is none.
func (a *Accumulator) fieldOf(p message.Part, name int32) int32 {
	g, text := groupOf(p), a.message.Name(p, name)
	id := a.table.find(g, text)
	if id < 0 {
		id = a.table.add(g, text)
	}
	return id
}
