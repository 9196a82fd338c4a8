package record_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/validate/record"
)

// places returns the paths of all values of nested lists by walking them.
func places(lists any) (all [][]int64) {
	switch lists := lists.(type) {
	case []any:
		for i, inner := range lists {
			for _, path := range places(inner) {
				all = append(all, append([]int64{int64(i)}, path...))
			}
		}
	case int64:
		return [][]int64{{}}
	}
	return all
}

// flatten returns the values of nested lists, and the lengths of the lists at each level except
// the outermost.
func flatten(lists []any, depth int) (values []int64, lengths [][]int64) {
	if depth == 1 {
		for _, v := range lists {
			values = append(values, v.(int64))
		}
		return values, nil
	}
	lengths = make([][]int64, depth-1)
	for _, inner := range lists {
		v, l := flatten(inner.([]any), depth-1)
		values = append(values, v...)
		lengths[0] = append(lengths[0], int64(len(inner.([]any))))
		for i := range l {
			lengths[i+1] = append(lengths[i+1], l[i]...)
		}
	}
	return values, lengths
}

// encoded returns lengths in an encoding of row partitions. Starts, limits and IDs cannot encode
// empty rows at the end; the lists of this test have no empty rows.
func encoded(encoding int, lengths []int64) (out []int64, of func(string) feature.Partition) {
	sum := int64(0)
	switch encoding {
	case 0:
		return lengths, func(key string) feature.Partition { return feature.RowLengths(key) }
	case 1:
		out = []int64{0}
		for _, n := range lengths {
			sum += n
			out = append(out, sum)
		}
		return out, func(key string) feature.Partition { return feature.RowSplits(key) }
	case 2:
		for _, n := range lengths {
			sum += n
			out = append(out, sum)
		}
		return out, func(key string) feature.Partition { return feature.RowLimits(key) }
	case 3:
		for _, n := range lengths {
			out = append(out, sum)
			sum += n
		}
		return out, func(key string) feature.Partition { return feature.RowStarts(key) }
	}
	for row, n := range lengths {
		for range n {
			out = append(out, int64(row))
		}
	}
	return out, func(key string) feature.Partition { return feature.ValueRowIDs(key) }
}

// TestRowPath compares row paths with those that walking nested lists gives.
func TestRowPath(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		depth, uniform := 1+r.IntN(4), int64(1+r.IntN(3))
		hasUniform := r.IntN(2) == 0
		var random func(depth int) []any
		random = func(depth int) (all []any) {
			n := 1 + r.IntN(3)
			if hasUniform && depth == 1 {
				n = int(uniform)
			}
			for range n {
				if depth == 1 {
					all = append(all, r.Int64N(10))
				} else {
					all = append(all, random(depth-1))
				}
			}
			return all
		}
		lists := random(depth + 1)
		values, lengths := flatten(lists, depth+1)
		bad := r.IntN(len(values))
		values[bad] = 99
		e := example.Example{"v": example.Int64s(values...)}
		ragged := feature.Ragged{DType: feature.Int64, ValueKey: "v"}
		for i, l := range lengths {
			if hasUniform && i == len(lengths)-1 {
				ragged.Partitions = append(ragged.Partitions, feature.UniformRowLength(uniform))
				continue
			}
			numbers, partition := encoded(r.IntN(5), l)
			key := string(rune('a' + i))
			e[key] = example.Int64s(numbers...)
			ragged.Partitions = append(ragged.Partitions, partition(key))
		}
		schema := `feature { name: "v" type: INT int_domain { max: 9 } } feature { name: "a" } feature { name: "b" } feature { name: "c" } feature { name: "d" }`
		c := checker(t, schema, &record.Options{Spec: feature.Spec{Features: feature.Features{"col": ragged}}})
		found := c.Check(encode(t, e))
		if want := places(any(lists))[bad]; len(found) != 1 || found[0].ValueIndex != bad || !slices.Equal(found[0].RowPath, want) {
			t.Fatalf("%v with partitions %v: %+v, wanted the path %v", e, ragged.Partitions, found, want)
		}
	}
}

// TestRowPathOfSteps checks that a value in a step has a path in the rows of that step, and
// that it has no path if the rows do not fit.
func TestRowPathOfSteps(t *testing.T) {
	spec := feature.Spec{Sequence: feature.Features{"col": feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: []feature.Partition{feature.RowLengths("n")}}}}
	schema := `feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "v" type: INT int_domain { max: 9 } } feature { name: "n" } } }`
	c := checker(t, schema, &record.Options{Message: example.TypeSequence, Spec: spec})
	check := func(lengths ...int64) []record.Finding {
		return c.Check(encode(t, example.Sequence{Lists: map[string][]example.Value{
			"v": {example.Int64s(1, 2), example.Int64s(1, 2, 3, 99)}, "n": {example.Int64s(2), example.Int64s(lengths...)}}}))
	}
	if found := check(2, 0, 2); len(found) != 1 || found[0].Step != 1 || !slices.Equal(found[0].RowPath, []int64{2, 1}) {
		t.Errorf("%+v, wanted value 3 of step 1, in row 2 at 1", found)
	}
	if found := check(2, 0, 7); len(found) != 2 || found[0].RowPath != nil {
		t.Errorf("%+v, wanted no path in rows that do not fit", found)
	}
}
