package drift

import (
	"fmt"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Thresholds say which distances are too large. The zero value is 0 for all: any distance above the noise.
type Thresholds struct {
	// All is the threshold of all features and measures that have no other. It is not for the
	// population stability index, which has a scale of its own. +Inf: only notes fail.
	All float64

	// Measures are those of all features by one measure.
	Measures map[Measure]float64

	// Features are those of one feature by all measures, but the population stability index, and come before
	// Measures. Names are those of Options.Ignore.
	Features map[string]float64
}

// exceeded reports whether a distance of a feature is too large and above the noise, and what its threshold is.
func (t *Thresholds) exceeded(f *Feature, d Distance) (threshold float64, ok bool) {
	threshold, ok = t.Measures[d.Measure]
	if d.Measure == PopulationStability {
		return threshold, ok && d.Value > threshold && d.AboveNoise
	}
	if !ok {
		threshold = t.All
	}
	named(f.Path, func(name string) bool {
		v, ok := t.Features[name]
		if ok {
			threshold = v
		}
		return ok
	})
	return threshold, d.Value > threshold && d.AboveNoise
}

// compares reports whether a feature is to be compared.
func (o *Options) compares(path view.Path, only, ignored map[string]bool) bool {
	return (len(only) == 0 || named(path, func(name string) bool { return only[name] })) && !named(path, func(name string) bool { return ignored[name] })
}

// named calls yield with the names of a feature, and then with those of the structs that it is in, until it returns true.
func named(path view.Path, yield func(name string) bool) bool {
	for n := len(path); n > 0; n-- {
		if yield(path[:n].String()) || n == 1 && yield(path[0]) {
			return true
		}
	}
	return false
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Names returns the names that Options and Thresholds can give to the features of data sets, and to the structs
// that they are in. An error says which argument is not statistics of one data set.
func Names(lists ...*pb.DatasetFeatureStatisticsList) (map[string]bool, error) {
	all := map[string]bool{}
	for i, list := range lists {
		d, err := view.Default(list)
		var v *view.Dataset
		if err == nil {
			v, err = view.New(d)
		}
		if err != nil {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
		for _, f := range v.Features {
			named(f.Path, func(name string) bool { all[name] = true; return false })
		}
	}
	return all, nil
}
