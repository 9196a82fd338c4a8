package recordjson

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

const root = "../../"

// readRecords returns the records of a file.
func readRecords(t testing.TB, name string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	var records [][]byte
	for len(data) > 0 {
		record, n, err := tfrecord.ConsumeRecord(data)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
		data = data[n:]
	}
	if len(records) == 0 {
		t.Fatalf("%s: no records", name)
	}
	return records
}

func detectType(t testing.TB, records [][]byte) example.MessageType {
	t.Helper()
	found, ok := detect.Detect(records[:min(64, len(records))])
	if !ok {
		t.Fatal("no message type fits")
	}
	return found
}

func print(t testing.TB, p *Printer, msg []byte) string {
	t.Helper()
	line, err := p.Append(nil, msg, tfrecord.Position{Name: "f", Record: 3, Offset: 99})
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// The lines for the samples were written by TensorFlow and Python's json.
func TestSamplesPrintAsPythonSays(t *testing.T) {
	for name, typ := range map[string]example.MessageType{"recipes": example.TypeExample, "sessions": example.TypeSequence, "ranking": example.TypeExampleList} {
		records := readRecords(t, root+"testdata/"+name+".tfrecord")
		want, err := os.ReadFile(root + "testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		if found := detectType(t, records); found != typ {
			t.Errorf("%s: got type %v, want %v", name, found, typ)
		}
		p := NewPrinter(typ, nil)
		var got []byte
		for _, record := range records {
			got = append(append(got, print(t, p, record)...), '\n')
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Every line of real data is unchanged after reading it without a given type and printing it, except for the kinds
// of empty lists. In the typed form the decoded records are equal.
func TestRealDataSurvives(t *testing.T) {
	files, _ := filepath.Glob(root + "testdata/*.tfrecord")
	if len(files) < 3 {
		t.Fatalf("samples are missing: %q", files)
	}
	shared, _ := filepath.Glob(root + "../shared/data/*/*tfrecord*")
	if len(shared) == 0 {
		t.Run("shared", func(t *testing.T) { t.Skip("../shared/data is not there") })
	}
	long := testkit.Long(t, "all but the first 100 records of each file of other projects")
	for i, file := range append(files, shared...) {
		records := readRecords(t, file)
		typ := detectType(t, records)
		if i >= len(files) && !long {
			records = records[:min(len(records), 100)]
		}
		for _, typed := range []bool{false, true} {
			for _, position := range []bool{false, true} {
				p := NewPrinter(typ, &Options{Typed: typed, Position: position})
				e := NewEncoder(example.TypeAuto, nil)
				for i, record := range records {
					line := print(t, p, record)
					back, err := e.Append(nil, []byte(line))
					if err != nil {
						t.Fatalf("%s: record %d: %v\n%s", file, i, err, line)
					}
					want, got := line, print(t, p, back)
					if !typed { // the line does not contain the kind of an empty list
						want, got = print(t, p, withoutEmpty(t, typ, record)), print(t, p, withoutEmpty(t, typ, back))
					}
					if got != want {
						t.Fatalf("%s: record %d prints\n%s\nand after reading it back\n%s", file, i, line, got)
					}
					if typed {
						sameRecord(t, typ, record, back)
					}
				}
				if e.seen != typ {
					t.Errorf("%s: lines were taken for %v, want %v", file, e.seen, typ)
				}
			}
		}
	}
}

// sameRecord checks that two messages decode to equal owned forms.
func sameRecord(t testing.TB, typ example.MessageType, x, y []byte) {
	t.Helper()
	var ok bool
	switch typ {
	case example.TypeExample:
		ok = sameFeatures(owned[example.Example](t, x), owned[example.Example](t, y))
	case example.TypeSequence:
		a, b := owned[example.Sequence](t, x), owned[example.Sequence](t, y)
		ok = sameFeatures(a.Context, b.Context) && sameMap(a.Lists, b.Lists, func(v, w []example.Value) bool {
			return sameSlice(v, w, example.Value.Equal)
		})
	case example.TypeExampleList:
		a, b := owned[example.ExampleList](t, x), owned[example.ExampleList](t, y)
		ok = a.HasContext == b.HasContext && sameFeatures(a.Context, b.Context) && sameSlice(a.Examples, b.Examples, sameFeatures)
	default:
		ok = bytes.Equal(x, y)
	}
	if !ok {
		t.Fatalf("records of type %v differ:\n%x\n%x", typ, x, y)
	}
}

func owned[T any, P interface {
	*T
	UnmarshalBinary([]byte) error
}](t testing.TB, msg []byte) T {
	t.Helper()
	var v T
	if err := P(&v).UnmarshalBinary(msg); err != nil {
		t.Fatalf("%x: %v", msg, err)
	}
	return v
}

func sameFeatures(a, b example.Example) bool { return sameMap(a, b, example.Value.Equal) }

func sameMap[V any](a, b map[string]V, equal func(V, V) bool) bool {
	for name, v := range a {
		if w, ok := b[name]; !ok || !equal(v, w) {
			return false
		}
	}
	return len(a) == len(b)
}

func sameSlice[V any](a, b []V, equal func(V, V) bool) bool {
	for i := range min(len(a), len(b)) {
		if !equal(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}
