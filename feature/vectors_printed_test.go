package feature_test

import (
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/specprint"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestPrintedPython proves that the Python form of a spec gives the same tensors as the spec. The printed text is
// the text that TensorFlow ran, and TensorFlow's tensors equal ours.
func TestPrintedPython(t *testing.T) {
	testkit.OneGoroutine(t)
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	f, err := testkit.ReadVectors(filepath.Join(root, "testdata", "spec", "python.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var raw json.RawMessage
			var python string
			var records [][]byte
			for member, v := range map[string]any{"spec": &raw, "python": &python, "records": &records} {
				if err := c.Decode(member, v); err != nil {
					t.Fatal(err)
				}
			}
			parser, err := newParser(raw)
			if err != nil {
				t.Fatal(err)
			}
			text, err := specprint.Python(parser.Spec())
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != python {
				t.Errorf("TensorFlow ran\n%s\nprinted is\n%s", python, text)
			}
			batch, err := parser.Parse(records...)
			if err != nil {
				t.Fatal(err)
			}
			if err := testkit.CheckParse(c, parseClasses, allSections(batch), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// allSections returns the columns of a batch in the form of the vectors of its message type.
func allSections(b *feature.Batch) testkit.Sections {
	out := testkit.Sections{}
	for g, group := range []string{"columns", "context", "sequence", "examples"} {
		columns := b.Columns().In(feature.Group(g))
		out[group] = map[string]testkit.Value{}
		for name, v := range (parseCall{}).values(columns) {
			if !utf8.ValidString(name) {
				name = "b64:" + base64.StdEncoding.EncodeToString([]byte(name))
			}
			out[group][name] = v
		}
		if feature.Group(g) != feature.InSequence {
			continue
		}
		out["lengths"] = map[string]testkit.Value{}
		for name, c := range columns.All() {
			if t, ok := c.Lengths(); ok {
				out["lengths"][name] = tensorValue("int64", t)
			}
		}
	}
	switch spec := b.Parser().Spec(); {
	case spec.Features != nil:
		return testkit.Sections{"columns": out["columns"]}
	case spec.Examples != nil:
		return testkit.Sections{"context": out["context"], "examples": out["examples"]}
	}
	return testkit.Sections{"context": out["context"], "sequence": out["sequence"], "lengths": out["lengths"]}
}
