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

// A Decision explains one property of a schema entry.
type Decision struct {
	Path   view.Path
	About  string // the property: type, presence, values, domain, …
	Chosen string // value of the property
	Why    string // the reason
}

// decide reports a decision to Config.Why, if it is set.
func (c *Config) decide(path view.Path, about, chosen, why string, args ...any) {
	if c.Why != nil {
		c.Why(Decision{path, about, chosen, format(why, args)})
	}
}

// decideParents reports the parents that an entry for p adds to the schema.
func (c *Config) decideParents(s *Schema, p view.Path) {
	if c.Why == nil || len(p) < 2 || s.features[p.Parent().String()] != nil {
		return
	}
	c.decideParents(s, p.Parent())
	c.decide(p.Parent(), "type", pb.FeatureType_STRUCT.String(), "it contains features, but has no statistics")
}

// decidePresence reports the presence constraints of an entry.
func (c *Config) decidePresence(f *pb.Feature, v *view.Feature) {
	if c.Why == nil {
		return
	}
	p, present, missing := f.GetPresence(), v.Present(), v.Missing()
	unit := "examples"
	if v.Parent != nil {
		unit = "values of " + v.Parent.Path.String()
	}
	if v.Dataset.ByWeight {
		unit += " by weight"
	}
	total := number(present+missing) + " " + unit
	lacking := ""
	if present > 0 && p.GetMinCount() == 0 {
		lacking = rareText(v)
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

// decideCounts reports the constraints of the number of values. unshaped is the reason why the entry has no shape.
func (c *Config) decideCounts(f *pb.Feature, v *view.Feature, unshaped string) {
	if c.Why == nil {
		return
	}
	counts := v.Counts()
	var ranges []string
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
		ranges = append(ranges, text)
	}
	why := strings.Join(ranges, ", ")
	if unshaped != "" {
		why += "; no shape: " + unshaped
	}
	c.decide(v.Path, "values", shapeText(f), "%s", why)
}

// shapeText describes the constraints of the number of values.
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

// countText describes a range of the number of values.
func countText(c *pb.ValueCount) string {
	switch {
	case c.Min != nil && c.Max != nil:
		return fmt.Sprintf("min %d max %d", c.GetMin(), c.GetMax())
	case c.Min != nil:
		return fmt.Sprintf("min %d", c.GetMin())
	}
	return "any"
}

// kindText explains the type of an entry.
func kindText(v *view.Feature) string {
	switch v.Kind() {
	case pb.FeatureNameStatistics_INT:
		if v.Stats.GetStringStats() != nil {
			return "the values are integers used as categories"
		}
		return "the values are integers"
	case pb.FeatureNameStatistics_FLOAT:
		return "the values are floats"
	case pb.FeatureNameStatistics_STRING:
		return "the values are strings"
	case pb.FeatureNameStatistics_BYTES:
		return "the values are bytes, which are not counted"
	case pb.FeatureNameStatistics_STRUCT:
		return "the values contain features"
	}
	return "the type of the statistics is unknown"
}

// distinctText describes the number of labels, and the number of distinct values if it is larger.
func distinctText(v *view.Feature, labels []view.Label) string {
	text := strconv.Itoa(len(labels)) + " distinct values"
	if len(labels) == 1 {
		text = "1 distinct value"
	}
	if n, ok := v.Unique(); ok && n > uint64(len(labels)) {
		text = fmt.Sprintf("%d of %d distinct values are listed", len(labels), n)
	}
	return text
}

// numbersText explains why numbers get no domain.
func numbersText(v *view.Feature) string {
	switch n := v.Stats.GetNumStats(); {
	case v.Kind() == pb.FeatureNameStatistics_STRUCT:
		return "structs have no domain"
	case n == nil:
		return "the statistics list no values"
	case v.Total() == 0:
		return "there are no values"
	case v.Kind() == pb.FeatureNameStatistics_INT:
		return fmt.Sprintf("%s to %s; only 0 and 1 get a domain", number(n.GetMin()), number(n.GetMax()))
	default:
		return fmt.Sprintf("%s to %s; floats get no domain", cformat.Six(n.GetMin()), cformat.Six(n.GetMax()))
	}
}

// number formats a count or an integer: without an exponent unless it is very large. Fractional weights get six digits.
func number(f float64) string {
	if f != math.Trunc(f) || math.Abs(f) > 1e21 {
		return cformat.Six(f)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// groupDigits formats a count like number, with commas: 4,000.
func groupDigits(f float64) string {
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

// percent formats a share as a percentage with six digits.
func percent(share float64) string { return cformat.Six(100*share) + "%" }

// shareLimit describes a maximum share.
func shareLimit(share float64) string {
	if !(share > 0) {
		return "none"
	}
	return "at most " + percent(share)
}

// unitOf names the units that can contain a feature: records, or values of its parent.
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

// presentIn describes how many units contain the feature: "3 of 10 records".
func presentIn(v *view.Feature) string {
	return groupDigits(v.Present()) + " of " + groupDigits(v.Present()+v.Missing()) + " " + unitOf(v)
}

// missingIn describes how many units lack the feature: "7 of 10 records".
func missingIn(v *view.Feature) string {
	return groupDigits(v.Missing()) + " of " + groupDigits(v.Present()+v.Missing()) + " " + unitOf(v)
}

// countsText lists the distinct numbers of values at a level of nesting, or their range if Config.Lengths does not know
// them.
func (e *entry) countsText(level int) string {
	r := e.view.Counts()[level]
	if r.Max-r.Min > 1 { // otherwise Min and Max are the only numbers
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

// rangeText describes a range.
func rangeText(r view.Range) string {
	return strconv.FormatInt(r.Min, 10) + " to " + strconv.FormatInt(r.Max, 10)
}
