package records

import (
	"fmt"
	"testing"
)

// TestChoose: each of the ten sets of two of five numbers comes as often as the others.
func TestChoose(t *testing.T) {
	const rounds = 20_000
	seen := map[string]int{}
	for seed := range uint64(rounds) {
		seen[fmt.Sprint(choose(5, 2, seed))]++
	}
	if len(seen) != 10 {
		t.Errorf("%d sets, want 10: %v", len(seen), seen)
	}
	for set, n := range seen {
		if n < rounds/10*8/10 || n > rounds/10*12/10 { // 10 standard deviations
			t.Errorf("%s came %d times of %d", set, n, rounds)
		}
	}
	for total, want := range map[int64]string{0: "[]", 1: "[0]", 3: "[0 1 2]"} {
		if got := fmt.Sprint(choose(total, 3, 1)); got != want {
			t.Errorf("three of %d: %s, want %s", total, got, want)
		}
	}
}
