package feature_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// TestLimits tests every limit with a value at the limit and one above it.
func TestLimits(t *testing.T) {
	testkit.OneGoroutine(t)
	ids := func(last int64) []byte {
		return marshal(t, example.Example{"v": example.Int64s(1), "p": example.Int64s(last)})
	}
	byIDs := feature.Features{"r": feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: []feature.Partition{feature.ValueRowIDs("p")}}}
	steps := func(last ...int64) []byte {
		lists := map[string][]example.Value{}
		for _, id := range last {
			lists["v"] = append(lists["v"], example.Int64s(1))
			lists["p"] = append(lists["p"], example.Int64s(id))
		}
		return marshal(t, example.Sequence{Lists: lists})
	}
	manyExamples := func(n int) []byte { return marshal(t, example.ExampleList{Examples: make([]example.Example, n)}) }
	manySteps := func(n int) []byte {
		return marshal(t, example.Sequence{Lists: map[string][]example.Value{"a": slices.Repeat([]example.Value{example.Int64s(1)}, n)}})
	}
	blocks := feature.Features{"a": feature.FixedLenSequence{DType: feature.Int64, Shape: []int{2}, AllowMissing: true}}
	values := func(n int) []byte { return marshal(t, example.Example{"a": example.Int64s(make([]int64, n)...)}) }
	for _, c := range []struct {
		what string
		spec feature.Spec
		opts *feature.ParserOptions
		good [][]byte // all fit into one batch
		bad  []byte   // does not fit after those
		want string
	}{
		{"rows, default", feature.Spec{Features: byIDs}, nil, [][]byte{ids(1<<20 - 1)}, ids(1 << 20),
			`feature "r" (key "p"): partition 0: limit exceeded: want at most 1048576 rows declared by one record, got more (byte 9)`},
		{"rows, far beyond", feature.Spec{Features: byIDs}, nil, nil, ids(math.MaxInt64),
			`feature "r" (key "p"): partition 0: limit exceeded: want at most 1048576 rows declared by one record, got more (byte 9)`},
		{"rows, set", feature.Spec{Features: byIDs}, &feature.ParserOptions{MaxRows: 3}, [][]byte{ids(2), ids(2), ids(0)}, ids(3),
			`feature "r" (key "p"): partition 0: limit exceeded: want at most 3 rows declared by one record, got more (byte 9)`},
		{"rows of all steps", feature.Spec{Sequence: byIDs}, &feature.ParserOptions{MaxRows: 4}, [][]byte{steps(1, 1), steps(3), steps(0, 0, 1)}, steps(1, 1, 0),
			`sequence feature "r" (key "p"): step 2: partition 0: limit exceeded: want at most 4 rows declared by one record, got more (byte 25)`},
		{"examples", feature.Spec{Examples: feature.Features{"a": feature.VarLen{DType: feature.Int64}}}, &feature.ParserOptions{MaxSteps: 3}, [][]byte{manyExamples(3), manyExamples(3)}, manyExamples(4),
			`limit exceeded: want at most 3 examples, got more`},
		{"steps", feature.Spec{Sequence: feature.Features{"a": feature.VarLen{DType: feature.Int64}}}, &feature.ParserOptions{MaxSteps: 3}, [][]byte{manySteps(3), manySteps(3)}, manySteps(4),
			`sequence feature "a": limit exceeded: want at most 3 steps, got more (byte 9)`},
		{"padding", feature.Spec{Features: blocks}, &feature.ParserOptions{MaxPadded: 12}, [][]byte{values(4), values(2), values(4)}, values(0),
			`feature "a": limit exceeded: want at most 12 values with padding, got 4 rows of 2 blocks of 2 (byte 9)`},
		{"padding by one long record", feature.Spec{Features: blocks}, &feature.ParserOptions{MaxPadded: 12}, [][]byte{values(2), values(2)}, values(6),
			`feature "a": limit exceeded: want at most 12 values with padding, got 3 rows of 3 blocks of 2 (byte 9)`},
		{"padding of examples", feature.Spec{Examples: blocks}, &feature.ParserOptions{MaxPadded: 12},
			[][]byte{marshal(t, example.ExampleList{Examples: []example.Example{{"a": example.Int64s(1, 2, 3, 4)}, {}}})}, marshal(t, example.ExampleList{Examples: make([]example.Example, 2)}),
			`examples feature "a": limit exceeded: want at most 12 values with padding, got 4 rows of 2 blocks of 2`},
	} {
		p := must(feature.NewParser(c.spec, c.opts))
		b := p.NewBatch()
		for i, r := range c.good {
			if err := b.Append(r); err != nil {
				t.Errorf("%s: record %d: %v", c.what, i, err)
			}
		}
		err := b.Append(c.bad)
		if !errors.Is(err, feature.ErrLimit) || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.what, err, c.want)
		}
		if b.Len() != len(c.good) {
			t.Errorf("%s: %d rows, want %d", c.what, b.Len(), len(c.good))
		}
		for _, col := range b.Columns().All() { // every column of a batch can be read in every form
			columnRows(col)
			feature.TensorOf[int64](col)
		}
		if len(c.good) > 0 {
			if err := b.Append(c.good[0]); err != nil && !errors.Is(err, feature.ErrLimit) {
				t.Errorf("%s: after the record that failed: %v", c.what, err)
			}
		}
	}
	if _, err := feature.NewParser(feature.Spec{Features: byIDs}, &feature.ParserOptions{MaxRows: -1}); err == nil {
		t.Error("a negative limit is accepted")
	}
}

// TestSize compares the result of Size with the content of the columns.
func TestSize(t *testing.T) {
	p := parser(t, feature.Spec{Features: feature.Features{
		"i": feature.VarLen{DType: feature.Int64},
		"f": feature.FixedLen{DType: feature.Float32, Shape: []int{3}, Default: example.Floats(1, 2, 3)},
		"s": feature.VarLen{DType: feature.String},
		"r": feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: []feature.Partition{feature.ValueRowIDs("p")}},
		"x": feature.Sparse{DType: feature.Int64, IndexKeys: []string{"ix"}, ValueKey: "ix", Size: []int64{9}},
	}})
	b := p.NewBatch()
	empty := b.Size()
	if empty > 8*5 { // one split for each level
		t.Errorf("no rows take %d bytes", empty)
	}
	const splits, text = 8 * 5, 2 * strconv.IntSize / 8
	for i, c := range []struct {
		e    example.Example
		want int
	}{
		{example.Example{}, splits - 8 + 3*4},
		{example.Example{"i": example.Int64s(1, 2)}, splits - 8 + 3*4 + 2*8},
		{example.Example{"s": example.Strings("abc", "")}, splits - 8 + 3*4 + 3 + 2*text},
		{example.Example{"v": example.Int64s(1), "p": example.Int64s(99)}, splits - 8 + 3*4 + 8 + 100*8},
		{example.Example{"ix": example.Int64s(4)}, splits - 8 + 3*4 + 8 + 8},
	} {
		before := b.Size()
		if err := b.Append(marshal(t, c.e)); err != nil {
			t.Fatal(err)
		}
		if got := b.Size() - before; got != c.want {
			t.Errorf("record %d takes %d bytes, want %d", i, got, c.want)
		}
	}
	if b.Reset(); b.Size() != empty {
		t.Errorf("%d bytes after Reset, %d before", b.Size(), empty)
	}
}

// The nesting depth of specs is limited too. The time to read a spec grows with its length, not with the square of
// its length.
func TestSpecLimits(t *testing.T) {
	testkit.OneGoroutine(t)
	nested := func(n int) feature.Spec {
		return feature.Spec{Features: feature.Features{"r": feature.Ragged{DType: feature.Int64, Partitions: slices.Repeat([]feature.Partition{feature.UniformRowLength(1)}, n)}}}
	}
	for _, c := range []struct {
		depth int
		opts  *feature.ParserOptions
		want  string
	}{
		{64, nil, ""},
		{65, nil, `feature "r": 65 partitions: the parser's limit is 64`},
		{100_000, nil, `feature "r": 100000 partitions: the parser's limit is 64`},
		{3, &feature.ParserOptions{MaxDepth: 3}, ""},
		{4, &feature.ParserOptions{MaxDepth: 3}, `feature "r": 4 partitions: the parser's limit is 3`},
		{100, &feature.ParserOptions{MaxDepth: 100}, ""},
	} {
		p, err := feature.NewParser(nested(c.depth), c.opts)
		if got := strings.Join(faults(t, err), "; "); got != c.want {
			t.Errorf("%d partitions: %q, want %q", c.depth, got, c.want)
		}
		if err != nil {
			continue
		}
		if _, err := p.ParseSingle(marshal(t, example.Example{"r": example.Int64s(1, 2)})); err != nil {
			t.Errorf("%d partitions: %v", c.depth, err)
		}
	}
	for _, c := range []struct {
		f    feature.Feature
		want string
	}{
		{feature.FixedLen{DType: feature.Int64, Shape: slices.Repeat([]int{1}, 64)}, ""},
		{feature.FixedLen{DType: feature.Int64, Shape: slices.Repeat([]int{1}, 65)}, `feature "f": 65 dimensions: the parser's limit is 64`},
		{feature.FixedLenSequence{DType: feature.Int64, Shape: slices.Repeat([]int{1}, 100_000)}, `feature "f": 100000 dimensions: the parser's limit is 64`},
		{feature.Sparse{DType: feature.Int64, ValueKey: "v", IndexKeys: slices.Repeat([]string{"i"}, 64), Size: slices.Repeat([]int64{1}, 64)}, ""},
		{feature.Sparse{DType: feature.Int64, ValueKey: "v", IndexKeys: slices.Repeat([]string{"i"}, 65), Size: slices.Repeat([]int64{1}, 65)}, `feature "f": 65 index keys: the parser's limit is 64`},
	} {
		_, err := feature.NewParser(feature.Spec{Features: feature.Features{"f": c.f}}, nil)
		if got := strings.Join(faults(t, err), "; "); got != c.want {
			t.Errorf("%T: %q, want %q", c.f, got, c.want)
		}
	}
	features := 50_000
	if testkit.Long(t, "200,000 features") { // 2e10 comparisons if each were compared with all others
		features = 200_000
	}
	text := []byte(`{"features":{`)
	for i := range features {
		text = fmt.Appendf(text, `"%d":{"var_len":{"dtype":"int64"}},`, i)
	}
	var s feature.Spec
	if err := s.UnmarshalJSON(append(text[:len(text)-1], "}}"...)); err != nil || len(s.Features) != features {
		t.Errorf("%d features: %v", len(s.Features), err)
	}
}

// TestMemory checks the memory relative to the record that the package comment states, with records that need the
// most.
func TestMemory(t *testing.T) {
	testkit.OneGoroutine(t)
	const multiple = 64
	n := 200_000
	steps := slices.Repeat([]example.Value{{}}, n)
	for _, c := range []struct {
		what   string
		spec   feature.Spec
		record []byte
		reads  int64 // how often the spec reads a key; 0 means 1
	}{
		{"small integers", feature.Spec{Features: feature.Features{"a": feature.VarLen{DType: feature.Int64}}}, marshal(t, example.Example{"a": example.Int64s(make([]int64, n)...)}), 0},
		{"row lengths of 0", feature.Spec{Features: feature.Features{"a": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n")}}}}, marshal(t, example.Example{"n": example.Int64s(make([]int64, n)...)}), 0},
		{"empty strings", feature.Spec{Features: feature.Features{"a": feature.VarLen{DType: feature.String}}}, marshal(t, example.Example{"a": example.Bytes(make([][]byte, n)...)}), 0},
		{"strings of a byte", feature.Spec{Features: feature.Features{"a": feature.VarLen{DType: feature.String}}}, marshal(t, example.Example{"a": example.Strings(slices.Repeat([]string{"x"}, n)...)}), 0},
		{"empty steps", feature.Spec{Sequence: feature.Features{"a": feature.VarLen{DType: feature.String}}}, marshal(t, example.Sequence{Lists: map[string][]example.Value{"a": steps}}), 0},
		{"empty examples", feature.Spec{Examples: feature.Features{"a": feature.VarLen{DType: feature.String}}}, marshal(t, example.ExampleList{Examples: make([]example.Example, n)}), 0},
		{"sparse", feature.Spec{Features: feature.Features{"a": feature.Sparse{DType: feature.Int64, IndexKeys: []string{"v"}, ValueKey: "v", Size: []int64{9}}}},
			marshal(t, example.Example{"v": example.Int64s(append(slices.Repeat([]int64{1}, n), 0)...)}), 2},
		{"64 index keys of one name", feature.Spec{Features: feature.Features{"a": feature.Sparse{DType: feature.Int64, IndexKeys: slices.Repeat([]string{"v"}, 64), ValueKey: "v", Size: slices.Repeat([]int64{9}, 64)}}},
			marshal(t, example.Example{"v": example.Int64s(append(slices.Repeat([]int64{1}, n/10), 0)...)}), 65},
		{"64 partitions of one name", feature.Spec{Features: feature.Features{"a": feature.Ragged{DType: feature.Int64, Partitions: slices.Repeat([]feature.Partition{feature.RowLengths("n")}, 64)}}},
			marshal(t, example.Example{"a": example.Int64s(make([]int64, n/10)...), "n": example.Int64s(slices.Repeat([]int64{1}, n/10)...)}), 65},
	} {
		p := parser(t, c.spec)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // the second collection frees the pools of earlier tests
		runtime.ReadMemStats(&before)
		b := p.NewBatch()
		if err := b.Append(c.record); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		got := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / int64(len(c.record))
		if most := multiple * max(c.reads, 1); got > most || got < 2 {
			t.Errorf("%s: the batch holds %d bytes for every byte of the record, want 2 to %d", c.what, got, most)
		}
		runtime.KeepAlive(b)
	}
	// A false length causes no allocation.
	lying := []byte("\x0a\xff\xff\xff\xff\x07\x0a\x01a")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	parser(t, feature.Spec{Features: feature.Features{"a": feature.VarLen{DType: feature.Int64}}}).NewBatch().Append(lying)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<16 {
		t.Errorf("%d bytes allocated for a record of %d", got, len(lying))
	}
}

// TestEmptyRowsAreBounded reads records into columns without values, until they have more rows than a tensor may
// have. The record that exceeds the limit is refused, and all columns can be read.
func TestEmptyRowsAreBounded(t *testing.T) {
	p := parser(t, feature.Spec{Features: feature.Features{"a": feature.FixedLen{DType: feature.Int64, Shape: []int{1 << 20, 0}}}})
	record := marshal(t, example.Example{"a": example.Int64s()})
	b := p.NewBatch()
	for range ragged.MaxEmptyRows >> 20 {
		if err := b.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	err := b.Append(record)
	if e, ok := errors.AsType[*feature.Error](err); !ok || !errors.Is(err, feature.ErrLimit) || e.Feature != "a" {
		t.Errorf("a row too many: %v", err)
	}
	if err := b.AppendRow(b.Row(0)); !errors.Is(err, feature.ErrLimit) {
		t.Errorf("a copy of a row too many: %v", err)
	}
	x, err := feature.ColumnOf[int64](b.Columns(), "a")
	if err != nil || x.Len() != b.Len() || x.Size() != 0 {
		t.Errorf("%v, %v", x.Shape(), err)
	}
}
