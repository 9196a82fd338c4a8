package message

import (
	"cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// KnownNames are the names that Finders look for in one map. All Finders share them, with the index of other names that
// they learn. They are safe for all goroutines.
type KnownNames struct {
	latest *canonical.LatestIndex // of these names, whose IDs are their slots, and of learned names
	slots  map[string]int
	few    []string // the names by slot, if there are at most maxFew and each has its own slot; else nil
	n      int      // number of slots
}

// NewKnownNames returns names whose slots are their places in the list. slots maps them to these, and may have more names of
// a slot: an entry with one of its names replaces those before.
func NewKnownNames(names []string, slots map[string]int) *KnownNames {
	k := &KnownNames{latest: canonical.NewLatestIndex(names, maxOther), slots: slots, n: len(names)}
	if len(slots) <= maxFew && len(names) == len(slots) {
		k.few = names
	}
	return k
}

// maxOther is the most other names that a Finder learns. Records with ever new names cost 15 ms once.
const maxOther = 1 << 13

// maxFew is the most names that are compared one by one, which is faster than a map: most differ in length.
const maxFew = 8

// slot returns the slot of a name, or -1.
func (k *KnownNames) slot(name []byte) int {
	for i, n := range k.few {
		if n == string(name) {
			return i
		}
	}
	if k.few == nil {
		if i, ok := k.slots[string(name)]; ok {
			return i
		}
	}
	return -1
}

// A Finder finds the values of known names in one message after another: Examples and SequenceExamples. In most messages,
// which have canonical encoding, walks find them; [Finder.Scan] reads all others. A Finder belongs to one goroutine.
type Finder struct {
	Features FoundValues[example.Feature] // of an Example, or of a context
	Lists    FoundValues[example.FeatureList]
}

// NewFinder returns a Finder of features and feature lists with these names.
func NewFinder(features, lists *KnownNames) *Finder {
	return &Finder{newFoundValues(features, example.FeatureAt), newFoundValues(lists, example.FeatureListAt)}
}

// FoundValues are the values of one map of the message.
type FoundValues[T value[T]] struct {
	WalkedMap

	known *KnownNames
	msg   []byte // the message of Walk
	view  func(msg []byte, lo, hi int) T

	scanned bool   // the message was read by Scan
	seen    []bool // by slot: Scan has found a value
	values  []T    // by slot: the value that Scan has found
}

// A WalkedMap has the bounds of all values in a map of the message, if Walk has read it.
type WalkedMap struct {
	Order []int32 // the entries in their order, by the slots of their names; other names have greater IDs

	names *canonical.Names // the known ones, and those that were learned
	walk  canonical.Walk   // with a key for each name
}

// A value is that of a map entry: a Feature or a FeatureList.
type value[T any] interface {
	Replace(earlier T) (T, error)
}

func newFoundValues[T value[T]](k *KnownNames, view func(msg []byte, lo, hi int) T) FoundValues[T] {
	names := canonical.NewNames(k.latest)
	return FoundValues[T]{WalkedMap: WalkedMap{names: names, walk: names.NewWalk()}, known: k, view: view}
}

// Walk finds the values in a message of a type, and reports whether its maps have canonical encoding and each name once.
// The values may have any encoding. Names that are not known are learned: the time of a walk is mostly that of the
// entries whose names its index lacks, and a walk with few known names was not faster than the scanners.
func (f *Finder) Walk(t example.MessageType, msg []byte) bool {
	f.Features.start(msg)
	f.Lists.start(msg)
	for i := 0; i < len(msg); {
		number, lo, hi := canonical.Field(msg, i)
		switch {
		case number == 1 && f.Features.add(msg[:hi], lo):
		case number == 2 && t == example.TypeSequence && f.Lists.add(msg[:hi], lo):
		default:
			return false
		}
		i = hi
	}
	return true
}

func (f *FoundValues[T]) start(msg []byte) {
	f.walk.Start()
	f.Order, f.msg, f.scanned = f.Order[:0], msg, false
}

// add finds the values in the map b[i:], or in a part of it.
func (m *WalkedMap) add(b []byte, i int) bool {
	order, _, ok := m.walk.Map(b, i)
	m.Order = append(m.Order, order...)
	return ok
}

// Name returns the name of a slot, or of another ID in Order.
func (m *WalkedMap) Name(id int32) string { return m.names.Text(id) }

// Bounds returns where in the message the value of a slot is, or of another ID in Order, if there is one.
func (m *WalkedMap) Bounds(id int) (lo, hi int, ok bool) { return m.walk.Value(id) }

// Value returns the value of a slot, if there is one. It aliases the message.
func (f *FoundValues[T]) Value(slot int) (v T, ok bool) {
	if f.scanned {
		return f.values[slot], f.seen[slot]
	}
	lo, hi, ok := f.walk.Value(slot)
	if ok {
		v = f.view(f.msg, lo, hi)
	}
	return v, ok
}

// A Visit function is called for each entry of a map: with the slot of its name, or -1, and the offset of its value.
type Visit func(p Part, slot int, name []byte, offset int)

// Scan finds the values in a message of any encoding, with the scanners of package example. What they refuse is the
// error. visit may be nil.
func (f *Finder) Scan(t example.MessageType, msg []byte, visit Visit) error {
	s, part, name := example.TypeExample.Scan(msg), Features, ""
	if t == example.TypeSequence {
		s, part, name = example.TypeSequence.Scan(msg), Context, "context"
	}
	f.Features.startScan()
	f.Lists.startScan()
	for s.Next() {
		slot := f.Features.known.slot(s.Name())
		if visit != nil {
			visit(part, slot, s.Name(), s.Feature().Offset())
		}
		if slot < 0 {
			continue
		}
		if err := f.Features.put(slot, s.Feature()); err != nil {
			return located(err, name, s.Name())
		}
	}
	if err := s.Err(); err != nil || t != example.TypeSequence {
		return err
	}
	ls := example.ScanFeatureLists(msg)
	for ls.Next() {
		slot := f.Lists.known.slot(ls.Name())
		if visit != nil {
			visit(Lists, slot, ls.Name(), ls.List().Offset())
		}
		if slot < 0 {
			continue
		}
		if err := f.Lists.put(slot, ls.List()); err != nil {
			return located(err, "feature_lists", ls.Name())
		}
	}
	return ls.Err()
}

func (f *FoundValues[T]) startScan() {
	f.scanned = true
	f.clear()
	if f.seen == nil {
		f.seen, f.values = make([]bool, f.known.n), make([]T, f.known.n)
	}
}

// put adds a value, which may replace an earlier one of the same name: see Feature.Replace.
func (f *FoundValues[T]) put(slot int, v T) (err error) {
	if f.seen[slot] {
		if v, err = v.Replace(f.values[slot]); err != nil {
			return err
		}
	}
	f.seen[slot], f.values[slot] = true, v
	return nil
}

// located adds the part and the name to an error of a feature.
func located(err error, part string, name []byte) error {
	if e, ok := err.(*example.Error); ok {
		e.Part = cmp.Or(e.Part, part)
		e.Feature = cmp.Or(e.Feature, string(name))
	}
	return err
}

// Forget drops all references to the message.
func (f *Finder) Forget() {
	f.Features.clear()
	f.Lists.clear()
}

func (f *FoundValues[T]) clear() {
	f.msg = nil
	if f.scanned {
		clear(f.values)
		clear(f.seen)
	}
}
