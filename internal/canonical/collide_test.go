package canonical

import (
	"fmt"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestCollidingKeys makes an index of keys that were chosen to collide, and finds them in reverse order. It is as
// fast as with other keys; with fixed factors it took 25 s.
func TestCollidingKeys(t *testing.T) {
	const n = 32_000
	others := make([]string, n)
	for i := range others {
		others[i] = fmt.Sprintf("prefix%016d/suffix", i)
	}
	spent := func(names []string) time.Duration {
		best := time.Duration(1 << 62)
		for range 2 {
			start := time.Now()
			find(t, NewIndex(names), names)
			best = min(best, time.Since(start))
		}
		return best
	}
	plain, colliding := spent(others), spent(testkit.CollidingNames(n))
	if colliding > 10*plain+100*time.Millisecond && testkit.Timing(t, "the time that colliding keys take") {
		t.Errorf("%d colliding keys take %v, others %v", n, colliding, plain)
	}
}

// TestCollidingNames finds keys that were chosen to have the same slot, but not other names of that slot.
func TestCollidingNames(t *testing.T) {
	names := testkit.CollidingNames(300)
	x := NewIndex(names[:200])
	find(t, x, names[:200])
	for _, name := range names[200:] {
		if head := entryHead(name); x.find([]byte(head), 0, len(head)) != Unknown {
			t.Errorf("%q is found, and is not in the index", name)
		}
	}
}

// find finds all names of an index in reverse order, by the hash and in a map.
func find(t *testing.T, x *Index, names []string) {
	t.Helper()
	var b []byte
	for i := len(names) - 1; i >= 0; i-- {
		if head := entryHead(names[i]); x.find([]byte(head), 0, len(head)) != i {
			t.Fatalf("%q is not found", names[i])
		}
		b = append(b, entryOf(names[i], nil)...)
	}
	w := x.NewWalk()
	if found, unknown, ok := w.Map(b, 0); !ok || unknown != 0 || len(found) != len(names) {
		t.Fatalf("found %d of %d keys, and %d unknown: %t", len(found), len(names), unknown, ok)
	}
}
