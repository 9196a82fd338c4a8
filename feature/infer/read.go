package infer

import (
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// An entry is one feature of one unit.
type entry struct {
	name   []byte // lent
	stat   int    // in group.stats, once it is known there
	kind   example.Kind
	n      int // values
	lo, hi int // of the values of an int64 feature, in reader.ints
}

// A unit is what a partition and its values must stand in together: an Example, a
// context, an example of a list, or the steps of one number of all feature lists.
type unit struct {
	group  feature.Group
	number int // of the step or the example, -1 elsewhere
	lo, hi int // in reader.entries
}

// A reader takes a record apart. What it holds is of the last record, and lent.
type reader struct {
	units   []unit
	entries []entry
	ints    []int64

	features []example.Entry
	lists    []example.FeatureListEntry
	scanners []example.StepScanner

	parts [][2]int // maps of feature lists
	steps []int32  // the keys of feature lists
}

// record reads all of a record, before anything of it is counted.
func (r *reader) record(message example.MessageType, record []byte) (err error) {
	r.units, r.entries, r.ints = r.units[:0], r.entries[:0], r.ints[:0]
	switch message {
	case example.TypeExample:
		r.features, err = example.Collect(r.features[:0], record)
		if err != nil {
			return err
		}
		return r.unit(feature.InFeatures, -1)
	case example.TypeSequence:
		r.features, err = example.CollectContext(r.features[:0], record)
		if err != nil {
			return err
		}
		if err := r.unit(feature.InContext, -1); err != nil {
			return err
		}
		return r.sequence(record)
	case example.TypeExampleList:
		return r.list(record)
	}
	return message.Validate(record)
}

// unit adds the features at hand as one unit.
func (r *reader) unit(g feature.Group, number int) error {
	lo := len(r.entries)
	for _, e := range r.features {
		if err := r.entry(e.Name, e.Feature); err != nil {
			return err
		}
	}
	r.units = append(r.units, unit{g, number, lo, len(r.entries)})
	return nil
}

func (r *reader) entry(name []byte, f example.Feature) (err error) {
	e := entry{name: name, kind: f.Kind(), lo: len(r.ints)}
	switch e.kind {
	case example.Int64List:
		r.ints, err = f.AppendInt64s(r.ints)
		e.n = len(r.ints) - e.lo
	case example.Unset:
		err = f.Validate()
	default:
		e.n, err = f.Len()
	}
	e.hi = len(r.ints)
	r.entries = append(r.entries, e)
	return err
}

// sequence adds the feature lists: one unit for the steps of each number. A list
// of no steps is an entry of its own, in a unit of number -1.
func (r *reader) sequence(record []byte) (err error) {
	r.lists, err = example.CollectFeatureLists(r.lists[:0], record)
	if err != nil {
		return err
	}
	r.scanners = r.scanners[:0]
	lo := len(r.entries)
	for _, l := range r.lists {
		r.scanners = append(r.scanners, l.List.Scan())
		r.entries = append(r.entries, entry{name: l.Name})
	}
	r.units = append(r.units, unit{feature.InSequence, -1, lo, len(r.entries)})
	for step := 0; ; step++ {
		lo := len(r.entries)
		for i := range r.scanners {
			s := &r.scanners[i]
			if s.Next() {
				if err := r.entry(r.lists[i].Name, s.Feature()); err != nil {
					return err
				}
			}
			if err := s.Err(); err != nil {
				return err
			}
		}
		if len(r.entries) == lo {
			return nil
		}
		r.units = append(r.units, unit{feature.InSequence, step, lo, len(r.entries)})
	}
}

// list adds the examples of a list, and the context.
func (r *reader) list(record []byte) (err error) {
	s := example.ScanExamples(record)
	for n := 0; s.Next(); n++ {
		if r.features, err = example.Collect(r.features[:0], s.Example()); err != nil {
			return err
		}
		if err := r.unit(feature.InExamples, n); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	context, _ := s.Context()
	if r.features, err = example.Collect(r.features[:0], context); err != nil {
		return err
	}
	return r.unit(feature.InContext, -1)
}

// values returns the values of an int64 feature of the record at hand.
func (r *reader) values(e entry) []int64 { return slices.Clip(r.ints[e.lo:e.hi]) }
