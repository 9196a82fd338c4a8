// Package view looks at statistics the way validation does: as a tree of features,
// by weight where there are weights, with labels in byte order.
//
// A view keeps the statistics it was made of and does not change them.
package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// AllExamples is the name of the slice that has all examples.
const AllExamples = "All Examples"

// ErrSlices means that a list has several sets of statistics, or none, and none of
// them is of all examples.
var ErrSlices = errors.New("statistics of one data set or of the slice \"" + AllExamples + "\" are needed")

// Default returns the statistics of a list that stand for all of it: the only ones
// there are, or those of the slice of all examples.
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

// Empty reports whether statistics say nothing at all.
func Empty(d *metadatapb.DatasetFeatureStatistics) bool { return proto.Size(d) == 0 }

// A Dataset is statistics as a tree of features.
type Dataset struct {
	Stats    *metadatapb.DatasetFeatureStatistics
	ByWeight bool
	Bare     *Feature   // the first entry without statistics that weights were looked for in
	Features []*Feature // those with any statistics, in the order of the message
	byPath   map[string]*Feature
}

// A Feature is the statistics of one feature.
type Feature struct {
	Dataset  *Dataset
	Stats    *metadatapb.FeatureNameStatistics
	Path     Path
	Parent   *Feature
	Children []*Feature // sorted by path
	Hollow   []*Feature // children without statistics
	Hidden   bool       // its parent has no statistics
	common   *metadatapb.CommonStatistics
}

// New looks at statistics. They are taken by weight if there is one for all of them.
func New(stats *metadatapb.DatasetFeatureStatistics) (*Dataset, error) {
	d, err := NewBy(stats, false)
	if err != nil {
		return nil, err
	}
	d.ByWeight = d.weighted()
	return d, nil
}

// NewBy looks at statistics, by weight or not.
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

func (d *Dataset) add(stats *metadatapb.FeatureNameStatistics, path Path) (*Feature, error) {
	if len(path) == 0 {
		return nil, errors.New("statistics: a feature has an empty path")
	}
	f := &Feature{Dataset: d, Stats: stats, Path: path, common: common(stats)}
	key := path.String()
	if d.byPath[key] != nil {
		return nil, fmt.Errorf("statistics: there are two features %s", path)
	}
	d.byPath[key] = f
	return f, nil
}

func (d *Dataset) readPaths() error {
	d.Features = make([]*Feature, 0, len(d.Stats.GetFeatures()))
	for _, stats := range d.Stats.GetFeatures() {
		f, err := d.add(stats, Of(stats.GetPath()))
		if err != nil {
			return err
		}
		if !nothing(stats) {
			d.Features = append(d.Features, f)
		}
	}
	for _, stats := range d.Stats.GetFeatures() {
		f := d.ByPath(Of(stats.GetPath()))
		switch parent := d.ByPath(f.Path.Parent()); {
		case parent == nil:
		case nothing(stats):
			parent.Hollow = append(parent.Hollow, f)
		case nothing(parent.Stats):
			f.Hidden = true
		default:
			f.Parent = parent
			parent.Children = append(parent.Children, f)
		}
	}
	d.sort()
	return nil
}

// readNames makes paths of names: the name of a struct and a dot begins the names of
// its children.
func (d *Dataset) readNames() error {
	order := make([]*metadatapb.FeatureNameStatistics, 0, len(d.Stats.GetFeatures()))
	for _, stats := range d.Stats.GetFeatures() {
		if !nothing(stats) {
			order = append(order, stats)
		}
	}
	slices.SortStableFunc(order, func(a, b *metadatapb.FeatureNameStatistics) int { return strings.Compare(a.GetName(), b.GetName()) })
	of := map[*metadatapb.FeatureNameStatistics]*Feature{}
	var above []*Feature // the structs that the name lies in, outermost first
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
		f, err := d.add(stats, path)
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
		of[stats] = f
	}
	for _, stats := range d.Stats.GetFeatures() {
		if f := of[stats]; f != nil {
			d.Features = append(d.Features, f)
		}
	}
	d.sort()
	return nil
}

func (d *Dataset) sort() {
	for _, f := range d.Features {
		slices.SortFunc(f.Children, func(a, b *Feature) int { return a.Path.Compare(b.Path) })
	}
}

// nothing reports whether a feature has no statistics of any kind.
func nothing(f *metadatapb.FeatureNameStatistics) bool {
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

// NumExamples is the number of examples, or their weight.
func (d *Dataset) NumExamples() float64 {
	if d.ByWeight {
		return d.Stats.GetWeightedNumExamples()
	}
	return float64(d.Stats.GetNumExamples())
}

// weighted reports whether everything has a weight. Entries without common
// statistics, as sparse features have, do not count.
func (d *Dataset) weighted() bool {
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

func common(f *metadatapb.FeatureNameStatistics) *metadatapb.CommonStatistics {
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
