package cli

import "testing"

func TestShardRange(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 1000, 1 << 30} {
		for _, count := range []int{1, 2, 3, 8, 13} {
			next, least, most := 0, n, 0
			for i := range count {
				first, end := (Shard{i, count}).Range(n)
				if first != next || end < first {
					t.Fatalf("part %d/%d of %d is [%d, %d), want it to begin at %d", i, count, n, first, end, next)
				}
				next, least, most = end, min(least, end-first), max(most, end-first)
			}
			if next != n || most-least > 1 {
				t.Errorf("%d parts of %d end at %d and have %d to %d", count, n, next, least, most)
			}
		}
	}
	if first, end := (Shard{}).Range(5); first != 0 || end != 5 {
		t.Errorf("no shard is [%d, %d) of 5", first, end)
	}
}

func TestShardText(t *testing.T) {
	for _, helpText := range []string{"", "/", "1", "0/0", "1/1", "8/8", "-1/8", "0/-8", "1/2/3", "0x1/8", "0/99999999999", " 0/8"} {
		var s Shard
		if err := s.UnmarshalText([]byte(helpText)); err == nil {
			t.Errorf("%q is %v, want an error", helpText, s)
		}
	}
	for _, helpText := range []string{"0/1", "0/8", "7/8", "2147483646/2147483647"} {
		var s Shard
		if err := s.UnmarshalText([]byte(helpText)); err != nil {
			t.Errorf("%q: %v", helpText, err)
			continue
		}
		if got, _ := s.MarshalText(); string(got) != helpText {
			t.Errorf("%q comes back as %q", helpText, got)
		}
	}
}
