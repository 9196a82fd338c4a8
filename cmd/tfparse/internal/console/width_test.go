package console

import "testing"

// TestTextWidth compares with the property East_Asian_Width of Unicode 14, as Python's unicodedata has it.
func TestTextWidth(t *testing.T) {
	for _, c := range []struct {
		proves, text string
		want         int
	}{
		{"ASCII", "abc", 3},
		{"accents", "é", 1},
		{"a combining mark", "e\u0301", 1},
		{"Chinese", "名前", 4},
		{"full width", "ＡＢ！", 6},
		{"Hangul syllables", "안녕", 4},
		{"Hangul letters that join", "\u1112\u1161\u11ab", 2},
		{"half-width Katakana", "ｶﾅ", 2},
		{"emoji", "🍣✅", 4},
		{"blocks and dashes", "▁█…±–", 5},
		{"Arabic", "مرحبا", 5},
		{"Han of the second plane", "\U00020000", 2},
	} {
		if got := TextWidth(c.text); got != c.want {
			t.Errorf("%s: got %d columns, want %d", c.proves, got, c.want)
		}
	}
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"名前名前", 8, "名前名前"}, {"名前名前", 7, "名前名…"}, {"名前名前", 6, "名前…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
	} {
		if got := Truncate(c.text, c.columns); got != c.want {
			t.Errorf("Truncate(%q, %d): got %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}
