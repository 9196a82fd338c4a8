package tfparse_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

var (
	quoted  = regexp.MustCompile("`([^`]*)`")
	numbers = regexp.MustCompile(`[0-9]+`)
	tests   = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// A reason in the vectors that is not a difference.
const agrees = "TensorFlow reports the fault too; class and offset are what we require besides"

// TestDifferences holds that the table of DIFFERENCES.md says what the vectors
// say, and leaves out no reason for which one asks for another outcome than
// TensorFlow's. That the outcome is the one asked for is for the test that runs
// the vectors.
func TestDifferences(t *testing.T) {
	cases := map[string]*testkit.Case{}
	open := map[string]string{} // reasons that no row has named yet, and a case
	files, err := filepath.Glob("testdata/vectors/container/*.jsonl*")
	if err != nil || len(files) == 0 {
		t.Fatalf("vectors %q: %v", files, err)
	}
	for _, name := range files {
		f, err := testkit.ReadVectors(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Cases {
			cases[c.Name] = c
			if w := c.Want(); w.Ours && w.Why != agrees {
				open[numbers.ReplaceAllString(w.Why, "n")] = c.Name
			}
		}
	}
	known := testNames(t, "tfrecord")
	text, err := os.ReadFile("DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cell := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cell) != 6 || !numbers.MatchString(cell[0]) {
			continue
		}
		rows++
		proofs := quoted.FindAllStringSubmatch(cell[5], -1)
		if len(proofs) == 0 {
			t.Errorf("%q has no proof", cell[1])
		}
		for _, p := range proofs {
			name := p[1]
			if strings.HasPrefix(name, "Test") {
				if !known[name] {
					t.Errorf("%q: there is no %s", cell[1], name)
				}
				continue
			}
			c := cases[name]
			if c == nil || !c.Want().Ours {
				t.Errorf("%q: no vector %q differs from TensorFlow", cell[1], name)
				continue
			}
			w := c.Want()
			delete(open, numbers.ReplaceAllString(w.Why, "n"))
			if accepts := !c.Has("error"); accepts != strings.HasPrefix(cell[2], "accepts") || accepts == strings.HasPrefix(cell[2], "refuses") {
				t.Errorf("%q: %q: TensorFlow accepts is %v, the table says %q", cell[1], name, accepts, cell[2])
			}
			if refuses := c.HasOurs("error"); refuses != strings.HasPrefix(cell[3], "refuses") || refuses == strings.HasPrefix(cell[3], "accepts") {
				t.Errorf("%q: %q: refused here is %v, the table says %q", cell[1], name, refuses, cell[3])
			}
		}
	}
	if rows == 0 {
		t.Error("DIFFERENCES.md has no rows")
	}
	for why, name := range open {
		t.Errorf("no row for %q, as in %q", why, name)
	}
}

// testNames are the tests in a folder.
func testNames(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %q, %v", dir, files, err)
	}
	names := map[string]bool{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tests.FindAllSubmatch(b, -1) {
			names[string(m[1])] = true
		}
	}
	return names
}

// TestProofs holds that the tests exist which the tables of validation name, in the packages
// that they name, and the scripts.
func TestProofs(t *testing.T) {
	of := regexp.MustCompile("((?:`Test\\w+`(?:, | and )?)+)(?: of (?:the )?(?:package )?([\\w/]+))?")
	packages := map[string]string{"drift": "validate/drift", "record": "validate/record", "schema": "validate/schema", "view": "validate/internal/view", "vectors": "internal/test/conformance"}
	for table, here := range map[string]string{"DIFFERENCES.md": ".", "validate/stats/DIFFERENCES.md": "validate/stats", "validate/anomaly/DIFFERENCES.md": "validate/anomaly"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		if table == "DIFFERENCES.md" {
			_, text, _ = bytes.Cut(text, []byte("\n## Records\n")) // files: see above
		}
		if !bytes.Contains(text, []byte("`Test")) {
			t.Errorf("%s names no test", table)
		}
		for line := range strings.Lines(string(text)) {
			cell := strings.Split(strings.Trim(line, "| \n"), " | ")
			proof := cell[len(cell)-1]
			for _, m := range of.FindAllStringSubmatch(proof, -1) {
				dir := here
				if m[2] != "" {
					dir = m[2]
					if long, ok := packages[dir]; ok {
						dir = long
					}
				}
				known := testNames(t, dir)
				for _, name := range quoted.FindAllStringSubmatch(m[1], -1) {
					if !known[name[1]] {
						t.Errorf("%s: %s has no %s", table, dir, name[1])
					}
				}
			}
			for _, m := range quoted.FindAllStringSubmatch(proof, -1) {
				if strings.HasSuffix(m[1], ".txtar") {
					if _, err := os.Stat(filepath.Join("cmd/tfparse/testdata/script", m[1])); err != nil {
						t.Errorf("%s: %v", table, err)
					}
				}
			}
		}
	}
}
