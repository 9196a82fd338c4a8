// Package datasets makes the records that the benchmarks read: five kinds of training data, one of them in two
// orders. A record depends only on its number, so every run has the same bytes, no matter which part of a set it
// makes.
//
//	ads            200,000 Examples of about 1.6 KB with 40 features, always in one order
//	ads-shuffled   the same features, in an order that differs from record to record
//	text           50,000 Examples of 0 to 500 tokens, which form sentences, which form paragraphs
//	wide           50,000 Examples with one list of 1,024 floats
//	image          4,000 Examples with a string of 50 KB and a label
//	sequence       20,000 SequenceExamples with 3 context features and 4 feature lists of 1 to 200 steps
package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/tfparse/tfparse/feature"
)

// A Set is one kind of records.
type Set struct {
	Name  string
	Count int    // how many records the full set has
	Views []View // the ways to read it, at least one

	body func(w *writer, rnd *rand.Rand) // writes one message
}

// A View is one way to read a set.
type View struct {
	Name   string // the set's name, with a suffix if the set has several views
	Spec   feature.Spec
	Alias  bool // byte strings point into the records
	Padded bool // dense tensors with padding are made
}

// All returns the sets, in the order of the package comment.
func All() []Set {
	return []Set{ads(false), ads(true), text(), wide(), image(), sequence()}
}

// Find returns the view of the given name and its set.
func Find(name string) (Set, View, error) {
	for _, s := range All() {
		for _, v := range s.Views {
			if v.Name == name {
				return s, v, nil
			}
		}
	}
	return Set{}, View{}, fmt.Errorf("no set of records is called %q", name)
}

// Scaled returns the number of records in the given part of the set, at least one.
func (s Set) Scaled(scale float64) int { return max(1, int(float64(s.Count)*scale)) }

// A Maker makes the records of a set one by one. It belongs to one goroutine.
type Maker struct {
	set Set
	w   writer
	pcg rand.PCG
	rnd *rand.Rand
}

// NewMaker returns a Maker of the set's records.
func (s Set) NewMaker() *Maker {
	m := &Maker{set: s}
	m.rnd = rand.New(&m.pcg)
	return m
}

// AppendRecord appends record i, the encoded message, to dst.
func (m *Maker) AppendRecord(dst []byte, i int) []byte {
	m.pcg.Seed(seed^uint64(i)*0x9e3779b97f4a7c15, uint64(i)) // neighbours far apart
	m.w.begin()
	m.set.body(&m.w, m.rnd)
	return append(dst, m.w.message...)
}

// seed determines the records of all sets.
const seed = 0x7fec0dd

// Slice returns the first n records. They are consecutive in one block of memory, like records that were read from
// a file.
func (s Set) Slice(n int) [][]byte {
	m := s.NewMaker()
	var block []byte
	ends := make([]int, n)
	for i := range n {
		block = m.AppendRecord(block, i)
		ends[i] = len(block)
	}
	out, from := make([][]byte, n), 0
	for i, to := range ends {
		out[i], from = block[from:to:to], to
	}
	return out
}

// Size returns the number of bytes in records.
func Size(records [][]byte) (n int64) {
	for _, r := range records {
		n += int64(len(r))
	}
	return n
}
