package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// TestCheckFeeds checks the error for each way in which feeds can break the signature.
func TestCheckFeeds(t *testing.T) {
	for _, c := range []struct {
		model  string
		change func(feeds []model.Feed) []model.Feed
		want   string
	}{
		{"ragged3", func(f []model.Feed) []model.Feed { return f }, ""},
		{"ragged3", func(f []model.Feed) []model.Feed { return f[:2] }, `input "tokens_2": want int64 [?], got no tensor`},
		{"ragged3", func(f []model.Feed) []model.Feed { return append(f, f[0]) }, `input "tokens": want one tensor, got several`},
		{"ragged3", func(f []model.Feed) []model.Feed { f[0].Name = "x"; return f }, `input "x": got no such tensor in the signature`},
		{"ragged3", func(f []model.Feed) []model.Feed { f[0].DType = tensor.Int32; return f }, `input "tokens": want int64 [?], got int32 [3]`},
		{"ragged3", func(f []model.Feed) []model.Feed { f[0].Shape = []int64{3, 1}; return f }, `want int64 [?], got int64 [3, 1]`},
		{"ragged3", func(f []model.Feed) []model.Feed { f[0].Shape = []int64{4}; return f }, `input "tokens": want 3 rows, the last entry of the outer row_splits, got 4`},
		{"ragged3", func(f []model.Feed) []model.Feed { f[1].Int64s[1] = 3; return f }, `input "tokens_2": want 3 rows, the last entry of the outer row_splits, got 2`},
		{"ragged3", func(f []model.Feed) []model.Feed { f[1].Int64s[0] = 1; return f }, `input "tokens_1": want row_splits from 0 that do not decrease`},
		{"ragged3", func(f []model.Feed) []model.Feed { f[2].Int64s[1] = 9; return f }, `input "tokens_2": want row_splits from 0`},
		{"static_rows", func(f []model.Feed) []model.Feed { return f }, `input "x_1": want int64 [5], got int64 [2]`},
		{"defaults", func(f []model.Feed) []model.Feed { return f[:1] }, ""},
	} {
		m, err := model.Open("../testdata/models/" + c.model)
		if err != nil {
			t.Fatal(err)
		}
		sig, err := m.Signature("")
		if err != nil {
			t.Fatal(err)
		}
		feeds := map[string][]model.Feed{
			"ragged3": {
				{Name: "tokens", DType: tensor.Int64, Shape: []int64{3}, Int64s: []int64{7, 8, 9}},
				{Name: "tokens_1", DType: tensor.Int64, Shape: []int64{2}, Int64s: []int64{0, 2}},
				{Name: "tokens_2", DType: tensor.Int64, Shape: []int64{3}, Int64s: []int64{0, 2, 3}},
			},
			"static_rows": {
				{Name: "x", DType: tensor.Float32, Shape: []int64{1}, Floats: []float32{1}},
				{Name: "x_1", DType: tensor.Int64, Shape: []int64{2}, Int64s: []int64{0, 1}},
			},
			"defaults": {{Name: "ids", DType: tensor.Int64, Shape: []int64{1}, Int64s: []int64{1}}},
		}[c.model]
		err = sig.CheckFeeds(c.change(feeds))
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !errors.Is(err, model.ErrFit)) {
			t.Errorf("%s: %v, want %s", c.model, err, c.want)
		}
	}
}

// TestAppendWarmup checks that requests are rejected if Serving would not load the model.
func TestAppendWarmup(t *testing.T) {
	for name, want := range map[string]string{"ragged3": "TensorFlow Serving cannot return", "tf1_classify": "has the method Classify and takes serialized Examples", "tf1_dense": `want float32`} {
		m, err := model.Open("../testdata/models/" + name)
		if err != nil {
			t.Fatal(err)
		}
		sig, err := m.Signature("")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := model.AppendWarmup([]byte("dst"), sig, model.ModelSpec{}, nil); err == nil || !strings.Contains(err.Error(), want) || string(b) != "dst" {
			t.Errorf("%s: %q, %v; want %s", name, b, err, want)
		}
	}
}
