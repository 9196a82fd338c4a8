package model_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/model"
)

const models = "../testdata/models"

// An expected tensor, as testdata/make/models.py wrote it.
type tensor struct {
	Form        string      `json:"form"`
	DType       string      `json:"dtype"`
	Shape       model.Shape `json:"shape"`
	RaggedRank  int         `json:"ragged_rank"`
	SplitsDType string      `json:"row_splits_dtype"`
	Path        []string    `json:"path"`
	Names       []string    `json:"names"`
	Tensors     []string    `json:"tensors"`
}

type signature struct {
	Inputs  []tensor `json:"inputs"` // null: not in the file
	Names   []string `json:"names"`  // of the inputs, in order, if they are not
	Outputs []tensor `json:"outputs"`
}

// expected is what TensorFlow says of each model and signature.
func expected(t *testing.T) (all map[string]map[string]signature) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(models, "models.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func found(specs []model.TensorSpec) (list []tensor) {
	for _, s := range specs {
		f := tensor{Form: s.Form.String(), DType: s.DType.String(), Shape: s.Shape, RaggedRank: s.RaggedRank, Path: s.Path, Names: []string{}}
		if s.Unknown != "" {
			f.Form = "unknown: " + s.Unknown
		}
		if s.SplitsDType != model.Invalid {
			f.SplitsDType = s.SplitsDType.String()
		}
		for _, c := range s.Components {
			if c.Name != "" {
				f.Names = append(f.Names, c.Name)
			}
			f.Tensors = append(f.Tensors, c.Tensor)
		}
		list = append(list, f)
	}
	return list
}

// The structure of every signature is what TensorFlow has after tf.saved_model.load.
func TestStructure(t *testing.T) {
	for name, signatures := range expected(t) {
		t.Run(name, func(t *testing.T) {
			m, err := model.Open(filepath.Join(models, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Signatures(); len(got) != len(signatures) {
				t.Fatalf("%d signatures, want %d", len(got), len(signatures))
			}
			for key, want := range signatures {
				sig, err := m.Signature(key)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.Outputs, found(sig.Outputs)); diff != "" {
					t.Errorf("%s: outputs (-TensorFlow +ours):\n%s", key, diff)
				}
				if want.Inputs != nil {
					if diff := cmp.Diff(want.Inputs, found(sig.Inputs)); diff != "" {
						t.Errorf("%s: inputs (-TensorFlow +ours):\n%s", key, diff)
					}
					continue
				}
				var names []string
				for _, in := range sig.Inputs {
					if in.Unknown == "" != (len(in.Components) == 1) {
						t.Errorf("%s: %v", key, in)
					}
					for _, c := range in.Components {
						names = append(names, c.Name)
					}
				}
				if !slices.Equal(names, want.Names) {
					t.Errorf("%s: inputs %q, want %q", key, names, want.Names)
				}
			}
		})
	}
}
