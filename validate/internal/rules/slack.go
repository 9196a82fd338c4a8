package rules

import (
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// fractionLess is a share less some slack, with six digits; nil if nothing is left. It is rounded down, so that
// the data that it is of pass.
func fractionLess(fraction, slack float64) *float64 {
	least := math.Floor((fraction-slack)*1e6) / 1e6
	if !(least > 0) {
		return nil
	}
	return proto.Float64(least)
}

// margins returns the range of numbers with a margin, a share of its width; of a single value, a share of that.
// The margin ends at 0 where all values are on one side of it: a fare, a count or a duration below 0 is a fault, however small.
func margins(n *pb.NumericStatistics, margin float64) (low, high float64, atZero bool) {
	least, most := n.GetMin(), n.GetMax()
	width := most - least
	if width == 0 {
		width = math.Abs(most)
	}
	low, high = least-margin*width, most+margin*width
	switch {
	case least >= 0 && low < 0:
		return 0, high, true
	case most <= 0 && high > 0:
		return low, 0, true
	}
	return low, high, false
}

// setRange gives the entry of numbers a domain that is their range with a margin, without NaN if there is none. It reports
// whether there are numbers to make it of.
func setRange(f *pb.Feature, v *view.Feature, margin float64) bool {
	n := v.Stats.GetNumStats()
	if n == nil || !(v.Total() > 0) || v.Type() != f.GetType() {
		return false
	}
	low, high, _ := margins(n, margin)
	switch f.GetType() {
	case pb.FeatureType_INT:
		d := &pb.IntDomain{}
		if low = math.Floor(low); low > -1<<63 {
			d.Min = proto.Int64(int64(low))
		}
		if high = math.Ceil(high); high < 1<<63 {
			d.Max = proto.Int64(int64(high))
		}
		f.DomainInfo = &pb.Feature_IntDomain{IntDomain: d}
		return d.Min != nil || d.Max != nil
	case pb.FeatureType_FLOAT:
		d := &pb.FloatDomain{}
		if least := outward(low, -1); !math.IsInf(float64(least), 0) && least == least {
			d.Min = &least
		}
		if most := outward(high, 1); !math.IsInf(float64(most), 0) && most == most {
			d.Max = &most
		}
		if d.Min == nil && d.Max == nil {
			return false
		}
		if hasHistogramsWithoutNaN(n) {
			d.DisallowNan = proto.Bool(true) // a NaN is in no range
		}
		f.DomainInfo = &pb.Feature_FloatDomain{FloatDomain: d}
		return true
	}
	return false
}

// hasHistogramsWithoutNaN reports whether statistics say that there is no NaN.
func hasHistogramsWithoutNaN(n *pb.NumericStatistics) bool {
	for _, h := range n.GetHistograms() {
		if h.GetNumNan() > 0 {
			return false
		}
	}
	return len(n.GetHistograms()) > 0
}

// outward is the nearest float32 that is not less than v, or not greater for a negative direction.
func outward(v, direction float64) float32 {
	f := float32(v)
	if (float64(f)-v)*direction < 0 {
		f = math.Nextafter32(f, float32(math.Inf(int(direction))))
	}
	return f
}

// rangeDomainText is a domain of numbers.
func rangeDomainText(f *pb.Feature) string {
	bound := func(given bool, text string) string {
		if !given {
			return "any"
		}
		return text
	}
	if d := f.GetIntDomain(); d != nil {
		return fmt.Sprintf("int_domain %s to %s", bound(d.Min != nil, fmt.Sprint(d.GetMin())), bound(d.Max != nil, fmt.Sprint(d.GetMax())))
	}
	d := f.GetFloatDomain()
	text := fmt.Sprintf("float_domain %s to %s", bound(d.Min != nil, cformat.Six(float64(d.GetMin()))), bound(d.Max != nil, cformat.Six(float64(d.GetMax()))))
	if d.GetDisallowNan() {
		text += ", no NaN"
	}
	return text
}

// rangeWhy says what a domain of numbers is made of.
func rangeWhy(v *view.Feature, margin float64) string {
	n := v.Stats.GetNumStats()
	least, most := cformat.Six(n.GetMin()), cformat.Six(n.GetMax())
	if v.Type() == pb.FeatureType_INT { // six digits of an ID do not say which
		least, most = strconv.FormatFloat(n.GetMin(), 'f', -1, 64), strconv.FormatFloat(n.GetMax(), 'f', -1, 64)
	}
	text := fmt.Sprintf("the values are %s to %s, and the margin is %s of that range", least, most, cformat.Six(margin))
	if n.GetMin() == n.GetMax() {
		text = fmt.Sprintf("the only value is %s, and the margin is %s of it", least, cformat.Six(margin))
	}
	if _, _, atZero := margins(n, margin); atZero {
		text += ", but not past 0"
	}
	return text
}
