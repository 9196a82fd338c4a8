package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
	"github.com/tfparse/tfparse/validate/stats"
)

// With more than manyFeatures, the script builds sections when the reader scrolls near them. With more
// than crowdFeatures, the browser also skips the layout of off-screen headings: 3,000 headings take a
// second.
const (
	manyFeatures  = 200
	crowdFeatures = 1000
)

// fillFeatures fills the slice from data. It omits features beyond limit and returns their number.
func (s *slice) fillFeatures(in *Input, data []*pb.DatasetFeatureStatistics, limit int) (left int, err error) {
	for i, d := range data {
		s.details = append(s.details, in.Sides[i].Details)
		var v *view.Dataset
		if d != nil {
			if v, err = view.New(d); err != nil {
				return 0, fmt.Errorf("report: the data set %q, slice %s: %w", in.Sides[i].Name, s.Name, err)
			}
		}
		s.data = append(s.data, v)
	}
	for i := 1; i < len(data) && data[0] != nil; i++ {
		if data[i] == nil {
			s.distances = append(s.distances, nil)
			continue
		}
		var opts drift.Options
		if in.Drift != nil {
			opts = *in.Drift
		}
		opts.Details = [2]*stats.Details{in.Sides[0].Details, in.Sides[i].Details}
		r, err := drift.Compare(listOf(data[0]), listOf(data[i]), &opts)
		if err != nil {
			return 0, fmt.Errorf("report: slice %s: %w", s.Name, err)
		}
		byPath := map[string]drift.Feature{}
		for _, f := range r.Features {
			byPath[view.Path(f.Path).String()] = f
		}
		s.distances = append(s.distances, byPath)
	}
	if !slices.ContainsFunc(s.distances, func(byPath map[string]drift.Feature) bool { return byPath != nil }) {
		s.distances = nil // no other side has this slice
	}
	paths := s.sortedPaths()
	if s.maxLabels = maxLabels; len(paths) > manyFeatures {
		s.maxLabels, s.Many, s.Crowd = fewLabels, true, len(paths) > crowdFeatures
	}
	declared := rules.NewSchema(in.Schema)
	for i, path := range paths[:min(limit, len(paths))] {
		s.addFeature(fmt.Sprintf("%sf%d", s.ID, i), path, declared)
	}
	s.linkChildren()
	s.countFindings()
	s.addFacts(len(paths))
	s.addCross()
	s.addTable()
	return max(0, len(paths)-limit), nil
}

func listOf(d *pb.DatasetFeatureStatistics) *pb.DatasetFeatureStatisticsList {
	return &pb.DatasetFeatureStatisticsList{Datasets: []*pb.DatasetFeatureStatistics{d}}
}

// sortedPaths returns the paths of the features of all sides, and of missing features with findings.
// Features with errors come first, then those with other findings. Within each group, features with more findings come
// first, then those with larger distances, then in the order of the data.
func (s *slice) sortedPaths() []view.Path {
	var all []view.Path
	seen := map[string]bool{}
	add := func(p view.Path) {
		if !seen[p.String()] {
			seen[p.String()] = true
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
		if s.findings[key].severityRank() > 0 {
			add(s.findings[key].path)
		}
	}
	slices.SortStableFunc(all, func(a, b view.Path) int {
		x, y := s.findings[a.String()], s.findings[b.String()]
		return cmp.Or(cmp.Compare(y.severityRank(), x.severityRank()), cmp.Compare(y.findingCount(), x.findingCount()), cmp.Compare(s.farthestOf(b), s.farthestOf(a)))
	})
	return all
}

// farthestOf returns the largest sortDistance of a feature from the first side to another side.
func (s *slice) farthestOf(p view.Path) (v float64) {
	for _, byPath := range s.distances {
		if f, ok := byPath[p.String()]; ok {
			v = max(v, sortDistance(f))
		}
	}
	return v
}

// addFacts fills the overview.
func (s *slice) addFacts(features int) {
	s.Facts = rows([]tableLine[*view.Dataset]{
		{name: "Examples", text: func(d *view.Dataset) string { return count(float64(d.Stats.GetNumExamples())) }},
		{name: "Weight", text: func(d *view.Dataset) string {
			if w := d.Stats.GetWeightedNumExamples(); w != 0 {
				return count(w)
			}
			return ""
		}},
		{name: "Features", text: func(d *view.Dataset) string { return count(float64(len(d.Features))) }},
		{name: "Types", text: s.countKinds},
		{name: "Values", text: func(d *view.Dataset) string {
			sum := 0.0
			for _, f := range d.Features {
				sum += float64(f.Common().GetTotNumValues())
			}
			return count(sum)
		}},
		{name: "Always present", text: func(d *view.Dataset) string {
			n := 0
			for _, f := range d.Features {
				if f.Stats.GetStats() != nil && f.Common().GetNumMissing() == 0 && f.Common().GetNumNonMissing() > 0 {
					n++
				}
			}
			return count(float64(n)) + " of " + count(float64(len(d.Features)))
		}},
	}, s.data, func(d *view.Dataset) bool { return d != nil })
	if s.Checked {
		f := row{Name: "With anomalies", Of: []cell{{Text: count(float64(s.Faulty)) + " of " + count(float64(features))}}}
		for range s.data[1:] {
			f.Of = append(f.Of, cell{Text: noValue})
		}
		s.Facts = append(s.Facts, f)
	}
}

// countKinds returns the number of features by type, as text.
func (s *slice) countKinds(d *view.Dataset) string {
	n := map[string]int{}
	for _, f := range d.Features {
		n[s.kindOf(f)]++
	}
	kinds := slices.Sorted(maps.Keys(n))
	for i, k := range kinds {
		kinds[i] = count(float64(n[k])) + " " + k
	}
	return strings.Join(kinds, ", ")
}

// addCross adds the cross statistics of features.
func (s *slice) addCross() {
	for i, d := range s.data {
		if d == nil {
			continue
		}
		for _, c := range d.Stats.GetCrossFeatures() {
			if len(s.Cross) == MaxFeatures {
				s.CrossLeft++
				continue
			}
			row := crossRow{Side: s.Sides[i], X: pathText(view.Of(c.GetPathX())), Y: pathText(view.Of(c.GetPathY())),
				Count: count(float64(c.GetCount())), Correlation: noValue, Covariance: noValue}
			if n := c.GetNumCrossStats(); n != nil {
				row.Correlation, row.Covariance = number(float64(n.GetCorrelation())), number(float64(n.GetCovariance()))
			}
			s.Cross = append(s.Cross, row)
		}
	}
}
