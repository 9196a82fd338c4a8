package infer

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/feature"
)

// maxUnused is the maximum number of rejected pairs that are printed per feature.
const maxUnused = 5

// Explain returns the report as plain text, feature by feature: its statistics, the column
// that was chosen and why, and the row partitions that were chosen or rejected. Equal reports
// give equal text.
func (r Report) Explain() string {
	type key struct {
		group feature.Group
		name  string
	}
	pairs := map[key][]Pair{}
	for _, p := range r.Pairs {
		k := key{p.Group, p.Of}
		pairs[k] = append(pairs[k], p)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.title())
	for _, f := range r.Features {
		fmt.Fprintf(&b, "\n%s\n", featurePlace(r.Message, f.Group, f.Name))
		fmt.Fprintf(&b, "  type      %s\n", typeText(f))
		fmt.Fprintf(&b, "  presence  %s\n", presenceText(f))
		fmt.Fprintf(&b, "  values    %s\n", valuesText(f))
		fmt.Fprintf(&b, "  column    %s\n", columnText(f))
		unused := 0
		for _, p := range pairs[key{f.Group, f.Name}] {
			if !p.Chosen {
				if unused++; unused > maxUnused {
					continue
				}
			}
			fmt.Fprintf(&b, "  %s\n", p.explainPair())
		}
		if unused > maxUnused {
			fmt.Fprintf(&b, "  rejected  %d more\n", unused-maxUnused)
		}
	}
	return b.String()
}

func typeText(f Feature) string {
	if f.DType == 0 {
		return "none: " + strings.TrimPrefix(f.Why, "left out: ")
	}
	return f.DType.String()
}

// units returns the name of the unit in which presence is counted.
func units(g feature.Group) string {
	if g == feature.InExamples {
		return "examples"
	}
	return "records"
}

func presenceText(f Feature) string {
	there := f.Units - f.Missing
	s := fmt.Sprintf("in %d of %d %s", there, f.Units, units(f.Group))
	if f.Missing == 0 {
		s = fmt.Sprintf("in all of %d %s", f.Units, units(f.Group))
	}
	of := " of them"
	if f.Group == feature.InSequence {
		s += fmt.Sprintf(", with %d steps", f.Steps)
	}
	if f.NoKind > 0 {
		s += fmt.Sprintf(", %d%s without a kind", f.NoKind, of)
	}
	return s
}

func valuesText(f Feature) string {
	switch {
	case f.Min != f.Max:
		return fmt.Sprintf("%d to %d", f.Min, f.Max)
	case f.Max == 0:
		return "never any"
	}
	return fmt.Sprintf("always %d", f.Max)
}

func columnText(f Feature) string {
	switch {
	case f.Role != nil:
		return "none, it is a partition: " + f.Why
	case f.Column == nil:
		return "none"
	}
	return columnName(f) + ": " + f.Why
}

// explainPair describes a pair for the feature that it partitions, or could partition.
func (p Pair) explainPair() string {
	name, from := feature.PartitionKey(p.Partition)
	s := "partition "
	if !p.Chosen {
		s = "rejected  "
	}
	s += name + " " + quotedName(from)
	if p.Rows != nil {
		rows, _ := feature.PartitionKey(p.Rows)
		s += ", in its rows as " + rows
	}
	if p.Block > 1 {
		s += fmt.Sprintf(", in blocks of %d", p.Block)
	}
	s += fmt.Sprintf(": %s, in %d of %d records", p.Why, p.Records-p.Against, p.Records)
	if p.Against > 0 {
		s = strings.Replace(s, "does not hold, in", "holds only in", 1)
	}
	if p.Counter != nil {
		s += "; " + p.Counter.String()
	}
	return s
}
