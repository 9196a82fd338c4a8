package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/validate/drift"
)

var measureNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity distance", drift.NormalizedDifference: "Normalized difference", drift.JensenShannon: "Jensen-Shannon divergence",
	drift.Presence: "Presence difference", drift.Emptiness: "Empty lists difference",
	drift.PopulationStability: "Population stability index", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov distance",
}

// shortNames are those of the measures where there is little space.
var shortNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity", drift.NormalizedDifference: "Normalized", drift.JensenShannon: "Jensen-Shannon", drift.Presence: "Presence", drift.Emptiness: "Emptiness",
	drift.PopulationStability: "PSI", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov",
}

// A largestDistance is the largest distance of a feature to one of the other data sets, as it stands beside
// the name.
type largestDistance struct {
	Chance      bool // no distance is above the noise
	Value, Name string
	Side        string // which of several others

	v float64
}

// farthest is a number to sort features by: infinite for one that cannot be compared, because
// only one data set has it, or as different types; or else the largest distance.
func farthest(f drift.Feature) float64 {
	if f.Note() != "" && !f.ByChance {
		return math.Inf(1)
	}
	return f.Largest().Value
}

// distances shows what was measured between the first data set and the others.
func (f *feature) distances(s *slice) {
	for i, of := range s.distances {
		compared, ok := of[f.path.String()]
		if !ok {
			continue
		}
		side := ""
		if len(s.distances) > 1 {
			side = letters[i+1]
		}
		if compared.Retyped {
			f.Notes = append(f.Notes, note{Text: "type changed from " + compared.Types[0] + " to " + compared.Types[1]})
		}
		if n := compared.OnlyValues; n != 0 {
			f.Notes = append(f.Notes, note{"values only in", s.Sides[(n-1)*(i+1)]})
		}
		for _, d := range compared.Distances {
			name := measureNames[d.Measure]
			if side != "" {
				name += ", A to " + side
			}
			f.Measured = append(f.Measured, distanceRow{Name: name, Value: number(d.Value), Label: mostly(d.Label), Noise: noise(d), Chance: d.ChanceText(compared.Samples), measure: d.Measure, v: d.Value})
		}
		if d := compared.Largest(); d.Measure != 0 {
			above := func(d drift.Distance) bool { return d.AboveNoise }
			chance := d.Noise > 0 && !slices.ContainsFunc(compared.Distances, above)
			f.Apart = append(f.Apart, largestDistance{chance, strconv.FormatFloat(d.Value, 'g', 3, 64), shortNames[d.Measure], side, d.Value})
		}
		f.farthest = max(f.farthest, farthest(compared))
	}
	slices.SortStableFunc(f.Apart, func(a, b largestDistance) int { return cmp.Compare(b.v, a.v) })
}

// noise says what two samples of one distribution can be apart.
func noise(d drift.Distance) string {
	switch {
	case d.Noise <= 0: // not known
		return ""
	case d.AboveNoise:
		return "above the noise, " + strconv.FormatFloat(d.Noise, 'g', 3, 64)
	}
	return "within the noise, " + strconv.FormatFloat(d.Noise, 'g', 3, 64)
}

// mostly names the label that differs most.
func mostly(label string) string {
	if label == "" {
		return ""
	}
	return "most: " + labelText(label)
}

func labelText(s string) string {
	if s == "" {
		return ""
	}
	return cut(s, valueRoom/2)
}
