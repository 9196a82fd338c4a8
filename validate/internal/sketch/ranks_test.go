package sketch

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestRankError measures rank errors for several k, and for batches that are added one by one, in chunks, and by
// merging. 99.9 percent must be within RankError. Errors are assumed to have a normal distribution, in which that is
// 3.29 standard deviations.
func TestRankError(t *testing.T) {
	const cuts = 9
	runs, batches := 20, []int{64, 4096}
	if testkit.Long(t, "60 runs for each size, and batches of one") {
		runs, batches = 60, []int{1, 64, 4096}
	}
	for _, k := range []int{16, 512} {
		for _, batch := range batches {
			for _, parts := range []int{1, 5} {
				rnd := rand.New(rand.NewPCG(7, uint64(k)))
				square, outside := 0.0, 0
				for range runs {
					const n = 5 * 4096
					var all []uint64
					sum := NewRanks(k)
					for range parts {
						r := NewRanks(k)
						for range n / parts / batch {
							keys := make([]uint64, batch)
							for i := range keys {
								keys[i] = rnd.Uint64()
							}
							slices.Sort(keys)
							r.AddSorted(keys)
							all = append(all, keys...)
						}
						sum.Merge(r)
					}
					slices.Sort(all)
					got := sum.Runs()
					if total(got) != uint64(len(all)) || got[0].Key != all[0] || got[len(got)-1].Key != all[len(all)-1] {
						t.Fatalf("%d keys from %d to %d, wanted %d from %d to %d", total(got), got[0].Key, got[len(got)-1].Key, len(all), all[0], all[len(all)-1])
					}
					for c := range cuts {
						v := uint64(c+1) * (math.MaxUint64 / (cuts + 1))
						at, _ := slices.BinarySearch(all, v)
						below := 0.0
						for _, x := range got {
							if x.Key < v {
								below += float64(x.Count)
							}
						}
						off := (below - float64(at)) / float64(len(all)) / sum.RankError()
						if square += off * off; math.Abs(off) > 1 {
							outside++
						}
					}
				}
				if dev := math.Sqrt(square / float64(runs*cuts)); dev > 1/3.29 || outside > runs/12 {
					t.Errorf("k=%d in batches of %d, %d parts: the deviation is %.2f of what is stated, and %d of %d are outside", k, batch, parts, dev, outside, runs*cuts)
				}
			}
		}
	}
}

func total(runs []Run) (n uint64) {
	for _, r := range runs {
		n += r.Count
	}
	return n
}

// TestRanksOfOrders is TestRankError for keys in special orders. All ranks must be near.
func TestRanksOfOrders(t *testing.T) {
	const n = 200000
	for name, key := range map[string]func(i int) uint64{
		"ascending":  func(i int) uint64 { return uint64(i) },
		"descending": func(i int) uint64 { return uint64(n - i) },
		"zigzag":     func(i int) uint64 { return uint64(i%2*(2*n)) + uint64(i) },
		"periodic":   func(i int) uint64 { return uint64(i % 4096 * 1000) },
	} {
		r := NewRanks(64)
		all := make([]uint64, n)
		for i := range all {
			all[i] = key(i)
		}
		for i := 0; i < n; i += 500 {
			r.AddSorted(slices.Sorted(slices.Values(all[i : i+500])))
		}
		slices.Sort(all)
		sum := uint64(0)
		for _, x := range r.Runs() {
			lo, _ := slices.BinarySearch(all, x.Key)
			hi, _ := slices.BinarySearch(all, x.Key+1)
			allowed := 1.3 * r.RankError() * n
			if float64(sum) > float64(hi)+allowed || float64(sum+x.Count) < float64(lo)-allowed {
				t.Errorf("%s: %d has the ranks %d to %d, not %d to %d", name, x.Key, lo, hi, sum, sum+x.Count)
			}
			sum += x.Count
		}
	}
}

// TestFewRanks checks that few distinct keys are counted exactly, and that the counts are preserved when there are too
// many.
func TestFewRanks(t *testing.T) {
	r := NewRanks(32)
	want := map[uint64]uint64{}
	for i := range 64 {
		k, n := uint64(i*i), uint64(1)<<(i/2)+uint64(i)
		r.AddRuns([]Run{{k, n}})
		want[k] += n
	}
	r.Merge(NewRanks(32))
	for range 100 {
		r.AddSorted([]uint64{0, 1, 1, 4, 4, 4})
	}
	want[0], want[1], want[4] = want[0]+100, want[1]+200, want[4]+300
	got := r.Runs()
	if len(got) != len(want) || r.RankError() != 0 {
		t.Fatalf("%d different keys, wanted %d; the error is %v", len(got), len(want), r.RankError())
	}
	for i, x := range got {
		if want[x.Key] != x.Count || i > 0 && x.Key <= got[i-1].Key {
			t.Errorf("%d is there %d times, wanted %d", x.Key, x.Count, want[x.Key])
		}
	}
	r.Add(1 << 50)
	if more := r.Runs(); r.RankError() == 0 || total(more) != total(got)+1 || more[len(more)-1].Key != 1<<50 {
		t.Errorf("%d keys, wanted %d; the error is %v", total(more), total(got)+1, r.RankError())
	}
}

// TestRanksAreDetermined checks that the same calls give the same state.
func TestRanksAreDetermined(t *testing.T) {
	make := func() []byte {
		rnd := rand.New(rand.NewPCG(8, 8))
		sum := NewRanks(64)
		for range 10 {
			r := NewRanks(64)
			for range 2000 {
				r.Add(rnd.Uint64())
			}
			in := NewDecoder(r.AppendState(nil))
			sum.Merge(in.Ranks(64))
		}
		return sum.AppendState(nil)
	}
	if !bytes.Equal(make(), make()) {
		t.Error("the same calls leave two states")
	}
}

// TestWeightedRankError is TestRankError for numbers with weights of all sizes.
func TestWeightedRankError(t *testing.T) {
	const cuts, n = 9, 20_000
	runs, sizes := 3, []int{64, 512}
	if testkit.Long(t, "60 runs for each size") {
		runs = 60
	}
	for name, weight := range map[string]func(*rand.Rand) float64{
		"equal":     func(*rand.Rand) float64 { return 1 },
		"uniform":   func(r *rand.Rand) float64 { return 1 - r.Float64() },
		"lognormal": func(r *rand.Rand) float64 { return math.Exp(2 * r.NormFloat64()) },
		"heavy":     func(r *rand.Rand) float64 { return math.Pow(1-r.Float64(), -0.8) },
		"tiny":      func(r *rand.Rand) float64 { return 1e-300 * (1 + float64(r.IntN(3))) },
	} {
		for _, k := range sizes {
			for _, parts := range []int{1, 5} {
				rnd := rand.New(rand.NewPCG(9, uint64(k)))
				square, outside := 0.0, 0
				for range runs {
					var all []Weighted
					sum := NewWeightedRanks(k)
					total := 0.0
					for range parts {
						r := NewWeightedRanks(k)
						for range n / parts {
							x := Weighted{rnd.NormFloat64(), weight(rnd)}
							r.Add(x.Value, x.Weight)
							all = append(all, x)
							total += x.Weight
						}
						r.Add(-1e9, 0)
						sum.Merge(r)
					}
					s := sum.Summary()
					all = sortAndJoin(all)
					if first, last := s[0].V, s[len(s)-1].V; math.Abs(s.Total()-total) > 1e-9*total || first != all[0].Value || last != all[len(all)-1].Value {
						t.Fatalf("%s: a weight of %v from %v to %v, wanted %v from %v to %v", name, s.Total(), first, last, total, all[0].Value, all[len(all)-1].Value)
					}
					for c := range cuts {
						v := math.Sqrt2 * math.Erfinv(2*float64(c+1)/(cuts+1)-1)
						want := 0.0
						for _, x := range all {
							if x.Value < v {
								want += x.Weight
							}
						}
						off := (s.Below(v, false) - want) / total / sum.RankError()
						if square += off * off; math.Abs(off) > 1 {
							outside++
						}
					}
				}
				dev := math.Sqrt(square / float64(runs*cuts))
				t.Logf("%s, k=%d, %d parts: the deviation is %.2f of what is stated", name, k, parts, dev)
				if dev > 1/3.29 || outside > runs/12+1 {
					t.Errorf("%s, k=%d, %d parts: the deviation is %.2f of what is stated, and %d of %d are outside", name, k, parts, dev, outside, runs*cuts)
				}
			}
		}
	}
}

// TestWeightedRanks checks that the weights of few distinct numbers are exact, and that the same calls give the same
// state.
func TestWeightedRanks(t *testing.T) {
	states := map[string]bool{}
	for range 2 {
		rnd := rand.New(rand.NewPCG(10, 1))
		sum, want := NewWeightedRanks(64), map[float64]float64{}
		for range 3 {
			r := NewWeightedRanks(64)
			for range 3000 {
				v, w := float64(rnd.IntN(128)), float64(rnd.IntN(5))-1
				r.Add(v, w)
				want[v] += max(w, 0)
			}
			in := NewDecoder(r.AppendState(nil))
			sum.Merge(in.WeightedRanks(64))
		}
		for _, e := range sum.Summary() {
			if e.W != want[e.V] {
				t.Errorf("%v weighs %v, wanted %v", e.V, e.W, want[e.V])
			}
		}
		if len(sum.Summary()) != len(want) || sum.RankError() != 0 {
			t.Errorf("%d numbers, wanted %d; the error is %v", len(sum.Summary()), len(want), sum.RankError())
		}
		for range 5000 {
			sum.Add(rnd.NormFloat64(), math.Exp(rnd.NormFloat64()))
		}
		if sum.RankError() == 0 {
			t.Error("many numbers are exact")
		}
		sum.flushBuffer()
		if room := 5 * sum.k; sum.items > room {
			t.Errorf("%d numbers are kept, wanted at most %d", sum.items, room)
		}
		states[string(sum.AppendState(nil))] = true
	}
	if len(states) != 1 {
		t.Error("the same calls leave two states")
	}
}
