package report

import (
	"strings"
	"testing"

	"github.com/tfparse/tfparse/validate/drift"
)

// TestLabelNames checks how the page names values that are not text: by content and size, even if they are valid UTF-8.
func TestLabelNames(t *testing.T) {
	bmp := "BM6\x00\x00\x00\x00\x00\x00\x006\x00\x00\x00(\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x00\x18\x00" + strings.Repeat("\x00", 24)
	for _, c := range []struct{ label, name, digest string }{
		{"Oslo", "Oslo", ""},
		{"BM is a text", "BM is a text", ""},
		{"a\x00b", `"a\x00b"`, ""},
		{bmp, "BMP (cut), 54 bytes", "5cc69a66"},
		{`JPEG 96x96x3 (1840 bytes, sha256 0f3a12cd0f3a12cd0f3a12cd0f3a12cd)`, "JPEG 96x96, 1.8 kB", "0f3a12cd"},
		{strings.Repeat("\x00", 2000), strings.Repeat(`\x00`, 16) + "…, 2.0 kB", "2da42fb1"},
	} {
		if name, digest := labelName(c.label); name != c.name || digest != c.digest {
			t.Errorf("%.20q: got %q %q, want %q %q", c.label, name, digest, c.name, c.digest)
		}
	}
}

// TestEscapesKeepTogether checks that a line does not break inside an escape sequence.
func TestEscapesKeepTogether(t *testing.T) {
	want := `a<wbr><span class="escape">\x00</span><wbr><span class="escape">\u202e</span>x_<wbr>&lt;`
	if got := breakable(`a\x00\u202ex_<`); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestDistanceTexts checks how a page explains a distance and its noise.
func TestDistanceTexts(t *testing.T) {
	d := drift.Distance{Measure: drift.JensenShannon, Value: 0.2, Measured: 0.311, Chance: 0.111, Noise: 0.889}
	if got, want := noiseText(d)+"; "+chanceText(d, [2]float64{1200, 6}), "within the noise of 0.889; raw 0.311, chance 0.111 (1,200 and 6 values)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := chanceText(drift.Distance{Measure: drift.KolmogorovSmirnov, Value: 0.2}, [2]float64{1200, 6}); got != "" {
		t.Errorf("got %s for a measure without chance", got)
	}
}
