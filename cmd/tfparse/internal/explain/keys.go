package explain

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
)

// A Key is what a record holds under one key that a feature reads.
type Key struct {
	Key     string
	Roles   []string // how the feature uses the key: "values", "index 0", "partition 1 (row_lengths)"
	Missing bool     // the record has no feature or feature list with the key
	Units   int      // number of steps of a feature list, or of examples; -1 for a single feature
	Lists   []List   // of a single feature; or of the first units and the unit with the fault
	Err     error    // decoding error; the parser's error has details
}

// A List is the values of one feature or step.
type List struct {
	Unit    int  // index of the step or the example; -1 for a single feature
	Missing bool // the record, or this example, does not have the feature
	Kind    example.Kind
	Len     int
	Values  []byte // the first Shown values as JSON, without brackets
	Shown   int    // number of values in Values
	Err     error  // decoding error
}

// Limits of the values that are printed.
const (
	shownValues = 8
	shownUnits  = 4
	shownBytes  = 60 // of a byte string
)

// A keyFinder looks up keys in a record.
type keyFinder struct {
	message   example.MessageType
	record    []byte
	examples  [][]byte // of an ExampleListWithContext
	context   []byte   // of an ExampleListWithContext
	faultUnit int      // step or example with the fault; -1: none
}

// isShown reports whether a step or an example is printed.
func (f *keyFinder) isShown(unit int) bool { return unit < shownUnits || unit == f.faultUnit }

func newFinder(message example.MessageType, record []byte) *keyFinder {
	f := &keyFinder{message: message, record: record}
	if message == example.TypeExampleList {
		s := example.ScanExamples(record)
		for s.Next() {
			f.examples = append(f.examples, s.Example())
		}
		f.context, _ = s.Context()
	}
	return f
}

// lookUpKeys looks up every key that a feature reads. A key with several roles is returned once.
func (f *keyFinder) lookUpKeys(g feature.Group, name string, spec feature.Feature) []Key {
	var all []Key
	add := func(key, role string) {
		for i := range all {
			if all[i].Key == key {
				all[i].Roles = append(all[i].Roles, role)
				return
			}
		}
		k := f.lookUpKey(g, key)
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

func (f *keyFinder) lookUpKey(g feature.Group, key string) Key {
	k := Key{Key: key, Units: -1}
	switch {
	case g == feature.InSequence:
		f.lookUpSteps(&k)
	case g == feature.InExamples:
		k.Units = len(f.examples)
		for i, msg := range f.examples {
			if f.isShown(i) {
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

// otherGroup returns the group other than g of the message type. ok reports whether the record has the key there.
func (f *keyFinder) otherGroup(g feature.Group, key string) (other feature.Group, ok bool) {
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
	k := f.lookUpKey(other, key)
	if other == feature.InExamples {
		ok = slices.ContainsFunc(k.Lists, func(l List) bool { return !l.Missing })
		return other, ok
	}
	return other, !k.Missing
}

// lookUpSteps looks up a feature list. The last one with the name counts, as in the parser.
func (f *keyFinder) lookUpSteps(k *Key) {
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
		if f.isShown(k.Units) {
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
		for i := cut; i > cut-4; i-- { // do not cut inside a UTF-8 character
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
