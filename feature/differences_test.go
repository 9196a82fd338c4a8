package feature_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// parseVectors reads all vectors of the family parse, and those of decode about numbers.
func parseVectors(t testing.TB) []*testkit.File {
	t.Helper()
	names, err := filepath.Glob("../testdata/vectors/parse/*.jsonl*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	names = append(names, "../testdata/vectors/decode/raw.jsonl.gz", "../testdata/vectors/decode/tensor_proto.jsonl.gz")
	var files []*testkit.File
	for _, name := range names {
		f, err := testkit.ReadVectors(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// TestDifferences compares the table of differences with the vectors: every reason for a difference in a vector is
// a row, and every row has a vector or a test as proof.
func TestDifferences(t *testing.T) {
	testkit.OneGoroutine(t)
	said := map[string]int{} // reasons, with N for numbers
	number := regexp.MustCompile(`[0-9]+`)
	for _, f := range parseVectors(t) {
		for _, c := range f.Cases {
			w := c.Want()
			if !w.Ours {
				continue
			}
			whys := []string{w.Why}
			if !w.Fail { // a case without failure may have several reasons
				whys = strings.Split(w.Why, "; ")
			}
			for _, why := range whys {
				said[number.ReplaceAllString(why, "N")]++
			}
		}
	}
	tests := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "specprint/*_test.go", "../internal/test/conformance/*_test.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(string(src), -1) {
				tests[m[1]] = true
			}
		}
	}
	doc, err := os.ReadFile("DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	proved := map[string]bool{}
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || cells[0] == "| What" || strings.HasPrefix(line, "| ---") {
			continue
		}
		rows++
		proof := strings.TrimSuffix(cells[2], " |")
		why, isVector := strings.CutPrefix(proof, "`")
		why = strings.TrimSuffix(why, "`")
		switch {
		case proved[proof] && isVector:
			t.Errorf("two rows for %q", why)
		case isVector && said[why] == 0:
			t.Errorf("no vector says %q", why)
		case !isVector && !tests[proof]:
			t.Errorf("no test %q", proof)
		}
		proved[proof] = true
		delete(said, why)
	}
	for why, n := range said {
		t.Errorf("%d vectors say %q, which is no row of the table", n, why)
	}
	if rows < 40 {
		t.Errorf("only %d rows were found in the table", rows)
	}
}
