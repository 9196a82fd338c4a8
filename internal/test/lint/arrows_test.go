package lint

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// architecture has the table of packages, in an order in which each imports only those further down. A row is a line
//
//	| `feature/bind/` | records as Go structs |
//
// A package without a row belongs to that of the nearest folder above it.
const architecture = "ARCHITECTURE.md"

// importsFile has a line for each row of the table: its folder, and after a tab the folders of ours that its packages import, or none.
const importsFile = "internal/test/lint/imports.txt"

// rows reads the table of packages: for each folder, in the order of the table, the folders that importsFile has for it.
func (r tree) rows() (folders []string, imports map[string][]string) {
	for line := range bytes.Lines(r.read(architecture)) {
		cells := strings.Split(strings.TrimSpace(string(line)), "|")
		if len(cells) != 4 {
			continue
		}
		if folder, ok := strings.CutSuffix(strings.Trim(cells[1], " `"), "/"); ok {
			folders = append(folders, folder)
		}
	}
	imports = map[string][]string{}
	for line := range strings.Lines(string(r.read(importsFile))) {
		folder, used, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		imports[folder] = []string{}
		if used != "none" {
			imports[folder] = strings.Fields(used)
		}
	}
	return folders, imports
}

// ruleArrows compares importsFile with the imports, in both directions, and holds that it has the rows of the table of packages, and that these are
// in an order in which packages import only those in rows further down.
func ruleArrows(r tree) (faults []string) {
	folders, drawn := r.rows()
	for _, folder := range folders {
		if drawn[folder] == nil {
			faults = append(faults, fmt.Sprintf("%s: no line for %s of %s", importsFile, folder, architecture))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(drawn)) {
		if !slices.Contains(folders, folder) {
			faults = append(faults, fmt.Sprintf("%s: %s has no row for %s", importsFile, architecture, folder))
			delete(drawn, folder)
		}
	}
	used := map[string]map[string]bool{}
	for _, folder := range folders {
		used[folder] = map[string]bool{}
	}
	r.imports(func(file goFile, imported string) {
		to, ours := strings.CutPrefix(imported, module+"/")
		if !ours {
			return
		}
		from, _, ok := entry(drawn, file.dir)
		if !ok {
			faults = append(faults, fmt.Sprintf("%s: %s has no row for %s", file.name, architecture, file.dir))
			return
		}
		target, _, ok := entry(drawn, to)
		switch {
		case below(to, path.Join(from, "internal")) || target == from:
		case !ok || !slices.Contains(drawn[from], target):
			faults = append(faults, fmt.Sprintf("%s imports %s, which the line of %s in %s does not have", file.name, to, from, importsFile))
		default:
			used[from][target] = true
		}
	})
	for i, folder := range folders {
		for _, target := range drawn[folder] {
			at := slices.Index(folders, target)
			switch {
			case at < 0:
				faults = append(faults, fmt.Sprintf("%s: %s imports %s, which has no row", architecture, folder, target))
			case at < i:
				faults = append(faults, fmt.Sprintf("%s: %s imports %s, whose row is above it", architecture, folder, target))
			case !used[folder][target]:
				faults = append(faults, fmt.Sprintf("%s: %s imports %s by this line, but no file does", importsFile, folder, target))
			}
		}
	}
	return faults
}

// TestIndependent holds which packages stay apart, whatever the table says: records are
// bytes to what parses them, and tensors know nothing of messages.
func TestIndependent(t *testing.T) {
	_, imports := repository(t).rows()
	for from, never := range map[string][]string{
		"feature": {"tfrecord", "dataset"}, "example": {"tfrecord", "ragged"}, "validate/stats": {"tfrecord"}, "validate/record": {"tfrecord"},
		"ragged": {"example"}, "tfrecord": {"example"},
	} {
		for _, to := range never {
			if slices.Contains(imports[from], to) {
				t.Errorf("%s imports %s", from, to)
			}
		}
	}
	for _, folder := range []string{"ragged", "ragged/layout", "proto", "internal/simd"} {
		if len(imports[folder]) > 0 {
			t.Errorf("%s imports %q", folder, imports[folder])
		}
	}
}

// TestRows proves that the table is read and that rules look packages up in it as it says.
func TestRows(t *testing.T) {
	folders, imports := repository(t).rows()
	if len(folders) < 20 || !slices.Contains(imports["feature"], "example") {
		t.Fatalf("read from %s and %s: %q, %q", architecture, importsFile, folders, imports)
	}
	if key, _, _ := entry(imports, "ragged/layout/internal/x"); key != "ragged/layout" {
		t.Errorf("ragged/layout/internal/x has the row of %s", key)
	}
}

// TestImportsFile writes the imports as they are into importsFile, with -update, in the order of the table of packages. TestRules compares them.
func TestImportsFile(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	r := repository(t)
	folders, _ := r.rows()
	table := map[string][]string{}
	for _, folder := range folders {
		table[folder] = nil
	}
	r.imports(func(file goFile, imported string) {
		to, ours := strings.CutPrefix(imported, module+"/")
		from, _, _ := entry(table, file.dir)
		if target, _, ok := entry(table, to); ours && ok && target != from && !slices.Contains(table[from], target) {
			table[from] = append(table[from], target)
		}
	})
	var text strings.Builder
	text.WriteString("# Which folders of ours each row of the table in ARCHITECTURE.md imports: see arrows_test.go.\n" +
		"# go test ./internal/test/lint -run TestImportsFile -update writes it; review the diff.\n")
	for _, folder := range folders {
		used := table[folder]
		slices.SortFunc(used, func(a, b string) int { return slices.Index(folders, a) - slices.Index(folders, b) })
		if used == nil {
			used = []string{"none"}
		}
		fmt.Fprintf(&text, "%s\t%s\n", folder, strings.Join(used, " "))
	}
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(importsFile)), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
