package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/pbtext"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// checkType checks that the values have the type of the feature.
func (e *entry) checkType() {
	f := e.feature
	if kinds := e.view.Custom(view.Kinds).GetRankHistogram().GetBuckets(); len(kinds) > 1 && !e.Compat {
		var types []string
		for _, k := range kinds {
			types = append(types, k.GetLabel()+" "+groupDigits(k.GetSampleCount()))
		}
		e.report("severalTypes", strings.Join(types, ", "))
	}
	if e.view.Type() != f.GetType() {
		deprecate(f)
		got := e.view.Kind().String()
		if _, ok := pb.FeatureNameStatistics_Type_name[int32(e.view.Kind())]; !ok {
			got = "unknown(" + strconv.Itoa(int(e.view.Kind())) + ")"
		}
		e.report("otherType", f.GetType(), got)
	}
	if e.view.Kind() != pb.FeatureNameStatistics_BYTES {
		return
	}
	switch f.DomainInfo.(type) {
	case nil, *pb.Feature_NaturalLanguageDomain, *pb.Feature_ImageDomain, *pb.Feature_UrlDomain:
	case *pb.Feature_AudioDomain, *pb.Feature_VideoDomain, *pb.Feature_ContentChunkDomain:
		// checkEntryDomain has reported these domains in compatible mode.
	default:
		name := domainName(f)
		f.DomainInfo = nil
		e.report("domainOfBytes", pbtext.Plain(f), name)
	}
}

// domainRules checks the values against the domain of the feature.
func (e *entry) domainRules() {
	switch d := e.feature.DomainInfo.(type) {
	case *pb.Feature_Domain:
		if e.checkStrings(e.sharedDomain(d.Domain)) {
			e.feature.DomainInfo = nil
			if e.keep {
				e.schema.dropDomain(d.Domain)
			}
		}
	case *pb.Feature_StringDomain:
		if e.checkStrings(d.StringDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_BoolDomain:
		e.checkBools(d.BoolDomain)
	case *pb.Feature_IntDomain:
		if e.checkInts(d.IntDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_FloatDomain:
		if e.checkFloats(d.FloatDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_ImageDomain:
		e.checkImages(d.ImageDomain)
	case *pb.Feature_NaturalLanguageDomain:
		if e.checkLanguage(d.NaturalLanguageDomain) {
			e.feature.DomainInfo = nil
		}
	case *pb.Feature_StructDomain:
	case nil:
		if setSemanticDomain(e.Compat, e.feature, e.view) {
			e.report("semanticDomain", e.feature.GetName(), domainName(e.feature))
		}
	default:
		if e.checkSemantic() {
			e.feature.DomainInfo = nil
		}
	}
}

// checkStrings checks that labels are in a domain, and adds unknown labels to the domain. It reports whether the domain must be
// dropped.
func (e *entry) checkStrings(d *pb.StringDomain) (drop bool) {
	if e.view.InvalidUTF8() {
		e.report("invalidUTF8", e.view.Stats.GetStringStats().GetInvalidUtf8Count())
		return true
	}
	known := make(map[string]bool, len(d.GetValue()))
	for _, v := range d.GetValue() {
		known[v] = true
	}
	labels := e.view.Labels()
	unknown := slices.DeleteFunc(slices.Clone(labels), func(l view.Label) bool { return known[l.Value] })
	var n float64
	for _, l := range unknown {
		n += l.Count
	}
	total, off := e.view.Total(), 0.
	if c := e.feature.DistributionConstraints; c != nil && c.MinDomainMass != nil {
		off = 1 - c.GetMinDomainMass()
	}
	if n/total > off || off == 0 && len(unknown) > 0 {
		e.report("unknownValues", listLabels(unknown, total), groupDigits(n), groupDigits(total))
		for _, l := range unknown {
			d.Value = append(d.Value, l.Value)
		}
	}
	if !e.Compat && off == 0 && !e.view.Dataset.ByWeight { // weighted lists leave out labels with little weight
		e.checkHidden(len(known), len(labels), len(unknown))
	}
	return false
}

// maxExactUnique is the smallest number of distinct values that may be an estimate. The error of an estimate is taken as 3 %.
const maxExactUnique = 1 << 14

// checkHidden checks for values outside a domain that are not in the histogram: there are more distinct values than labels in
// the domain and the histogram. TensorFlow Data Validation does not detect them. domain and labels are the numbers of labels in
// the domain and in the histogram, unknown is the number in the histogram only.
func (e *entry) checkHidden(domain, labels, unknown int) {
	unique, _ := e.view.Unique()
	sure := unique
	if sure >= maxExactUnique {
		sure -= sure * 3 / 100
	}
	if unseen := domain - (labels - unknown); sure > uint64(labels+unseen) {
		e.report("hiddenValues", unique, labels, sure-uint64(labels+unseen))
	}
}

// listLabels lists labels with their shares.
func listLabels(labels []view.Label, total float64) string {
	var b strings.Builder
	for i, l := range labels {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s)", cformat.Escape(l.Value), share(float64(cformat.Int64(l.Count)), total))
	}
	return b.String()
}

// share describes n of total as a rounded percentage.
func share(n, total float64) string {
	if total == 0 {
		return "?"
	}
	percent := 100 * n / total
	if percent < 1 {
		return "<1%"
	}
	return fmt.Sprintf("~%d%%", int64(math.Floor(percent)))
}

// checkBools checks that values are 0 or 1, or the strings of the domain. It reports only the first violation.
func (e *entry) checkBools(d *pb.BoolDomain) {
	least, most := e.view.Stats.GetNumStats().GetMin(), e.view.Stats.GetNumStats().GetMax()
	switch e.view.Kind() {
	case pb.FeatureNameStatistics_INT:
		if !e.Compat {
			// Native: statistics computed with this schema have labels instead of numbers.
			if r, _, ok := labelRange(e.view.Labels()); ok {
				least, most = float64(r.Min), float64(r.Max)
			}
		}
		switch {
		case least < 0:
			e.report("boolSmall", cformat.Six(least))
		case most > 1:
			e.report("boolBig", cformat.Six(most))
		default:
			return
		}
		low, high := cformat.Int64(least), cformat.Int64(most)
		if !e.Compat {
			low, high = cformat.Int64Near(least), cformat.Int64Near(most) // native: 2^63-1 is 2^63 as a double
		}
		e.feature.DomainInfo = &pb.Feature_IntDomain{IntDomain: &pb.IntDomain{Min: &low, Max: &high}}
	case pb.FeatureNameStatistics_FLOAT:
		if t, arg := e.notBool(least, most); t != "" {
			e.report(t, arg)
			low, high := float32(least), float32(most)
			e.feature.DomainInfo = &pb.Feature_FloatDomain{FloatDomain: &pb.FloatDomain{Min: &low, Max: &high}}
		}
	case pb.FeatureNameStatistics_STRING:
		var valid []string
		if d.TrueValue != nil {
			valid = append(valid, d.GetTrueValue())
		}
		if d.FalseValue != nil {
			valid = append(valid, d.GetFalseValue())
		}
		slices.Sort(valid)
		valid = slices.Compact(valid)
		for _, l := range e.view.Labels() {
			if !slices.Contains(valid, l.Value) {
				set := "{}"
				if len(valid) > 0 {
					set = `{"` + strings.Join(valid, `", "`) + `"}`
				}
				e.feature.DomainInfo = nil
				e.report("boolString", l.Value, set)
				return
			}
		}
	}
}

// notBool returns the reason why floats are not all 0 or 1: the name of a text and its argument; "" if all are.
func (e *entry) notBool(least, most float64) (text, value string) {
	if least != 0 && least != 1 {
		return "boolFloat", cformat.Six(least)
	}
	if most != 0 && most != 1 {
		return "boolFloat", cformat.Six(most)
	}
	for _, h := range e.view.Stats.GetNumStats().GetHistograms() {
		if h.GetNumNan() > 0 {
			return "boolFloat", "NaN"
		}
		for _, b := range h.GetBuckets() {
			switch low, high := b.GetLowValue(), b.GetHighValue(); {
			case !(b.GetSampleCount() > 0):
			case high < 0:
				return "boolFloats", "< 0"
			case low > 1:
				return "boolFloats", "> 1"
			case h.GetType() == pb.Histogram_QUANTILES && high < 1 && low > 0:
				return "boolFraction", ""
			}
		}
	}
	return "", ""
}

// labelRange returns the range of labels that are integers. If a label is not an integer, ok is false and bad is that
// label. Without labels ok is false and bad is "".
func labelRange(labels []view.Label) (r view.Range, bad string, ok bool) {
	for i, l := range labels {
		n, isInt := cformat.ParseInt(l.Value)
		switch {
		case !isInt:
			return view.Range{}, l.Value, false
		case i == 0:
			r = view.Range{Min: n, Max: n}
		}
		r.Min, r.Max = min(r.Min, n), max(r.Max, n)
	}
	return r, "", len(labels) > 0
}

// checkInts checks the range of integers, which may be strings. It reports whether the domain must be dropped.
func (e *entry) checkInts(d *pb.IntDomain) (drop bool) {
	labels := e.view.Labels()
	var r view.Range
	switch e.view.Kind() {
	case pb.FeatureNameStatistics_INT:
		if len(labels) > 0 {
			break
		}
		least, most := e.view.Stats.GetNumStats().GetMin(), e.view.Stats.GetNumStats().GetMax()
		beyond := most
		if least < math.MinInt64 {
			beyond = least
		}
		if beyond < math.MinInt64 || beyond > -math.MinInt64 {
			if d.Min == nil && d.Max == nil {
				return false
			}
			e.report("notInt64", cformat.Fixed(beyond))
			return true
		}
		r = view.Range{Min: cformat.Int64(least), Max: cformat.Int64(most)}
		if !e.Compat {
			r.Max = cformat.Int64Near(most) // native: 2^63-1 is 2^63 as a double
		}
		e.checkRange(d, r)
		return false
	case pb.FeatureNameStatistics_BYTES, pb.FeatureNameStatistics_STRING:
	default:
		return false
	}
	if len(labels) == 0 {
		return false
	}
	r, bad, ok := labelRange(labels)
	switch {
	case ok:
		e.checkRange(d, r)
		return false
	case e.view.Type() == pb.FeatureType_BYTES:
		e.report("notInt", bad)
	case d.Min == nil && d.Max == nil:
		return false
	default:
		e.report("notInt64", bad)
	}
	return true
}

// checkRange checks the range of integers against a domain, and widens the domain.
func (e *entry) checkRange(d *pb.IntDomain, got view.Range) {
	atLeast(e, &d.Min, got.Min, "smallInt", got.Min, d.GetMin())
	atMost(e, &d.Max, got.Max, "bigInt", got.Max, d.GetMax())
}

// checkFloats checks the range of floats, which may be strings, in single precision. It reports whether the domain must
// be dropped.
func (e *entry) checkFloats(d *pb.FloatDomain) (drop bool) {
	labels := e.view.Labels()
	asLabels := e.view.Kind() == pb.FeatureNameStatistics_STRING || e.view.Kind() == pb.FeatureNameStatistics_BYTES
	if e.view.Kind() == pb.FeatureNameStatistics_FLOAT && len(labels) > 0 && !e.Compat {
		asLabels = true // native: floats that are categories have labels and no numbers
	}
	if d.GetDisallowNan() && e.hasNaN(labels, asLabels) {
		e.report("hasNaN", e.nanText(labels, asLabels))
		d.DisallowNan = proto.Bool(false)
	}
	var least, most float32
	switch {
	case asLabels:
		any := false
		for _, l := range labels {
			f, ok := cformat.ParseFloat(l.Value)
			switch {
			case !ok:
				e.report("notFloat", l.Value)
				return true
			case !any:
				least, most, any = f, f, true
			}
			if least > f {
				least = f
			}
			if most < f {
				most = f
			}
		}
		if !any {
			return false
		}
	case e.view.Kind() == pb.FeatureNameStatistics_FLOAT:
		least, most = float32(e.view.Stats.GetNumStats().GetMin()), float32(e.view.Stats.GetNumStats().GetMax())
	default:
		return false
	}
	atLeast(e, &d.Min, least, "smallFloat", cformat.Six(float64(least)), cformat.Six(float64(d.GetMin())))
	atMost(e, &d.Max, most, "bigFloat", cformat.Six(float64(most)), cformat.Six(float64(d.GetMax())))
	if d.GetDisallowInf() && (math.IsInf(float64(least), 0) || math.IsInf(float64(most), 0)) {
		e.report("hasInf", cformat.Six(float64(least)), cformat.Six(float64(most)))
		d.DisallowInf = proto.Bool(false)
	}
	return false
}

// nanText describes the number of NaN values.
func (e *entry) nanText(labels []view.Label, asLabels bool) string {
	n := 0.
	for _, l := range labels {
		if f, ok := cformat.ParseFloat(l.Value); asLabels && ok && f != f {
			n += l.Count
		}
	}
	for _, h := range e.view.Stats.GetNumStats().GetHistograms() {
		n = max(n, float64(h.GetNumNan()))
	}
	return groupDigits(n) + " of " + groupDigits(e.view.Total()) + " values"
}

// hasNaN reports whether a value is NaN.
func (e *entry) hasNaN(labels []view.Label, asLabels bool) bool {
	if asLabels {
		for _, l := range labels {
			if f, ok := cformat.ParseFloat(l.Value); ok && f != f {
				return e.view.Kind() != pb.FeatureNameStatistics_BYTES
			}
		}
		return false
	}
	for _, h := range e.view.Stats.GetNumStats().GetHistograms() {
		if h.GetNumNan() > 0 {
			return e.view.Kind() == pb.FeatureNameStatistics_FLOAT
		}
	}
	return false
}
