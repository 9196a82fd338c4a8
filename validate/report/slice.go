package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// manyFeatures is from where on the page must be sparing.
const manyFeatures = 200

// fill makes the content of a slice. It leaves out features beyond limit, and says how
// many.
func (s *slice) fill(in *Input, data []*pb.DatasetFeatureStatistics, limit int) (left int, err error) {
	for i, d := range data {
		var v *view.Dataset
		if d != nil {
			if v, err = view.New(d); err != nil {
				return 0, fmt.Errorf("report: the data set %q, slice %s: %w", in.Sides[i].Name, s.Name, err)
			}
		}
		s.data = append(s.data, v)
	}
	if len(data) == 2 && data[0] != nil && data[1] != nil {
		r, err := drift.Compare(listOf(data[0]), listOf(data[1]), in.Drift)
		if err != nil {
			return 0, fmt.Errorf("report: slice %s: %w", s.Name, err)
		}
		s.distances = map[string]drift.Feature{}
		for _, f := range r.Features {
			s.distances[view.Path(f.Path).Key()] = f
		}
	}
	paths := s.paths()
	if s.most = maxLabels; len(paths) > manyFeatures {
		s.most, s.Many = fewLabels, true
	}
	declared := newDeclarations(in.Schema)
	for i, path := range paths[:min(limit, len(paths))] {
		s.add(fmt.Sprintf("%sf%d", s.ID, i), path, declared)
	}
	s.link()
	s.facts(len(paths))
	s.cross()
	s.columns()
	return max(0, len(paths)-limit), nil
}

func listOf(d *pb.DatasetFeatureStatistics) *pb.DatasetFeatureStatisticsList {
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{d}}
}

// paths are those of the features of both sides, in the order of the first, and of
// features that are missing.
func (s *slice) paths() []view.Path {
	var all []view.Path
	seen := map[string]bool{}
	add := func(p view.Path) {
		if !seen[p.Key()] {
			seen[p.Key()] = true
			all = append(all, p)
		}
	}
	for _, d := range s.data {
		if d != nil {
			for _, f := range d.Features {
				add(f.Path)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.findings)) {
		if len(s.findings[key].findings) > 0 {
			add(s.findings[key].path)
		}
	}
	return all
}

// facts are the overview.
func (s *slice) facts(features int) {
	line := func(name string, of func(d *view.Dataset) string) {
		f := fact{Name: name}
		for _, d := range s.data {
			text := none
			if d != nil {
				text = of(d)
			}
			f.Of = append(f.Of, text)
		}
		if slices.ContainsFunc(f.Of, func(t string) bool { return t != none && t != "" }) {
			s.Facts = append(s.Facts, f)
		}
	}
	line("Examples", func(d *view.Dataset) string { return count(float64(d.Stats.GetNumExamples())) })
	line("Weight", func(d *view.Dataset) string {
		if w := d.Stats.GetWeightedNumExamples(); w != 0 {
			return count(w)
		}
		return none
	})
	line("Features", func(d *view.Dataset) string { return count(float64(len(d.Features))) })
	line("Types", func(d *view.Dataset) string {
		var kinds []string
		n := map[string]int{}
		for _, f := range d.Features {
			k := kindOf(f)
			if n[k]++; n[k] == 1 {
				kinds = append(kinds, k)
			}
		}
		slices.Sort(kinds)
		for i, k := range kinds {
			kinds[i] = count(float64(n[k])) + " " + k
		}
		return strings.Join(kinds, ", ")
	})
	line("Values", func(d *view.Dataset) string {
		sum := 0.0
		for _, f := range d.Features {
			sum += float64(f.Common().GetTotNumValues())
		}
		return count(sum)
	})
	line("Always present", func(d *view.Dataset) string {
		n := 0
		for _, f := range d.Features {
			if f.Stats.GetStats() != nil && f.Common().GetNumMissing() == 0 && f.Common().GetNumNonMissing() > 0 {
				n++
			}
		}
		return count(float64(n)) + " of " + count(float64(len(d.Features)))
	})
	if s.Checked {
		f := fact{Name: "With anomalies", Of: []string{count(float64(s.Faulty)) + " of " + count(float64(features))}}
		for range s.data[1:] {
			f.Of = append(f.Of, none)
		}
		s.Facts = append(s.Facts, f)
	}
}

// cross shows what is known of pairs of features.
func (s *slice) cross() {
	for i, d := range s.data {
		if d == nil {
			continue
		}
		for _, c := range d.Stats.GetCrossFeatures() {
			if len(s.Cross) == MaxFeatures {
				s.CrossLeft++
				continue
			}
			row := cross{Side: s.Sides[i], X: pathText(view.Of(c.GetPathX())), Y: pathText(view.Of(c.GetPathY())),
				Count: count(float64(c.GetCount())), Correlation: none, Covariance: none}
			if n := c.GetNumCrossStats(); n != nil {
				row.Correlation, row.Covariance = number(float64(n.GetCorrelation())), number(float64(n.GetCovariance()))
			}
			s.Cross = append(s.Cross, row)
		}
	}
}
