package rules

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A Decision is one thing that an entry of a schema says, and why it says so.
type Decision struct {
	Path   view.Path
	About  string // type, presence, values, domain, …
	Chosen string
	Why    string
}

// decide reports a decision to Why, if it is set.
func (c *Config) decide(path view.Path, about, chosen, why string, args ...any) {
	if c.Why != nil {
		c.Why(Decision{path, about, chosen, format(why, args)})
	}
}

// decideParents reports the structs that an entry brings with it.
func (c *Config) decideParents(s *Schema, p view.Path) {
	if c.Why == nil || len(p) < 2 || s.features[p.Parent().String()] != nil {
		return
	}
	c.decideParents(s, p.Parent())
	c.decide(p.Parent(), "type", pb.FeatureType_STRUCT.String(), "features lie in it, and the statistics have none of it")
}

// decidePresence reports how often a feature is there.
func (c *Config) decidePresence(f *pb.Feature, v *view.Feature) {
	if c.Why == nil {
		return
	}
	p, present, missing := f.GetPresence(), v.Present(), v.Missing()
	of := "examples"
	if v.Parent != nil {
		of = "values of " + v.Parent.Path.String()
	}
	if v.Dataset.ByWeight {
		of += " by weight"
	}
	total := number(present+missing) + " " + of
	lacking := ""
	if present > 0 && p.GetMinCount() == 0 {
		lacking = rare(v)
	}
	switch {
	case !(present > 0):
		c.decide(v.Path, "presence", "optional (min_count 0)", "in none of %s", total)
	case c.Slack != nil:
		chosen := fmt.Sprintf("optional (min_count %d)", p.GetMinCount())
		if p.MinFraction != nil {
			chosen = fmt.Sprintf("required (min_fraction %s, min_count %d)", cformat.Six(p.GetMinFraction()), p.GetMinCount())
		}
		c.decide(v.Path, "presence", chosen, "in %s of %s (%s), with a slack of %s%s", number(present), total, cformat.Six(present/(present+missing)), cformat.Six(*c.Slack), lacking)
	case p.MinFraction != nil:
		c.decide(v.Path, "presence", fmt.Sprintf("required (min_fraction 1, min_count %d)", p.GetMinCount()), "in %s of %s", number(present), total)
	default:
		c.decide(v.Path, "presence", fmt.Sprintf("optional (min_count %d)", p.GetMinCount()), "absent from %s of %s%s", number(missing), total, lacking)
	}
}

// decideCounts reports with how many values a feature is there; unshaped is why it has
// no shape.
func (c *Config) decideCounts(f *pb.Feature, v *view.Feature, unshaped string) {
	if c.Why == nil {
		return
	}
	counts := v.Counts()
	var seen []string
	for i, r := range counts {
		text := "always " + strconv.FormatInt(r.Min, 10)
		if r.Min != r.Max {
			text = fmt.Sprintf("%d to %d", r.Min, r.Max)
		}
		if text += " values"; r.Min == r.Max && r.Min == 1 {
			text = "always 1 value"
		}
		if len(counts) > 1 {
			text += fmt.Sprintf(" at level %d", i)
		}
		seen = append(seen, text)
	}
	why := strings.Join(seen, ", ")
	if unshaped != "" {
		why += "; no shape: " + unshaped
	}
	c.decide(v.Path, "values", shapeText(f), "%s", why)
}

// shapeText is what an entry says of numbers of values.
func shapeText(f *pb.Feature) string {
	switch s := f.ShapeType.(type) {
	case *pb.Feature_Shape:
		var dims []string
		for _, d := range s.Shape.GetDim() {
			dims = append(dims, strconv.FormatInt(d.GetSize(), 10))
		}
		return "shape [" + strings.Join(dims, " ") + "]"
	case *pb.Feature_ValueCount:
		return "value_count " + countText(s.ValueCount)
	case *pb.Feature_ValueCounts:
		var all []string
		for _, v := range s.ValueCounts.GetValueCount() {
			all = append(all, countText(v))
		}
		return "value_counts " + strings.Join(all, ", ")
	}
	return "any number"
}

func countText(c *pb.ValueCount) string {
	switch {
	case c.Min != nil && c.Max != nil:
		return fmt.Sprintf("min %d max %d", c.GetMin(), c.GetMax())
	case c.Min != nil:
		return fmt.Sprintf("min %d", c.GetMin())
	}
	return "any"
}

// kindText says in what the type of an entry was seen.
func kindText(v *view.Feature) string {
	switch v.Kind() {
	case pb.FeatureNameStatistics_INT:
		if v.Stats.GetStringStats() != nil {
			return "the values are integers that stand for categories"
		}
		return "the values are integers"
	case pb.FeatureNameStatistics_FLOAT:
		return "the values are floats"
	case pb.FeatureNameStatistics_STRING:
		return "the values are strings"
	case pb.FeatureNameStatistics_BYTES:
		return "the values are bytes that were not counted"
	case pb.FeatureNameStatistics_STRUCT:
		return "the values have features of their own"
	}
	return "the statistics have a type that is not known"
}

// distinctText says how many labels there are, and whether there are more values.
func distinctText(v *view.Feature, labels []view.Label) string {
	text := strconv.Itoa(len(labels)) + " distinct values"
	if len(labels) == 1 {
		text = "1 distinct value"
	}
	if n, ok := v.Unique(); ok && n > uint64(len(labels)) {
		text += fmt.Sprintf(" listed, of %d", n)
	}
	return text
}

// numbersText says why numbers have no domain.
func numbersText(v *view.Feature) string {
	switch n := v.Stats.GetNumStats(); {
	case v.Kind() == pb.FeatureNameStatistics_STRUCT:
		return "a struct has none"
	case n == nil:
		return "the statistics list no values"
	case v.Total() == 0:
		return "there are no values"
	case v.Kind() == pb.FeatureNameStatistics_INT:
		return fmt.Sprintf("%s to %s, and only 0 and 1 make one", number(n.GetMin()), number(n.GetMax()))
	default:
		return fmt.Sprintf("%s to %s, and numbers that are not integers make none", cformat.Six(n.GetMin()), cformat.Six(n.GetMax()))
	}
}

// number writes a count, or an integer in a double, without an exponent unless it is
// very large. Weights that are no integers have six digits.
func number(f float64) string {
	if f != math.Trunc(f) || math.Abs(f) > 1e21 {
		return cformat.Six(f)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// counted writes a count with commas: 4,000. Weights that are no integers have six digits.
func counted(f float64) string {
	s := number(f)
	if strings.ContainsAny(s, ".eIN") {
		return s
	}
	digits := strings.TrimPrefix(s, "-")
	sign := s[:len(s)-len(digits)]
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// percent writes a share as a percentage with six digits.
func percent(share float64) string { return cformat.Six(100*share) + "%" }

// shareLimit is the largest share that is allowed, in words.
func shareLimit(share float64) string {
	if !(share > 0) {
		return "none"
	}
	return "at most " + percent(share)
}

// unitOf is what a feature is in: records, or values of the struct that it lies in.
func unitOf(v *view.Feature) string {
	unit := "records"
	if v.Parent != nil {
		unit = "values of " + v.Parent.Path.String()
	}
	if v.Dataset.ByWeight {
		unit += " by weight"
	}
	return unit
}

// presentIn says in how many records a feature is, of how many.
func presentIn(v *view.Feature) string {
	return counted(v.Present()) + " of " + counted(v.Present()+v.Missing()) + " " + unitOf(v)
}

// missingIn says from how many records a feature is missing, of how many.
func missingIn(v *view.Feature) string {
	return counted(v.Missing()) + " of " + counted(v.Present()+v.Missing()) + " " + unitOf(v)
}

// seen lists the different numbers of values at a level of nesting, exactly: a range, where statistics do not
// say which of it there are.
func (e *entry) seen(level int) string {
	r := e.view.Counts()[level]
	if r.Max-r.Min > 1 { // both ends were seen
		if e.Lengths == nil {
			return rangeText(r)
		}
		lengths, all := e.Lengths(e.view.Common(), level)
		if len(lengths) == 0 {
			return rangeText(r)
		}
		text := ""
		for i, n := range lengths {
			if i > 0 {
				text += ", "
			}
			text += strconv.FormatUint(n, 10)
		}
		if left := all - len(lengths); left > 0 {
			text += " and " + strconv.Itoa(left) + " more up to " + strconv.FormatInt(r.Max, 10)
		}
		return text
	}
	if r.Min == r.Max {
		return strconv.FormatInt(r.Min, 10)
	}
	return strconv.FormatInt(r.Min, 10) + ", " + strconv.FormatInt(r.Max, 10)
}

func rangeText(r view.Range) string {
	return strconv.FormatInt(r.Min, 10) + " to " + strconv.FormatInt(r.Max, 10)
}
