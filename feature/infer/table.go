package infer

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// maxLines is the maximum number of rejected pairs in a report.
const maxLines = 40

// String returns the report as plain text in two tables: the features and the pairs. A name
// is quoted as in Go if it has a space or an unprintable character. Only the first 40
// rejected pairs are shown.
func (r Report) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n\n", r.title())
	fmt.Fprintln(w, "feature\tfound in\ttype\tvalues\tcolumn\twhy")
	for _, f := range r.Features {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", featurePlace(r.Message, f.Group, f.Name), foundText(f), dtypeName(f.DType), valuesRange(f), columnName(f), f.Why)
	}
	left := 0
	for i, p := range r.Pairs {
		if i == 0 {
			fmt.Fprintln(w, "\npartition\tof\tholds in\tused\twhy")
		}
		if !p.Chosen && left >= maxLines {
			left++
			continue
		}
		mark := "yes"
		if !p.Chosen {
			left++
			mark = "no"
		}
		name, key := feature.PartitionKey(p.Partition)
		what := featurePlace(r.Message, p.Group, p.Of)
		if p.Rows != nil {
			what = "rows of " + what
		}
		if p.Block > 1 {
			what = fmt.Sprintf("%s by %d", what, p.Block)
		}
		fmt.Fprintf(w, "%s %s\t%s\t%d of %d\t%s\t%s", name, quotedName(key), what, p.Records-p.Against, p.Records, mark, p.Why)
		if p.Counter != nil {
			fmt.Fprintf(w, ": %s", p.Counter)
		}
		fmt.Fprintln(w)
	}
	if left > maxLines {
		fmt.Fprintf(w, "and %d more that are not used\n", left-maxLines)
	}
	w.Flush()
	return b.String()
}

// featurePlace returns a name, preceded by its group if the message type has several.
func featurePlace(m example.MessageType, g feature.Group, name string) string {
	if m == example.TypeExample {
		return quotedName(name)
	}
	return g.String() + " " + quotedName(name)
}

func quotedName(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` || strings.ContainsAny(name, " ") || name == "" {
		return q
	}
	return name
}

func foundText(f Feature) string {
	s := fmt.Sprintf("%d of %d", f.Units-f.Missing, f.Units)
	switch {
	case f.Group == feature.InSequence:
		s += fmt.Sprintf(", %d steps", f.Steps)
		if f.NoKind > 0 {
			s += fmt.Sprintf(", %d no kind", f.NoKind)
		}
	case f.NoKind > 0:
		s = fmt.Sprintf("%d of %d, %d no kind", f.Units-f.Missing-f.NoKind, f.Units, f.NoKind)
	}
	return s
}

func dtypeName(d feature.DType) string {
	if d == 0 {
		return "-"
	}
	return d.String()
}

func valuesRange(f Feature) string {
	if f.Min == f.Max {
		return strconv.Itoa(f.Min)
	}
	return fmt.Sprintf("%d-%d", f.Min, f.Max)
}

// columnName returns the kind of a column in Spec JSON, with its shape or partitions.
func columnName(f Feature) string {
	switch c := f.Column.(type) {
	case feature.FixedLen:
		return fmt.Sprintf("fixed_len %v", c.Shape)
	case feature.FixedLenSequence:
		return fmt.Sprintf("fixed_len_sequence %v", c.Shape)
	case feature.VarLen:
		return "var_len"
	case feature.Ragged:
		var parts []string
		for _, p := range c.Partitions {
			name, key := feature.PartitionKey(p)
			if n, ok := p.(feature.UniformRowLength); ok {
				key = strconv.FormatInt(int64(n), 10)
			} else {
				key = quotedName(key)
			}
			parts = append(parts, name+" "+key)
		}
		return strings.TrimSpace("ragged " + strings.Join(parts, ", "))
	}
	if f.Role != nil {
		name, _ := feature.PartitionKey(f.Role)
		return "- (" + name + ")"
	}
	return "-"
}
