package report

import (
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

// skewPage is what the template shows.
type skewPage struct {
	Title, Note  string
	Style        template.CSS
	Policy       string
	Sides, Sizes [2]string
	Facts        []skewText
	Failed       []finding
	Features     []skewRow
	Left         string
	Samples      []SkewSample
	SamplesLeft  string
}

// A skewText is a fact as text.
type skewText struct{ Name, Text string }

// A skewRow is a row of the table.
type skewRow struct {
	Name   string
	Failed bool
	Counts []string
	Rate   string
	Bars   []skewBar
}

// A skewBar is a part of the bar of a feature, in percent of its width.
type skewBar struct{ Side, At, Width string }

// WriteSkew writes a page about pairs of records that differ. It fails with what w fails with.
func WriteSkew(w io.Writer, in *Skew) error {
	p := &skewPage{Title: clip(orElse(in.Title, "Skew"), valueRoom), Style: parsed.style, Policy: parsed.still}
	if in.Note != "" {
		p.Note = cut(in.Note, 4*valueRoom)
	}
	for i, name := range in.Sides {
		p.Sides[i] = clip(orElse(name, []string{"first", "second"}[i]), nameRoom)
		if in.Sizes[i] != "" {
			p.Sizes[i] = clip(in.Sizes[i], nameRoom)
		}
	}
	p.Facts = []skewText{{"Pairs compared", count(float64(in.Pairs))}, {"Pairs that differ", count(float64(in.Differing)) + " (" + share(float64(in.Differing), float64(in.Pairs)) + ")"}}
	for _, f := range in.Facts {
		p.Facts = append(p.Facts, skewText{clip(f.Name, nameRoom), count(float64(f.Count))})
	}
	for _, text := range in.Failed {
		p.Failed = append(p.Failed, finding{"error", "", cut(text, 4*valueRoom)})
	}
	p.Failed = atMost(p.Failed)
	for _, f := range in.Features[:min(len(in.Features), MaxFeatures)] {
		p.Features = append(p.Features, f.row())
	}
	if left := len(in.Features) - len(p.Features); left > 0 {
		p.Left = plural(left, "more feature")
	}
	for _, s := range in.Samples {
		one := SkewSample{Key: cut(s.Key, 4*valueRoom)}
		for i, place := range s.Places {
			one.Places[i] = cut(place, 4*valueRoom)
		}
		for _, change := range s.Changes[:min(len(s.Changes), maxFindings)] {
			one.Changes = append(one.Changes, cut(change, 8*valueRoom))
		}
		if left := len(s.Changes) - len(one.Changes); left > 0 {
			one.Changes = append(one.Changes, "and "+plural(left, "more feature"))
		}
		p.Samples = append(p.Samples, one)
	}
	if left := in.Differing - uint64(len(in.Samples)); len(in.Samples) > 0 && in.Differing > uint64(len(in.Samples)) {
		p.SamplesLeft = plural(int(min(left, math.MaxInt32)), "more pair")
	}
	return parsed.page.ExecuteTemplate(w, "skew.html", p)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (f *SkewFeature) row() skewRow {
	differ := f.Mismatch + f.BaseOnly + f.TestOnly
	all := float64(f.Match) + float64(differ)
	r := skewRow{Name: cut(f.Name, nameRoom), Failed: f.Failed, Rate: share(float64(differ), all)}
	for _, n := range []uint64{f.Base, f.Test, f.Match, f.Mismatch, f.BaseOnly, f.TestOnly, differ} {
		r.Counts = append(r.Counts, count(float64(n)))
	}
	at := 0.0
	for i, n := range []uint64{f.BaseOnly, f.TestOnly, f.Mismatch} {
		if n == 0 {
			continue
		}
		width := 100 * float64(n) / all
		r.Bars = append(r.Bars, skewBar{sideClasses[i], strconv.FormatFloat(at, 'f', 3, 64), strconv.FormatFloat(width, 'f', 3, 64)})
		at += width
	}
	return r
}
