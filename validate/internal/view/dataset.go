// Package view presents statistics as validation needs them: as a tree of features, weighted if the statistics have
// weights, with labels in byte order.
//
// A view retains the statistics and does not change them.
package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// AllExamples is the name of the slice of all examples.
const AllExamples = "All Examples"

// ErrSlices means that a list has several data sets, or none, and no slice of all examples.
var ErrSlices = errors.New("statistics of one data set or of the slice \"" + AllExamples + "\" are needed")

// Default returns the data set that describes all examples of a list: the only one, or the slice AllExamples.
func Default(list *metadatapb.DatasetFeatureStatisticsList) (*metadatapb.DatasetFeatureStatistics, error) {
	if len(list.GetDatasets()) == 1 {
		return list.GetDatasets()[0], nil
	}
	for _, d := range list.GetDatasets() {
		if d.GetName() == AllExamples {
			return d, nil
		}
	}
	return nil, fmt.Errorf("%w, got %d data sets", ErrSlices, len(list.GetDatasets()))
}

// Empty reports whether d has no fields set.
func Empty(d *metadatapb.DatasetFeatureStatistics) bool { return proto.Size(d) == 0 }

// A Dataset is the statistics of a data set as a tree of features.
type Dataset struct {
	Stats    *metadatapb.DatasetFeatureStatistics // the message
	ByWeight bool                                 // methods return weights instead of counts
	Bare     *Feature                             // the first entry without common statistics that New searched for weights; nil: none
	Features []*Feature                           // the entries with statistics, in the order of the message
	byPath   map[string]*Feature                  // all entries, by Path.String
}

// A Feature is the statistics of one feature.
type Feature struct {
	Dataset  *Dataset                          // data set that contains the feature
	Stats    *metadatapb.FeatureNameStatistics // the message
	Path     Path                              // not empty; unique in the data set; may share memory with Stats
	Parent   *Feature                          // struct that contains the feature; nil: none, or a struct without statistics
	Children []*Feature                        // children with statistics, sorted by path
	Hollow   []*Feature                        // children without statistics
	Hidden   bool                              // the parent is an entry without statistics
	common   *metadatapb.CommonStatistics      // nil: none
}

// New returns a view of statistics, weighted if all features have weights.
func New(stats *metadatapb.DatasetFeatureStatistics) (*Dataset, error) {
	d, err := NewBy(stats, false)
	if err != nil {
		return nil, err
	}
	d.ByWeight = d.hasWeights()
	return d, nil
}

// NewBy returns a weighted or an unweighted view of statistics.
func NewBy(stats *metadatapb.DatasetFeatureStatistics, byWeight bool) (*Dataset, error) {
	d := &Dataset{Stats: stats, ByWeight: byWeight, byPath: make(map[string]*Feature, len(stats.GetFeatures()))}
	names, paths := 0, 0
	for _, f := range stats.GetFeatures() {
		if _, ok := f.GetFieldId().(*metadatapb.FeatureNameStatistics_Path); ok {
			paths++
		} else {
			names++
		}
	}
	switch {
	case paths > 0 && names > 0:
		return nil, fmt.Errorf("statistics: %d features have a path and %d a name, wanted one or the other", paths, names)
	case paths > 0:
		return d, d.readPaths()
	}
	return d, d.readNames()
}

// addFeature adds an entry to byPath. It returns an error if the path is empty or not unique.
func (d *Dataset) addFeature(stats *metadatapb.FeatureNameStatistics, path Path) (*Feature, error) {
	if len(path) == 0 {
		return nil, errors.New("statistics: a feature has an empty path")
	}
	f := &Feature{Dataset: d, Stats: stats, Path: path, common: commonStatistics(stats)}
	key := path.String()
	if d.byPath[key] != nil {
		return nil, fmt.Errorf("statistics: duplicate feature %s", path)
	}
	d.byPath[key] = f
	return f, nil
}

// readPaths reads features that have paths, and links parents with children.
func (d *Dataset) readPaths() error {
	d.Features = make([]*Feature, 0, len(d.Stats.GetFeatures()))
	for _, stats := range d.Stats.GetFeatures() {
		f, err := d.addFeature(stats, Of(stats.GetPath()))
		if err != nil {
			return err
		}
		if !isEmpty(stats) {
			d.Features = append(d.Features, f)
		}
	}
	for _, stats := range d.Stats.GetFeatures() {
		f := d.ByPath(Of(stats.GetPath()))
		switch parent := d.ByPath(f.Path.Parent()); {
		case parent == nil:
		case isEmpty(stats):
			parent.Hollow = append(parent.Hollow, f)
		case isEmpty(parent.Stats):
			f.Hidden = true
		default:
			f.Parent = parent
			parent.Children = append(parent.Children, f)
		}
	}
	d.sortChildren()
	return nil
}

// readNames reads features that have names instead of paths: the name of a child is the name of its struct, a dot and
// its own name.
func (d *Dataset) readNames() error {
	order := make([]*metadatapb.FeatureNameStatistics, 0, len(d.Stats.GetFeatures()))
	for _, stats := range d.Stats.GetFeatures() {
		if !isEmpty(stats) {
			order = append(order, stats)
		}
	}
	slices.SortStableFunc(order, func(a, b *metadatapb.FeatureNameStatistics) int { return strings.Compare(a.GetName(), b.GetName()) })
	features := map[*metadatapb.FeatureNameStatistics]*Feature{}
	var above []*Feature // the structs that contain the current name, outermost first
	for _, stats := range order {
		name := stats.GetName()
		for n := len(above); n > 0; n-- {
			if outer := above[n-1].Stats.GetName(); len(outer) < len(name) && strings.HasPrefix(name, outer) {
				break
			}
			above = above[:n-1]
		}
		path := Path{name}
		if n := len(above); n > 0 {
			path = above[n-1].Path.Child(name[len(above[n-1].Stats.GetName())+1:])
		}
		f, err := d.addFeature(stats, path)
		if err != nil {
			return err
		}
		if n := len(above); n > 0 {
			f.Parent = above[n-1]
			f.Parent.Children = append(f.Parent.Children, f)
		}
		if stats.GetType() == metadatapb.FeatureNameStatistics_STRUCT {
			above = append(above, f)
		}
		features[stats] = f
	}
	for _, stats := range d.Stats.GetFeatures() {
		if f := features[stats]; f != nil {
			d.Features = append(d.Features, f)
		}
	}
	d.sortChildren()
	return nil
}

// sortChildren sorts the children of all features.
func (d *Dataset) sortChildren() {
	for _, f := range d.Features {
		slices.SortFunc(f.Children, func(a, b *Feature) int { return a.Path.Compare(b.Path) })
	}
}

// isEmpty reports whether a feature has neither statistics nor custom statistics.
func isEmpty(f *metadatapb.FeatureNameStatistics) bool {
	return f.GetStats() == nil && len(f.GetCustomStats()) == 0
}

// ByPath returns the feature with a path, or nil.
func (d *Dataset) ByPath(p Path) *Feature {
	if d == nil {
		return nil
	}
	return d.byPath[p.String()]
}

// Roots returns the features without a parent, in the order of the message.
func (d *Dataset) Roots() []*Feature {
	var roots []*Feature
	for _, f := range d.Features {
		if f.Parent == nil {
			roots = append(roots, f)
		}
	}
	return roots
}

// NumExamples returns the number or the weight of the examples.
func (d *Dataset) NumExamples() float64 {
	if d.ByWeight {
		return d.Stats.GetWeightedNumExamples()
	}
	return float64(d.Stats.GetNumExamples())
}

// hasWeights reports whether all features have weighted statistics. It ignores entries without common statistics, such
// as those of sparse features, and sets Bare to the first such entry.
func (d *Dataset) hasWeights() bool {
	if d.Stats.GetWeightedNumExamples() == 0 {
		return false
	}
	for _, f := range d.Features {
		if f.Stats.GetStats() == nil {
			if d.Bare == nil {
				d.Bare = f
			}
			continue
		}
		c := f.common
		if c.GetWeightedCommonStats() == nil || len(c.GetPresenceAndValencyStats()) != len(c.GetWeightedPresenceAndValencyStats()) {
			return false
		}
	}
	return true
}

// commonStatistics returns the common statistics of a feature of any type, or nil.
func commonStatistics(f *metadatapb.FeatureNameStatistics) *metadatapb.CommonStatistics {
	switch s := f.GetStats().(type) {
	case *metadatapb.FeatureNameStatistics_NumStats:
		return s.NumStats.GetCommonStats()
	case *metadatapb.FeatureNameStatistics_StringStats:
		return s.StringStats.GetCommonStats()
	case *metadatapb.FeatureNameStatistics_BytesStats:
		return s.BytesStats.GetCommonStats()
	case *metadatapb.FeatureNameStatistics_StructStats:
		return s.StructStats.GetCommonStats()
	}
	return nil
}
