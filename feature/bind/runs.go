package bind

import "reflect"

// Runs moves slices of one element type. Reflection finds the slice; its values are
// moved without.
type runs interface {
	// fill makes v, a slice, the values lo to hi of the column.
	fill(v reflect.Value, s *source, lo, hi int)
	// rows does it for all slices in v, which are the rows of d from row first on.
	rows(v reflect.Value, s *source, d *dim, first int)
	// add adds a slice to what is to be encoded.
	add(f *flat, v reflect.Value) *fault
}

// runsOf has the runs of every type that Go has a name for. A slice of a type of
// the user's own is moved value by value.
var runsOf = map[reflect.Type]runs{
	reflect.TypeFor[int64](): run1[int64]{
		load:  func(dst []int64, s *source, lo int) { copy(dst, s.ints[lo:]) },
		store: func(f *flat, src []int64) *fault { f.ints = append(f.ints, src...); return nil },
	},
	reflect.TypeFor[int]():    signed[int](),
	reflect.TypeFor[int8]():   signed[int8](),
	reflect.TypeFor[int16]():  signed[int16](),
	reflect.TypeFor[int32]():  signed[int32](),
	reflect.TypeFor[uint]():   unsigned[uint](),
	reflect.TypeFor[uint16](): unsigned[uint16](),
	reflect.TypeFor[uint32](): unsigned[uint32](),
	reflect.TypeFor[uint64](): unsigned[uint64](),
	reflect.TypeFor[bool]():   run1[bool]{load: loadBools, store: storeBools},
	reflect.TypeFor[float32](): run1[float32]{
		load:  func(dst []float32, s *source, lo int) { copy(dst, s.floats[lo:]) },
		store: func(f *flat, src []float32) *fault { f.floats = append(f.floats, src...); return nil },
	},
	reflect.TypeFor[float64](): run1[float64]{load: loadFloat64s, store: storeFloat64s},
	reflect.TypeFor[string](): run1[string]{
		load:  func(dst []string, s *source, lo int) { copy(dst, s.texts[lo:]) },
		store: func(f *flat, src []string) *fault { f.texts = append(f.texts, src...); return nil },
	},
	reflect.TypeFor[[]byte](): run1[[]byte]{
		load:  loadBytes,
		store: func(f *flat, src [][]byte) *fault { f.bytes = append(f.bytes, src...); return nil },
		deep:  true,
	},
}

func signed[E int | int8 | int16 | int32]() runs {
	return run1[E]{
		load: loadInts[E],
		store: func(f *flat, src []E) *fault {
			for _, x := range src {
				f.ints = append(f.ints, int64(x))
			}
			return nil
		},
	}
}

func unsigned[E uint | uint16 | uint32 | uint64]() runs {
	return run1[E]{
		load: loadInts[E],
		store: func(f *flat, src []E) *fault {
			for i, x := range src {
				if e := f.uint(uint64(x)); e != nil {
					return e.at(i)
				}
			}
			return nil
		},
	}
}

func loadInts[E int | int8 | int16 | int32 | uint | uint16 | uint32 | uint64](dst []E, s *source, lo int) {
	for i, x := range s.ints[lo : lo+len(dst)] {
		dst[i] = E(x)
	}
}

func loadBools(dst []bool, s *source, lo int) {
	for i, x := range s.ints[lo : lo+len(dst)] {
		dst[i] = x != 0
	}
}

func storeBools(f *flat, src []bool) *fault {
	for _, x := range src {
		f.ints = append(f.ints, number(x))
	}
	return nil
}

func loadFloat64s(dst []float64, s *source, lo int) {
	for i, x := range s.floats[lo : lo+len(dst)] {
		dst[i] = float64(x)
	}
}

func storeFloat64s(f *flat, src []float64) *fault {
	for i, x := range src {
		if e := f.float(x); e != nil {
			return e.at(i)
		}
	}
	return nil
}

// loadBytes copies strings. The slices of dst keep the memory they have; what more
// is needed is cut from one piece.
func loadBytes(dst [][]byte, s *source, lo int) {
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

// run1 is the runs of E.
type run1[E any] struct {
	load  func(dst []E, s *source, lo int) // fills dst with the values of the column from lo on
	store func(f *flat, src []E) *fault
	deep  bool // elements have memory of their own, to be used again
}

func (r run1[E]) fill(v reflect.Value, s *source, lo, hi int) {
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

// cut makes a slice n elements long within its memory. Strings beyond are let go:
// they would keep those of a whole record in memory.
func (r run1[E]) cut(p *[]E, n int) {
	if n < len(*p) && !r.deep {
		clear((*p)[n:])
	}
	*p = (*p)[:n]
}

// rows gives slices that have too little room for their rows new memory, cut from
// one piece.
func (r run1[E]) rows(v reflect.Value, s *source, d *dim, first int) {
	need := 0
	for i := range v.Len() {
		lo, hi := d.bounds(s, first+i)
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
		lo, hi := d.bounds(s, first+i)
		if n := hi - lo; n > cap(*p) {
			*p, block = block[:n:n], block[n:]
		} else {
			r.cut(p, n)
		}
		r.load(*p, s, lo)
	}
}

func (r run1[E]) add(f *flat, v reflect.Value) *fault { return r.store(f, *pointer[[]E](v)) }

// resize makes v, a slice, n elements long. Elements that it had before, also those
// beyond its length, are kept with their memory.
func resize(v reflect.Value, n int) {
	if n > v.Cap() {
		v.SetLen(v.Cap())
		v.Grow(n - v.Len())
	}
	v.SetLen(n)
}
