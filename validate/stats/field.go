package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A group is a set of features of one parent.
type group uint8

const (
	rootGroup  group = iota // of an Example, or of a context
	childGroup              // feature lists, or the examples of a list
	groups
)

func groupOf(p message.Part) group {
	if p == message.Lists || p == message.Examples {
		return childGroup
	}
	return rootGroup
}

func parentStep(r example.MessageType) string {
	if r == example.TypeExampleList {
		return view.ExamplesStep
	}
	return view.SequenceStep
}

// A field is the name and the options of a feature. Its ID is its place in the table.
type field struct {
	name   string
	group  group
	met    bool // a record that was not refused had it
	listed bool // it is described
	read   bool // its values are read: to describe it, or as a weight, for slices or for pairs
	weight int  // index of its weight in Accumulator.weights; -1: none
	featureSchema
}

// fieldTable finds fields by name.
type fieldTable struct {
	fields []field // those that are needed come first, also while no record has them
	needed int     // fields that are weights, make slices or are in pairs
	met    []int32 // fields that records had, in the order in which they were met: at most Options.MaxFeatures
	byName [groups]map[string]int32
	schema [groups]map[string]featureSchema
	opts   *Options
	slots  map[string]int // index in Accumulator.weights, by the name of the feature that has the weight
}

func newFieldTable(o *Options, weights []string, known [groups]map[string]featureSchema) *fieldTable {
	t := &fieldTable{opts: o, schema: known, slots: map[string]int{}}
	for g := range t.byName {
		t.byName[g] = map[string]int32{}
	}
	for i, w := range weights {
		t.slots[w] = i
	}
	return t
}

// find returns the ID of a field; -1 if there is none.
func (t *fieldTable) find(g group, name string) int32 {
	if id, ok := t.byName[g][name]; ok {
		return id
	}
	return -1
}

// add makes a field that there is not.
func (t *fieldTable) add(g group, name string) int32 {
	f := field{group: g, name: name, weight: -1, featureSchema: t.schema[g][view.Step(name)], listed: t.lists(g, name)}
	f.read = f.listed
	if slot, ok := t.slots[t.opts.WeightOf[name]]; ok && g == rootGroup {
		f.weight = slot
	} else if slot, ok := t.slots[t.opts.Weight]; ok && t.opts.Weight != "" {
		f.weight = slot
	}
	id := int32(len(t.fields))
	t.fields = append(t.fields, f)
	t.byName[g][name] = id
	return id
}

// need makes the fields whose values are needed even if they are not listed.
func (t *fieldTable) need(g group, name string) {
	id := t.find(g, name)
	if id < 0 {
		id = t.add(g, name)
		t.needed = len(t.fields)
	}
	t.fields[id].read = true
}

// meet notes that a record has a field. The error is ErrFeatures.
func (t *fieldTable) meet(id int32, sliced bool) error {
	f := &t.fields[id]
	if f.met {
		return nil
	}
	f.met = true
	if t.met = append(t.met, id); len(t.met) > t.opts.MaxFeatures {
		return beyondLimit(t.opts.MaxFeatures, f.name, sliced)
	}
	return nil
}

func beyondLimit(most int, feature string, sliced bool) error {
	each := ""
	if sliced {
		each = ", counted in each slice"
	}
	return fmt.Errorf("%w: more than %d%s, with %q: names look like data", ErrFeatures, most, each, feature)
}

// stored returns the fields of a state: those that are needed, and others that records had.
func (t *fieldTable) stored() []int32 {
	ids := make([]int32, 0, len(t.fields))
	for id := range t.needed {
		ids = append(ids, int32(id))
	}
	for _, id := range t.met {
		if int(id) >= t.needed {
			ids = append(ids, id)
		}
	}
	return ids
}

// lists reports whether a feature is one of those that are described.
func (t *fieldTable) lists(g group, name string) bool {
	step, above := []byte(name), []byte(name)
	if g == childGroup {
		above = []byte(parentStep(t.opts.Message)) // which stands for all below it
	}
	l := t.opts.listed
	return len(t.opts.Features) == 0 || (l.Selects(step) || l.Selects(above)) && !l.LeavesOut(step) && !l.LeavesOut(above)
}

// reads reports whether the values of a feature are needed.
func (t *fieldTable) reads(g group, name string) bool {
	if id := t.find(g, name); id >= 0 {
		return t.fields[id].read
	}
	return t.lists(g, name)
}

// path are the steps to a field.
func (t *fieldTable) path(id int32) []string {
	f := &t.fields[id]
	if f.group == childGroup {
		return []string{parentStep(t.opts.Message), view.Step(f.name)}
	}
	return []string{view.Step(f.name)}
}

// ordered returns the fields that records had by group and name; if listed is set, only those that are described.
func (t *fieldTable) ordered(listed bool) []int32 {
	var out []int32
	for i := range t.fields {
		if f := &t.fields[i]; f.met && (f.listed || !listed) {
			out = append(out, int32(i))
		}
	}
	slices.SortFunc(out, func(x, y int32) int {
		f, g := &t.fields[x], &t.fields[y]
		return cmp.Or(cmp.Compare(f.group, g.group), cmp.Compare(f.name, g.name))
	})
	return out
}
