package message

import (
	"cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// KnownNames is the set of names that Finders look up in one map. Finders share it, with an index of the other names that
// they learn. Safe for concurrent use.
type KnownNames struct {
	latest *canonical.LatestIndex // index of the known names, whose IDs are their slots, and of learned names
	slots  map[string]int         // slot by name
	few    []string               // names by slot, if there are at most maxFew and no slot has two; else nil
	n      int                    // number of slots
}

// NewKnownNames returns a set in which the slot of a name is its position in names. slots maps every name to its slot, and may
// add further names for a slot: of several entries with one slot, the last one counts.
func NewKnownNames(names []string, slots map[string]int) *KnownNames {
	k := &KnownNames{latest: canonical.NewLatestIndex(names, maxOther), slots: slots, n: len(names)}
	if len(slots) <= maxFew && len(names) == len(slots) {
		k.few = names
	}
	return k
}

// maxOther is the maximum number of other names that a Finder learns. If all names of all records differ, learning costs 15 ms once.
const maxOther = 1 << 13

// maxFew is the maximum number of names that are compared one by one, which is faster than a Go map because most differ in length.
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

// Finder finds the values of known names in one Example or SequenceExample after another. [Finder.Walk] reads messages in
// canonical encoding, as most are; [Finder.Scan] reads all others. Not safe for concurrent use.
type Finder struct {
	Features MapValues[example.Feature] // values in an Example, or in the context of a SequenceExample
	Lists    MapValues[example.FeatureList]
}

// NewFinder returns a Finder for the given names of features and of feature lists.
func NewFinder(features, lists *KnownNames) *Finder {
	return &Finder{newMapValues(features, example.FeatureAt), newMapValues(lists, example.FeatureListAt)}
}

// MapValues finds the values in one map of the message.
type MapValues[T value[T]] struct {
	WalkedMap

	known *KnownNames                    // names to find
	msg   []byte                         // the message that Walk read
	view  func(msg []byte, lo, hi int) T // returns the value msg[lo:hi]

	scanned bool   // Scan read the message, not Walk
	present []bool // by slot: Scan found a value
	values  []T    // by slot: the value that Scan found
}

// WalkedMap has the bounds of all values in one map of the message, if Walk read it.
type WalkedMap struct {
	Order []int32 // the slots of the entries, in their order; IDs of other names are greater

	names *canonical.Names // known and learned names
	walk  canonical.Walk   // finds the values of names
}

// value is the value of a map entry: a Feature or a FeatureList.
type value[T any] interface {
	Replace(earlier T) (T, error)
}

func newMapValues[T value[T]](k *KnownNames, view func(msg []byte, lo, hi int) T) MapValues[T] {
	names := canonical.NewNames(k.latest)
	return MapValues[T]{WalkedMap: WalkedMap{names: names, walk: names.NewWalk()}, known: k, view: view}
}

// Walk finds the values in a message of type t. It reports whether the maps are in canonical encoding and have each
// name once; the values may have any encoding. It also learns names that are not searched for: without that, a walk
// spent most of its time on their entries and was not faster than the scanners.
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

func (f *MapValues[T]) start(msg []byte) {
	f.walk.Start()
	f.Order, f.msg, f.scanned = f.Order[:0], msg, false
}

// add finds the values in the map b[i:], or in one piece of the map.
func (m *WalkedMap) add(b []byte, i int) bool {
	order, _, ok := m.walk.Map(b, i)
	m.Order = append(m.Order, order...)
	return ok
}

// Name returns the name of a slot, or of another ID in Order.
func (m *WalkedMap) Name(id int32) string { return m.names.Text(id) }

// Bounds returns where in the message the value of a slot, or of another ID in Order, begins and ends. ok is false
// if there is no value.
func (m *WalkedMap) Bounds(id int) (lo, hi int, ok bool) { return m.walk.Value(id) }

// Value returns the value of a slot. ok is false if there is none. The value aliases the message.
func (f *MapValues[T]) Value(slot int) (v T, ok bool) {
	if f.scanned {
		return f.values[slot], f.present[slot]
	}
	lo, hi, ok := f.walk.Value(slot)
	if ok {
		v = f.view(f.msg, lo, hi)
	}
	return v, ok
}

// Visit is called for each entry of a map: with the slot of its name, or -1, and the offset of its value.
type Visit func(p Part, slot int, name []byte, offset int)

// Scan is the slow path: it finds the values in a message of any encoding with the scanners of package example and returns
// their errors. visit may be nil.
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

func (f *MapValues[T]) startScan() {
	f.scanned = true
	f.clear()
	if f.present == nil {
		f.present, f.values = make([]bool, f.known.n), make([]T, f.known.n)
	}
}

// put stores a value. It replaces or extends an earlier value of the same name: see Feature.Replace.
func (f *MapValues[T]) put(slot int, v T) (err error) {
	if f.present[slot] {
		if v, err = v.Replace(f.values[slot]); err != nil {
			return err
		}
	}
	f.present[slot], f.values[slot] = true, v
	return nil
}

// located adds the part of the message and the name to an error of a feature.
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

func (f *MapValues[T]) clear() {
	f.msg = nil
	if f.scanned {
		clear(f.values)
		clear(f.present)
	}
}
