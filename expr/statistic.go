package expr

import (
	"maps"
	"slices"
)

// Data says which data set a statistic is about.
type Data uint8

const (
	Now     Data = iota // the data set that is checked
	Before              // the previous data set
	Serving             // the serving data (--serving)
)

var dataNames = [...]string{Now: "now", Before: "before", Serving: "serving"}

// String returns the keyword for the data set: now, before or serving.
func (d Data) String() string { return dataNames[d] }

// A Statistic is a use of a statistic in a rule, for example "max(fare) before": the maximum of fare in the data set before.
type Statistic struct {
	Name    string // one of StatisticNames; "" in has(x)
	Feature string // the name of the feature, if Named
	Named   bool   // the rule names a feature; false: the statistic is about the data set, or about each feature
	Data    Data   // data set of the statistic

	Number float64 // second argument, as in quantile(x, 0.5); else 0
	Text   string  // second argument, as in share(x, "Cash"); else ""

	Line, Column int // position in the file of rules, from 1

	signature
	second *node // the second argument
	at     int   // byte offset in the rule
}

// String returns the statistic in the syntax of rules.
func (s *Statistic) String() string {
	text := s.Name
	if s.Named {
		text += "(" + s.Feature
		if s.second != nil {
			text += ", " + s.second.String()
		}
		text += ")"
	}
	if s.Data != Now {
		text += " " + s.Data.String()
	}
	return text
}

// OfEachFeature reports whether the rule is about the statistic of each feature.
func (s *Statistic) OfEachFeature() bool { return !s.Named && !s.ofDataset }

// A signature says which arguments a statistic takes, and what its value is.
type signature struct {
	ofDataset bool   // the statistic is about the data set, not about a feature
	text      bool   // the value is a string, not a number
	distance  bool   // the value is a distance from another data set
	argument  string // the second argument in words; "": none
}

const (
	aFraction = "a number from 0 to 1"
	aLabel    = "a value as a string"
)

var signatures = map[string]signature{
	"num_examples": {ofDataset: true}, "slice": {ofDataset: true, text: true},
	"name": {text: true}, "type": {text: true},
	"num_non_missing": {}, "num_missing": {}, "num_empty": {},
	"min_num_values": {}, "max_num_values": {}, "avg_num_values": {}, "tot_num_values": {},
	"mean": {}, "std_dev": {}, "num_zeros": {}, "min": {}, "median": {}, "max": {}, "num_nan": {}, "num_inf": {}, "quantile": {argument: aFraction},
	"unique": {}, "avg_length": {}, "share": {argument: aLabel},
	"min_num_bytes": {}, "max_num_bytes": {}, "avg_num_bytes": {},
	"l_infinity": {distance: true}, "jensen_shannon": {distance: true}, "population_stability_index": {distance: true}, "kolmogorov_smirnov": {distance: true},
}

// StatisticNames returns the names of all statistics, in order.
func StatisticNames() []string { return slices.Sorted(maps.Keys(signatures)) }

// Statistics provides the statistics of a data set, and of the data sets that it is compared with.
type Statistics interface {
	// Value returns the value of a statistic, a number or a string. The error says why there is no value.
	Value(s *Statistic) (number float64, text string, err error)
	// Has returns nil if has(x) is true, else an error that says which data set lacks the feature.
	Has(s *Statistic) error
}
