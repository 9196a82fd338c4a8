package rules

import (
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/cformat"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// checkEnvironment checks that a feature with values belongs to the environment, and adds the environment to the entry if not.
func (e *entry) checkEnvironment() {
	f, env := e.feature, e.Environment
	if e.schema.InEnvironment(f, env) {
		return
	}
	f.NotInEnvironment = slices.DeleteFunc(f.NotInEnvironment, func(s string) bool { return s == env })
	if !e.schema.InEnvironment(f, env) {
		f.InEnvironment = append(f.InEnvironment, env)
	}
	e.report("notInEnvironment", e.view.Path, env, presentIn(e.view))
}

// checkValueCounts checks the number of values at every level of nesting.
func (e *entry) checkValueCounts() {
	counts := e.view.Counts()
	switch s := e.feature.ShapeType.(type) {
	case *pb.Feature_ValueCount:
		if len(counts) > 1 {
			e.report("oneCountForLevels", len(counts))
			e.feature.ShapeType = nil
			setCounts(e.feature, e.view)
			return
		}
		e.checkValueCount(s.ValueCount, 0, "fewValues", "manyValues")
	case *pb.Feature_ValueCounts:
		want := s.ValueCounts.GetValueCount()
		if len(want) != len(counts) {
			e.report("otherLevels", len(counts), len(want))
			e.feature.ShapeType = nil
			setCounts(e.feature, e.view)
			return
		}
		for i, v := range want {
			e.checkValueCount(v, i, "fewValuesAt", "manyValuesAt", i)
		}
	}
}

// checkValueCount checks the number of values at the level at. few and many are names of texts, level has arguments for them.
func (e *entry) checkValueCount(want *pb.ValueCount, at int, few, many string, level ...any) {
	got := e.view.Counts()[at]
	level = append(level, e.countsText(at))
	if atLeast(e, &want.Min, got.Min, few, append([]any{got.Min, want.GetMin()}, level...)...) && got.Min == 0 {
		want.Min = nil
	}
	atMost(e, &want.Max, got.Max, many, append([]any{got.Max, want.GetMax()}, level...)...)
}

// setCounts sets the constraints of the number of values from the statistics: the exact number if it is constant,
// otherwise a minimum of 1 if no list is empty.
func setCounts(f *pb.Feature, v *view.Feature) {
	var all []*pb.ValueCount
	for _, r := range v.Counts() {
		c := &pb.ValueCount{}
		switch {
		case r.Min > 0 && r.Min == r.Max:
			c.Min, c.Max = proto.Int64(r.Min), proto.Int64(r.Max)
		case r.Min > 0:
			c.Min = proto.Int64(1)
		}
		all = append(all, c)
	}
	switch {
	case v.Nested():
		f.ShapeType = &pb.Feature_ValueCounts{ValueCounts: &pb.ValueCountList{ValueCount: all}}
	case len(all) == 1 && all[0].Min != nil:
		f.ShapeType = &pb.Feature_ValueCount{ValueCount: all[0]}
	}
}

// setShape gives a feature a shape if all examples have it with the same number of values. Otherwise it returns why
// not.
func setShape(f *pb.Feature, v *view.Feature) (why string) {
	if v.Type() == pb.FeatureType_STRUCT {
		return "structs have none"
	}
	shape := &pb.FixedShape{}
	missing := v.MissingAt()
	for i, r := range v.Counts() {
		switch {
		case i < len(missing) && missing[i] != 0:
			return "it may be missing"
		case r.Min != r.Max:
			return "the number of values varies"
		case r.Min <= 0:
			return "there are no values"
		}
		shape.Dim = append(shape.Dim, &pb.FixedShape_Dim{Size: proto.Int64(r.Min)})
	}
	f.ShapeType = &pb.Feature_Shape{Shape: shape}
	return ""
}

// checkShape checks that a feature with a shape is never missing, and has as many values as the shape.
func (e *entry) checkShape() {
	s, ok := e.feature.ShapeType.(*pb.Feature_Shape)
	if !ok {
		return
	}
	want := int64(1)
	for _, d := range s.Shape.GetDim() {
		want = saturatingMul(want, d.GetSize())
	}
	got, varies := int64(1), false
	for _, r := range e.view.Counts() {
		if r.Min != r.Max || r.Min == 0 {
			varies = true
		}
		got = saturatingMul(got, r.Min)
	}
	for _, n := range e.view.MissingAt() {
		varies = varies || n != 0
	}
	switch {
	case varies:
		var counts []string
		for i := range e.view.Counts() {
			counts = append(counts, e.countsText(i))
		}
		e.report("shapeVaries", want, missingIn(e.view), strings.Join(counts, "; "))
	case got != want:
		e.report("shapeDiffers", got, want)
	default:
		return
	}
	e.feature.ShapeType = nil
}

// checkEmbedding checks that the number of values is the dimension of the embedding. TensorFlow Data Validation does not
// check it.
func (e *entry) checkEmbedding() {
	d := e.feature.GetFloatDomain()
	dim := d.GetEmbeddingDim()
	counts := e.view.Counts()
	if e.Compat || !d.GetIsEmbedding() || dim <= 0 {
		return
	}
	if last := counts[len(counts)-1]; last.Min != dim || last.Max != dim {
		e.report("otherDimension", dim, e.countsText(len(counts)-1))
		d.EmbeddingDim = nil
	}
}

// saturatingMul multiplies two non-negative numbers. The result is at most MaxInt64.
func saturatingMul(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// checkPresence checks in how many examples a feature is present.
func (e *entry) checkPresence() {
	if n := e.view.Missing(); n != 0 && !e.Compat && requiredInGroup(e.feature) {
		e.feature.GetGroupPresence().Required = proto.Bool(false)
		e.report("notEverywhere", cformat.Six(n), missingIn(e.view))
	}
	p := e.feature.GetPresence()
	if p == nil {
		return
	}
	if n := e.view.Present(); p.MinCount != nil && n < float64(p.GetMinCount()) {
		got := cformat.Int64(n)
		e.report("fewPresent", p.GetMinCount(), got)
		p.MinCount = &got
	}
	if p.MinFraction == nil {
		return
	}
	total := e.view.Dataset.NumExamples()
	switch parent := e.view.Parent; {
	case e.Compat:
	case parent != nil:
		total = parent.Total() // native: relative to the values of the struct
	default:
		total = e.view.Present() + e.view.Missing() // native: relative to the slice, if the feature is in one
	}
	if got, ok := e.view.FractionPresent(total); ok && got < p.GetMinFraction() {
		e.report("lowFraction", cformat.Fixed(float64(float32(p.GetMinFraction()))), cformat.Fixed(got),
			missingIn(e.view), cformat.Six(got), cformat.Six(p.GetMinFraction()), percent(1-got), shareLimit(1-p.GetMinFraction()))
		p.MinFraction = &got
	} else if !ok {
		return
	}
	if n := e.view.Missing(); p.GetMinFraction() == 1 && n != 0 {
		p.MinFraction = proto.Float64(0.9999)
		e.report("notEverywhere", cformat.Six(n), missingIn(e.view))
	}
}

// checkUnique checks the number of distinct values.
func (e *entry) checkUnique() {
	u := e.feature.UniqueConstraints
	if u == nil {
		return
	}
	unique, ok := e.view.Unique()
	if !ok {
		e.report("noUnique")
		e.feature.UniqueConstraints = nil
		return
	}
	n := int64(min(unique, math.MaxInt64))
	atLeast(e, &u.Min, n, "lowUnique", u.GetMin(), n)
	// Native: a missing maximum allows all numbers. TensorFlow Data Validation takes a missing maximum as 0.
	if n > u.GetMax() && (e.Compat || u.Max != nil) {
		e.report("highUnique", u.GetMax(), n)
		u.Max = &n
	}
}
