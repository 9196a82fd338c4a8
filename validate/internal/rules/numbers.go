package rules

import (
	"math"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// labelRange is the least and the greatest of labels that are integers. If one is not,
// ok is false and that label is returned; without labels nothing is.
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

// ints checks the range of integers, which may be written as strings. It reports
// whether the domain must go.
func (e *entry) ints(d *pb.IntDomain) (drop bool) {
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
		e.bounds(d, r)
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
		e.bounds(d, r)
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

func (e *entry) bounds(d *pb.IntDomain, got view.Range) {
	atLeast(e, &d.Min, got.Min, "smallInt", got.Min, d.GetMin())
	atMost(e, &d.Max, got.Max, "bigInt", got.Max, d.GetMax())
}

// floats checks the range of floats, which may be written as strings, in single
// precision. It reports whether the domain must go.
func (e *entry) floats(d *pb.FloatDomain) (drop bool) {
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

// nanText is how many values are NaN, of how many.
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
	return counted(n) + " of " + counted(e.view.Total()) + " values"
}

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
