package stats

import (
	"encoding/binary"
	"math"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// A form is what stood before the value last time a feature had one number: most numbers of
// a feature take as many bytes as the one before, and then all of it stands there again.
// Its first and last 16 bytes are compared, which are all of it.
type form struct {
	size, total int    // of what stands before the value, and with it; no message has total bytes if there is no form
	tail        int    // where the last eight bytes begin
	first, last uint64 // eight bytes each
	next, prior uint64 // and the eight behind the first, and before the last, if there are more than 16
	missed      int    // how often something else stood there
	since       uint64 // the mark of the record when missed was 0
}

// noForm is the form of a feature that had no number yet.
var noForm = form{total: math.MaxInt}

const (
	longestForm = 32
	formMisses  = 64 // after so many a form is given up, if it was one record in formRecords
	formRecords = 4 * formMisses
)

// stands reports whether the form stands at b[i], and a value may follow.
func (f *form) stands(b []byte, i int) bool {
	return f.total <= len(b)-i &&
		binary.LittleEndian.Uint64(b[i:]) == f.first &&
		binary.LittleEndian.Uint64(b[i+f.tail:]) == f.last &&
		(f.size <= 16 || binary.LittleEndian.Uint64(b[i+8:]) == f.next && binary.LittleEndian.Uint64(b[i+f.tail-8:]) == f.prior)
}

// learn makes a form of what stands in b before the one number that b ends with. It is the
// record of the mark.
func (f *form) learn(b []byte, size int, mark uint64) {
	if size < 8 || size > longestForm {
		return
	}
	if f.missed++; f.missed == formMisses {
		if mark-f.since < formRecords {
			f.total = math.MaxInt // lengths differ too often
			return
		}
		f.missed, f.since = 0, mark
	}
	if f.missed > formMisses {
		return
	}
	f.size, f.total, f.tail = size, len(b), size-8
	f.first, f.last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[size-8:])
	if size > 16 {
		f.next, f.prior = binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[size-16:])
	}
}

// one reads the Feature b[i:] to where its number is kept, if it has one.
func (f *field) one(b []byte, i int) bool {
	values := f.to.numbers.values
	if f.to.kind == example.Int64List {
		v, ok := canonical.Int64(b, i)
		if !ok {
			return false
		}
		values.AddInt(v)
	} else {
		v, ok := canonical.Float(b, i)
		if !ok {
			return false
		}
		values.AddFloat(v)
	}
	f.single = true
	f.ones++
	return true
}

// settle counts the lists of one number that fields have counted.
func (a *Accumulator) settle() {
	for i := range a.table.fields {
		a.table.fields[i].settle()
	}
}

func (f *field) settle() {
	if f.ones > 0 {
		f.to.common.levels[0].lengths.addOnes(f.ones)
		f.ones = 0
	}
}

// undo takes back the numbers that the record has added to columns.
func (a *Accumulator) undo() {
	for i := range a.table.fields {
		if f := &a.table.fields[i]; f.mark == a.mark && f.single {
			f.to.numbers.values.Cut(1)
			f.ones--
			f.single = false
		}
	}
	for _, d := range a.rec.direct {
		d.to.numbers.values.Cut(d.count)
	}
	a.rec.direct = a.rec.direct[:0]
}
