package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/domain"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A group is the set of all features with the same parent.
type group uint8

const (
	rootGroup  group = iota // the features of an Example or a context
	childGroup              // the feature lists, or the features of the examples of a list
	groups                  // number of groups
)

// groupOf returns the group of the features in a part of a message.
func groupOf(p message.Part) group {
	if p == message.Lists || p == message.Examples {
		return childGroup
	}
	return rootGroup
}

// parentStep returns the name of the struct that contains childGroup.
func parentStep(r example.MessageType) string {
	if r == example.TypeExampleList {
		return view.ExamplesStep
	}
	return view.SequenceStep
}

// A field is a feature's name and options. Its ID is its index in fieldTable.fields.
type field struct {
	name     string // as in records; a path has view.Step(name)
	group    group  // with name, the key in fieldTable.byName
	present  bool   // an accepted record had the field
	isListed bool   // Options.Features selects it
	isRead   bool   // values are read: the field is listed, or needed for weights, slices or pairs
	weight   int    // index of the field's weight in Accumulator.weights; -1: none
	featureSchema
}

// fieldTable finds fields by name.
type fieldTable struct {
	fields      []field                          // needed fields first, even if no record has them
	needed      int                              // number of fields needed for weights, slices or pairs
	present     []int32                          // fields of accepted records, in order of appearance; at most Options.MaxFeatures
	byName      [groups]map[string]int32         // ID of each field
	schema      [groups]map[string]featureSchema // schema entries, by view.Step of the name
	opts        *Options                         // the Accumulator's, resolved; only read
	weightIndex map[string]int                   // index in Accumulator.weights, by the name of the feature that contains the weight
}

// newFieldTable returns a table without fields.
func newFieldTable(o *Options, weights []string, known [groups]map[string]featureSchema) *fieldTable {
	t := &fieldTable{opts: o, schema: known, weightIndex: map[string]int{}}
	for g := range t.byName {
		t.byName[g] = map[string]int32{}
	}
	for i, w := range weights {
		t.weightIndex[w] = i
	}
	return t
}

// findField returns the ID of a field, or -1 if there is none.
func (t *fieldTable) findField(g group, name string) int32 {
	if id, ok := t.byName[g][name]; ok {
		return id
	}
	return -1
}

// addField adds a field and returns its ID.
func (t *fieldTable) addField(g group, name string) int32 {
	f := field{group: g, name: name, weight: -1, featureSchema: t.schema[g][view.Step(name)], isListed: t.isListed(g, name)}
	f.isRead = f.isListed
	if slot, ok := t.weightIndex[t.opts.WeightOf[name]]; ok && g == rootGroup {
		f.weight = slot
	} else if slot, ok := t.weightIndex[t.opts.Weight]; ok && t.opts.Weight != "" {
		f.weight = slot
	}
	id := int32(len(t.fields))
	t.fields = append(t.fields, f)
	t.byName[g][name] = id
	return id
}

// needField marks a field as read, even if it is not listed. It adds a missing field. It must be called before the fields of
// records are added.
func (t *fieldTable) needField(g group, name string) {
	id := t.findField(g, name)
	if id < 0 {
		id = t.addField(g, name)
		t.needed = len(t.fields)
	}
	t.fields[id].isRead = true
}

// markPresent marks a field as present in an accepted record. The error is ErrFeatures; its text depends on sliced.
func (t *fieldTable) markPresent(id int32, sliced bool) error {
	f := &t.fields[id]
	if f.present {
		return nil
	}
	f.present = true
	if t.present = append(t.present, id); len(t.present) > t.opts.MaxFeatures {
		return beyondLimit(t.opts.MaxFeatures, f.name, sliced)
	}
	return nil
}

// beyondLimit returns ErrFeatures with the first feature that exceeds the limit.
func beyondLimit(most int, feature string, sliced bool) error {
	each := ""
	if sliced {
		each = ", counted in each slice"
	}
	return fmt.Errorf("%w: more than %d%s; %q is too many: names look like data", ErrFeatures, most, each, feature)
}

// storedFields returns the IDs of the fields in an encoded state: needed fields, then other present fields.
func (t *fieldTable) storedFields() []int32 {
	ids := make([]int32, 0, len(t.fields))
	for id := range t.needed {
		ids = append(ids, int32(id))
	}
	for _, id := range t.present {
		if int(id) >= t.needed {
			ids = append(ids, id)
		}
	}
	return ids
}

// isListed reports whether Options.Features selects a feature.
func (t *fieldTable) isListed(g group, name string) bool {
	step, above := []byte(name), []byte(name)
	if g == childGroup {
		above = []byte(parentStep(t.opts.Message)) // the name of the parent selects all its children
	}
	l := t.opts.listed
	return len(t.opts.Features) == 0 || (l.Selects(step) || l.Selects(above)) && !l.LeavesOut(step) && !l.LeavesOut(above)
}

// isRead reports whether the values of a feature are read.
func (t *fieldTable) isRead(g group, name string) bool {
	if id := t.findField(g, name); id >= 0 {
		return t.fields[id].isRead
	}
	return t.isListed(g, name)
}

// fieldPath returns the path of a field.
func (t *fieldTable) fieldPath(id int32) []string {
	f := &t.fields[id]
	if f.group == childGroup {
		return []string{parentStep(t.opts.Message), view.Step(f.name)}
	}
	return []string{view.Step(f.name)}
}

// sortedFields returns the IDs of present fields, sorted by group and name. If listed is true, it returns listed fields only.
func (t *fieldTable) sortedFields(listed bool) []int32 {
	var out []int32
	for i := range t.fields {
		if f := &t.fields[i]; f.present && (f.isListed || !listed) {
			out = append(out, int32(i))
		}
	}
	slices.SortFunc(out, func(x, y int32) int {
		f, g := &t.fields[x], &t.fields[y]
		return cmp.Or(cmp.Compare(f.group, g.group), cmp.Compare(f.name, g.name))
	})
	return out
}

// A featureSchema is the part of a feature's schema entry that statistics depend on.
type featureSchema struct {
	kind        example.Kind  // the type in the schema; Unset: any
	categorical bool          // numbers are labels
	image       bool          // byte strings are blobs, not labels
	tokens      *tokenRules   // nil: values are not tokens
	check       *domain.Check // semantic domain of the values; nil: none
}

// featureSchemas returns the entries of a Schema by group and name. step is the name of the struct that contains
// childGroup.
func featureSchemas(s *metadatapb.Schema, step string, o *Options) (out [groups]map[string]featureSchema) {
	all := newVocabularies(o.Vocabularies)
	add := func(g group, features []*metadatapb.Feature) {
		out[g] = map[string]featureSchema{}
		for _, f := range features {
			entry := newFeatureSchema(f, all)
			if first, ok := out[g][f.GetName()]; ok {
				entry = first.mergeDuplicate(entry)
			}
			out[g][f.GetName()] = entry
		}
	}
	var children []*metadatapb.Feature
	for _, f := range s.GetFeature() {
		if f.GetName() == step && f.GetStructDomain() != nil {
			children = append(children, f.GetStructDomain().GetFeature()...)
		}
	}
	add(rootGroup, s.GetFeature())
	add(childGroup, children)
	return out
}

// newFeatureSchema returns the featureSchema of one entry.
func newFeatureSchema(f *metadatapb.Feature, all map[string]*vocabulary) featureSchema {
	s := featureSchema{}
	switch f.GetType() {
	case metadatapb.FeatureType_INT:
		s.kind = example.Int64List
		s.categorical = f.GetIntDomain().GetIsCategorical() || f.GetBoolDomain() != nil || f.GetNaturalLanguageDomain() != nil
	case metadatapb.FeatureType_FLOAT:
		s.kind = example.FloatList
		s.categorical = f.GetFloatDomain().GetIsCategorical()
	case metadatapb.FeatureType_BYTES:
		s.kind = example.BytesList
	}
	s.image = f.GetImageDomain() != nil && f.GetType() != metadatapb.FeatureType_STRUCT
	s.tokens = newTokenRules(f.GetNaturalLanguageDomain(), all)
	s.check, _ = domain.NewCheck(f)
	return s
}

// mergeDuplicate combines s with o, a later entry with the same name.
func (s featureSchema) mergeDuplicate(o featureSchema) featureSchema {
	s.image = s.image || o.image
	if o.categorical && !s.categorical {
		s.kind, s.categorical = o.kind, true
	}
	return s
}
