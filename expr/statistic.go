package expr

import (
	"maps"
	"slices"
)

// A Data says which data set a statistic is of.
type Data uint8

const (
	Now     Data = iota // the one that is checked
	Before              // the previous one
	Serving             // that of serving
)

var dataNames = [...]string{Now: "now", Before: "before", Serving: "serving"}

// String returns the word for it in an expression.
func (d Data) String() string { return dataNames[d] }

// A Statistic is a statistic that a rule names, such as max(fare) before.
type Statistic struct {
	Name    string // as in StatisticNames; "" in has(x), which asks whether there is a feature
	Feature string // "" unless Named
	Named   bool   // the rule names the feature; else the statistic is of the data set, or of each feature that has it
	Data    Data

	// The second argument, as in quantile(x, 0.5) and share(x, "Cash").
	Number float64
	Text   string

	Line, Column int // in the file of rules, from 1

	signature
	second *node // the second argument as the rule has it
	at     int   // byte in the rule
}

// String returns the statistic as a rule has it.
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

// OfEachFeature reports whether the statistic is of each feature that has it.
func (s *Statistic) OfEachFeature() bool { return !s.Named && !s.ofDataset }

// A signature says what a statistic takes and is.
type signature struct {
	ofDataset bool   // rather than of a feature
	text      bool   // rather than a number
	distance  bool   // from another data set
	argument  string // that it takes besides the feature, in words; "": nothing
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

// Statistics has the statistics of a data set, and of those that it is compared with, for the rules that name them.
type Statistics interface {
	// Value returns the number or the string that a statistic is. The error says why there is none.
	Value(s *Statistic) (number float64, text string, err error)
	// Has returns an error that says where the feature of a has(x) is not.
	Has(s *Statistic) error
}
