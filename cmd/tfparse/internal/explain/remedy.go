package explain

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/nearest"
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

// Other returns a message if the record looks like another message type than that of the spec, and err may be a
// consequence: the record does not decode, or a feature is missing. Otherwise it returns "". It is a guess, since a
// record does not state its type.
func Other(err error, record []byte, spec example.MessageType) string {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok || !e.Whole && !errors.Is(e, feature.ErrMissing) {
		return ""
	}
	looks, ok := detect.Detect([][]byte{record})
	if !ok || looks == spec {
		return ""
	}
	return fmt.Sprintf("it looks like a record of type %s, and the spec is for type %s", looks, spec)
}

// AppendRecord parses a record into a batch. Its errors suggest another message type or a similar name, if there is one.
func AppendRecord(b *feature.Batch, rec []byte) error {
	err := b.Append(rec)
	if err == nil {
		return nil
	}
	if other := Other(err, rec, b.Parser().Message()); other != "" {
		return fmt.Errorf("%w (%s)", err, other)
	}
	return addSuggestion(err, rec, b.Parser().Message())
}

// addSuggestion adds the most similar name in the record to an error about a missing key.
func addSuggestion(err error, rec []byte, t example.MessageType) error {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok || e.Whole || e.Key == "" || e.Group == feature.InExamples {
		return err
	}
	var names []string
	if e.Group == feature.InSequence {
		lists, _ := example.CollectFeatureLists(nil, rec)
		for _, list := range lists {
			names = append(names, string(list.Name))
		}
	} else {
		entries, _ := t.Collect(nil, rec)
		for _, entry := range entries {
			names = append(names, string(entry.Name))
		}
	}
	if slices.Contains(names, e.Key) {
		return err
	}
	if question := nearest.Question(e.Key, names); question != "" {
		return fmt.Errorf("%w; the record has no feature %q%s", err, e.Key, question)
	}
	return err
}
