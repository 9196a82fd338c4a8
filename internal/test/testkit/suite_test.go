package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

const sample = `{"vectors": "ragged", "version": 1, "made_by": "nobody", "program": "none", "cases": 5}
{"name": "right", "tags": [], "op": "id", "args": [{"int": 1}], "expect": {"int": 1}}
{"name": "wrong", "tags": [], "op": "id", "args": [{"int": 2}], "expect": {"int": 3}}
{"name": "error", "tags": [], "op": "id", "args": [], "error": {"message": "no argument"}}
{"name": "ours", "tags": [], "op": "id", "args": [{"int": 4}], "error": {"message": "odd"}, "ours": {"why": "it is not", "expect": {"int": 4}}}
{"name": "open", "tags": ["unsupported"], "op": "nobody knows", "args": [], "error": {"message": "no"}}
`

func suite() *Suite {
	s := &Suite{Family: "ragged", Key: "op", Members: []string{"args", "kwargs"}}
	s.Handle("id", Compare(func(c *Case) (Value, error) {
		args, err := c.Values("args")
		if err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return nil, errors.New("no argument")
		}
		return args[0], nil
	}))
	return s
}

func runText(t *testing.T, s *Suite, text string) report {
	t.Helper()
	f, err := parseVectors([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Cases {
		c.File = "a.jsonl"
	}
	return s.runFile(f, regexp.MustCompile(""), s.Every)
}

// oneCase is a file of one case.
func oneCase(body string) string {
	return fmt.Sprintf(`{"vectors": "ragged", "version": 1, "cases": 1}
{"name": "a", "tags": [], %s}
`, body)
}

func TestSuiteCounts(t *testing.T) {
	r := runText(t, suite(), sample)
	if want := (Count{Cases: 5, Passed: 3, Failed: 1, Open: 1}); r.count != want {
		t.Errorf("got %+v, want %+v", r.count, want)
	}
	if len(r.faults) != 1 || !strings.Contains(r.faults[0], "wrong") || !strings.Contains(r.faults[0], "want int 3, got int 2") {
		t.Errorf("faults: %q", r.faults)
	}
	if n := r.keys["id"]; n == nil || n.Cases != 4 || n.Failed != 1 {
		t.Errorf("counts of id: %+v", n)
	}
}

// TestSuiteFails proves that each thing that must fail a run does.
func TestSuiteFails(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Count
		say  string
	}{
		"a wrong value":                      {`"op": "id", "args": [{"int": 1}], "expect": {"int": 2}`, Count{Cases: 1, Failed: 1}, "got int 1"},
		"a value for an error":               {`"op": "id", "args": [{"int": 1}], "error": {}`, Count{Cases: 1, Failed: 1}, "want an error"},
		"an error for a value":               {`"op": "id", "args": [], "expect": {"int": 2}`, Count{Cases: 1, Failed: 1}, "no argument"},
		"what ours says":                     {`"op": "id", "args": [{"int": 1}], "expect": {"int": 1}, "ours": {"why": "so", "error": true}`, Count{Cases: 1, Failed: 1}, "want an error"},
		"an unknown op":                      {`"op": "di", "args": [], "expect": {"int": 2}`, Count{Cases: 1, Unknown: 1}, `op "di"`},
		"no op":                              {`"call": "id", "args": [], "expect": {"int": 2}`, Count{Cases: 1, Unknown: 1}, `no member "op"`},
		"an unknown member":                  {`"op": "id", "args": [{"int": 1}], "seed": 4, "expect": {"int": 1}`, Count{Cases: 1, Unknown: 1}, `"seed"`},
		"an unknown kind":                    {`"op": "id", "args": [{"complex": 1}], "error": {}`, Count{Cases: 1, Unknown: 1}, "complex"},
		"an unknown dtype":                   {`"op": "id", "args": [{"dense": {"dtype": "half", "shape": [0], "values": []}}], "error": {}`, Count{Cases: 1, Unknown: 1}, "half"},
		"an unknown expectation":             {`"op": "id", "args": [{"int": 1}], "expect": {"complex": 1}`, Count{Cases: 1, Unknown: 1}, "complex"},
		"a broken argument":                  {`"op": "id", "args": [{"int": "x"}], "error": {}`, Count{Cases: 1, Failed: 1}, "cannot be run"},
		"a panic where an error is expected": {`"op": "panic", "error": {}`, Count{Cases: 1, Failed: 1}, "panic: oh"},
	} {
		s := suite()
		s.Handle("panic", func(*Case) error { panic("oh") })
		r := runText(t, s, oneCase(c.body))
		if r.count != c.want || len(r.faults) != 1 || !strings.Contains(r.faults[0], c.say) {
			t.Errorf("%s: got %+v %q, want %+v and %q", name, r.count, r.faults, c.want, c.say)
		}
	}
	s := suite()
	s.Family = "layout"
	if r := runText(t, s, sample); len(r.faults) != 2 || !strings.Contains(r.faults[0], "the header says") {
		t.Errorf("another family: %q", r.faults)
	}
}

// TestExceptions proves that an exception excuses a failure, and nothing else.
func TestExceptions(t *testing.T) {
	s := suite()
	s.Exceptions = map[string]string{"wrong": "two is not three"}
	if r := runText(t, s, sample); len(r.faults) != 0 || r.count.Excepted != 1 || r.count.Passed != 3 {
		t.Errorf("a case held wrong: %+v %q", r.count, r.faults)
	}
	s.Exceptions["right"] = "for no reason"
	if r := runText(t, s, sample); len(r.faults) != 1 || !strings.Contains(r.faults[0], "strike it out") {
		t.Errorf("an exception that passes: %q", r.faults)
	}
	s.Exceptions = map[string]string{"wrong": "", "gone": "", "other": ""}
	if got := s.stale(map[string]bool{"wrong": true}); len(got) != 2 {
		t.Errorf("stale exceptions: %q", got)
	}
	s.Exceptions = map[string]string{"a": "nobody knows it"}
	if r := runText(t, s, oneCase(`"op": "di", "expect": {"int": 1}`)); r.count.Unknown != 1 || len(r.faults) != 1 {
		t.Errorf("an exception for an unknown case: %+v %q", r.count, r.faults)
	}
}

// TestIdle proves that a check without a case is a fault, unless not every case was run.
func TestIdle(t *testing.T) {
	s := suite()
	s.Handle("never", nil)
	keys := runText(t, s, sample).keys
	if got := s.idle(keys); len(got) != 1 || !strings.Contains(got[0], `no case has the op "never"`) {
		t.Errorf("faults: %q", got)
	}
	s.Every = 2
	if got := s.idle(keys); len(got) != 0 {
		t.Errorf("of some cases: %q", got)
	}
}

// TestBadFiles proves that a damaged file of vectors is not read in part.
func TestBadFiles(t *testing.T) {
	head := `{"vectors": "ragged", "version": 1, "cases": 1}` + "\n"
	for name, text := range map[string]string{
		"empty":             "",
		"too few cases":     head,
		"too many cases":    head + `{"name": "a", "expect": {}}` + "\n" + `{"name": "b", "expect": {}}`,
		"a name twice":      `{"vectors": "ragged", "version": 1, "cases": 2}` + "\n" + `{"name": "a", "expect": {}}` + "\n" + `{"name": "a", "expect": {}}`,
		"no name":           head + `{"expect": {}}`,
		"no expectation":    head + `{"name": "a"}`,
		"empty ours":        head + `{"name": "a", "expect": {}, "ours": {"why": "so"}}`,
		"cut line":          head + `{"name": "a", "expect": {`,
		"two on a line":     head + `{"name": "a", "expect": {}} {}`,
		"another version":   `{"vectors": "ragged", "version": 2, "cases": 0}`,
		"unknown in header": `{"vectors": "ragged", "version": 1, "cases": 0, "seed": 1}`,
		"blank line":        head + "\n" + `{"name": "a", "expect": {}}`,
	} {
		if _, err := parseVectors([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestVectorFiles proves how a folder is read: every file with the header of the family,
// wherever it lies and whatever its name, in order, and none twice.
func TestVectorFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("ragged/a.tfrecord", nil)
	write("README.md", []byte("text"))
	if err := someFamily(dir); err == nil {
		t.Error("a folder without vectors: no error")
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(sample))
	w.Close()
	write("ragged/b.jsonl", []byte(sample))
	write("ragged/a.jsonl.gz", z.Bytes())
	write("parse/deep/er/c.txt", []byte(sample))
	write("d", z.Bytes())
	write("ragged/layout.jsonl", []byte(strings.Replace(sample, "ragged", "layout", 1)))
	files, err := vectorFiles(dir, "ragged")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		f, err := ReadVectors(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Cases) != 5 || f.Cases[0].File != f.Name || filepath.Clean(f.Cases[0].Dir) != filepath.Dir(file) || f.Cases[4].Line != 6 {
			t.Errorf("%s: %d cases, first %+v", f.Name, len(f.Cases), f.Cases[0])
		}
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"d", "c.txt", "a.jsonl", "b.jsonl"}) {
		t.Errorf("files: %q", names)
	}
	if err := someFamily(dir); err != nil {
		t.Error(err)
	}
	write("ragged/b.jsonl.gz", z.Bytes())
	if _, err := vectorFiles(dir, "ragged"); err == nil {
		t.Error("a file plain and compressed: no error")
	}
	if err := os.Remove(filepath.Join(dir, "ragged", "b.jsonl.gz")); err != nil {
		t.Fatal(err)
	}
	write("ragged/e.jsonl", []byte(`{"name": "a case, and no header"}`))
	if _, err := vectorFiles(dir, "ragged"); err == nil {
		t.Error("vectors without a header: no error")
	}
}

// TestPath proves where a file that a case names is looked for.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(FolderVariable, dir)
	moved := filepath.Join(dir, "moved")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "a", "data"), 0o777), os.Mkdir(moved, 0o777),
		os.WriteFile(filepath.Join(dir, "a", "data", "x.pbtxt.gz"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "a", "data", "x.pbtxt.gz")
	for _, beside := range []string{filepath.Join(dir, "a"), moved} {
		if got, err := (&Case{Dir: beside}).Path("data/x.pbtxt"); got != want || err != nil {
			t.Errorf("from %s: %q, %v", beside, got, err)
		}
	}
	if got, err := (&Case{Dir: moved}).Path("data/y.pbtxt"); !setup(err) {
		t.Errorf("a file that is not there: %q, %v", got, err)
	}
}

// TestFolder proves which folder is read.
func TestFolder(t *testing.T) {
	t.Setenv(FolderVariable, "")
	dir, own, err := Folder()
	if err != nil || !own || !strings.HasSuffix(filepath.ToSlash(dir), "/testdata/vectors") {
		t.Errorf("got %q, %v, %v", dir, own, err)
	}
	other := t.TempDir()
	t.Setenv(FolderVariable, other)
	if dir, own, err := Folder(); dir != other || own || err != nil {
		t.Errorf("named: got %q, %v, %v", dir, own, err)
	}
	t.Setenv(FolderVariable, filepath.Join(other, "gone"))
	if _, _, err := Folder(); err == nil {
		t.Error("a folder that is not there: no error")
	}
}

func TestCorrupters(t *testing.T) {
	b := []byte{0x00, 0xff}
	var got []string
	for n, c := range Cuts(b) {
		got = append(got, fmt.Sprintf("%d:%x/%d", n, c, cap(c)-len(c)))
	}
	if want := []string{"0:/0", "1:00/0"}; !slices.Equal(got, want) {
		t.Errorf("Cuts: got %q, want %q", got, want)
	}
	got = nil
	for i, c := range Flips(b) {
		if i%8 == 1 {
			got = append(got, fmt.Sprintf("%d:%x", i, c))
		}
	}
	if want := []string{"1:02ff", "9:00fd"}; !slices.Equal(got, want) {
		t.Errorf("Flips: got %q, want %q", got, want)
	}
	got = nil
	for i, c := range Overwrites([]byte("abc"), []byte("XY")) {
		got = append(got, fmt.Sprintf("%d:%s", i, c))
	}
	if want := []string{"0:XYc", "1:aXY"}; !slices.Equal(got, want) {
		t.Errorf("Overwrites: got %q, want %q", got, want)
	}
	if !bytes.Equal(b, []byte{0x00, 0xff}) {
		t.Errorf("the input was changed to %x", b)
	}
}

// TestEveryVector reads all the vectors there are: the files are whole, and the
// values of the ragged operations are of known kinds.
func TestEveryVector(t *testing.T) {
	t.Setenv(FolderVariable, "")
	dir, _, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	families, err := allVectorFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for family, files := range families {
		for _, name := range files {
			f, err := ReadVectors(name)
			if err != nil {
				t.Error(err)
				continue
			}
			if filepath.Base(filepath.Dir(name)) != family {
				t.Errorf("%s: the header says %q", name, family)
			}
			read += len(f.Cases)
			if family != "ragged" {
				continue
			}
			for _, c := range f.Cases {
				_, err1 := c.Values("args")
				_, err2 := c.NamedValues("kwargs")
				var err3 error
				if w := c.Want(); w.Expect != nil {
					var v Value
					if v, err3 = ParseValue(w.Expect); err3 == nil && (Rule{}).Diff(v, v) != "" {
						err3 = fmt.Errorf("%s differs from itself", Format(v))
					}
				}
				if err := errors.Join(err1, err2, err3); err != nil {
					t.Errorf("%s:%d: %s: %v", f.Name, c.Line, c.Name, err)
				}
			}
		}
	}
	if read == 0 {
		t.Errorf("%s: no cases", dir)
	}
}
