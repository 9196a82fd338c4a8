package explain

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A Key is what a record holds under one key that a feature reads.
type Key struct {
	Key   jsonscan.Name `json:"key"`
	Roles []string      `json:"roles"` // how the feature uses the key: "values", "index 0", "partition 1 (row_lengths)"
	Found bool          `json:"found"` // the record has a feature or feature list with the key
	Units *int          `json:"units"` // number of steps of a feature list, or of examples; nil for a single feature
	Lists []List        `json:"lists"` // of a single feature; or of the first units and the unit with the fault
	Error *string       `json:"error"` // decoding error; the parser's error has details
}

// A List is the values of one feature or step.
type List struct {
	Unit   *int            `json:"unit"`  // index of the step or the example; nil for a single feature
	Found  bool            `json:"found"` // the record, or this example, has the feature
	Kind   *string         `json:"kind"`  // dtype of the values; nil without a kind
	Count  int             `json:"count"`
	Values json.RawMessage `json:"values"` // the first shownValues of them
	Error  *string         `json:"error"`  // decoding error
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
			if string(all[i].Key) == key {
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
	k := Key{Key: jsonscan.Name(key), Found: true, Lists: []List{}}
	switch {
	case g == feature.InSequence:
		f.lookUpSteps(&k)
	case g == feature.InExamples:
		k.Units = cli.Known(len(f.examples), true)
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
		k.Found = ok
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
		ok = slices.ContainsFunc(k.Lists, func(l List) bool { return l.Found })
		return other, ok
	}
	return other, k.Found
}

// lookUpSteps looks up a feature list. The last one with the name counts, as in the parser.
func (f *keyFinder) lookUpSteps(k *Key) {
	k.Found = false
	var err error
	var steps example.FeatureList
	s := example.ScanFeatureLists(f.record)
	for s.Next() {
		if string(s.Name()) != string(k.Key) {
			continue
		}
		next := s.List()
		if k.Found {
			next, err = next.Replace(steps)
		}
		k.Found, steps = true, next
	}
	if !k.Found || err != nil {
		k.Error = errorText(err)
		return
	}
	n := 0
	scan := steps.Scan()
	for ; scan.Next(); n++ {
		if f.isShown(n) {
			k.Lists = append(k.Lists, listOfFeature(n, scan.Feature(), true, nil))
		}
	}
	k.Units, k.Error = &n, errorText(scan.Err())
}

// errorText returns the text of an error; nil without an error.
func errorText(err error) *string {
	if err == nil {
		return nil
	}
	return cli.Known(err.Error(), true)
}

func listOfFeature(unit int, f example.Feature, ok bool, err error) List {
	l := List{Unit: cli.Known(unit, unit >= 0), Found: ok, Values: json.RawMessage("[]"), Error: errorText(err)}
	if err != nil || !ok {
		return l
	}
	kind := f.Kind()
	l.Kind = cli.Known(dtypeName(kind.String()), kind != example.Unset)
	v, err := f.Value()
	if err != nil {
		l.Error = errorText(err)
		return l
	}
	l.Count, l.Values = v.Len(), []byte{'['}
	for i := range min(l.Count, shownValues) {
		if i > 0 {
			l.Values = append(l.Values, ',')
		}
		switch kind {
		case example.Int64List:
			l.Values = recordjson.AppendInt64(l.Values, v.Int64s[i], recordjson.Int64Number)
		case example.FloatList:
			l.Values, _ = recordjson.AppendFloat32(l.Values, v.Floats[i], recordjson.NaNString)
		case example.BytesList:
			l.Values = appendShort(l.Values, v.Bytes[i])
		}
	}
	l.Values = append(l.Values, ']')
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
