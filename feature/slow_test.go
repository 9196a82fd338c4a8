package feature_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/internal/test/refparser"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// nested turns a tensor into nested slices.
func nested[T any](t ragged.Tensor[T]) any {
	if t.Rank() == 0 {
		return t.Item()
	}
	out := []any{}
	for _, r := range t.Rows() {
		out = append(out, nested(r))
	}
	return out
}

// columnRows returns a column in ragged form, like refparser does.
func columnRows(c feature.Column) any {
	var v any
	switch c.DType() {
	case feature.Int64:
		t, _ := feature.TensorOf[int64](c.Ragged())
		v = nested(t)
	case feature.Float32:
		t, _ := feature.TensorOf[float32](c.Ragged())
		v = nested(t)
	case feature.String:
		t, _ := feature.TensorOf[string](c.Ragged())
		v = nested(t)
	}
	if ix, ok := c.Indices(); ok {
		v = entries(v, nested(ix))
	}
	return v
}

// entries joins values and indices, also inside lists of lists.
func entries(values, indices any) any {
	vs, is := values.([]any), indices.([]any)
	deep := slices.ContainsFunc(vs, func(v any) bool { _, ok := v.([]any); return ok })
	if deep {
		out := []any{}
		for i := range vs {
			out = append(out, entries(vs[i], is[i]))
		}
		return out
	}
	out := []refparser.Entry{}
	for i, v := range vs {
		e := refparser.Entry{Value: v}
		for _, x := range is[i].([]any) {
			e.Index = append(e.Index, x.(int64))
		}
		out = append(out, e)
	}
	return out
}

// same compares nested slices, floats by their bits. All empty lists are equal, because that of a Sparse column
// does not have a depth.
func same(a, b any) bool {
	if isEmpty(a) && isEmpty(b) {
		return true
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case []refparser.Entry:
		b, ok := b.([]refparser.Entry)
		return ok && slices.EqualFunc(a, b, func(x, y refparser.Entry) bool {
			return slices.Equal(x.Index, y.Index) && same(x.Value, y.Value)
		})
	case float32:
		b, ok := b.(float32)
		return ok && math.Float32bits(a) == math.Float32bits(b)
	}
	return a == b
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case []refparser.Entry:
		return len(v) == 0
	}
	return false
}

// classOf returns the class of an error in the terms of refparser.
func classOf(err error) error {
	var bytesErr *example.Error
	switch {
	case errors.Is(err, example.ErrKind):
		return refparser.ErrKind
	case errors.As(err, &bytesErr):
		return refparser.ErrBytes
	case errors.Is(err, feature.ErrMissing):
		return refparser.ErrMissing
	case errors.Is(err, feature.ErrCount):
		return refparser.ErrCount
	case errors.Is(err, ragged.ErrPartition):
		return refparser.ErrPartition
	case errors.Is(err, feature.ErrSteps):
		return refparser.ErrSteps
	case errors.Is(err, feature.ErrIndex):
		return refparser.ErrIndex
	}
	return err
}

// agree parses records with both parsers and compares everything. All records are added to one batch, which is
// continued after errors. It returns the batch.
func agree(t *testing.T, spec feature.Spec, records [][]byte) *feature.Batch {
	t.Helper()
	p, err := feature.NewParser(spec, &feature.ParserOptions{MaxRows: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	aliasing, err := feature.NewParser(spec, &feature.ParserOptions{MaxRows: 1 << 12, AliasRecords: true})
	if err != nil {
		t.Fatal(err)
	}
	b, obvious, aliased := p.NewBatch(), p.NewBatch(), aliasing.NewBatch()
	var want []refparser.Row
	for i, r := range records {
		mine := slices.Clone(r)
		err := b.Append(mine)
		if err2, err3 := obvious.AppendAny(mine), aliased.Append(r); fmt.Sprint(err) != fmt.Sprint(err2) || fmt.Sprint(err) != fmt.Sprint(err3) {
			t.Fatalf("record %d %x: %v, the obvious way: %v, aliased: %v\n%s", i, r, err, err2, err3, specText(spec))
		}
		single, singleErr := p.ParseSingle(mine)
		for j := range mine {
			mine[j] = 0xA5
		}
		if errors.Is(err, feature.ErrLimit) {
			continue
		}
		row, slowErr := refparser.Parse(spec, r)
		class := classOf(err)
		if class == refparser.ErrKind && errors.Is(slowErr, refparser.ErrBytes) {
			class = refparser.ErrBytes // a list of a wrong kind is refused before it is decoded
		}
		if !errors.Is(slowErr, class) || (class == nil) != (slowErr == nil) {
			t.Fatalf("record %d %x\nfast: %v\nslow: %v\n%s", i, r, err, slowErr, specText(spec))
		}
		if (err == nil) != (singleErr == nil) || err != nil && err.Error() != singleErr.Error() {
			t.Fatalf("record %d: batch: %v, single: %v", i, err, singleErr)
		}
		if err == nil {
			want = append(want, row)
			compareRow(t, "single", spec, row, single)
		}
	}
	if b.Len() != len(want) {
		t.Fatalf("%d rows, want %d", b.Len(), len(want))
	}
	for _, c := range b.Columns().All() {
		all := columnRows(c)
		for way, other := range map[string]*feature.Batch{"the obvious way": obvious, "aliased": aliased} {
			if o, err := other.Columns().In(c.Group()).Column(c.Name()); err != nil || !same(all, columnRows(o)) {
				t.Fatalf("%s %q: %s is another, %v\n%s", c.Group(), c.Name(), way, err, specText(spec))
			}
		}
		for i, row := range want {
			if w := row[c.Group()][c.Name()]; !same(all.([]any)[i], w) {
				t.Fatalf("%s %q, row %d:\ngot  %#v\nwant %#v\n%s", c.Group(), c.Name(), i, all.([]any)[i], w, specText(spec))
			}
		}
	}
	for i, row := range want {
		compareRow(t, fmt.Sprint("row ", i), spec, row, b.Row(i))
	}
	roundTrip(t, b)
	return b
}

func compareRow(t *testing.T, what string, spec feature.Spec, want refparser.Row, got feature.Columns) {
	t.Helper()
	for _, c := range got.All() {
		v := columnRows(c)
		if w := want[c.Group()][c.Name()]; !same(v, w) {
			t.Fatalf("%s: %s %q:\ngot  %#v\nwant %#v\n%s", what, c.Group(), c.Name(), v, w, specText(spec))
		}
	}
}

func specText(s feature.Spec) string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestAgainstSlow(t *testing.T) {
	n := 800
	if testkit.Long(t, "4,000 specs") {
		n = 4000
	}
	accepted := 0
	for seed := range n {
		g := random.New(nil, uint64(seed))
		spec := g.Spec()
		records := make([][]byte, 1+g.N(5))
		for i := range records {
			records[i] = g.Record(spec, true)
		}
		accepted += agree(t, spec, records).Len()
	}
	if accepted < n/2 {
		t.Errorf("only %d records of %d runs were accepted: the generator proves little", accepted, n)
	}
}

// FuzzParse compares both parsers on any spec and any two records.
func FuzzParse(f *testing.F) {
	for seed := range uint64(60) {
		g := random.New(nil, seed)
		spec := g.Spec()
		text, err := spec.MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), g.Record(spec, true), g.Record(spec, true))
	}
	for _, c := range vectorSeeds(f) {
		f.Add(c.spec, c.a, c.b)
	}
	f.Fuzz(func(t *testing.T, text string, a, b []byte) {
		var spec feature.Spec
		if spec.UnmarshalJSON([]byte(text)) != nil || spec.Validate() != nil {
			return
		}
		if tooLarge(spec) {
			return
		}
		agree(t, spec, [][]byte{a, b, a})
	})
}

// tooLarge reports whether the defaults of a spec, or its slow parsing, would take too long.
func tooLarge(s feature.Spec) bool {
	for _, fs := range s.Groups() {
		for _, f := range fs {
			if q, ok := f.(feature.Ragged); ok && len(q.Partitions) > 20 {
				return true
			}
			if q, ok := f.(feature.FixedLenSequence); ok && random.Size(q.Shape) > 1<<16 {
				return true
			}
		}
	}
	return false
}

type vectorSeed struct {
	spec string
	a, b []byte
}

// vectorSeeds returns every fiftieth case of the vectors.
func vectorSeeds(f *testing.F) (seeds []vectorSeed) {
	for _, name := range []string{"wire", "fixed", "ragged", "sequence", "varlen_sparse", "random"} {
		file, err := testkit.ReadVectors("../testdata/vectors/parse/" + name + ".jsonl")
		if err != nil {
			if file, err = testkit.ReadVectors("../testdata/vectors/parse/" + name + ".jsonl.gz"); err != nil {
				f.Fatal(err)
			}
		}
		for i := 0; i < len(file.Cases); i += 50 {
			var spec json.RawMessage
			var records [][]byte
			if err := errors.Join(file.Cases[i].Decode("spec", &spec), file.Cases[i].Decode("records", &records)); err != nil {
				f.Fatal(err)
			}
			records = append(records, nil, nil)
			seeds = append(seeds, vectorSeed{string(spec), records[0], records[1]})
		}
	}
	return seeds
}

// TestDamaged truncates a record of every message type at every byte, and flips each of its bits. Both parsers must
// agree on the result.
func TestDamaged(t *testing.T) {
	testkit.OneGoroutine(t)
	every := 5
	if testkit.Long(t, "four of five flipped bits") {
		every = 1
	}
	for _, m := range messages {
		spec, good := everySpec(m), everyRecord(t, m, 2)
		for _, cut := range testkit.Cuts(good) {
			agree(t, spec, [][]byte{cut})
		}
		for i, flipped := range testkit.Flips(good) {
			if i%every == 0 {
				agree(t, spec, [][]byte{flipped})
			}
		}
	}
}
