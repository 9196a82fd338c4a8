package bind

import "reflect"

// runs copies whole slices of one element type. Only access to the slice uses reflection, not the copy
// of its values.
type runs interface {
	// fill sets v, a slice, to the values lo to hi of the column.
	fill(v reflect.Value, s *columnData, lo, hi int)
	// rows fills all slices in v, which are the rows of d from row first on.
	rows(v reflect.Value, s *columnData, d *dimension, first int)
	// add appends a slice to the values to encode.
	add(f *flatField, v reflect.Value) *valueError
}

// runsOf has the runs of the predeclared types and []byte. Slices of other types are copied value by
// value.
var runsOf = map[reflect.Type]runs{
	reflect.TypeFor[int64](): typedRuns[int64]{
		load:  func(dst []int64, s *columnData, lo int) { copy(dst, s.ints[lo:]) },
		store: func(f *flatField, src []int64) *valueError { f.ints = append(f.ints, src...); return nil },
	},
	reflect.TypeFor[int]():    signed[int](),
	reflect.TypeFor[int8]():   signed[int8](),
	reflect.TypeFor[int16]():  signed[int16](),
	reflect.TypeFor[int32]():  signed[int32](),
	reflect.TypeFor[uint]():   unsigned[uint](),
	reflect.TypeFor[uint16](): unsigned[uint16](),
	reflect.TypeFor[uint32](): unsigned[uint32](),
	reflect.TypeFor[uint64](): unsigned[uint64](),
	reflect.TypeFor[bool]():   typedRuns[bool]{load: loadBools, store: storeBools},
	reflect.TypeFor[float32](): typedRuns[float32]{
		load:  func(dst []float32, s *columnData, lo int) { copy(dst, s.floats[lo:]) },
		store: func(f *flatField, src []float32) *valueError { f.floats = append(f.floats, src...); return nil },
	},
	reflect.TypeFor[float64](): typedRuns[float64]{load: loadFloat64s, store: storeFloat64s},
	reflect.TypeFor[string](): typedRuns[string]{
		load:  func(dst []string, s *columnData, lo int) { copy(dst, s.texts[lo:]) },
		store: func(f *flatField, src []string) *valueError { f.texts = append(f.texts, src...); return nil },
	},
	reflect.TypeFor[[]byte](): typedRuns[[]byte]{
		load:  loadBytes,
		store: func(f *flatField, src [][]byte) *valueError { f.bytes = append(f.bytes, src...); return nil },
		deep:  true,
	},
}

func signed[E int | int8 | int16 | int32]() runs {
	return typedRuns[E]{
		load: loadInts[E],
		store: func(f *flatField, src []E) *valueError {
			for _, x := range src {
				f.ints = append(f.ints, int64(x))
			}
			return nil
		},
	}
}

func unsigned[E uint | uint16 | uint32 | uint64]() runs {
	return typedRuns[E]{
		load: loadInts[E],
		store: func(f *flatField, src []E) *valueError {
			for i, x := range src {
				if e := f.addUint(uint64(x)); e != nil {
					return e.inIndex(i)
				}
			}
			return nil
		},
	}
}

func loadInts[E int | int8 | int16 | int32 | uint | uint16 | uint32 | uint64](dst []E, s *columnData, lo int) {
	for i, x := range s.ints[lo : lo+len(dst)] {
		dst[i] = E(x)
	}
}

func loadBools(dst []bool, s *columnData, lo int) {
	for i, x := range s.ints[lo : lo+len(dst)] {
		dst[i] = x != 0
	}
}

func storeBools(f *flatField, src []bool) *valueError {
	for _, x := range src {
		f.ints = append(f.ints, boolToInt(x))
	}
	return nil
}

func loadFloat64s(dst []float64, s *columnData, lo int) {
	for i, x := range s.floats[lo : lo+len(dst)] {
		dst[i] = float64(x)
	}
}

func storeFloat64s(f *flatField, src []float64) *valueError {
	for i, x := range src {
		if e := f.addFloat(x); e != nil {
			return e.inIndex(i)
		}
	}
	return nil
}

// loadBytes copies strings. The slices of dst reuse their memory; those that are too short share one
// new allocation.
func loadBytes(dst [][]byte, s *columnData, lo int) {
	need := 0
	for i := range dst {
		if n := len(s.texts[lo+i]); n > cap(dst[i]) {
			need += n
		}
	}
	block := make([]byte, need)
	for i := range dst {
		text := s.texts[lo+i]
		if n := len(text); n > cap(dst[i]) {
			dst[i], block = block[:n:n], block[n:]
		}
		dst[i] = append(dst[i][:0], text...)
	}
}

// typedRuns implements runs for the element type E.
type typedRuns[E any] struct {
	load  func(dst []E, s *columnData, lo int)    // fills dst with the values of the column from lo on
	store func(f *flatField, src []E) *valueError // appends src to the values to encode
	deep  bool                                    // elements are slices, whose memory is reused
}

func (r typedRuns[E]) fill(v reflect.Value, s *columnData, lo, hi int) {
	p := pointer[[]E](v)
	if n := hi - lo; n > cap(*p) {
		old := (*p)[:cap(*p)]
		*p = make([]E, n)
		if r.deep {
			copy(*p, old)
		}
	} else {
		r.cut(p, n)
	}
	r.load(*p, s, lo)
}

// cut sets the length of a slice within its capacity. It clears strings after the new end, which would
// keep the text of a whole record in memory.
func (r typedRuns[E]) cut(p *[]E, n int) {
	if n < len(*p) && !r.deep {
		clear((*p)[n:])
	}
	*p = (*p)[:n]
}

// rows allocates the slices that are too short for their rows in one piece.
func (r typedRuns[E]) rows(v reflect.Value, s *columnData, d *dimension, first int) {
	need := 0
	for i := range v.Len() {
		lo, hi := d.itemsOf(s, first+i)
		if n := hi - lo; n > v.Index(i).Cap() {
			need += n
		}
	}
	var block []E
	if need > 0 {
		block = make([]E, need)
	}
	for i := range v.Len() {
		p := pointer[[]E](v.Index(i))
		lo, hi := d.itemsOf(s, first+i)
		if n := hi - lo; n > cap(*p) {
			*p, block = block[:n:n], block[n:]
		} else {
			r.cut(p, n)
		}
		r.load(*p, s, lo)
	}
}

func (r typedRuns[E]) add(f *flatField, v reflect.Value) *valueError {
	return r.store(f, *pointer[[]E](v))
}

// resize sets the length of the slice v. The elements up to its capacity keep their memory.
func resize(v reflect.Value, n int) {
	if n > v.Cap() {
		v.SetLen(v.Cap())
		v.Grow(n - v.Len())
	}
	v.SetLen(n)
}
