package drift

import (
	"fmt"
	"slices"
)

// A Measure is a way to say how far apart two distributions are.
type Measure uint8

// The measures.
const (
	LInfinity Measure = iota + 1
	NormalizedDifference
	JensenShannon
	Presence
	Emptiness
	PopulationStability
	KolmogorovSmirnov
)

var measures = [...]string{
	LInfinity: "l_infinity", NormalizedDifference: "normalized_difference", JensenShannon: "jensen_shannon", Presence: "presence_difference",
	Emptiness: "empty_difference", PopulationStability: "population_stability_index", KolmogorovSmirnov: "kolmogorov_smirnov",
}

// String returns the name of the measure.
func (m Measure) String() string {
	if m == 0 || int(m) >= len(measures) {
		return fmt.Sprintf("Measure(%d)", uint8(m))
	}
	return measures[m]
}

// MarshalText is String; it fails for what is no measure.
func (m Measure) MarshalText() ([]byte, error) {
	if m == 0 || int(m) >= len(measures) {
		return nil, fmt.Errorf("drift: there is no %v", m)
	}
	return []byte(measures[m]), nil
}

// UnmarshalText reads the name of a measure.
func (m *Measure) UnmarshalText(b []byte) error {
	i := slices.Index(measures[1:], string(b))
	if i < 0 {
		return fmt.Errorf("drift: there is no measure %q, wanted one of %q", b, measures[1:])
	}
	*m = Measure(i + 1)
	return nil
}
