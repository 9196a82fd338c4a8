package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

const models = "../testdata/models"

// A tensorText is the expected type of a tensor, as testdata/make/models.py wrote it.
type tensorText struct {
	Form        string       `json:"form"`
	DType       string       `json:"dtype"`
	Shape       tensor.Shape `json:"shape"`
	RaggedRank  int          `json:"ragged_rank"`
	SplitsDType string       `json:"row_splits_dtype"`
	Path        []string     `json:"path"`
	Names       []string     `json:"names"`
	Tensors     []string     `json:"tensors"`
}

type signature struct {
	Inputs  []tensorText `json:"inputs"` // null: not in the file
	Names   []string     `json:"names"`  // names of the inputs, in order, if Inputs is null
	Outputs []tensorText `json:"outputs"`
}

// expected returns the tensors that TensorFlow reports for each model and signature.
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

func found(specs []model.TensorSpec) (list []tensorText) {
	for _, s := range specs {
		f := tensorText{Form: s.Form.String(), DType: s.DType.String(), Shape: s.Shape, RaggedRank: s.RaggedRank, Path: s.Path, Names: []string{}}
		if s.Unknown != "" {
			f.Form = "unknown: " + s.Unknown
		}
		if s.SplitsDType != tensor.Invalid {
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

// TestStructure compares the structure of every signature with TensorFlow's after tf.saved_model.load.
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

// TestOpenFaults checks the errors of directories that are not models.
func TestOpenFaults(t *testing.T) {
	make := func(names ...string) string {
		dir := t.TempDir()
		for _, name := range names {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	for _, c := range []struct{ dir, want string }{
		{make(), "it has no saved_model.pb"},
		{make("saved_model.pbtxt"), "it has a saved_model.pbtxt; convert it to saved_model.pb"},
		{make("keras_metadata.pb"), "it has metadata of Keras, but no saved_model.pb"},
		{make("1/saved_model.pb", "2/saved_model.pb", "3/x"), "its subdirectories are models: name one of 1, 2"},
		{make("1/saved_model.pb", "2/saved_model.pb", "3/saved_model.pb", "4/saved_model.pb", "5/saved_model.pb", "6/saved_model.pb"), "name one of 1, 2, 3, 4, 5, …"},
		{make("saved_model.pb"), "byte 0: not a SavedModel: the file is empty"},
		{make("saved_model.pb/x"), "not a regular file"},
	} {
		m, err := model.Open(c.dir)
		if m != nil || !errors.Is(err, model.ErrNotModel) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, %v; want %s", m, err, c.want)
		}
	}
	if _, err := model.Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}

// TestReadFaults checks the errors of files that are not a saved_model.pb, or are truncated.
func TestReadFaults(t *testing.T) {
	b := file(t, "tf1_dense")
	for _, c := range []struct {
		content string
		is      error
		want    string
	}{
		{"{\"a\": 1}", model.ErrNotModel, "model: byte 0: not a SavedModel: it looks like JSON"},
		{"\n\n[1, 2, 3]", model.ErrNotModel, "not a SavedModel: it is text"},
		{"hello", model.ErrNotModel, "not a SavedModel: it is text"},
		{"saved_model_schema_version: 1\n", model.ErrNotModel, "not a SavedModel: it is the text form: convert it to saved_model.pb"},
		{"PK\x03\x04\x00", model.ErrNotModel, "not a SavedModel: it is a zip archive (.keras?): export a SavedModel"},
		{"\x89HDF\r\n", model.ErrNotModel, "not a SavedModel: it is an HDF5 file (.h5 of Keras?): export a SavedModel"},
		{"\x00\x01\x02", model.ErrNotModel, "not a SavedModel: illegal field number"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", model.ErrNotModel, "not a SavedModel: varint of more than 64 bits"},
		{"\x1a\x7f\x00", model.ErrNotModel, "model: byte 0: not a SavedModel: unexpected EOF"},
		{"\x08\x01", model.ErrNotModel, "model: byte 0: not a SavedModel: it has no meta_graphs"},
		{string(b[:1]), io.ErrUnexpectedEOF, "model: byte 0: unexpected EOF: the file ends early, at byte 1, inside field 1"},
		{string(b[:3]), io.ErrUnexpectedEOF, "model: byte 2: meta_graphs: unexpected EOF: the file ends early, at byte 3, inside field 2"},
		{string(msg(2, []byte{0xaa})), io.ErrUnexpectedEOF, "model: byte 2: meta_graphs: unexpected EOF: the file ends early, at byte 3, inside a tag"},
		{string(b[:100]), io.ErrUnexpectedEOF, "model: byte 2: meta_graphs: unexpected EOF: the file ends early, at byte 100, inside field 2"},
		{string(msg(2, []byte{0x2a, 0x7f})), io.ErrUnexpectedEOF, "model: byte 2: meta_graphs: unexpected EOF: the file ends early, at byte 4, inside field 5"},
		{string(msg(2, []byte{0x2a, 0x7f})) + string(msg(2)), io.ErrUnexpectedEOF, "model: byte 2: meta_graphs: unexpected EOF: its message ends at byte 4, inside field 5"},
	} {
		m, err := read([]byte(c.content))
		if m != nil || !errors.Is(err, c.is) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%.20q: %v, %v; want %s", c.content, m, err, c.want)
		}
	}
}

// TestCheckServingOutputs checks that a model with a ragged output can serve its other outputs.
func TestCheckServingOutputs(t *testing.T) {
	m, err := model.Open("../testdata/models/ragged3")
	must(t, err)
	sig, err := m.Signature("")
	must(t, err)
	for _, c := range []struct {
		outputs []string
		want    string
	}{
		{nil, `output "twice": TensorFlow Serving cannot return a ragged tensor`},
		{[]string{"total"}, ""},
		{[]string{"total", "twice"}, `output "twice": TensorFlow Serving cannot return a ragged tensor`},
		{[]string{"total", "total"}, `model: signature "serving_default": output "total" occurs twice`},
		{[]string{"all"}, `model: signature "serving_default": no output "all", only ["total" "twice"]`},
	} {
		err := sig.CheckServing(c.outputs...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.outputs, err, c.want)
		}
	}
}
