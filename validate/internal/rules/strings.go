package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// strings checks that labels are in a domain, and adds those that are not. It reports
// whether the domain must go.
func (e *entry) strings(d *pb.StringDomain) (drop bool) {
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
		e.report("unknownValues", listed(unknown, total), counted(n), counted(total))
		for _, l := range unknown {
			d.Value = append(d.Value, l.Value)
		}
	}
	if !e.Compat && off == 0 && !e.view.Dataset.ByWeight { // labels of little weight are left out there
		e.hidden(len(known), len(labels), len(unknown))
	}
	return false
}

// estimated is from how many different values on they may be an estimate.
const estimated = 1 << 14

// hidden finds values outside a domain that the histogram does not show: there are
// more different values than the domain and the histogram have. TensorFlow Data
// Validation does not see them.
func (e *entry) hidden(domain, labels, unknown int) {
	unique, _ := e.view.Unique()
	sure := unique
	if sure >= estimated {
		sure -= sure * 3 / 100
	}
	if unseen := domain - (labels - unknown); sure > uint64(labels+unseen) {
		e.report("hiddenValues", unique, labels, sure-uint64(labels+unseen))
	}
}

// listed lists labels with the share that each has.
func listed(labels []view.Label, total float64) string {
	var b strings.Builder
	for i, l := range labels {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s)", cformat.Escape(l.Value), share(float64(cformat.Int64(l.Count)), total))
	}
	return b.String()
}

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

// bools checks that values are one of two. Only the first fault is reported.
func (e *entry) bools(d *pb.BoolDomain) {
	least, most := e.view.Stats.GetNumStats().GetMin(), e.view.Stats.GetNumStats().GetMax()
	switch e.view.Kind() {
	case pb.FeatureNameStatistics_INT:
		if !e.Compat {
			// Native: statistics made with the schema have labels and no numbers.
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
		if t, arg := e.notBools(least, most); t != "" {
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

// notBools looks for floats other than 0 and 1.
func (e *entry) notBools(least, most float64) (text, value string) {
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
