package report_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// luminance is the relative luminance of a colour as #rrggbb, as WCAG 2 defines it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	l := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestPalette checks the contrast of text and marks in both themes: 4.5 to 1 for text and 3 to 1 for
// marks, WCAG's level AA.
func TestPalette(t *testing.T) {
	style, err := os.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	palette := [2]map[string]string{{}, {}}
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`).FindAllStringSubmatch(string(style), -1) {
		palette[0][m[1]], palette[1][m[1]] = m[2], m[3]
	}
	if len(palette[0]) < 12 {
		t.Fatalf("only %d colours were found", len(palette[0]))
	}
	least := map[string]float64{"ink": 7, "quiet": 4.5, "link": 4.5, "error": 4.5, "warning": 4.5, "first": 3, "second": 3, "focus": 3}
	for theme, colours := range palette {
		for name, want := range least {
			for _, back := range []string{"page", "card", "error-back", "warning-back"} {
				if got := contrast(t, colours[name], colours[back]); got < want {
					t.Errorf("%s: --%s on --%s has a contrast of %.2f, wanted %g", [2]string{"light", "dark"}[theme], name, back, got, want)
				}
			}
		}
		if got := contrast(t, colours["first"], colours["second"]); got > 1.8 {
			t.Errorf("one of the two data sets is louder: %.2f", got)
		}
	}
	// The test does not check colours outside the palette, so there must be none.
	if all := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b`).FindAll(style, -1); len(all) != 2*len(palette[0])+1 {
		t.Errorf("%d colours in the style, wanted the %d of the palette and the white of paper", len(all), 2*len(palette[0]))
	}
}
