package stats

import (
	"maps"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// The reserved steps of paths.
const (
	sequenceStep = "##SEQUENCE##"
	examplesStep = "##EXAMPLES##"
)

// A group is a set of features of one parent.
type group uint8

const (
	rootGroup  group = iota // of an Example, or of a context
	childGroup              // feature lists, or the examples of a list
	groups
)

// A field is what the accumulator knows of a feature apart from its values. Its
// number is its place in the table.
type field struct {
	listed bool // is described
	read   bool // its values are needed, listed or not
	group  group
	next   int32 // the field that followed it last time
	entry  int32 // where it is in the record of the mark
	mark   uint64
	name   string
	key    int32 // its number in the walk; -1: none
	weight int   // which weight it has; -1: none
	schema
}

// fieldTable finds fields by name.
type fieldTable struct {
	fields []field
	most   int // fields that there may be
	byName [groups]map[string]int32
	first  [groups]int32 // the field that stood first last time
	schema [groups]map[string]schema
	opts   *Options
	slots  map[string]int // of the weights by feature
	listed map[string]int // where they are listed first; nil: all are
	needed [groups]map[string]bool

	walk      walk
	unindexed int // features that were found without it
}

func newFieldTable(o *Options, weights []string, known [groups]map[string]schema, shared *names) *fieldTable {
	t := &fieldTable{opts: o, schema: known, slots: map[string]int{}, most: o.MaxFeatures}
	for g := range t.byName {
		t.byName[g] = map[string]int32{}
		t.first[g] = -1
	}
	if n := t.walk.start(shared); n > 0 {
		t.fields, t.byName[rootGroup] = make([]field, 0, n), make(map[string]int32, n)
	}
	for i, w := range weights {
		t.slots[w] = i
	}
	if len(o.Features) > 0 {
		t.listed = map[string]int{}
		for i, name := range slices.Backward(o.Features) {
			t.listed[name] = i
		}
	}
	return t
}

func parentStep(r example.MessageType) string {
	if r == example.TypeExampleList {
		return examplesStep
	}
	return sequenceStep
}

// find returns the field of a name, which is made if there is none; -1 if there is no room for
// another one. last is the field before it in the record, or -1: what followed it in the record
// before is looked at first.
func (t *fieldTable) find(g group, name []byte, last int32) int32 {
	guess := t.first[g]
	if last >= 0 {
		guess = t.fields[last].next
	}
	if guess >= 0 && t.fields[guess].name == string(name) {
		return guess
	}
	id, ok := t.byName[g][string(name)]
	if !ok {
		if len(t.fields) >= t.most {
			return -1
		}
		id = t.add(g, string(name))
	}
	if last >= 0 {
		t.fields[last].next = id
	} else {
		t.first[g] = id
	}
	return id
}

func (t *fieldTable) add(g group, name string) int32 {
	f := field{group: g, name: name, weight: -1, next: -1, schema: t.schema[g][view.Step(name)]}
	f.listed = t.lists(g, name)
	if slot, ok := t.slots[t.opts.WeightOf[name]]; ok && g == rootGroup {
		f.weight = slot
	} else if slot, ok := t.slots[t.opts.Weight]; ok && t.opts.Weight != "" {
		f.weight = slot
	}
	f.read = t.needed[g][name]
	id := int32(len(t.fields))
	f.key = t.walk.add(g, name, id)
	t.fields = append(t.fields, f)
	t.byName[g][name] = id
	return id
}

// truncate forgets all fields from the number n.
func (t *fieldTable) truncate(n int) {
	if n == len(t.fields) {
		return
	}
	for _, f := range t.fields[n:] {
		delete(t.byName[f.group], f.name)
		t.walk.remove(f.key)
	}
	if dropped := len(t.fields) - n; dropped > n+64 { // a record had very many
		t.fields = slices.Clip(slices.Clone(t.fields[:n]))
		for g := range t.byName {
			t.byName[g] = maps.Collect(maps.All(t.byName[g]))
		}
	}
	t.fields = t.fields[:n]
	for i := range t.fields {
		if t.fields[i].next >= int32(n) {
			t.fields[i].next = -1
		}
	}
	for g := range t.first {
		if t.first[g] >= int32(n) {
			t.first[g] = -1
		}
	}
}

// need says which features are read even if they are not listed.
func (t *fieldTable) need(names [groups][]string) {
	for g := range names {
		t.needed[g] = map[string]bool{}
		for _, name := range names[g] {
			t.needed[g][name] = true
		}
	}
}

// lists reports whether a feature is one of those that are described.
func (t *fieldTable) lists(g group, name string) bool {
	if t.listed == nil {
		return true
	}
	_, ok := t.listed[name]
	if !ok && g == childGroup {
		_, ok = t.listed[parentStep(t.opts.Message)]
	}
	return ok
}
