package model_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/model"
)

// unknownModels are models of tensorflow/serving whose structure is not in serving_models.json, with the reason.
var unknownModels = map[string]string{
	"tf_text_regression": "TensorFlow loads it with the ops of tensorflow-text only",
}

// TestServingModels compares the signatures of the SavedModels in the test data of tensorflow/serving, of TensorFlow 1 and 2,
// with those that TensorFlow reports. testdata/make/serving_models.py wrote the expected values.
func TestServingModels(t *testing.T) {
	folder := os.Getenv("TFPARSE_SERVING_MODELS")
	if folder == "" {
		folder = filepath.FromSlash("../../shared/data/serving")
		if _, err := os.Stat(folder); err != nil {
			t.Skip("the models of tensorflow/serving are not there: TFPARSE_SERVING_MODELS names a copy of that repository")
		}
	}
	b, err := os.ReadFile(filepath.Join(models, "serving_models.json"))
	must(t, err)
	var all map[string]struct {
		By         string
		Graphs     int
		Signatures map[string]struct {
			signature
			Method string
		}
	}
	must(t, json.Unmarshal(b, &all))
	compared := 0
	must(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != model.FileName {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		_, name, _ := strings.Cut(dir, "testdata/")
		want, ok := all[name]
		if reason := unknownModels[filepath.Base(filepath.Dir(dir))]; !ok && reason != "" {
			t.Logf("%s: not compared: %s", dir, reason)
			return nil
		}
		if !ok {
			t.Errorf("%s: nothing is known of it: run serving_models.py again, or list it with the reason", dir)
			return nil
		}
		compared++
		m, err := model.Open(path)
		if err != nil {
			t.Error(err)
			return nil
		}
		if got := m.Signatures(); len(got) != len(want.Signatures) || len(m.MetaGraphs) != want.Graphs {
			t.Errorf("%s: %d signatures in %d graphs, want %d in %d", name, len(got), len(m.MetaGraphs), len(want.Signatures), want.Graphs)
		}
		for key, want := range want.Signatures {
			sig, err := m.Signature(key)
			if err != nil {
				t.Error(err)
				continue
			}
			got := signature{Inputs: append([]tensorText{}, found(sig.Inputs)...), Outputs: append([]tensorText{}, found(sig.Outputs)...)}
			if diff := cmp.Diff(want.signature, got); diff != "" || sig.Method != want.Method {
				t.Errorf("%s: %s: method %q, want %q; (-TensorFlow +ours):\n%s", name, key, sig.Method, want.Method, diff)
			}
		}
		return nil
	}))
	if t.Logf("%d models of %d compared", compared, len(all)); compared == 0 {
		t.Errorf("%s has none of the models that are known", folder)
	}
}
