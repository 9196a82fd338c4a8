package rule

import (
	"fmt"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Unchecked are rules that were not checked in a slice, because the slice is not in a data set that they name.
type Unchecked struct {
	Slice string
	Data  string // "before" or "serving"
	Rules int
}

// CheckSlices does what Check does, and then the same in each slice of the statistics, in their order, as if the slice was the data set:
// before and serving are the slices with the same name. Rules without a statistic of a feature, such as
// num_examples > 1000, are not checked in slices unless they have the statistic "slice".
func (s *Set) CheckSlices(d Data) ([]Violation, []Unchecked, error) {
	whole, all, err := s.checkAll(d)
	if err != nil || len(d.Now.GetDatasets()) < 2 {
		return all, nil, err
	}
	var slices [numData]map[string]*pb.DatasetFeatureStatistics
	for i, list := range d.lists() {
		if slices[i], err = slicesOf(list); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", dataPhrase[i], err)
		}
	}
	var unchecked []Unchecked
	for _, stats := range d.Now.GetDatasets() {
		if stats == whole.data[now].Stats {
			continue
		}
		e := &env{slice: stats.GetName()}
		for i := range e.data {
			if slice := slices[i][e.slice]; slice != nil {
				if err := e.add(which(i), slice); err != nil {
					return nil, nil, fmt.Errorf("slice %q: %w", e.slice, err)
				}
			}
		}
		var lacks [numData]int
		for _, r := range s.rules {
			switch missing := r.lacks(e); {
			case !r.inSlices():
			case missing != now:
				lacks[missing]++
			default:
				all = r.check(e, all)
			}
		}
		for i, n := range lacks {
			if n > 0 {
				unchecked = append(unchecked, Unchecked{e.slice, dataNames[i], n})
			}
		}
	}
	return all, unchecked, nil
}

// slicesOf returns the slices of statistics by their names, without that of all examples.
func slicesOf(list *pb.DatasetFeatureStatisticsList) (map[string]*pb.DatasetFeatureStatistics, error) {
	of := map[string]*pb.DatasetFeatureStatistics{}
	if len(list.GetDatasets()) < 2 {
		return of, nil
	}
	for _, d := range list.GetDatasets() {
		if of[d.GetName()] != nil {
			return nil, fmt.Errorf("there are two slices %q", d.GetName())
		}
		of[d.GetName()] = d
	}
	delete(of, view.AllExamples)
	return of, nil
}

// inSlices reports whether a rule is checked in slices.
func (r *rule) inSlices() bool {
	for _, x := range r.refs {
		if x.ofFeature() || x.slice {
			return true
		}
	}
	return false
}

// lacks returns the first data set that a rule names and that is missing; now: there is none.
func (r *rule) lacks(e *env) which {
	for _, x := range r.refs {
		if e.data[x.data] == nil {
			return x.data
		}
	}
	return now
}
