package model_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

func defaultSignature(t testing.TB, name string) *model.Signature {
	t.Helper()
	m, err := model.Open(filepath.Join(models, name))
	if err != nil {
		t.Fatal(err)
	}
	sig, err := m.Signature("")
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

func parse(t testing.TB, spec feature.Spec, examples ...example.Example) *feature.Batch {
	t.Helper()
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	var records [][]byte
	for _, e := range examples {
		b, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, b)
	}
	batch, err := p.Parse(records...)
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

func spec(features feature.Features) feature.Spec { return feature.Spec{Features: features} }

func ints(v ...int64) example.Value      { return example.Int64s(v...) }
func floats(v ...float32) example.Value  { return example.Floats(v...) }
func lengths(key string) feature.Feature { return raggedOf(feature.Int64, feature.RowLengths(key)) }

func raggedOf(d feature.DType, parts ...feature.Partition) feature.Feature {
	return feature.Ragged{DType: d, Partitions: parts}
}

// text writes feeds in one line.
func text(feeds []model.Feed) string {
	var s []string
	for _, f := range feeds {
		var v any = f.Int64s
		switch {
		case f.Int32s != nil:
			v = f.Int32s
		case f.Floats != nil:
			v = f.Floats
		case f.Strings != nil:
			v = f.Strings
		}
		s = append(s, fmt.Sprintf("%s %v%v%v", f.Name, f.DType, f.Shape, v))
	}
	return strings.Join(s, "; ")
}

// TestFeeds feeds columns of every form to inputs of every form.
func TestFeeds(t *testing.T) {
	for _, c := range []struct {
		name, model string
		spec        feature.Features
		opts        *model.BindOptions
		rows        []example.Example
		want        string
	}{
		{"two ragged axes", "ragged3", feature.Features{"tokens": lengths("n")}, nil,
			[]example.Example{{"tokens": ints(1, 2, 3), "n": ints(2, 0, 1)}, {}, {"tokens": ints(4), "n": ints(1)}},
			"tokens int64[4][1 2 3 4]; tokens_1 int64[4][0 3 3 4]; tokens_2 int64[5][0 2 2 3 4]"},
		{"a uniform axis as row_splits", "ragged3", feature.Features{"tokens": raggedOf(feature.Int64, feature.UniformRowLength(2))}, nil,
			[]example.Example{{"tokens": ints(1, 2, 3, 4)}, {}, {"tokens": ints(5, 6)}},
			"tokens int64[6][1 2 3 4 5 6]; tokens_1 int64[4][0 2 2 3]; tokens_2 int64[4][0 2 4 6]"},
		{"no rows", "ragged3", feature.Features{"tokens": lengths("n")}, nil, nil,
			"tokens int64[0][]; tokens_1 int64[1][0]; tokens_2 int64[1][0]"},
		{"row_splits as int32, var_len", "ragged_int32", feature.Features{"words": feature.VarLen{DType: feature.String}, "w": feature.FixedLen{DType: feature.Float32}}, nil,
			[]example.Example{{"words": example.Strings("a", "b"), "w": floats(1)}, {"words": {Bytes: [][]byte{}}, "w": floats(2)}},
			"words string[2][a b]; words_1 int32[3][0 2 2]; w float32[2][1 2]"},
		{"members of a dict, uniform inner dimension", "nested_dict", feature.Features{
			"a": feature.VarLen{DType: feature.Int64}, "feats/b": feature.FixedLen{DType: feature.Float32},
			"c/d e": raggedOf(feature.Float32, feature.UniformRowLength(2))}, nil,
			[]example.Example{{"a": ints(7), "feats/b": floats(0.5), "c/d e": floats(1, 2, 3, 4)}, {"feats/b": floats(1.5)}},
			"feats int64[1][7]; feats_1 int64[3][0 1 1]; bee float32[2][0.5 1.5]; feats_2 float32[2 2][1 2 3 4]; feats_3 int64[3][0 2 2]"},
		{"named by options, without padding", "taken_name", feature.Features{"a": feature.FixedLenSequence{DType: feature.Float32}, "b": feature.FixedLen{DType: feature.Float32}},
			&model.BindOptions{Columns: map[string]string{"x": "a", "x_1": "b"}},
			[]example.Example{{"a": floats(1, 2), "b": floats(3)}, {"a": floats(4), "b": floats(5)}},
			"x float32[3][1 2 4]; x_1 int64[3][0 2 3]; x_1_1 float32[2][3 5]"},
		{"dense rows as ragged ones", "taken_name", feature.Features{"x": feature.FixedLen{DType: feature.Float32, Shape: []int{2}}, "x_1": feature.FixedLen{DType: feature.Float32}}, nil,
			[]example.Example{{"x": floats(1, 2), "x_1": floats(3)}},
			"x float32[2][1 2]; x_1 int64[2][0 2]; x_1_1 float32[1][3]"},
		{"a padded column", "keras3_export", feature.Features{"ids": feature.FixedLenSequence{DType: feature.Int64}, "dense": feature.FixedLen{DType: feature.Float32, Shape: []int{2}}}, nil,
			[]example.Example{{"ids": ints(1, 2, 3), "dense": floats(1, 2)}, {"ids": ints(4), "dense": floats(3, 4)}},
			"dense float32[2 2][1 2 3 4]; ids int64[2 3][1 2 3 4 0 0]"},
		{"sparse", "sparse", feature.Features{"x": feature.VarLen{DType: feature.Float32}}, nil,
			[]example.Example{{"x": floats(1, 2)}, {}, {"x": floats(3)}},
			"x int64[3 2][0 0 0 1 2 0]; x_1 float32[3][1 2 3]; x_2 int64[2][3 10]"},
		{"uniform axes inside and below", "uniform_inside", feature.Features{
			"boxes": raggedOf(feature.Float32, feature.UniformRowLength(2), feature.RowLengths("n"), feature.UniformRowLength(3)), "ids": feature.FixedLen{DType: feature.Int64, Shape: []int{5}}},
			nil, nil, `input "ids": want dense int32 [?, 5], got dense int64 [?, 5]` + "\n" +
				`input "boxes": want ragged float32 [?, 2, ?, 3], ragged rank 2, got ragged float32 [?, ?, 2, ?, 3], ragged rank 3`},
		{"rows that the model fixes", "static_rows", feature.Features{"x": feature.VarLen{DType: feature.Float32}}, nil,
			[]example.Example{{}, {}, {}}, `input "x": want 4 rows, got a batch of 3`},
	} {
		sig := defaultSignature(t, c.model)
		b, err := model.Bind(sig, spec(c.spec), c.opts)
		if err != nil {
			for line := range strings.Lines(c.want) {
				if !strings.Contains(err.Error(), strings.TrimSpace(line)) {
					t.Errorf("%s: %v, want %s", c.name, err, line)
				}
			}
			continue
		}
		batch := parse(t, spec(c.spec), c.rows...)
		feeds, err := b.Feeds(nil, batch)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if got := text(feeds); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
		// Again with the same buffers, after feeds of another batch.
		feeds, err = b.Feeds(feeds[:0], parse(t, spec(c.spec)))
		if err != nil {
			t.Fatal(err)
		}
		if feeds, err = b.Feeds(feeds[:0], batch); err != nil || text(feeds) != c.want {
			t.Errorf("%s: again: %s, %v", c.name, text(feeds), err)
		}
	}
}

// TestBindFaults checks the errors of inputs that cannot be fed. Bind reports all of them at once.
func TestBindFaults(t *testing.T) {
	int64s, float := feature.VarLen{DType: feature.Int64}, feature.FixedLen{DType: feature.Float32}
	for _, c := range []struct {
		model string
		spec  feature.Features
		opts  *model.BindOptions
		want  []string
	}{
		{"nested_dict", feature.Features{"other": int64s}, nil, []string{
			`model: input "feats/a": want ragged int64 [?, ?], got no feature named "feats/a", "a", "feats"`,
			`model: input "feats/b": want dense float32 [?], got no feature named "feats/b", "b", "bee"`,
			`model: input "feats/c/d e": want ragged float32 [?, ?, 2], ragged rank 1, got no feature named "feats/c/d e", "c/d e", "feats_2"`}},
		{"ragged3", feature.Features{"tokens": int64s}, nil, []string{`model: input "tokens": want ragged int64 [?, ?, ?], got sparse int64 [?, ?]`}},
		{"ragged3", feature.Features{"tokens": feature.Ragged{DType: feature.Float32, Partitions: []feature.Partition{feature.RowLengths("n")}}}, nil,
			[]string{`model: input "tokens": want ragged int64 [?, ?, ?], got ragged float32 [?, ?, ?]`}},
		{"keras3_export", feature.Features{"ids": lengths("n"), "dense": float}, nil, []string{
			`model: input "args_0/dense" (feature "dense"): want dense float32 [?, 2], got dense float32 [?]`,
			`model: input "args_0/ids" (feature "ids"): want dense int64 [?, ?], got ragged int64 [?, ?, ?]; use fixed_len_sequence, or a tf.RaggedTensorSpec in the model`}},
		{"sparse", feature.Features{"x": float}, nil, []string{`model: input "x": want sparse float32 [?, 10], got dense float32 [?]`}},
		{"taken_name", feature.Features{"x": feature.Sparse{DType: feature.Float32, IndexKeys: []string{"i"}, ValueKey: "v", Size: []int64{3}}, "x_1": float}, nil,
			[]string{`model: input "x": want ragged float32 [?, ?], got sparse float32 [?, ?]`}},
		{"taken_name", feature.Features{"x": feature.VarLen{DType: feature.Float32}, "x_1": float}, &model.BindOptions{Columns: map[string]string{"x": "y", "z": "x"}},
			[]string{`model: input "x" (feature "y"): feature: no such column: "y"`, `model: input "z": got no such input in the signature`}},
		{"two_signatures", feature.Features{"ids": int64s, "w": feature.FixedLen{DType: feature.Int64}}, nil,
			[]string{`model: input "ids": got unknown: its structure was not saved: save the function as an attribute, with an input_signature`}},
	} {
		_, err := model.Bind(defaultSignature(t, c.model), spec(c.spec), c.opts)
		if err == nil {
			t.Errorf("%s: no error, want %q", c.model, c.want)
			continue
		}
		if got := strings.Split(err.Error(), "\n"); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.model, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if e := (*model.InputError)(nil); !errors.As(err, &e) || e.Input == "" {
			t.Errorf("%s: %T", c.model, err)
		}
	}
	if _, err := model.Bind(defaultSignature(t, "sparse"), feature.Spec{}, nil); err == nil {
		t.Error("an empty spec was bound")
	}
}

// TestBindUnknown checks that a caller can set the type of an unknown input.
func TestBindUnknown(t *testing.T) {
	sig := *defaultSignature(t, "two_signatures")
	sig.Inputs = slices.Clone(sig.Inputs)
	in := &sig.Inputs[0]
	in.Unknown, in.Form, in.DType, in.Shape, in.RaggedRank, in.SplitsDType = "", feature.RaggedForm, tensor.Int64, tensor.Shape{-1, -1}, 1, tensor.Int64
	features := spec(feature.Features{"ids": feature.VarLen{DType: feature.Int64}, "w": feature.FixedLen{DType: feature.Int64}})
	b, err := model.Bind(&sig, features, nil)
	if err != nil {
		t.Fatal(err)
	}
	feeds, err := b.Feeds(nil, parse(t, features, example.Example{"ids": ints(1, 2), "w": ints(3)}))
	if want := "ids int64[2][1 2]; ids_1 int64[2][0 2]; w int64[1][3]"; err != nil || text(feeds) != want {
		t.Errorf("%s, %v; want %s", text(feeds), err, want)
	}
}

// TestFeedsAllocations checks that Feeds does not allocate for a batch of the same size as earlier ones.
func TestFeedsAllocations(t *testing.T) {
	features := spec(feature.Features{"words": feature.VarLen{DType: feature.String}, "w": feature.FixedLen{DType: feature.Float32}})
	b, err := model.Bind(defaultSignature(t, "ragged_int32"), features, nil)
	if err != nil {
		t.Fatal(err)
	}
	row := example.Example{"words": example.Strings("a", "b"), "w": floats(1)}
	batch := parse(t, features, row, row, row)
	var feeds []model.Feed
	if n := testing.AllocsPerRun(100, func() {
		if feeds, err = b.Feeds(feeds[:0], batch); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestUniformAxis feeds ragged columns to inputs with uniform axes: every row must have that length.
func TestUniformAxis(t *testing.T) {
	sig := *defaultSignature(t, "uniform_inside")
	sig.Inputs = sig.Inputs[:1]
	features := spec(feature.Features{"boxes": raggedOf(feature.Float32, feature.RowLengths("n"), feature.UniformRowLength(3))})
	b, err := model.Bind(&sig, features, nil)
	if err != nil {
		t.Fatal(err)
	}
	if names := b.Columns(); len(names) != 1 || names["boxes"] != "boxes" {
		t.Errorf("%v", names)
	}
	row := func(lengths ...int64) example.Example {
		var n int64
		for _, l := range lengths {
			n += l
		}
		return example.Example{"boxes": floats(make([]float32, 3*n)...), "n": ints(lengths...)}
	}
	feeds, err := b.Feeds(nil, parse(t, features, row(1, 0), row(0, 2)))
	if err != nil || !slices.Equal(feeds[0].Shape, []int64{3, 3}) || !slices.Equal(feeds[1].Int64s, []int64{0, 2, 4}) || !slices.Equal(feeds[2].Int64s, []int64{0, 1, 1, 1, 3}) {
		t.Errorf("%v, %v", feeds, err)
	}
	_, err = b.Feeds(nil, parse(t, features, row(1, 0), row(2)))
	if !errors.Is(err, model.ErrFit) || err.Error() != `model: input "boxes": want rows of length 2 on axis 1, got 1 in row 1` {
		t.Errorf("%v", err)
	}
	// A batch of another spec.
	other := spec(feature.Features{"boxes": feature.FixedLen{DType: feature.Int64}})
	if _, err := b.Feeds(nil, parse(t, other, example.Example{"boxes": ints(1)})); !errors.Is(err, model.ErrFit) {
		t.Errorf("a batch of another spec: %v", err)
	}
	if _, err := b.Feeds(nil, parse(t, spec(feature.Features{"x": feature.VarLen{DType: feature.Int64}}))); !errors.Is(err, feature.ErrNoColumn) {
		t.Errorf("a batch without the column: %v", err)
	}
}

// TestPaddedFeeds checks padding of every dtype, and an axis with a fixed size.
func TestPaddedFeeds(t *testing.T) {
	sig := &model.Signature{Inputs: []model.TensorSpec{
		{Path: []string{"f"}, DType: tensor.Float32, Shape: tensor.Shape{-1, 2}, Components: []model.Component{{Name: "f", DType: tensor.Float32}}},
		{Path: []string{"s"}, DType: tensor.String, Components: []model.Component{{Name: "s", DType: tensor.String}}},
		{Path: []string{"optional"}, DType: tensor.String, Components: []model.Component{{Name: "optional", DType: tensor.String, Optional: true}}},
	}}
	features := spec(feature.Features{"f": feature.FixedLenSequence{DType: feature.Float32, Default: floats(-1)}, "s": feature.FixedLenSequence{DType: feature.String}})
	b, err := model.Bind(sig, features, nil)
	if err != nil {
		t.Fatal(err)
	}
	feeds, err := b.Feeds(nil, parse(t, features, example.Example{"f": floats(1, 2), "s": example.Strings("a")}, example.Example{"f": floats(3), "s": example.Strings("b", "c")}))
	if want := "f float32[2 2][1 2 3 -1]; s string[2 2][a  b c]"; err != nil || text(feeds) != want {
		t.Errorf("%s, %v; want %s", text(feeds), err, want)
	}
	_, err = b.Feeds(nil, parse(t, features, example.Example{"f": floats(1, 2, 3)}))
	if err == nil || err.Error() != `model: input "f": want [?, 2], got shape [1 3] with padding` {
		t.Errorf("%v", err)
	}
}

// TestFeedsOfOtherMessages checks that steps of a SequenceExample and Examples of a list are another ragged axis.
func TestFeedsOfOtherMessages(t *testing.T) {
	sig := defaultSignature(t, "ragged3")
	sequence, err := example.Sequence{Lists: map[string][]example.Value{"tokens": {ints(1, 2), ints(), ints(3)}}}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	list, err := example.ExampleList{Examples: []example.Example{{"tokens": ints(1, 2)}, {}, {"tokens": ints(3)}}}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	varLen := feature.Features{"tokens": feature.VarLen{DType: feature.Int64}}
	for _, c := range []struct {
		spec   feature.Spec
		record []byte
	}{{feature.Spec{Sequence: varLen}, sequence}, {feature.Spec{Examples: varLen}, list}} {
		b, err := model.Bind(sig, c.spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := feature.NewParser(c.spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := p.Parse(c.record, c.record)
		if err != nil {
			t.Fatal(err)
		}
		feeds, err := b.Feeds(nil, batch)
		if want := "tokens int64[6][1 2 3 1 2 3]; tokens_1 int64[3][0 3 6]; tokens_2 int64[7][0 2 2 3 5 5 6]"; err != nil || text(feeds) != want {
			t.Errorf("%v: %s, %v; want %s", c.spec.Message(), text(feeds), err, want)
		}
	}
}

// TestBindGroups binds a feature name that occurs in the context and in the sequence.
func TestBindGroups(t *testing.T) {
	sig := defaultSignature(t, "ragged_int32")
	both := feature.Spec{
		Context:  feature.Features{"words": feature.VarLen{DType: feature.String}, "w": feature.FixedLen{DType: feature.Float32}},
		Sequence: feature.Features{"words": feature.VarLen{DType: feature.String}},
	}
	if _, err := model.Bind(sig, both, nil); err == nil || !strings.Contains(err.Error(), `input "words"`) {
		t.Errorf("a name in two groups: %v", err)
	}
	groups := func(g feature.Group) *model.BindOptions {
		return &model.BindOptions{Groups: map[string]feature.Group{"words": g}}
	}
	b, err := model.Bind(sig, both, groups(feature.InContext))
	must(t, err)
	record, err := example.Sequence{Context: example.Example{"words": example.Strings("a", "b"), "w": floats(1)},
		Lists: map[string][]example.Value{"words": {example.Strings("c")}}}.MarshalBinary()
	must(t, err)
	p, err := feature.NewParser(both, nil)
	must(t, err)
	batch, err := p.Parse(record)
	must(t, err)
	feeds, err := b.Feeds(nil, batch)
	if want := "words string[2][a b]; words_1 int32[2][0 2]; w float32[1][1]"; err != nil || text(feeds) != want {
		t.Errorf("%s, %v; want %s", text(feeds), err, want)
	}
	// The steps are one more axis, which this input lacks.
	if _, err := model.Bind(sig, both, groups(feature.InSequence)); !errors.Is(err, model.ErrFit) || !strings.Contains(err.Error(), "got ") {
		t.Errorf("the sequence: %v", err)
	}
	if _, err := model.Bind(sig, both, &model.BindOptions{Groups: map[string]feature.Group{"words": feature.InContext, "word": feature.InContext}}); !errors.Is(err, model.ErrFit) || !strings.Contains(err.Error(), `input "word": got no such input in the signature`) {
		t.Errorf("no such input: %v", err)
	}
}
