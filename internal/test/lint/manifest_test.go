package lint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

var update = flag.Bool("update", false, "rewrite testdata/MANIFEST, where new files get a line without an origin, and imports.txt")

const manifestHead = `# Where every file of testdata comes from: path, SHA-256 and origin, separated by tabs. Programs are in make/.
# After a change: go test ./internal/test/lint -run TestManifest -update, then fill in the origin of what is new.
`

// A manifestLine says where a file of testdata comes from. The fields of a line
// are separated by tabs: path below testdata, SHA-256, origin.
type manifestLine struct{ path, sum, origin string }

func parseManifest(b []byte) (lines []manifestLine, faults []string) {
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[0] == "" || strings.TrimSpace(f[2]) == "" {
			faults = append(faults, fmt.Sprintf("testdata/MANIFEST: want path, SHA-256 and origin, separated by tabs: %q", line))
			continue
		}
		lines = append(lines, manifestLine{f[0], f[1], f[2]})
	}
	return lines, faults
}

// listed reports whether the manifest must have a line for the file: everything
// in testdata but the programs and the texts for people.
func listed(name string) bool {
	return below(name, "testdata") && !below(name, "testdata/make") && name != "testdata/MANIFEST" && path.Ext(name) != ".md"
}

func ruleManifest(r tree) (faults []string) {
	lines, faults := parseManifest(r.read("testdata/MANIFEST"))
	seen := map[string]bool{}
	last := ""
	for _, l := range lines {
		name := "testdata/" + l.path
		if l.path <= last {
			faults = append(faults, fmt.Sprintf("testdata/MANIFEST: %s stands behind %s", l.path, last))
		}
		last, seen[name] = l.path, true
		if !r.has(name) || !listed(name) {
			faults = append(faults, fmt.Sprintf("testdata/MANIFEST: there is no %s to list", name))
		} else if sum := checksum(r.read(name)); sum != l.sum {
			faults = append(faults, fmt.Sprintf("%s: the SHA-256 is %s, MANIFEST has %s", name, sum, l.sum))
		}
		if program, _, _ := strings.Cut(l.origin, " "); strings.HasPrefix(program, "make/") && !r.has("testdata/"+program) {
			faults = append(faults, fmt.Sprintf("testdata/MANIFEST: %s was made by %s, which is not there", l.path, program))
		}
	}
	for _, name := range r.names {
		if listed(name) && !seen[name] {
			faults = append(faults, fmt.Sprintf("%s: no line in testdata/MANIFEST says where it comes from", name))
		}
	}
	return faults
}

func checksum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// manifest writes the lines for the files of r, with the origins that old has.
func (r tree) manifest(old []byte) []byte {
	lines, _ := parseManifest(old)
	origin := map[string]string{}
	for _, l := range lines {
		origin[l.path] = l.origin
	}
	b := []byte(manifestHead)
	for _, name := range r.names {
		if listed(name) {
			p := strings.TrimPrefix(name, "testdata/")
			b = fmt.Appendf(b, "%s\t%s\t%s\n", p, checksum(r.read(name)), origin[p])
		}
	}
	return b
}

// TestManifest proves that -update keeps what is right and leaves what it
// cannot know to be filled in. With -update it does it.
func TestManifest(t *testing.T) {
	if *update {
		root, err := testkit.Root()
		if err != nil {
			t.Fatal(err)
		}
		r := repository(t)
		if err := os.WriteFile(filepath.Join(root, "testdata", "MANIFEST"), r.manifest(r.read("testdata/MANIFEST")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files := good()
	files["testdata/a.txt"] = "changed"
	files["testdata/b.txt"] = "new"
	r := sample(files)
	got := string(r.manifest(r.read("testdata/MANIFEST")))
	want := manifestHead + "a.txt\t" + checksum([]byte("changed")) + "\tmake/a.py --seed 1, by python 3\nb.txt\t" + checksum([]byte("new")) + "\t\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if _, faults := parseManifest([]byte(got)); len(faults) != 1 || !bytes.Contains([]byte(faults[0]), []byte("b.txt")) {
		t.Errorf("a line without an origin: %q", faults)
	}
}
