package lint

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// architecture is where the packages and the arrows between them are drawn.
const architecture = "ARCHITECTURE.md"

// rows reads the table of packages in ARCHITECTURE.md: for each folder the folders of ours
// that its packages import, in the order of the table. A row is a line
//
//	| `feature/bind/` | records as Go structs | `example` `feature` |
//
// A package without a row belongs to that of the nearest folder above it.
func (r tree) rows() (folders []string, imports map[string][]string) {
	imports = map[string][]string{}
	for line := range bytes.Lines(r.read(architecture)) {
		cells := strings.Split(strings.TrimSpace(string(line)), "|")
		if len(cells) != 5 {
			continue
		}
		folder, ok := strings.CutSuffix(strings.Trim(cells[1], " `"), "/")
		if !ok {
			continue
		}
		folders = append(folders, folder)
		imports[folder] = []string{}
		if used := strings.TrimSpace(cells[3]); used != "none" {
			for name := range strings.FieldsSeq(used) {
				imports[folder] = append(imports[folder], strings.Trim(name, "`"))
			}
		}
	}
	return folders, imports
}

// ruleArrows compares the table of packages with the imports, in both directions, and holds
// that it is in an order in which packages import only those in rows further down.
func ruleArrows(r tree) (faults []string) {
	folders, drawn := r.rows()
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
			faults = append(faults, fmt.Sprintf("%s imports %s, which the row of %s in %s does not have", file.name, to, from, architecture))
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
				faults = append(faults, fmt.Sprintf("%s: %s imports %s, which stands above it: arrows run down", architecture, folder, target))
			case !used[folder][target]:
				faults = append(faults, fmt.Sprintf("%s: %s has an arrow to %s, and no file imports it", architecture, folder, target))
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
		t.Fatalf("read from %s: %q, %q", architecture, folders, imports)
	}
	if key, _, _ := entry(imports, "ragged/layout/internal/x"); key != "ragged/layout" {
		t.Errorf("ragged/layout/internal/x has the row of %s", key)
	}
}
