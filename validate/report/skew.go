package report

import (
	"cmp"
	"html/template"
	"io"
	"math"
	"strconv"
)

// A Skew is the content of a page that compares pairs of records, which have the same key in two data
// sets. WriteSkew does not change or retain it.
type Skew struct {
	Title string // title of the page; "Skew" if empty

	Sides [2]string // names of the data sets
	Sizes [2]string // sizes of the files, such as "1.2 MiB"; may be empty

	Pairs     uint64 // number of pairs compared
	Differing uint64 // number of pairs in which a feature differs

	// Features are shown in this order; put those that differ most often first. Beyond MaxFeatures
	// they are only counted.
	Features []SkewFeature

	// Facts describe the pairing of the records, such as the number of keys.
	Facts []SkewFact

	// Failed are messages about the checks that failed, one line each.
	Failed []string

	// Samples are some of the pairs that differ. The page shows all Samples.
	Samples []SkewSample

	Note string // text at the end of the page, such as the command that made it
}

// A SkewFeature counts pairs by their values of one feature. A pair counts in one of Match, Mismatch,
// BaseOnly and TestOnly.
type SkewFeature struct {
	Name               string
	Base, Test         uint64 // pairs in which that side has values
	Match, Mismatch    uint64 // pairs with the same values or none on both sides; with different values
	BaseOnly, TestOnly uint64 // pairs in which only that side has values
	Failed             bool   // the feature differs too often
}

// A SkewFact is one number of the overview.
type SkewFact struct {
	Name  string
	Count uint64
}

// A SkewSample is a pair of records that differ.
type SkewSample struct {
	Key     string
	Places  [2]string // positions of the records
	Changes []string  // a line for each feature that differs
}

// differing returns the number of pairs in which the feature differs.
func (f SkewFeature) differing() uint64 { return f.Mismatch + f.BaseOnly + f.TestOnly }

// skewPage is the data of the template: a Skew with long lists cut.
type skewPage struct {
	Skew
	Style       template.CSS // page.css
	Policy      string       // Content-Security-Policy, with the hash of Style, without scripts
	Served      bool         // false, as in page
	Progress    *Progress    // nil, as in page
	Findings    []finding    // the messages of Failed
	Left        int          // number of features that are not shown
	SamplesLeft uint64       // number of differing pairs that are not shown
}

// WriteSkew writes a page about pairs of records that differ. It returns an error of w.
func WriteSkew(w io.Writer, in *Skew) error {
	p := &skewPage{Skew: *in, Style: assets().style, Policy: assets().scriptlessPolicy}
	p.Title = clipText(cmp.Or(in.Title, "Skew"), maxValueChars)
	for i := range p.Sides {
		p.Sides[i] = clipText(cmp.Or(p.Sides[i], []string{"first", "second"}[i]), maxNameChars)
		if p.Sizes[i] != "" {
			p.Sizes[i] = clipText(p.Sizes[i], maxNameChars)
		}
	}
	for _, text := range in.Failed {
		p.Findings = append(p.Findings, finding{Severity: "error", Text: cutText(text, 4*maxValueChars)})
	}
	p.Findings = atMost(p.Findings, 0)
	p.Features = in.Features[:min(len(in.Features), MaxFeatures)]
	p.Left = len(in.Features) - len(p.Features)
	if n := uint64(len(in.Samples)); n > 0 && in.Differing > n {
		p.SamplesLeft = in.Differing - n
	}
	return assets().page.ExecuteTemplate(w, "skew.html", p)
}

// A skewBar is a segment of the bar of a feature, in percent of the bar's width.
type skewBar struct{ Side, At, Width string }

func skewBars(f SkewFeature) (bars []skewBar) {
	at, all := 0.0, float64(f.Match)+float64(f.differing())
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

// hiddenChanges returns the number of differing features that are not shown.
func (s SkewSample) hiddenChanges() int { return max(0, len(s.Changes)-maxFindings) }

// skewFuncs are the functions of the template.
var skewFuncs = template.FuncMap{
	"count":  func(n uint64) string { return count(float64(n)) },
	"share":  func(n, total uint64) string { return share(float64(n), float64(total)) },
	"differ": SkewFeature.differing,
	"all":    func(f SkewFeature) uint64 { return f.Match + f.differing() },
	"bars":   skewBars,
	"counts": func(f SkewFeature) []uint64 {
		return []uint64{f.Base, f.Test, f.Match, f.Mismatch, f.BaseOnly, f.TestOnly, f.differing()}
	},
	"clip":   func(s string) string { return clipText(s, maxNameChars) },
	"name":   func(s string) string { return cutText(s, maxNameChars) },
	"text":   func(s string) string { return cutText(s, 4*maxValueChars) },
	"change": func(s string) string { return cutText(s, 8*maxValueChars) },
	"first":  func(s SkewSample) []string { return s.Changes[:len(s.Changes)-s.hiddenChanges()] },
	"left":   SkewSample.hiddenChanges,
	"more":   func(n int, one string) string { return plural(n, "more "+one) },
	"many":   func(n uint64, one string) string { return plural(int(min(n, math.MaxInt32)), "more "+one) },
}
