package view

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// recordsHandler returns a handler for a file of records.
func recordsHandler(t testing.TB, opts *Options, records ...[]byte) *Handler {
	t.Helper()
	name := filepath.Join(t.TempDir(), "records")
	w, err := tfrecord.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.WriteRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return newFileHandler(t, opts, name)
}

func newFileHandler(t testing.TB, opts *Options, names ...string) *Handler {
	t.Helper()
	h, err := New(names, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// get returns the answer of a handler.
func get(t testing.TB, h *Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+path, nil))
	return w
}

// getJSON reads an answer that must be a success.
func getJSON(t testing.TB, h *Handler, path string, to any) {
	t.Helper()
	w := get(t, h, path)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), to); err != nil {
		t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
}

func marshal(t testing.TB, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readSpec(t testing.TB, name string) (s feature.Spec) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

var goldenSets = []struct {
	name    string
	kind    example.MessageType
	records int
}{
	{"recipes", example.TypeExample, 2},
	{"sessions", example.TypeSequence, 2},
	{"ranking", example.TypeExampleList, 2},
}

// TestGolden compares the answers about records of testdata with reviewed files. UPDATE=1 writes them.
func TestGolden(t *testing.T) {
	for _, set := range goldenSets {
		opts := &Options{Type: set.kind, Spec: readSpec(t, set.name+".spec.json")}
		h := newFileHandler(t, opts, "../testdata/"+set.name+".tfrecord")
		for i := range set.records {
			compareGolden(t, get(t, h, fmt.Sprintf("api/record?file=0&record=%d", i)), fmt.Sprintf("%s-%d.json", set.name, i))
		}
		compareGolden(t, get(t, h, "api/rows?file=0&from=1&count=2"), set.name+"-rows.json")
	}
}

func compareGolden(t *testing.T, w *httptest.ResponseRecorder, name string) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Errorf("%s: status %d: %s", name, w.Code, w.Body)
		return
	}
	var v any
	d := json.NewDecoder(w.Body)
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s differs:\n%s", name, got)
	}
}
