package infer_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
)

// same compares what the fast path and the slow path find in records. It returns how many took
// the fast path.
func same(t *testing.T, m example.MessageType, records [][]byte) (fast int) {
	t.Helper()
	a, b := infer.New(m, &infer.Options{MaxFeatures: 1000}), infer.New(m, &infer.Options{MaxFeatures: 1000})
	for i, r := range records {
		b.Slow()
		errA, errB := a.Add(r), b.Add(r)
		if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
			t.Fatalf("record %d: % x: %v, want %v", i, r, errA, errB)
		}
		if errA == nil && a.Fast() {
			fast++
		}
		if i%100 == 99 || i == len(records)-1 {
			if diff := cmp.Diff(b.Report(), a.Report()); diff != "" {
				t.Fatalf("after record %d:\n%s", i, diff)
			}
		}
	}
	return fast
}

// TestFast compares both ways on records of random specs, with and without damage, and
// where names come later, so that pairs are found at any time, and fail.
func TestFast(t *testing.T) {
	fast := map[example.MessageType]int{}
	for seed := range uint64(60) {
		g := newGen(seed)
		spec := g.spec()
		records := g.encode(t, spec, 400)
		if seed%3 == 1 { // some names come late
			late := spec
			for group, fs := range spec.Groups() {
				few := feature.Features{}
				for _, name := range slices.Sorted(maps.Keys(fs))[:len(fs)/2] {
					few[name] = fs[name]
				}
				*late.Group(group) = few
			}
			if late.Validate() == nil {
				records = append(g.encode(t, late, 300), records...)
			}
		}
		if seed%2 == 1 {
			for range 40 {
				i := g.IntN(len(records))
				r := slices.Clone(records[i])
				for range 1 + g.IntN(2) {
					if len(r) > 0 {
						r[g.IntN(len(r))] ^= 1 << g.IntN(8)
					}
				}
				records[i] = r
			}
		}
		fast[spec.Message()] += same(t, spec.Message(), records)
	}
	for _, m := range []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList} {
		if fast[m] < 300 {
			t.Errorf("%v: only %d records took the fast path", m, fast[m])
		}
	}
}

func FuzzFast(f *testing.F) {
	for seed := range uint64(6) {
		g := newGen(seed)
		spec := g.spec()
		f.Add(uint8(spec.Message()), pack(g.encode(f, spec, 3)))
	}
	f.Fuzz(func(t *testing.T, message uint8, b []byte) {
		m := example.MessageType(message%3 + 1)
		g := newGen(uint64(message))
		spec := g.spec()
		for range 20 {
			if spec.Message() == m {
				break
			}
			spec = g.spec()
		}
		var records [][]byte
		if spec.Message() == m {
			records = g.encode(t, spec, 140) // after these there is a fast path
		}
		same(t, m, append(records, unpack(b)...))
	})
}
