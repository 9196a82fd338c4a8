package explain

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// addExpectation sets Want, Got and Remedy.
func (f *Fault) addExpectation(spec feature.Feature, found *keyFinder) {
	key := strconv.Quote(f.Key)
	where := "under key " + key
	if f.Step >= 0 {
		what := "step"
		if f.Group == feature.InExamples {
			what = "example"
		}
		where = fmt.Sprintf("in %s %v %s", what, f.Step, where)
	}
	partition, isPartition := errors.AsType[*ragged.PartitionError](f.Err)
	switch {
	case isPartition:
		f.Want, f.Got = partition.Want, strconv.FormatInt(partition.Got, 10)
		f.Remedy = f.Want + " " + where
		if partition.Index >= 0 {
			f.Remedy = fmt.Sprintf("entry %d %s being %s", partition.Index, where, f.Want)
		}
	case errors.Is(f.Err, feature.ErrMissing):
		f.Want, f.Got = "a feature "+key, "none"
		f.Remedy = fmt.Sprintf("%s %s, or a default in the spec", valuesText(spec), where)
		if f.Group == feature.InSequence {
			f.Want = "a feature list " + key
			f.Remedy = f.Want + ", or allow_missing in the spec"
		}
		// If the values are in another group, allow_missing or a default would hide them.
		if other, ok := found.otherGroup(f.Group, f.Key); ok {
			f.Remedy = fmt.Sprintf("a spec of %s in group %v, where the record has it", key, other)
		}
	case errors.Is(f.Err, feature.ErrCount):
		f.Remedy = f.Want + " " + where
		if _, ok := spec.(feature.FixedLen); ok {
			f.Remedy = fmt.Sprintf("%s %s, or another shape in the spec", valuesText(spec), where)
		}
	case errors.Is(f.Err, example.ErrKind):
		f.Remedy = fmt.Sprintf("%s %s", f.Want, where)
		if f.Partition < 0 && f.Want == listName(feature.DTypeOf(spec)) && !isIndexKey(spec, f.Key) {
			f.Remedy += ", or dtype " + dtypeName(f.Got) + " in the spec"
		}
	case errors.Is(f.Err, feature.ErrSteps), errors.Is(f.Err, feature.ErrIndex):
		f.Remedy = f.Want + " " + where
	case errors.Is(f.Err, feature.ErrLimit):
		f.Remedy = f.Want
	}
}

// valuesText returns the number and the dtype of the values of a fixed shape.
func valuesText(spec feature.Feature) string {
	n := 1
	if f, ok := spec.(feature.FixedLen); ok {
		for _, d := range f.Shape {
			n *= d
		}
	}
	if n == 1 {
		return "1 value of type " + feature.DTypeOf(spec).String()
	}
	return fmt.Sprintf("%d values of type %s", n, feature.DTypeOf(spec))
}

// isIndexKey reports whether a key holds indices of a sparse feature.
func isIndexKey(spec feature.Feature, key string) bool {
	f, ok := spec.(feature.Sparse)
	return ok && key != f.ValueKey
}

// listName returns the name of the list for values of a dtype, as in errors.
func listName(d feature.DType) string {
	switch d {
	case feature.Int64:
		return example.Int64List.String()
	case feature.Float32:
		return example.FloatList.String()
	}
	return example.BytesList.String()
}

// dtypeName returns the dtype of the values in a list named by listName.
func dtypeName(list string) string {
	for _, d := range []feature.DType{feature.Int64, feature.Float32} {
		if listName(d) == list {
			return d.String()
		}
	}
	return feature.String.String()
}
