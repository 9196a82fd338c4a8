package explain

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
)

// A Key says what a record has under a key.
type Key struct {
	Key     string
	Roles   []string // what the feature reads it as: "values", "index 0", "partition 1 (row_lengths)"
	Missing bool     // there is no such feature, or feature list
	Units   int      // steps of the list, or examples of the record; -1 elsewhere
	Lists   []List   // one, or one for each of the first units and for the one at fault
	Err     error    // why it cannot be read; the parser says more
}

// A List is what one feature holds, or one step.
type List struct {
	Unit    int  // the step or the example; -1 elsewhere
	Missing bool // in one of the examples
	Kind    example.Kind
	Len     int
	Values  []byte // the first of them as JSON, without brackets
	Shown   int    // how many those are
	Err     error
}

// How much of a record is shown.
const (
	shownValues = 8
	shownUnits  = 4
	shownBytes  = 60 // of a value
)

// A finder looks up what a record has under a key.
type finder struct {
	message  example.MessageType
	record   []byte
	examples [][]byte // of a list
	context  []byte   // of a list
	fault    int      // the unit at fault; -1 if there is none
}

// shown reports whether a step or an example is shown.
func (f *finder) shown(unit int) bool { return unit < shownUnits || unit == f.fault }

func newFinder(message example.MessageType, record []byte) *finder {
	f := &finder{message: message, record: record}
	if message == example.TypeExampleList {
		s := example.ScanExamples(record)
		for s.Next() {
			f.examples = append(f.examples, s.Example())
		}
		f.context, _ = s.Context()
	}
	return f
}

// keys looks up every key that a feature reads, each once.
func (f *finder) keys(g feature.Group, name string, spec feature.Feature) []Key {
	var all []Key
	add := func(key, role string) {
		for i := range all {
			if all[i].Key == key {
				all[i].Roles = append(all[i].Roles, role)
				return
			}
		}
		k := f.key(g, key)
		k.Roles = []string{role}
		all = append(all, k)
	}
	switch s := spec.(type) {
	case feature.Sparse:
		add(s.ValueKey, "values")
		for i, key := range s.IndexKeys {
			add(key, fmt.Sprintf("index %d", i))
		}
	case feature.Ragged:
		if s.ValueKey == "" {
			s.ValueKey = name
		}
		add(s.ValueKey, "values")
		for i, p := range s.Partitions {
			if what, key := feature.PartitionKey(p); what != "uniform_row_length" {
				add(key, fmt.Sprintf("partition %d (%s)", i, what))
			}
		}
	default:
		add(name, "values")
	}
	return all
}

func (f *finder) key(g feature.Group, key string) Key {
	k := Key{Key: key, Units: -1}
	switch {
	case g == feature.InSequence:
		f.steps(&k)
	case g == feature.InExamples:
		k.Units = len(f.examples)
		for i, msg := range f.examples {
			if f.shown(i) {
				found, ok, err := example.TypeExample.Lookup(msg, key)
				k.Lists = append(k.Lists, listOfFeature(i, found, ok, err))
			}
		}
	default:
		typ, msg := f.message, f.record
		if typ == example.TypeExampleList {
			typ, msg = example.TypeExample, f.context
		}
		found, ok, err := typ.Lookup(msg, key)
		k.Missing = !ok
		k.Lists = []List{listOfFeature(-1, found, ok, err)}
	}
	return k
}

// otherGroup returns the other group of the message type, if the record has the key there.
func (f *finder) otherGroup(g feature.Group, key string) (other feature.Group, ok bool) {
	switch {
	case g == feature.InFeatures:
		return g, false // an Example has one group
	case g != feature.InContext:
		other = feature.InContext
	case f.message == example.TypeExampleList:
		other = feature.InExamples
	default:
		other = feature.InSequence
	}
	k := f.key(other, key)
	if other == feature.InExamples {
		ok = slices.ContainsFunc(k.Lists, func(l List) bool { return !l.Missing })
		return other, ok
	}
	return other, !k.Missing
}

// steps looks up a feature list: the last one of its name.
func (f *finder) steps(k *Key) {
	k.Missing = true
	var steps example.FeatureList
	s := example.ScanFeatureLists(f.record)
	for s.Next() {
		if string(s.Name()) != k.Key {
			continue
		}
		next := s.List()
		if !k.Missing {
			next, k.Err = next.Replace(steps)
		}
		k.Missing, steps = false, next
	}
	if k.Missing || k.Err != nil {
		return
	}
	k.Units = 0
	scan := steps.Scan()
	for ; scan.Next(); k.Units++ {
		if f.shown(k.Units) {
			k.Lists = append(k.Lists, listOfFeature(k.Units, scan.Feature(), true, nil))
		}
	}
	k.Err = scan.Err()
}

func listOfFeature(unit int, f example.Feature, ok bool, err error) List {
	l := List{Unit: unit, Missing: !ok, Err: err}
	if err != nil || !ok {
		return l
	}
	l.Kind = f.Kind()
	v, err := f.Value()
	if err != nil {
		l.Err = err
		return l
	}
	l.Len = v.Len()
	l.Shown = min(l.Len, shownValues)
	for i := range l.Shown {
		if i > 0 {
			l.Values = append(l.Values, ',')
		}
		switch l.Kind {
		case example.Int64List:
			l.Values = recordjson.AppendInt64(l.Values, v.Int64s[i], recordjson.Int64Number)
		case example.FloatList:
			l.Values, _ = recordjson.AppendFloat32(l.Values, v.Floats[i], recordjson.NaNString)
		case example.BytesList:
			l.Values = appendShort(l.Values, v.Bytes[i])
		}
	}
	return l
}

// appendShort appends a byte string, or its beginning.
func appendShort(dst, v []byte) []byte {
	if len(v) > shownBytes {
		cut := shownBytes
		for i := cut; i > cut-4; i-- { // not inside a character
			if v[i]&0xc0 != 0x80 {
				cut = i
				break
			}
		}
		v = append(append([]byte(nil), v[:cut]...), "…"...)
	}
	dst, _ = recordjson.AppendText(dst, string(v), recordjson.BytesAuto)
	return dst
}
