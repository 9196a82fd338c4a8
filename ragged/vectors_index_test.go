//go:build !novectors

package ragged_test

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

var raggedIndexing = map[string]raggedOp{
	"RaggedTensor.__getitem__": onFirst(coreKernel.getitem),
}

func (core[T]) getitem(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, ""))
	if err != nil {
		return nil, err
	}
	var keys []ragged.Key
	for _, v := range c.rest(1) {
		k, err := toKey(v)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	out, err := t.Index(keys...)
	if err != nil {
		return nil, err
	}
	if err := out.Validate(); err != nil {
		return nil, err
	}
	if err := shortFormsAgree(t, out, c.args[1:]); err != nil {
		return nil, err
	}
	return fromTensor(out), nil
}

// toKey makes a key of a value. A key of another type cannot be written in Go.
func toKey(v testkit.Value) (ragged.Key, error) {
	switch v := v.(type) {
	case testkit.Int:
		return ragged.At(int(v)), nil
	case testkit.Dense:
		if n, ok := asInt64s(v); ok && len(v.Shape) == 0 {
			return ragged.At(int(n[0])), nil
		}
	case testkit.NewAxis:
		return ragged.NewAxis(), nil
	case testkit.Ellipsis:
		return ragged.Ellipsis(), nil
	case testkit.Slice:
		k := ragged.SliceAll()
		switch {
		case v.Start != nil && v.Stop != nil:
			k = ragged.Slice(int(*v.Start), int(*v.Stop))
		case v.Start != nil:
			k = ragged.SliceFrom(int(*v.Start))
		case v.Stop != nil:
			k = ragged.SliceTo(int(*v.Stop))
		}
		if v.Step != nil {
			k = k.By(int(*v.Step))
		}
		return k, nil
	}
	_, err := refuse("the key %s", testkit.Format(v))
	return ragged.Key{}, err
}

// shortFormsAgree compares Row and Slice with Index where they do the same.
func shortFormsAgree[T element](t, out ragged.Tensor[T], keys []testkit.Value) error {
	if len(keys) != 1 {
		return nil
	}
	short := out
	switch k := keys[0].(type) {
	case testkit.Int:
		i := int(k)
		if i < 0 {
			i += t.Len()
		}
		short = t.Row(i)
	case testkit.Slice:
		lo, hi := 0, t.Len()
		if k.Step != nil && *k.Step != 1 || k.Start != nil && (*k.Start < 0 || int(*k.Start) > hi) || k.Stop != nil && (*k.Stop < 0 || int(*k.Stop) > hi) {
			return nil
		}
		if k.Start != nil {
			lo = int(*k.Start)
		}
		if k.Stop != nil {
			hi = int(*k.Stop)
		}
		short = t.Slice(lo, max(lo, hi))
	}
	if d := (testkit.Rule{}).Diff(fromTensor(out), fromTensor(short)); d != "" {
		return fmt.Errorf("the short form gives another answer: %s", d)
	}
	return nil
}

// listOf is the value of nested slices.
func listOf[S any, T element](t ragged.Tensor[T]) (testkit.Value, error) {
	s, err := ragged.ToSlices[S](t)
	if err != nil {
		return nil, err
	}
	back, err := ragged.FromSlices[T](s)
	if err != nil {
		return nil, fmt.Errorf("back from slices: %w", err)
	}
	if back.Rank() != t.Rank() {
		return nil, fmt.Errorf("back from slices: rank %d instead of %d", back.Rank(), t.Rank())
	}
	return nestedList(reflect.ValueOf(s)), nil
}

func nestedList(v reflect.Value) testkit.Value {
	switch v.Kind() {
	case reflect.Slice:
		out := testkit.List{}
		for i := range v.Len() {
			out = append(out, nestedList(v.Index(i)))
		}
		return out
	case reflect.Bool:
		return testkit.Bool(v.Bool())
	case reflect.String:
		if utf8.ValidString(v.String()) {
			return testkit.String(v.String())
		}
		return testkit.Dense{DType: "string", Shape: []int64{}, Values: []string{v.String()}}
	case reflect.Float32, reflect.Float64:
		return testkit.Float(v.Float())
	}
	return testkit.Int(v.Int())
}
