package array_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/num"
)

func checkOneHot(t testing.TB, r *rand.Rand) {
	axes, levels := randomAxes(r, r.IntN(4))
	s := build(t, r, grow(r, axes, func() int64 { return int64(r.IntN(6) - 1) }), axes, levels)
	depth := r.IntN(5)
	axis := levels + 1 + r.IntN(len(axes)-levels+1) - 1
	if levels > 0 {
		axis = levels + 1 + r.IntN(len(axes)-levels)
	}
	got, err := array.OneHot[int64](s.tensor, depth, axis, 7, -1)
	if err != nil {
		t.Fatalf("%v, depth %d, axis %d: %v", s.tensor, depth, axis, err)
	}
	// The definition, position by position: a copy of the axes below for every position.
	var one func(tr tree, i int64) tree
	one = func(tr tree, i int64) tree {
		if !tr.list {
			if tr.value == i {
				return leaf(7)
			}
			return leaf(-1)
		}
		out, _ := tr.each(func(k tree) (tree, error) { return one(k, i), nil })
		return out
	}
	var hot func(tr tree, above int) tree
	hot = func(tr tree, above int) tree {
		out := list()
		if above > 0 {
			out, _ = tr.each(func(k tree) (tree, error) { return hot(k, above-1), nil })
			return out
		}
		for i := range depth {
			out.kids = append(out.kids, one(tr, int64(i)))
		}
		return out
	}
	same(t, got, hot(s.tree, axis), "%v, depth %d, axis %d", s.tensor, depth, axis)
}

func checkSequenceMask(t testing.TB, r *rand.Rand) {
	axes, levels := randomAxes(r, r.IntN(4))
	s := build(t, r, grow(r, axes, func() int64 { return int64(r.IntN(6) - 1) }), axes, levels)
	maxLen := r.IntN(6) - 1
	n := int64(maxLen)
	if maxLen < 0 {
		n = max(0, slices.Max(append(treeValues(s.tree), 0)))
	}
	got := must(array.SequenceMask(s.tensor, maxLen))(t)
	var mask func(tr tree) tree
	mask = func(tr tree) tree {
		if tr.list {
			out, _ := tr.each(func(k tree) (tree, error) { return mask(k), nil })
			return out
		}
		out := list()
		for j := range n {
			v := int64(0)
			if j < tr.value {
				v = 1
			}
			out.kids = append(out.kids, leaf(v))
		}
		return out
	}
	numbers := ragged.Map(got, func(k bool) int64 {
		if k {
			return 1
		}
		return 0
	})
	same(t, numbers, mask(s.tree), "%v up to %d", s.tensor, maxLen)
}

// naivePartition collects the items of every partition.
func naivePartition(t, p tree, into []tree) {
	if p.list {
		for i, k := range p.kids {
			naivePartition(t.kids[i], k, into)
		}
		return
	}
	into[p.value].kids = append(into[p.value].kids, t)
}

func checkPartition(t testing.TB, r *rand.Rand) {
	s := random(t, r, 0)
	rank, n := r.IntN(len(s.axes)+1), 1+r.IntN(4)
	p := build(t, r, growBelow(r, s.tree, rank, nil, func() int64 { return int64(r.IntN(n)) }), s.axes[:rank], randomLevels(r, s.axes[:rank]))
	want := make([]tree, n)
	for i := range want {
		want[i] = list()
	}
	naivePartition(s.tree, p.tree, want)
	got, err := array.StackDynamicPartitions(s.tensor, p.tensor, n)
	if err != nil {
		t.Fatalf("%v by %v: %v", s.tensor, p.tensor, err)
	}
	same(t, got, list(want...), "%v by %v", s.tensor, p.tensor)
	rows := must(array.DynamicPartition(s.tensor, p.tensor, n))(t)
	for i, row := range rows {
		same(t, row, want[i], "%v by %v, row %d", s.tensor, p.tensor, i)
	}
}

func checkFillEmptyRows(t testing.TB, r *rand.Rand) {
	axes := []axis{{size: r.IntN(5)}, axisOf(r, 1)}
	s := build(t, r, grow(r, axes, func() int64 { return 1 }), axes, 1)
	got, empty, err := array.FillEmptyRows(s.tensor, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := list()
	for i, row := range s.tree.kids {
		if empty[i] != (len(row.kids) == 0) {
			t.Fatalf("%v: row %d is empty: %v", s.tensor, i, empty[i])
		}
		if empty[i] {
			row = list(leaf(5))
		}
		want.kids = append(want.kids, row)
	}
	same(t, got, want, "%v", s.tensor)
}

func checkCross(t testing.TB, r *rand.Rand) {
	rows := r.IntN(4)
	var features []array.Feature
	var texts [][][]string
	for range 1 + r.IntN(3) {
		axes := []axis{{size: rows}, {ragged: r.IntN(2) == 0, size: r.IntN(3)}}
		s := build(t, r, grow(r, axes, func() int64 { return int64(r.IntN(200) - 100) }), axes, randomLevels(r, axes))
		prefix := ""
		if r.IntN(2) == 0 {
			prefix = "x"
			features = append(features, array.Strings(ragged.Map(s.tensor, func(v int64) string { return fmt.Sprint("x", v) })))
		} else {
			features = append(features, array.Ints(ragged.Map(s.tensor, func(v int64) int8 { return int8(v) })))
		}
		var text [][]string
		for _, row := range s.tree.kids {
			var words []string
			for _, v := range row.kids {
				words = append(words, fmt.Sprint(prefix, v.value))
			}
			text = append(text, words)
		}
		texts = append(texts, text)
	}
	want := make([][]string, rows)
	for row := range want {
		combinations := [][]string{nil}
		for _, text := range texts {
			var longer [][]string
			for _, c := range combinations {
				for _, word := range text[row] {
					longer = append(longer, append(slices.Clone(c), word))
				}
			}
			combinations = longer
		}
		for _, c := range combinations {
			want[row] = append(want[row], strings.Join(c, "_X_"))
		}
	}
	got := must(ragged.ToSlices[[][]string](must(array.Cross(features...))(t)))(t)
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	hashed := must(array.CrossHashed(&array.CrossHashOptions{Buckets: 10}, features...))(t)
	for row, words := range want {
		if n := hashed.Row(row).Len(); n != len(words) {
			t.Fatalf("row %d has %d hashes for %q", row, n, words)
		}
	}
}

// lastLists calls f for the lists of leaves of a tree.
func lastLists(t tree, f func([]int64) []int64) tree {
	if len(t.kids) > 0 && t.kids[0].list || !t.list {
		out, _ := t.each(func(k tree) (tree, error) { return lastLists(k, f), nil })
		return out
	}
	out := list()
	for _, v := range f(treeValues(t)) {
		out.kids = append(out.kids, leaf(v))
	}
	return out
}

// small makes a sample of values that repeat.
func small(t testing.TB, r *rand.Rand, axes []axis, levels int) sample {
	return build(t, r, grow(r, axes, func() int64 { return int64(r.IntN(5)) }), axes, levels)
}

func checkOrder(t testing.TB, r *rand.Rand) {
	axes, levels := randomAxes(r, 1+r.IntN(4))
	s, descending := small(t, r, axes, levels), r.IntN(2) == 0
	// Positions in order: a stable sort of pairs.
	order := func(values []int64) []int64 {
		at := make([]int64, len(values))
		for i := range at {
			at[i] = int64(i)
		}
		slices.SortFunc(at, func(i, j int64) int {
			c := cmp.Compare(values[i], values[j])
			if descending {
				c = -c
			}
			return cmp.Or(c, cmp.Compare(i, j))
		})
		return at
	}
	sorted := func(values []int64) []int64 {
		out := []int64{}
		for _, i := range order(values) {
			out = append(out, values[i])
		}
		return out
	}
	same(t, array.Sort(s.tensor, descending), lastLists(s.tree, sorted), "sort of %v", s.tensor)
	same(t, array.Argsort(s.tensor, descending), lastLists(s.tree, order), "argsort of %v", s.tensor)
	k := r.IntN(4)
	values, at, err := array.TopK(s.tensor, k)
	if (err == nil) != (levels > 0 && levels == len(axes)-1) {
		t.Fatalf("%d largest of %v: %v", k, s.tensor, err)
	}
	if err != nil {
		return
	}
	descending = true
	same(t, values, lastLists(s.tree, func(v []int64) []int64 { return sorted(v)[:min(k, len(v))] }), "%d largest of %v", k, s.tensor)
	same(t, at, lastLists(s.tree, func(v []int64) []int64 { return order(v)[:min(k, len(v))] }), "where the %d largest of %v are", k, s.tensor)
}

func checkUnique(t testing.TB, r *rand.Rand) {
	axes, _ := randomAxes(r, 2+r.IntN(2))
	long := []int64{}
	for range r.IntN(40) {
		long = append(long, int64(r.IntN(20)))
	}
	unique := func(values []int64) []int64 {
		out := []int64{}
		for _, v := range values {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		return out
	}
	s := small(t, r, axes, len(axes)-1)
	same(t, must(array.Unique(s.tensor))(t), lastLists(s.tree, unique), "unique of %v", s.tensor)
	x := must(ragged.FromSlices[int64]([][]int64{long, {}, long}))(t)
	same(t, must(array.Unique(x))(t), lastLists(treeOf(x), unique), "unique of %v", x)
}

func checkMapRows(t testing.TB, r *rand.Rand) {
	s := random(t, r, 2)
	twice := func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) {
		return ragged.Concat(0, row, row)
	}
	want, _ := s.tree.each(func(k tree) (tree, error) { return list(append(slices.Clone(k.kids), k.kids...)...), nil })
	got, err := array.MapRows(s.tensor, max(s.levels-1, 0), twice)
	if err != nil {
		t.Fatalf("%v: %v", s.tensor, err)
	}
	same(t, got, want, "rows of %v twice", s.tensor)
	sums := list()
	for _, row := range s.tree.kids {
		sum := int64(0)
		for _, v := range treeValues(row) {
			sum += v
		}
		sums.kids = append(sums.kids, list(leaf(sum), leaf(1)))
	}
	dense := must(array.MapRowsDense(s.tensor, func(row ragged.Tensor[int64]) (ragged.Tensor[int64], error) {
		sum := int64(0)
		for _, v := range row.Values() {
			sum += v
		}
		return ragged.Vector(sum, 1), nil
	}, []int{2}))(t)
	same(t, dense, sums, "sums of %v", s.tensor)
}

func checkRange(t testing.TB, r *rand.Rand) {
	n := r.IntN(4)
	column := func(low, high int64) (ragged.Tensor[int64], []int64) {
		rows := make([]int64, n)
		for i := range rows {
			for rows[i] = 0; rows[i] == 0; {
				rows[i] = low + r.Int64N(high-low)
			}
		}
		if n > 0 && r.IntN(3) == 0 {
			return ragged.Scalar(rows[0]), slices.Repeat(rows[:1], n)
		}
		return ragged.Vector(rows...), rows
	}
	starts, from := column(-20, 21)
	limits, to := column(-20, 21)
	deltas, by := column(-5, 6)
	if starts.Rank()+limits.Rank()+deltas.Rank() == 0 {
		n = 1
	}
	want := list()
	for i := range n {
		row := list()
		for v := from[i]; by[i] > 0 && v < to[i] || by[i] < 0 && v > to[i]; v += by[i] {
			row.kids = append(row.kids, leaf(v))
		}
		want.kids = append(want.kids, row)
	}
	same(t, must(array.Range(starts, limits, deltas))(t), want, "from %v to %v by %v", starts, limits, deltas)
}

// TestRangeEnds makes ranges at the limits of types, where a difference overflows.
func TestRangeEnds(t *testing.T) {
	for name, c := range map[string]struct {
		got  func() (string, error)
		want string
	}{
		"int8 up":       {func() (string, error) { return rangeText[int8](-128, 127, 100) }, "[-128 -28 72]"},
		"int8 down":     {func() (string, error) { return rangeText[int8](127, -128, -100) }, "[127 27 -73]"},
		"int8 one step": {func() (string, error) { return rangeText[int8](-128, 127, 127) }, "[-128 -1 126]"},
		"int8 least":    {func() (string, error) { return rangeText[int8](127, -128, -128) }, "[127 -1]"},
		"int64 whole":   {func() (string, error) { return rangeText[int64](math.MinInt64, math.MaxInt64, math.MaxInt64) }, "[-9223372036854775808 -1 9223372036854775806]"},
		"uint8":         {func() (string, error) { return rangeText[uint8](250, 255, 2) }, "[250 252 254]"},
		"uint64":        {func() (string, error) { return rangeText[uint64](math.MaxUint64-3, math.MaxUint64, 2) }, "[18446744073709551612 18446744073709551614]"},
		"float32":       {func() (string, error) { return rangeText[float32](0, 0.4, 0.1) }, "[0 0.1 0.2 0.3]"},
		"float64":       {func() (string, error) { return rangeText(0, 0.4, 0.1) }, "[0 0.1 0.2 0.30000000000000004]"},
		"infinite step": {func() (string, error) { return rangeText(0, 1, math.Inf(1)) }, "[]"},
		"never ends":    {func() (string, error) { return rangeText(0, math.Inf(1), 1) }, "error"},
		"too long":      {func() (string, error) { return rangeText(0, 1e300, 1) }, "error"},
		"too long, int": {func() (string, error) { return rangeText[int64](0, math.MaxInt64, 1) }, "error"},
		"NaN":           {func() (string, error) { return rangeText(math.NaN(), 1, 1) }, "error"},
		"NaN step":      {func() (string, error) { return rangeText(0, 1, math.NaN()) }, "error"},
		"no step":       {func() (string, error) { return rangeText(0, 1, math.Copysign(0, -1)) }, "error"},
		"uint8 down":    {func() (string, error) { return rangeText[uint8](3, 1, 255) }, "[]"},
		"other way":     {func() (string, error) { return rangeText[int32](3, 1, 1) }, "[]"},
	} {
		got, err := c.got()
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%s: got %s (%v), want %s", name, got, err, c.want)
		}
	}
}

func rangeText[T num.Number](start, limit, delta T) (string, error) {
	t, err := array.Range(ragged.Scalar(start), ragged.Scalar(limit), ragged.Scalar(delta))
	return fmt.Sprint(t.Values()), err
}

func checkSegments(t testing.TB, r *rand.Rand) {
	lengths := make([]int64, r.IntN(6))
	splits := []int64{0}
	for i := range lengths {
		lengths[i] = int64(r.IntN(3))
		splits = append(splits, splits[i]+lengths[i])
	}
	ids := must(ragged.FromRowSplits(splits))(t).AppendValueRowIDs(nil)
	if n := int64(len(ids)); n != splits[len(splits)-1] {
		t.Fatalf("%v gives %d ids", splits, n)
	}
	for i, id := range ids {
		if int64(i) < splits[id] || int64(i) >= splits[id+1] {
			t.Fatalf("%v gives %v", splits, ids)
		}
	}
	back := must(ragged.FromValueRowIDs(ids, int64(len(lengths))))(t).AppendSplits(nil)
	if !slices.Equal(back, splits) {
		t.Fatalf("%v and back is %v", splits, back)
	}
	for len(splits) > 1 && splits[len(splits)-1] == splits[len(splits)-2] {
		splits = splits[:len(splits)-1]
	}
	short := must(ragged.FromValueRowIDs(ids, int64(len(splits)-1)))(t).AppendSplits(nil)
	if !slices.Equal(short, splits) {
		t.Fatalf("%v and back without empty rows at the end is %v", splits, short)
	}
}
