package record

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestJudge checks random records while they are added to statistics. What it finds well
// Check finds well, what it knows is sound, and the statistics are those of Add.
func TestJudge(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	all := slices.DeleteFunc(checkers(t, r), func(c *Checker) bool { return c.message != example.TypeExample })
	usually, wells, doubts := 0, 0, 0
	for n, c := range all {
		a, b := accumulator(t), accumulator(t)
		j := c.NewJudge()
		for k := range 200 {
			e := example.Example{}
			for _, name := range append(names, "one that no schema has") {
				if r.IntN(5) > k%5 {
					e[name] = randomValue(r)
				}
			}
			msg, err := e.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if k%3 == 2 {
				msg = damage(r, msg)
			}
			found := c.Check(msg)
			usual, well, errA := a.AddJudged(msg, j)
			if !usual {
				errA = a.Add(msg)
			}
			if errB := b.Add(msg); (errA == nil) != (errB == nil) {
				t.Fatalf("checker %d: % x: %v, want %v", n, msg, errA, errB)
			}
			if !usual {
				continue
			}
			usually++
			if well {
				wells++
			}
			if len(found) == 0 && !well {
				doubts++
			}
			if len(found) > 0 && (well || found[0].Rule == BadRecord) {
				t.Fatalf("checker %d: % x: judged well or sound: %v", n, msg, found)
			}
		}
		if x, y := marshal(t, a), marshal(t, b); !bytes.Equal(x, y) {
			t.Fatalf("checker %d: the statistics differ from those of Add", n)
		}
	}
	if usually < 5000 || wells < 500 || doubts > wells/10 {
		t.Errorf("%d records are of the usual form, %d judged well, %d wrongly not", usually, wells, doubts)
	}
}

func accumulator(t *testing.T) *stats.Accumulator {
	t.Helper()
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func marshal(t *testing.T, a *stats.Accumulator) []byte {
	t.Helper()
	b, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestJudgeOthers has no judge for records that are no Examples.
func TestJudgeOthers(t *testing.T) {
	for _, m := range []example.MessageType{example.TypeSequence, example.TypeList} {
		c, err := NewChecker(nil, &Options{Message: m})
		if err != nil {
			t.Fatal(err)
		}
		if j := c.NewJudge(); j != nil {
			t.Errorf("%v: %v", m, j)
		}
	}
}
