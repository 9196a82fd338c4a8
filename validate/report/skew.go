package report

import (
	"cmp"
	"html/template"
	"io"
	"math"
	"strconv"
)

// A Skew is the content of a page about records of two data sets that have the same key: in how many
// pairs of them each feature differs. Nothing of it is changed or kept.
type Skew struct {
	Title string // of the page; "Skew" if it is empty

	// Sides are what the two data sets are called, and the sizes of their files, as "1.2 MiB", which may be
	// empty.
	Sides [2]string
	Sizes [2]string

	Pairs     uint64 // that were compared
	Differing uint64 // in which any feature differs

	// Features are shown in the order in which they are here: those that differ most often should be first. Beyond
	// MaxFeatures they are only counted.
	Features []SkewFeature

	// Facts say how the records were paired, as the number of keys.
	Facts []SkewFact

	// Failed are lines about what makes the answer negative.
	Failed []string

	// Samples are some of the pairs that differ. The page shows what is here.
	Samples []SkewSample

	Note string // stands at the end of the page, as the command that made it
}

// A SkewFeature counts pairs by one feature. The pairs in which it is the same, and those of the other three, are all that
// it is counted in.
type SkewFeature struct {
	Name               string
	Base, Test         uint64 // pairs in which that side has values
	Match, Mismatch    uint64 // pairs in which both have the same values, or none; other values
	BaseOnly, TestOnly uint64 // pairs in which only that side has values
	Failed             bool   // it differs too often
}

// A SkewFact is one number of the overview.
type SkewFact struct {
	Name  string
	Count uint64
}

// A SkewSample is a pair of records that differ.
type SkewSample struct {
	Key     string
	Places  [2]string // of the records
	Changes []string  // a line for each feature that differs
}

// differ returns the number of pairs in which the feature differs.
func (f SkewFeature) differ() uint64 { return f.Mismatch + f.BaseOnly + f.TestOnly }

// skewPage is what the template shows: what is here, with long lists cut.
type skewPage struct {
	Skew
	Style       template.CSS
	Policy      string
	Findings    []finding // about Failed
	Left        int       // features that are not shown
	SamplesLeft uint64    // pairs that differ and are not shown
}

// WriteSkew writes a page about pairs of records that differ. It fails with what w fails with.
func WriteSkew(w io.Writer, in *Skew) error {
	p := &skewPage{Skew: *in, Style: parsed.style, Policy: parsed.still}
	p.Title = clip(cmp.Or(in.Title, "Skew"), valueRoom)
	for i := range p.Sides {
		p.Sides[i] = clip(cmp.Or(p.Sides[i], []string{"first", "second"}[i]), nameRoom)
		if p.Sizes[i] != "" {
			p.Sizes[i] = clip(p.Sizes[i], nameRoom)
		}
	}
	for _, text := range in.Failed {
		p.Findings = append(p.Findings, finding{"error", "", cut(text, 4*valueRoom)})
	}
	p.Findings = atMost(p.Findings)
	p.Features = in.Features[:min(len(in.Features), MaxFeatures)]
	p.Left = len(in.Features) - len(p.Features)
	if n := uint64(len(in.Samples)); n > 0 && in.Differing > n {
		p.SamplesLeft = in.Differing - n
	}
	return parsed.page.ExecuteTemplate(w, "skew.html", p)
}

// A skewBar is a part of the bar of a feature, in percent of its width.
type skewBar struct{ Side, At, Width string }

func skewBars(f SkewFeature) (bars []skewBar) {
	at, all := 0.0, float64(f.Match)+float64(f.differ())
	for i, n := range []uint64{f.BaseOnly, f.TestOnly, f.Mismatch} {
		if n == 0 {
			continue
		}
		width := 100 * float64(n) / all
		bars = append(bars, skewBar{sideClasses[i], strconv.FormatFloat(at, 'f', 3, 64), strconv.FormatFloat(width, 'f', 3, 64)})
		at += width
	}
	return bars
}

// left returns how many features that differ are not shown.
func (s SkewSample) left() int { return max(0, len(s.Changes)-maxFindings) }

// skewFuncs are what the template of the page calls.
var skewFuncs = template.FuncMap{
	"count":  func(n uint64) string { return count(float64(n)) },
	"share":  func(n, of uint64) string { return share(float64(n), float64(of)) },
	"differ": SkewFeature.differ,
	"all":    func(f SkewFeature) uint64 { return f.Match + f.differ() },
	"bars":   skewBars,
	"counts": func(f SkewFeature) []uint64 {
		return []uint64{f.Base, f.Test, f.Match, f.Mismatch, f.BaseOnly, f.TestOnly, f.differ()}
	},
	"clip":   func(s string) string { return clip(s, nameRoom) },
	"name":   func(s string) string { return cut(s, nameRoom) },
	"text":   func(s string) string { return cut(s, 4*valueRoom) },
	"change": func(s string) string { return cut(s, 8*valueRoom) },
	"first":  func(s SkewSample) []string { return s.Changes[:len(s.Changes)-s.left()] },
	"left":   SkewSample.left,
	"more":   func(n int, one string) string { return plural(n, "more "+one) },
	"many":   func(n uint64, one string) string { return plural(int(min(n, math.MaxInt32)), "more "+one) },
}
