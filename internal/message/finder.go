package message

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// A Known has the names that Finders look for in one map, and an index of them and of other names that the Finders have
// met. It is safe for all goroutines.
type Known struct {
	latest *canonical.LatestIndex
	slots  map[string]int
	n      int // slots
}

// NewKnown returns a Known whose names have the slots of their indexes. slots has these, and may have more names for them:
// entries with any name of a slot replace each other.
func NewKnown(names []string, slots map[string]int) *Known {
	return &Known{canonical.NewLatestIndex(names), slots, len(names)}
}

// A Finder finds the values of known names in one message after another: Examples and SequenceExamples. In most messages,
// which have canonical encoding, walks find them; [Finder.Scan] reads all others. A Finder belongs to one goroutine.
type Finder struct {
	Features Found[example.Feature] // of an Example, or of a context
	Lists    Found[example.FeatureList]
}

// NewFinder returns a Finder of features and feature lists with these names.
func NewFinder(features, lists *Known) *Finder {
	return &Finder{newFound(features, example.FeatureAt), newFound(lists, example.FeatureListAt)}
}

// Found has the values that were found in one map of the message.
type Found[T value[T]] struct {
	Order []int32 // by Walk: the entries in their order, by the slots of their names; other names have greater IDs

	known *Known
	names *canonical.Names
	walk  canonical.Walk
	msg   []byte // of Walk
	view  func(msg []byte, lo, hi int) T

	// By Scan, by slot.
	scanned bool // Scan was called after Walk
	seen    []bool
	values  []T
}

// A value is that of a map entry: a Feature or a FeatureList.
type value[T any] interface {
	Replace(earlier T) (T, error)
	Offset() int
}

func newFound[T value[T]](k *Known, view func(msg []byte, lo, hi int) T) Found[T] {
	names := canonical.NewNames(k.latest)
	return Found[T]{known: k, names: names, walk: names.NewWalk(), view: view}
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

func (f *Found[T]) start(msg []byte) {
	f.walk.Start()
	f.Order, f.msg, f.scanned = f.Order[:0], msg, false
}

// add finds the values in the map b[i:], or in a piece of it.
func (f *Found[T]) add(b []byte, i int) bool {
	order, _, ok := f.walk.Map(b, i)
	f.Order = append(f.Order, order...)
	return ok
}

// Name returns the name of a slot, or of another ID in Order.
func (f *Found[T]) Name(id int32) string { return f.names.Text(id) }

// Bounds returns where in the message Walk has found the value of a slot, or of another ID in Order, if there is one.
func (f *Found[T]) Bounds(slot int) (lo, hi int, ok bool) { return f.walk.Value(slot) }

// Value returns the value of a slot, if there is one. It aliases the message.
func (f *Found[T]) Value(slot int) (v T, ok bool) {
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
		if err := f.Features.put(part, s.Name(), s.Feature(), visit); err != nil {
			return located(err, name, s.Name())
		}
	}
	if err := s.Err(); err != nil || t != example.TypeSequence {
		return err
	}
	ls := example.ScanFeatureLists(msg)
	for ls.Next() {
		if err := f.Lists.put(Lists, ls.Name(), ls.List(), visit); err != nil {
			return located(err, "feature_lists", ls.Name())
		}
	}
	return ls.Err()
}

func (f *Found[T]) startScan() {
	f.scanned = true
	f.clear()
	if f.seen == nil {
		f.seen, f.values = make([]bool, f.known.n), make([]T, f.known.n)
	}
}

// put notes a value. The dialect says what an earlier one of the same name means.
func (f *Found[T]) put(p Part, name []byte, v T, visit Visit) (err error) {
	slot, ok := f.known.slots[string(name)]
	if !ok {
		slot = -1
	}
	if visit != nil {
		visit(p, slot, name, v.Offset())
	}
	if !ok {
		return nil
	}
	if f.seen[slot] {
		if v, err = v.Replace(f.values[slot]); err != nil {
			return err
		}
	}
	f.seen[slot], f.values[slot] = true, v
	return nil
}

// located adds the place of a feature to an error from its content.
func located(err error, part string, name []byte) error {
	if e, ok := err.(*example.Error); ok {
		e.Part, e.Feature = part, string(name)
	}
	return err
}

// Forget lets go of the message.
func (f *Finder) Forget() {
	f.Features.clear()
	f.Lists.clear()
}

func (f *Found[T]) clear() {
	f.msg = nil
	clear(f.values)
	clear(f.seen)
}
