package feature_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// TestErrorText has the message of every kind of error, with all coordinates.
func TestErrorText(t *testing.T) {
	whole := feature.Spec{Features: feature.Features{
		"items": feature.Ragged{DType: feature.Float32, ValueKey: "items/v", Partitions: []feature.Partition{feature.RowLengths("items/len"), feature.UniformRowLength(3)}},
		"age":   feature.FixedLen{DType: feature.Int64, Default: example.Int64s(0)},
		"seq":   feature.FixedLenSequence{DType: feature.Float32, Shape: []int{2}},
		"bag":   feature.Sparse{DType: feature.String, IndexKeys: []string{"bag/i"}, ValueKey: "bag/v", Size: []int64{5}},
	}}
	lists := feature.Spec{
		Context: feature.Features{"id": feature.FixedLen{DType: feature.String}},
		Sequence: feature.Features{
			"clicks": feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: []feature.Partition{feature.RowSplits("s")}},
			"steps":  feature.FixedLenSequence{DType: feature.Int64, AllowMissing: true},
		},
	}
	ranking := feature.Spec{Context: feature.Features{"q": feature.VarLen{DType: feature.Int64}}, Examples: feature.Features{"x": feature.FixedLen{DType: feature.Float32}}}
	seq := func(m map[string][]example.Value) []byte {
		return marshal(t, example.Sequence{Context: example.Example{"id": example.Strings("a")}, Lists: m})
	}
	truncated := marshal(t, example.Example{"age": example.Int64s(1)})
	truncated = truncated[:len(truncated)-1]
	for _, c := range []struct {
		spec   feature.Spec
		record []byte
		is     error
		want   string
	}{
		{whole, marshal(t, example.Example{"items/len": example.Floats(1)}), example.ErrKind,
			`feature "items" (key "items/len"): partition 0: example: feature holds another kind at byte 17: want int64_list, got float_list`},
		{whole, marshal(t, example.Example{"age": example.Int64s(1, 2)}), feature.ErrCount,
			`feature "age": wrong number of values: want 1 for shape [], got 2 (byte 11)`},
		{whole, marshal(t, example.Example{"seq": example.Floats(1, 2, 3)}), feature.ErrCount,
			`feature "seq": wrong number of values: want a multiple of 2 for shape [2], got 3 (byte 11)`},
		{whole, marshal(t, example.Example{"items/v": example.Floats(1, 2, 3, 4)}), ragged.ErrPartition,
			`feature "items" (key "items/v"): partition 1: invalid row partition: uniform_row_length: want a multiple of 3 items, got 4 (byte 15)`},
		{whole, marshal(t, example.Example{"items/v": example.Floats(1, 2, 3), "items/len": example.Int64s(2)}), ragged.ErrPartition,
			`feature "items" (key "items/len"): partition 0: invalid row partition: row_lengths[0]: want 0 to 1, the items that are left, got 2 (byte 17)`},
		{whole, marshal(t, example.Example{"bag/v": example.Strings("a"), "bag/i": example.Int64s(5)}), feature.ErrIndex,
			`feature "bag" (key "bag/i"): sparse indices do not fit: want index 0 at least 0 and less than 5, got 5 (byte 13)`},
		{whole, marshal(t, example.Example{"bag/v": example.Strings("a")}), feature.ErrIndex,
			`feature "bag" (key "bag/i"): sparse indices do not fit: want 1 indices, one for each value, got 0`},
		{whole, truncated, io.ErrUnexpectedEOF, `example: unexpected EOF at byte 0: want 14 bytes, got 13 left`},
		{lists, marshal(t, example.Sequence{}), feature.ErrMissing, `context feature "id": required feature is missing`},
		{lists, seq(map[string][]example.Value{"steps": {example.Int64s(1), example.Int64s()}}), feature.ErrCount,
			`sequence feature "steps": step 1: wrong number of values: want 1 for shape [], got 0 (byte 37)`},
		{lists, seq(map[string][]example.Value{"steps": {example.Int64s(1), example.Floats(1)}}), example.ErrKind,
			`sequence feature "steps": step 1: example: feature holds another kind at byte 37: want int64_list, got float_list`},
		{lists, seq(map[string][]example.Value{"v": {example.Int64s(1), {}}, "s": {example.Int64s(0, 1)}}), feature.ErrSteps,
			`sequence feature "clicks" (key "s"): partition 0: steps do not align: want 2 steps, as there are of values, got 1 (byte 24)`},
		{lists, seq(map[string][]example.Value{"v": {example.Int64s(1), example.Int64s(2)}, "s": {example.Int64s(0, 1), example.Int64s(0, 2)}}), ragged.ErrPartition,
			`sequence feature "clicks" (key "s"): step 1: partition 0: invalid row partition: row_splits[1]: want 0 to 1, the number of items, got 2 (byte 34)`},
		{ranking, marshal(t, example.ExampleList{Examples: []example.Example{{"x": example.Floats(1)}, {}}}), feature.ErrMissing,
			`examples feature "x": example 1: required feature is missing`},
		{ranking, marshal(t, example.ExampleList{Examples: []example.Example{{"x": example.Floats(1)}, {"x": example.Int64s(1)}}}), example.ErrKind,
			`examples feature "x": example 1: example: feature holds another kind at byte 30: want float_list, got int64_list`},
		{ranking, marshal(t, example.ExampleList{Examples: []example.Example{{"x": example.Floats(1, 2)}}}), feature.ErrCount,
			`examples feature "x": example 0: wrong number of values: want 1 for shape [], got 2 (byte 11)`},
		{ranking, marshal(t, example.ExampleList{Context: example.Example{"q": example.Floats(1)}, HasContext: true}), example.ErrKind,
			`context feature "q": example: feature holds another kind at byte 11: want int64_list, got float_list`},
		{ranking, marshal(t, example.ExampleList{Context: example.Example{"q": example.Floats(1)}, HasContext: true, Examples: []example.Example{{"x": example.Floats(1)}}}), example.ErrKind,
			`context feature "q": example: feature holds another kind at byte 30: want int64_list, got float_list`},
	} {
		p := parser(t, c.spec)
		b := p.NewBatch()
		err := b.Append(c.record)
		var fault *feature.Error
		if !errors.As(err, &fault) || !errors.Is(err, c.is) {
			t.Errorf("got %#v, want a *feature.Error that is %v", err, c.is)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("\ngot  %s\nwant %s", err, c.want)
		}
		if b.Len() != 0 || fault.Record >= 0 {
			t.Errorf("%s: %d rows, record %v", c.want, b.Len(), fault.Record)
		}
	}
	p := parser(t, feature.Spec{Features: feature.Features{"a": feature.FixedLen{DType: feature.Int64}}})
	good := marshal(t, example.Example{"a": example.Int64s(1)})
	_, err := p.Parse(good, good, nil)
	var fault *feature.Error
	if !errors.As(err, &fault) || fault.Record != 2 || err.Error() != `record 2: feature "a": required feature is missing` {
		t.Errorf("Parse: %v", err)
	}
}

// everySpec returns specs with every kind in every group.
func everySpec(message example.MessageType) feature.Spec {
	parts := []feature.Partition{feature.RowLengths("n"), feature.UniformRowLength(2), feature.RowSplits("s"), feature.UniformRowLength(1)}
	flat := feature.Features{
		"fixed":  feature.FixedLen{DType: feature.Float32, Shape: []int{2}, Default: example.Floats(7, 8)},
		"text":   feature.FixedLen{DType: feature.String},
		"blocks": feature.FixedLenSequence{DType: feature.Int64},
		"var":    feature.VarLen{DType: feature.String},
		"bag":    feature.Sparse{DType: feature.Float32, IndexKeys: []string{"i"}, ValueKey: "w", Size: []int64{9}},
		"ragged": feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: parts},
	}
	switch message {
	case example.TypeExample:
		return feature.Spec{Features: flat}
	case example.TypeExampleList:
		return feature.Spec{Context: flat, Examples: flat}
	}
	return feature.Spec{
		Context:  feature.Features{"text": flat["text"], "var": flat["var"], "ragged": flat["ragged"]},
		Sequence: feature.Features{"blocks": flat["blocks"], "var": flat["var"], "ragged": flat["ragged"]},
	}
}

func everyExample(i int64) example.Example {
	return example.Example{
		"text": example.Strings(strings.Repeat("t", int(i%5))), "blocks": example.Int64s(make([]int64, i%4)...), "var": example.Strings("a", "", "\xff"),
		"i": example.Int64s(3, 1), "w": example.Floats(3, 1), "n": example.Int64s(1, 1), "s": example.Int64s(0, 2, 2, 2, 3), "v": example.Int64s(i, -i, 5),
	}
}

func everyRecord(t testing.TB, message example.MessageType, i int64) []byte {
	e := everyExample(i)
	switch message {
	case example.TypeExample:
		return marshal(t, e)
	case example.TypeExampleList:
		return marshal(t, example.ExampleList{Context: e, HasContext: true, Examples: []example.Example{e, e}[:i%3]})
	}
	lists := map[string][]example.Value{}
	for k, v := range e {
		if k == "blocks" {
			v = example.Int64s(i)
		}
		lists[k] = []example.Value{v, v}[:i%3]
	}
	return marshal(t, example.Sequence{Context: e, Lists: lists})
}

var messages = []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList}

// TestNoAllocs checks that parsing a record allocates nothing after the batch has grown, for every kind of feature.
// Strings use one block for many records.
func TestNoAllocs(t *testing.T) {
	for _, m := range messages {
		p := parser(t, everySpec(m))
		records := [][]byte{everyRecord(t, m, 1), everyRecord(t, m, 2), everyRecord(t, m, 3)}
		b := p.NewBatch()
		run := func() {
			b.Reset()
			for range 100 {
				for _, r := range records {
					if err := b.Append(r); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		run()
		if n := testing.AllocsPerRun(10, run); n > 2 {
			t.Errorf("%s: %v allocations for a batch of 300 records, want at most one or two for its strings", m, n)
		}
		var dst []byte
		if n := testing.AllocsPerRun(10, func() {
			for i := range b.Len() {
				if dst, _ = b.AppendRecord(dst[:0], i); len(dst) == 0 {
					t.Fatal("nothing was encoded")
				}
			}
		}); n > 10 && !testkit.Race {
			t.Errorf("%s: %v allocations to encode 300 records, want next to none", m, n)
		}
	}
	p := parser(t, feature.Spec{Features: feature.Features{"v": feature.VarLen{DType: feature.Int64}, "f": feature.FixedLen{DType: feature.Float32, Shape: []int{3}}}})
	record := marshal(t, example.Example{"v": example.Int64s(1, 2, 3), "f": example.Floats(1, 2, 3)})
	b := p.NewBatch()
	if n := testing.AllocsPerRun(100, func() {
		b.Reset()
		if err := b.Append(record); err != nil {
			t.Fatal(err)
		}
		row := b.Row(0)
		v, _ := feature.ColumnOf[int64](row, "v")
		f, _ := feature.ColumnOf[float32](row, "f")
		if v.Values()[2] != 3 || f.Values()[2] != 3 {
			t.Fatal("wrong values")
		}
	}); n != 0 {
		t.Errorf("%v allocations to parse one record and read two columns, want 0", n)
	}
}

// TestAtomic truncates records of every message type and flips their bits. A record that fails does not change the
// batch, or the result for later records.
func TestAtomic(t *testing.T) {
	for _, m := range messages {
		p := parser(t, everySpec(m))
		good := everyRecord(t, m, 2)
		want := must(p.Parse(good, good, good))
		b := p.NewBatch()
		for range 2 {
			if err := b.Append(good); err != nil {
				t.Fatal(err)
			}
		}
		before := b.Columns()
		failed := 0
		try := func(r []byte) {
			if err := b.Append(r); err == nil {
				b = p.NewBatch()
				b.Append(good)
				b.Append(good)
				return
			}
			failed++
			if b.Len() != 2 {
				t.Fatalf("%d rows after a record that failed", b.Len())
			}
		}
		for n := range good {
			try(good[:n:n])
		}
		bad := slices.Clone(good)
		for i := range 8 * len(bad) {
			bad[i/8] ^= 1 << (i % 8)
			try(bad)
			bad[i/8] ^= 1 << (i % 8)
		}
		if failed < len(good) {
			t.Errorf("%s: only %d records failed", m, failed)
		}
		if err := b.Append(good); err != nil {
			t.Fatal(err)
		}
		sameBatch(t, want, b)
		if columns(before) != columns(p.NewBatch().Columns()) {
			t.Error("columns are lost")
		}
	}
}

// TestColumnsStayGood reads columns, appends records, and compares the columns again. Then it resets the batch and
// compares the strings.
func TestColumnsStayGood(t *testing.T) {
	p := parser(t, everySpec(example.TypeExample))
	b := p.NewBatch()
	for i := range int64(3) {
		if err := b.Append(everyRecord(t, example.TypeExample, i)); err != nil {
			t.Fatal(err)
		}
	}
	type held struct {
		c    feature.Column
		text string
	}
	var cols []held
	for _, c := range b.Columns().All() {
		cols = append(cols, held{c, fmt.Sprint(columnRows(c), c.Form())})
	}
	values, _ := feature.ColumnOf[string](b.Columns(), "var")
	texts := slices.Clone(values.Values())
	want := fmt.Sprintf("%q", texts)
	for i := range int64(500) {
		if err := b.Append(everyRecord(t, example.TypeExample, i)); err != nil {
			t.Fatal(err)
		}
		b.Append([]byte{0xFF})
	}
	for _, h := range cols {
		if got := fmt.Sprint(columnRows(h.c), h.c.Form()); got != h.text {
			t.Errorf("%s changed: %s, was %s", h.c.Name(), got, h.text)
		}
	}
	for range 3 {
		b.Reset()
		for i := range int64(500) {
			if err := b.Append(everyRecord(t, example.TypeExample, i+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := fmt.Sprintf("%q", texts); got != want {
		t.Errorf("strings changed: %s, were %s", got, want)
	}
}

// TestConcurrent uses one parser, and reads one batch, in many goroutines. Run it with the race detector.
func TestConcurrent(t *testing.T) {
	for _, m := range messages {
		p := parser(t, everySpec(m))
		record := everyRecord(t, m, 2)
		shared := must(p.Parse(record, record))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				b := p.NewBatch()
				for range 20 {
					if err := b.Append(record); err != nil {
						t.Error(err)
					}
					row, err := p.ParseSingle(record)
					if err != nil {
						t.Error(err)
					}
					for _, c := range row.All() {
						columnRows(c)
					}
					for _, c := range shared.Columns().All() {
						columnRows(c)
					}
					if _, err := shared.Encode(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestBatches(t *testing.T) {
	p := parser(t, feature.Spec{Features: feature.Features{"a": feature.FixedLen{DType: feature.Int64}}})
	stream := func(n int, bad int, err error) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			lent := make([]byte, 0, 64)
			for i := range n {
				r := append(lent[:0], marshal(t, example.Example{"a": example.Int64s(int64(i))})...)
				if i == bad {
					r = nil
				}
				if !yield(r, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
	torn := errors.New("torn")
	for _, c := range []struct {
		n, bad int
		err    error
		want   string
	}{
		{7, -1, nil, "[0 1 2] [3 4 5] [6] "},
		{6, -1, nil, "[0 1 2] [3 4 5] "},
		{0, -1, nil, ""},
		{4, -1, torn, "[0 1 2] [3] torn"},
		{3, -1, torn, "[0 1 2] torn"},
		{7, 4, nil, `[0 1 2] [3] record 4: feature "a": required feature is missing`},
	} {
		got := ""
		for b, err := range p.Batches(stream(c.n, c.bad, c.err), 3) {
			if err != nil {
				got += err.Error()
				continue
			}
			v, _ := feature.ColumnOf[int64](b.Columns(), "a")
			got += fmt.Sprint(v.Values(), " ")
		}
		if got != c.want {
			t.Errorf("%d records: got %s, want %s", c.n, got, c.want)
		}
	}
	for _, s := range []iter.Seq2[[]byte, error]{stream(9, -1, nil), stream(2, 1, torn)} {
		for b, err := range p.Batches(s, 3) { // a break must end the stream
			if err != nil || b.Len() == 0 {
				t.Errorf("first batch: %v", err)
			}
			break
		}
	}
}

// TestCapacity checks that slices of a column have no spare capacity: appending to them cannot change the batch.
func TestCapacity(t *testing.T) {
	p := parser(t, everySpec(example.TypeExample))
	b := p.NewBatch()
	for i := range int64(2) {
		if err := b.Append(everyRecord(t, example.TypeExample, i)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range b.Row(0).All() {
		switch c.DType() {
		case feature.Int64:
			clipped[int64](t, name, c)
		case feature.Float32:
			clipped[float32](t, name, c)
		case feature.String:
			clipped[string](t, name, c)
		}
	}
}

func clipped[T feature.Element](t *testing.T, name string, c feature.Column) {
	x, _ := feature.TensorOf[T](c)
	if v := x.Values(); cap(v) != len(v) {
		t.Errorf("%s: %d values with room for %d", name, len(v), cap(v))
	}
	if s, ok := feature.SparseOf[T](c); ok && cap(s.Values) != len(s.Values) {
		t.Errorf("%s, sparse: %d values with room for %d", name, len(s.Values), cap(s.Values))
	}
}

func TestColumnLookup(t *testing.T) {
	p := parser(t, everySpec(example.TypeSequence))
	b := must(p.Parse(everyRecord(t, example.TypeSequence, 2)))
	if _, err := feature.ColumnOf[string](b.Columns(), "var"); !errors.Is(err, feature.ErrNoColumn) || !strings.Contains(err.Error(), "is in context and in sequence") {
		t.Errorf("a name in two groups: %v", err)
	}
	if v, err := feature.ColumnOf[string](b.Columns().In(feature.InSequence), "var"); err != nil || v.RaggedRank() != 2 {
		t.Errorf("in sequence: %v, %v", v, err)
	}
	if _, err := feature.ColumnOf[int64](b.Columns(), "text"); !errors.Is(err, feature.ErrNoColumn) || err.Error() != `feature: no such column: "text" holds string, not int64` {
		t.Errorf("another dtype: %v", err)
	}
	if _, err := feature.ColumnOf[int64](b.Columns(), "none"); !errors.Is(err, feature.ErrNoColumn) {
		t.Errorf("no such name: %v", err)
	}
	if _, err := feature.ColumnOf[int64]((feature.Columns{}), "none"); !errors.Is(err, feature.ErrNoColumn) {
		t.Errorf("no columns at all: %v", err)
	}
	var names []string
	for name, c := range b.Columns().All() {
		names = append(names, c.Group().String()+"/"+name)
	}
	want := []string{"context/ragged", "context/text", "context/var", "sequence/blocks", "sequence/ragged", "sequence/var"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// TestSparseStable sorts many entries with few different indices. An unstable sort would change their order.
func TestSparseStable(t *testing.T) {
	n := int64(1000)
	ix, values := make([]int64, n), make([]int64, n)
	for i := range n {
		ix[i], values[i] = (i*7)%5, i
	}
	spec := feature.Spec{Features: feature.Features{
		"sorted": feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i", "i"}, ValueKey: "v", Size: []int64{5, 5}},
		"as is":  feature.Sparse{DType: feature.Int64, IndexKeys: []string{"i", "i"}, ValueKey: "v", Size: []int64{5, 5}, Sorted: true},
	}}
	record := marshal(t, example.Example{"i": example.Int64s(ix...), "v": example.Int64s(values...)})
	b := must(parser(t, spec).Parse(record, record))
	for row := range 2 {
		s, ok := feature.SparseOf[int64](must(b.Row(row).Column("sorted")))
		if !ok || len(s.Values) != int(n) {
			t.Fatalf("%d values", len(s.Values))
		}
		for j := range s.Values {
			if got := s.Index(j); got[0] != (s.Values[j]*7)%5 || got[0] != got[1] {
				t.Fatalf("value %d stands at %v", s.Values[j], got)
			}
			if j > 0 {
				if d := s.Index(j)[0] - s.Index(j - 1)[0]; d < 0 || d == 0 && s.Values[j] < s.Values[j-1] {
					t.Fatalf("entry %d is out of order", j)
				}
			}
		}
		s, _ = feature.SparseOf[int64](must(b.Row(row).Column("as is")))
		if !slices.Equal(s.Values, values) {
			t.Error("entries that are said to be sorted were moved")
		}
	}
}

func TestRepeats(t *testing.T) {
	one := marshal(t, example.Example{"a": example.Int64s(1), "b": example.Int64s(1), "z": example.Int64s(1)})
	two := marshal(t, example.Example{"a": example.Int64s(2)})
	p := parser(t, feature.Spec{Features: feature.Features{"a": feature.VarLen{DType: feature.Int64}, "b": feature.FixedLen{DType: feature.Int64}}})
	b := p.NewBatch()
	for _, r := range [][]byte{one, append(slices.Clone(one), two...), slices.Concat(one, one, two), slices.Concat(two, two)} {
		b.Append(r) // the last record has no b
	}
	if b.Len() != 3 {
		t.Errorf("%d rows, want 3", b.Len())
	}
	if a, _ := feature.ColumnOf[int64](b.Columns(), "a"); !slices.Equal(a.Values(), []int64{1, 2, 2}) {
		t.Errorf("got %v, want the last of each", a.Values())
	}
}
