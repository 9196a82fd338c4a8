package raggedjson

import (
	"fmt"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
)

// items reads the value of a feature at a level: a list of items of the next level, or a
// cell below the last level.
func (r *Reader) items(s *store, level int) error {
	if level == len(s.splits) {
		return r.cell(s, s.shape)
	}
	if s.sparse && level+1 == len(s.splits) {
		return r.entries(s)
	}
	if r.c.Peek() != '[' {
		return r.failf("want a list%s", s.itemsText(level))
	}
	start := r.c
	n, ok := 0, false
	if level+1 == len(s.splits) && len(s.shape) == 0 {
		n, ok = r.numbers(s)
	}
	if !ok {
		var err error
		if n, err = r.list(func() error { return r.items(s, level+1) }); err != nil {
			return err
		}
	}
	if want := s.uniform[level]; want >= 0 && n != want {
		r.c = start
		return r.failf("want %d items, got %d", want, n)
	}
	s.end(level, n)
	return nil
}

// itemsText describes the items of the lists at a level, for an error.
func (s *store) itemsText(level int) string {
	switch {
	case level < s.first:
		return " of steps"
	case level+1 == len(s.splits) && len(s.shape) == 0:
		return " of values"
	}
	return " of lists"
}

// list reads a list, calls each for every item, and returns the number of items.
func (r *Reader) list(each func() error) (n int, err error) {
	r.path = append(r.path, 0)
	r.c.Open()
	for ; r.c.More(']'); n++ {
		r.path[len(r.path)-1] = n
		if err := each(); err != nil {
			return n, err
		}
	}
	r.path = r.path[:len(r.path)-1]
	return n, nil
}

// cell reads a dense value of a shape.
func (r *Reader) cell(s *store, shape []int) error {
	if len(shape) == 0 {
		return r.value(s)
	}
	if r.c.Peek() != '[' {
		return r.failf("want a list of %d items, for shape %v", shape[0], s.shape)
	}
	start := r.c
	n, ok := 0, false
	var err error
	if len(shape) == 1 {
		n, ok = r.numbers(s)
	}
	if !ok {
		n, err = r.list(func() error { return r.cell(s, shape[1:]) })
	}
	if err == nil && n != shape[0] {
		r.c = start
		return r.failf("want %d items, for shape %v, got %d", shape[0], s.shape, n)
	}
	return err
}

// numbers is the fast path for a list that has only numbers of the feature's dtype. It
// returns their number. ok is false, and nothing is read, for any other list.
func (r *Reader) numbers(s *store) (n int, ok bool) {
	switch s.dtype {
	case feature.Int64:
		n = len(s.ints)
		s.ints, ok = r.c.Int64List(s.ints)
		n = len(s.ints) - n
	case feature.Float32:
		n = len(s.floats)
		s.floats, _, ok = r.c.Float32List(s.floats)
		n = len(s.floats) - n
	}
	return n, ok
}

// value reads one value.
func (r *Reader) value(s *store) error {
	var err error
	switch s.dtype {
	case feature.Int64:
		var v int64
		v, err = r.c.Int64()
		s.ints = append(s.ints, v)
	case feature.Float32:
		var v float32
		v, err = r.c.Float32()
		s.floats = append(s.floats, v)
	default:
		var v []byte
		v, r.text, err = r.c.Bytes(r.text[:0])
		s.addString(v)
	}
	switch {
	case err != nil && s.decoded:
		return r.failf(`want the encoded string, such as {"b64": …}, not numbers`)
	case err != nil:
		return r.fail(err)
	}
	return nil
}

// entries reads {"indices": [[…], …], "values": […]}.
func (r *Reader) entries(s *store) error {
	if r.c.Peek() != '{' {
		return r.failf(`want an object with "indices" and "values"`)
	}
	start := r.c
	indices, values := -1, -1
	r.c.Open()
	for r.c.More('}') {
		at := r.c
		name, _ := r.c.Name()
		n, each := &indices, func() error { return r.coordinates(s) }
		switch string(name) {
		case "indices":
		case "values":
			n, each = &values, func() error { return r.value(s) }
		default:
			r.c = at
			return r.failf(`want "indices" and "values", got %q`, name)
		}
		if *n >= 0 {
			r.c = at
			return r.failf("member %q is given twice", name)
		}
		if r.c.Peek() != '[' {
			return r.failf("want a list of %s", name)
		}
		var err error
		if *n, err = r.list(each); err != nil {
			if e, ok := err.(*recordjson.Error); ok {
				e.Err = fmt.Errorf("%s: %w", name, e.Err)
			}
			return err
		}
	}
	if indices < 0 || values < 0 {
		r.c = start
		return r.failf(`want an object with "indices" and "values"`)
	}
	if indices != values {
		r.c = start
		return r.failf("want equal numbers of indices and values, got %d and %d", indices, values)
	}
	s.end(len(s.splits)-1, values)
	return nil
}

// coordinates reads the indices of one value.
func (r *Reader) coordinates(s *store) error {
	if r.c.Peek() != '[' {
		return r.failf("want a list of %d, one index per dimension", len(s.sizes))
	}
	start := r.c
	d := 0
	n, err := r.list(func() error {
		at := r.c
		x, err := r.c.Int64()
		if err != nil {
			return r.fail(err)
		}
		if d < len(s.sizes) && (x < 0 || x >= s.sizes[d]) {
			r.c = at
			return r.failf("want an index at least 0 and less than %d, got %d", s.sizes[d], x)
		}
		s.index = append(s.index, x)
		d++
		return nil
	})
	if err == nil && n != len(s.sizes) {
		r.c = start
		return r.failf("want %d indices, one per dimension, got %d", len(s.sizes), n)
	}
	return err
}
