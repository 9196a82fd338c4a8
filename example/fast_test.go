package example_test

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// This file reads messages with the package, and returns the types of slow_test.go.

// fastReading decodes a Feature, and checks that all methods of decoding agree.
func fastReading(f example.Feature) (tensorflowValue, error) {
	kind := f.Kind()
	n, err := f.Len()
	if (kind == example.Malformed || kind == example.Unset) && (kind == example.Malformed) != (err != nil) {
		panic(fmt.Sprintf("% x: kind %v, Len %v", f.Raw(), kind, err))
	}
	ints, err1 := f.AppendInt64s(nil)
	floats, err2 := f.AppendFloats(nil)
	blobs, err3 := f.AppendBytes(nil)
	value, err4 := f.Value()
	for k, e := range map[example.Kind]error{example.Int64List: err1, example.FloatList: err2, example.BytesList: err3, kind: err4} {
		switch {
		case kind == k && class(e) != class(err):
			panic(fmt.Sprintf("% x: decoding says %v, Len %v", f.Raw(), e, err))
		case kind == example.Unset && e != nil:
			panic(fmt.Sprintf("% x: no kind, but %v", f.Raw(), e))
		case kind != k && kind != example.Unset && e == nil:
			panic(fmt.Sprintf("% x: %v decodes as %v", f.Raw(), kind, k))
		}
	}
	if err != nil {
		return tensorflowValue{}, err
	}
	r := tensorflowValue{kind: kind}
	for _, v := range ints {
		r.values = append(r.values, strconv.FormatInt(v, 10))
	}
	for _, v := range floats {
		r.values = append(r.values, fmt.Sprintf("%08x", math.Float32bits(v)))
	}
	for _, v := range blobs {
		r.values = append(r.values, string(v))
	}
	if len(r.values) != n || value.Kind() != kind || !r.equal(valueReading(value)) {
		panic(fmt.Sprintf("% x: %v, Len %d, Value %v", f.Raw(), r, n, value))
	}
	return r, nil
}

// valueReading does the same for an owned value.
func valueReading(v example.Value) tensorflowValue {
	r := tensorflowValue{kind: v.Kind()}
	for _, x := range v.Int64s {
		r.values = append(r.values, strconv.FormatInt(x, 10))
	}
	for _, x := range v.Floats {
		r.values = append(r.values, fmt.Sprintf("%08x", math.Float32bits(x)))
	}
	for _, x := range v.Bytes {
		r.values = append(r.values, string(x))
	}
	return r
}

// fastFeature looks a feature up, in an Example or in the context of a
// SequenceExample.
func fastFeature(b []byte, sequence bool, name string) (r tensorflowValue, ok bool, err error) {
	typ := example.TypeExample
	if sequence {
		typ = example.TypeSequence
	}
	f, ok, err := typ.Lookup(b, name)
	if !ok || err != nil {
		return r, false, err
	}
	r, err = fastReading(f)
	return r, err == nil, err
}

// fastList looks a feature list up.
func fastList(b []byte, name string) (steps []tensorflowValue, ok bool, err error) {
	var list example.FeatureList
	lists := example.ScanFeatureLists(b)
	for lists.Next() {
		if string(lists.Name()) != name {
			continue
		}
		if ok {
			if _, err := lists.List().Replace(list); err != nil {
				return nil, false, err
			}
		}
		list, ok = lists.List(), true
	}
	if err := lists.Err(); !ok || err != nil {
		return nil, false, err
	}
	s := list.Scan()
	for s.Next() {
		r, err := fastReading(s.Feature())
		if err != nil {
			return nil, false, err
		}
		steps = append(steps, r)
	}
	if s.Err() != nil {
		return nil, false, s.Err()
	}
	return steps, true, nil
}
