package numbers

import (
	"maps"
	"slices"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A store has all numbers but NaN, by their keys: counted in pages where integers are
// few different ones, in blocks elsewhere.
type store struct {
	float  bool
	blocks []block
	packed int // bytes of the blocks' data
	pages  map[uint64]*page
}

// A page counts each of the integers whose keys begin alike.
type page [1 << pageBits]uint64

const (
	pageBits  = 10
	mostPages = 32 // that chunks open
)

func (s *store) add(b block) {
	s.packed += len(b.data)
	s.blocks = append(s.blocks, b)
}

// count counts the integers of a chunk in pages, if they lie in two at most, and adds up
// their distances from the least.
func (s *store) count(v []int64, least, most int64, sums *distances) bool {
	first, last := (uint64(least)^signBit)>>pageBits, (uint64(most)^signBit)>>pageBits
	if last-first > 1 {
		return false
	}
	if len(v) < chunkSize/2 && (s.pages[first] == nil || s.pages[last] == nil) {
		return false
	}
	lower, upper := s.page(first), s.page(last)
	if lower == nil || upper == nil {
		return false
	}
	sum, square := uint64(0), uint64(0) // of at most 2^12 below 2^11
	if lower == upper {
		for _, x := range v {
			lower[uint64(x)&(1<<pageBits-1)]++
			d := uint64(x - least)
			sum += d
			square += d * d
		}
	} else {
		both := [2]*page{lower, upper}
		for _, x := range v {
			k := uint64(x) ^ signBit
			both[(k>>pageBits-first)&1][k&(1<<pageBits-1)]++
			d := uint64(x - least)
			sum += d
			square += d * d
		}
	}
	sums.sum[0], sums.square[0] = sum, square
	return true
}

// page returns the page of a number; nil if there are too many.
func (s *store) page(number uint64) *page {
	p := s.pages[number]
	if p == nil && len(s.pages) < mostPages {
		if s.pages == nil {
			s.pages = map[uint64]*page{}
		}
		p = new(page)
		s.pages[number] = p
	}
	return p
}

// counted returns the keys in pages, in order, each with its count.
func (s *store) counted() (out []counted) {
	for _, number := range slices.Sorted(maps.Keys(s.pages)) {
		for i, n := range s.pages[number] {
			if n > 0 {
				out = append(out, counted{number<<pageBits | uint64(i), n})
			}
		}
	}
	return out
}

type counted struct{ key, count uint64 }

func (s *store) merge(o *store) {
	s.blocks = append(s.blocks, o.blocks...)
	s.packed += o.packed
	for number, p := range o.pages {
		if s.pages == nil {
			s.pages = map[uint64]*page{}
		}
		to := s.pages[number]
		if to == nil {
			s.pages[number] = p
			continue
		}
		for i, n := range p {
			to[i] += n
		}
	}
}

// value is the number of a key.
func (s *store) value(key uint64) float64 {
	if s.float {
		return float64(floatOf(uint32(key)))
	}
	return float64(int64(key ^ signBit))
}

// entries are a Summary of nothing else. Keys that are the same number as float64 are
// joined.
func (s *store) entries(c []counted) (out sketch.Summary) {
	sum := 0.0
	for _, x := range c {
		v, w := s.value(x.key), float64(x.count)
		if n := len(out); n > 0 && out[n-1].V == v {
			out[n-1].W += w
			out[n-1].Max += w
		} else {
			out = append(out, sketch.Entry{V: v, W: w, Min: sum, Max: sum + w})
		}
		sum += w
	}
	return out
}

func (s *store) bytes() int {
	return s.packed + 56*cap(s.blocks) + len(s.pages)*(8<<pageBits+64)
}

// appendState appends all of it.
func (s *store) appendState(b []byte) []byte {
	b = sketch.AppendUint(b, uint64(len(s.pages)))
	for _, number := range slices.Sorted(maps.Keys(s.pages)) {
		b = sketch.AppendUint(b, number)
		for _, n := range s.pages[number] {
			b = sketch.AppendUint(b, n)
		}
	}
	b = sketch.AppendUint(b, uint64(len(s.blocks)))
	for i := range s.blocks {
		x := &s.blocks[i]
		b = sketch.AppendUint(sketch.AppendUint(sketch.AppendUint(b, x.least), x.most), uint64(x.count))
		b = append(b, x.data...)
	}
	return b
}

// readState reads what appendState wrote.
func (s *store) readState(in *sketch.Decoder) {
	for range in.Count(1 << pageBits) {
		number := in.Uint()
		if s.float || number >= 1<<(64-pageBits) || s.pages[number] != nil {
			in.Fail()
			return
		}
		if s.pages == nil {
			s.pages = map[uint64]*page{}
		}
		p := new(page)
		for i := range p {
			p[i] = in.Uint()
		}
		s.pages[number] = p
	}
	for range in.Count(3) {
		b := block{least: in.Uint(), most: in.Uint()}
		count := in.Uint()
		if count == 0 || count > chunkSize || b.most < b.least || s.float && (b.least < keyNegative || b.most > keyPositive) {
			in.Fail()
			return
		}
		b.count, b.width = int32(count), int32(widthOf(b.most-b.least))
		b.data = []byte(in.Bytes(int(b.count) * int(b.width)))
		if in.Err() != nil {
			return
		}
		var memory [chunkSize]uint64
		if keys := b.keys(&memory); slices.Min(keys) != b.least || slices.Max(keys) != b.most {
			in.Fail()
			return
		}
		s.add(b)
	}
}

// total is how many numbers there are.
func (s *store) total(pages []counted) (n uint64) {
	for i := range s.blocks {
		n += uint64(s.blocks[i].count)
	}
	for _, c := range pages {
		n += c.count
	}
	return n
}

// ends are the least and the largest key; there is one.
func (s *store) ends(pages []counted) (least, most uint64) {
	least = ^uint64(0)
	for i := range s.blocks {
		least, most = min(least, s.blocks[i].least), max(most, s.blocks[i].most)
	}
	if len(pages) > 0 {
		least, most = min(least, pages[0].key), max(most, pages[len(pages)-1].key)
	}
	return least, most
}
