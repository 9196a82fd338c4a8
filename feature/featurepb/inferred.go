package featurepb

import (
	"math"
	"strconv"

	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// inferred adds the columns of features that no tensor of the group reads. Each has the name that
// tfx_bsl gives it, and is omitted if the group has a tensor of that name.
func (r *schemaReader) inferred() {
	used := map[string]string{} // features that are part of a sparse feature and get no column of their own
	for _, s := range r.schema.GetSparseFeature() {
		if !ignored(s.GetDeprecated(), s.GetLifecycleStage()) {
			r.inferSparse(s, used)
		}
	}
	for _, f := range r.schema.GetFeature() {
		c := column{name: f.GetName()}
		if r.columns[c] == f && used[c.name] == "" && !ignored(f.GetDeprecated(), f.GetLifecycleStage()) && !r.taken(c) {
			r.inferOne(c, f)
		}
	}
	if r.sequence == nil || ignored(r.sequence.GetDeprecated(), r.sequence.GetLifecycleStage()) {
		return
	}
	for _, f := range r.sequence.GetStructDomain().GetFeature() {
		c := column{list: true, name: f.GetName()}
		if r.columns[c] != f || r.taken(c) {
			continue
		}
		if d, ok := r.dtype("", c); ok {
			r.add(true, c.String(), c.String(), feature.Ragged{DType: d, ValueKey: c.name})
		}
	}
}

// ignored reports whether a feature is excluded by its lifecycle. It does not apply to features
// inside ##SEQUENCE## or features that a tensor reads.
func ignored(deprecated bool, stage pb.LifecycleStage) bool {
	switch stage {
	case pb.LifecycleStage_DEPRECATED, pb.LifecycleStage_DISABLED, pb.LifecycleStage_PLANNED,
		pb.LifecycleStage_ALPHA, pb.LifecycleStage_DEBUG_ONLY, pb.LifecycleStage_VALIDATION_DERIVED:
		return true
	}
	return deprecated
}

// taken reports whether the group reads a column or has a tensor of that name.
func (r *schemaReader) taken(c column) bool {
	return r.read[c.String()] || r.named[c.String()]
}

// inferOne adds the column of one feature.
func (r *schemaReader) inferOne(c column, f *pb.Feature) {
	what := "feature " + strconv.Quote(c.name)
	d, ok := r.dtype("", c)
	if !ok {
		return
	}
	shaped, _ := f.GetShapeType().(*pb.Feature_Shape)
	switch {
	case shaped != nil && f.GetPresence().GetMinFraction() != 1:
		r.addf("%s has a shape, but its presence.min_fraction is %g, want 1", what, f.GetPresence().GetMinFraction())
	case shaped != nil:
		if shape, ok := r.shape(what, shaped.Shape); ok {
			r.add(false, c.name, c.name, feature.FixedLen{DType: d, Shape: shape})
		}
	case r.schema.GetRepresentVariableLengthAsRagged():
		r.add(false, c.name, c.name, feature.Ragged{DType: d})
	default:
		r.add(false, c.name, c.name, feature.VarLen{DType: d})
	}
}

// inferSparse adds the column of a sparse feature.
func (r *schemaReader) inferSparse(s *pb.SparseFeature, used map[string]string) {
	name := s.GetName()
	what := "sparse feature " + strconv.Quote(name)
	if r.taken(column{name: name}) {
		for _, index := range s.GetIndexFeature() {
			used[index.GetName()] = what
		}
		used[s.GetValueFeature().GetName()] = what
		return
	}
	before := r.count
	use := func(role, key string) {
		switch other := used[key]; {
		case other != "":
			r.addf("%s: %s %q is already part of %s", what, role, key, other)
		case r.columns[column{name: key}] == nil:
			r.addf("%s: the schema has no feature %q for the %s", what, key, role)
		default:
			used[key] = what
		}
	}
	f := feature.Sparse{ValueKey: s.GetValueFeature().GetName(), Sorted: s.GetIsSorted()}
	for _, index := range s.GetIndexFeature() {
		key := index.GetName()
		use("index", key)
		f.IndexKeys = append(f.IndexKeys, key)
		if r.count > before {
			continue
		}
		c := column{name: key}
		r.integers(what, "index", c)
		domain := r.columns[c].GetIntDomain()
		switch {
		case domain == nil:
			r.addf("%s: unknown size: index %q has no int_domain", what, key)
		case domain.Min == nil || domain.Max == nil:
			r.addf("%s: unknown size: the int_domain of index %q has no min or no max", what, key)
		case domain.GetMin() != 0:
			r.addf("%s: index %q begins at %d, want 0", what, key, domain.GetMin())
		case domain.GetMax() == math.MaxInt64:
			r.addf("%s: index %q ends at %d: the size overflows int64", what, key, domain.GetMax())
		default:
			f.Size = append(f.Size, domain.GetMax()+1)
		}
	}
	use("value", f.ValueKey)
	if r.count > before {
		return
	}
	var ok bool
	if f.DType, ok = r.dtype(what, column{name: f.ValueKey}); ok {
		r.add(false, name, name, f)
	}
}
