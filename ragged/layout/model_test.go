package layout

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// slowLinear is the definition of the position of an element: it changes sizes and index, from major
// to minor, tile by tile.
func slowLinear(s Shape, index []int64) int64 {
	d, e := slowPlace(s, index)
	n := int64(0)
	for i := range d {
		n = n*d[i] + e[i]
	}
	return n
}

func slowPlace(s Shape, index []int64) (d, e []int64) {
	for _, k := range slices.Backward(s.lay.MinorToMajor) {
		n := s.dims[k].Size
		if len(s.lay.Padded) > 0 {
			n = s.lay.Padded[k]
		}
		d, e = append(d, n), append(e, index[k])
	}
	for _, t := range s.lay.Tiles {
		for len(d) < len(t) {
			d, e = append([]int64{1}, d...), append([]int64{0}, e...)
		}
		k := len(d) - len(t)
		var dq, eq, dr, er []int64
		for i, n := range t {
			dq, eq = append(dq, (d[k+i]+n-1)/n), append(eq, e[k+i]/n)
			dr, er = append(dr, n), append(er, e[k+i]%n)
		}
		d, e = slices.Concat(d[:k], dq, dr), slices.Concat(e[:k], eq, er)
	}
	return d, e
}

// randomShape returns a small array in any layout that has index arithmetic.
func randomShape(t *testing.T, r *rand.Rand) Shape {
	for {
		dims := make([]Dim, r.IntN(4))
		for i := range dims {
			dims[i] = Dim{Size: int64(r.IntN(6)), Dynamic: r.IntN(8) == 0}
		}
		if s, ok := randomLayout(r, S32, dims); ok {
			return s
		}
	}
}

func randomLayout(r *rand.Rand, elem ElementType, dims []Dim) (Shape, bool) {
	l := Layout{MinorToMajor: r.Perm(len(dims))}
	switch r.IntN(4) {
	case 0:
		for _, d := range dims {
			l.Padded = append(l.Padded, d.Size+int64(r.IntN(3)))
		}
	case 1, 2:
		for range 1 + r.IntN(3) {
			t := make(Tile, 1+r.IntN(3))
			for i := range t {
				t[i] = int64(1 + r.IntN(4))
			}
			l.Tiles = append(l.Tiles, t)
		}
	}
	if r.IntN(3) == 0 {
		l.TailAlignment = int64(1 + r.IntN(8))
	}
	s, err := Array(elem, l, dims...)
	if err != nil {
		return Shape{}, false
	}
	_, err = s.positions()
	return s, err == nil
}

// TestRandomShapes checks random shapes against definitions: Parse returns the shape of its text,
// every element has the position of the definition, every position has the index of its element,
// and Logical and Memory agree.
func TestRandomShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		s := randomShape(t, r)
		if want, err := s.paddingAsTile(); err == nil {
			text := s.String()
			again, err := Parse(text)
			if err != nil || !again.Equal(want) {
				t.Fatalf("%s reads as %v, %v", text, again, err)
			}
		}
		buffer, err := s.BufferElements()
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int64, buffer) // ordinal of the element at each position, from 1; 0 for none
		seq, err := s.Logical()
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for place, index := range seq {
			n++
			if want := slowLinear(s, index); place != want {
				t.Fatalf("%v: %v is at %d, want %d", s, index, place, want)
			}
			if at[place] != 0 {
				t.Fatalf("%v: two elements at %d", s, place)
			}
			at[place] = n
			if back, err := s.MultiIndex(place); err != nil || !slices.Equal(back, index) {
				t.Fatalf("%v: place %d is %v, %v, want %v", s, place, back, err, index)
			}
		}
		if want, _ := s.NumElements(); n != want {
			t.Fatalf("%v: %d elements, want %d", s, n, want)
		}
		mem, err := s.Memory(true)
		if err != nil {
			t.Fatal(err)
		}
		for place, index := range mem {
			if (index == nil) != (at[place] == 0) {
				t.Fatalf("%v: place %d is %v", s, place, index)
			}
		}
	}
}

// TestRandomRelayout moves data between random layouts and back, as elements and as bytes, and
// compares with IsReshapeBitcast.
func TestRandomRelayout(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		a := randomShape(t, r)
		b, ok := randomLayout(r, S32, a.dims)
		if !ok {
			continue
		}
		na, _ := a.BufferElements()
		nb, _ := b.BufferElements()
		src, dst, back := make([]int32, na), make([]int32, nb), make([]int32, na)
		for i := range src {
			src[i] = -1
		}
		seq, _ := a.Logical()
		n := int32(0)
		for place := range seq {
			n++
			src[place] = n
		}
		if err := Relayout(dst, b, src, a, -1); err != nil {
			t.Fatal(err)
		}
		seq, _ = b.Logical()
		n = 0
		seen := make([]bool, nb)
		for place := range seq {
			n++
			if seen[place] = true; dst[place] != n {
				t.Fatalf("%v to %v: %v", a, b, dst)
			}
		}
		for i, ok := range seen {
			if !ok && dst[i] != -1 {
				t.Fatalf("%v to %v: padding cell %d is %d", a, b, i, dst[i])
			}
		}
		if err := Relayout(back, a, dst, b, -1); err != nil || !slices.Equal(back, src) {
			t.Fatalf("%v to %v and back: %v, %v", a, b, back, err)
		}
		if got, err := IsReshapeBitcast(a, b); err != nil || got != slices.Equal(src, dst) && !(n == 0 && na == nb) {
			if n > 0 || na != nb {
				t.Fatalf("%v to %v: bitcast %v, %v: %v and %v", a, b, got, err, src, dst)
			}
		}
		bs, bd := asBytes(src), make([]byte, 4*nb)
		if err := RelayoutBytes(bd, b, bs, a, []byte{255, 255, 255, 255}); err != nil || !slices.Equal(bd, asBytes(dst)) {
			t.Fatalf("%v to %v as bytes: %v, %v", a, b, bd, err)
		}
	}
}

func asBytes(v []int32) []byte {
	b := []byte{}
	for _, x := range v {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}

// TestRandomTranspose checks that the layout of a transpose keeps all bytes in place.
func TestRandomTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		s := randomShape(t, r)
		perm := r.Perm(s.Rank())
		u, err := s.Transpose(perm...)
		if err != nil {
			t.Fatal(err)
		}
		seq, _ := u.Logical()
		for place, index := range seq {
			from := make([]int64, len(index))
			for k, d := range perm {
				from[d] = index[k]
			}
			if want := slowLinear(s, from); place != want {
				t.Fatalf("%v by %v is %v: %v is at %d, want %d", s, perm, u, index, place, want)
			}
		}
		if ok, err := IsTransposeBitcast(s, u, perm...); !ok || err != nil {
			t.Fatalf("%v by %v is %v: no bitcast, %v", s, perm, u, err)
		}
	}
}
