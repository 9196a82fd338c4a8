package lint

import (
	"fmt"
	"go/ast"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which packages of ours a package may import. A folder that is not
// named has the entry of the nearest folder above it that is; what lies in a
// package's own internal folder it may always import.
var arrows = map[string][]string{
	".":                        {},
	"tfrecord":                 {},
	"ragged":                   {},
	"ragged/array":             {"ragged"},
	"ragged/layout":            {},
	"ragged/shape":             {"ragged"},
	"ragged/nn":                {"ragged", "ragged/num", "ragged/internal/axisiter"},
	"ragged/num":               {"ragged", "ragged/internal/axisiter"},
	"ragged/internal/axisiter": {"ragged"},
	"example":                  {"internal/canonical", "internal/wire"},
	"feature":                  {"example", "ragged", "internal/simd", "internal/keys", "internal/canonical", "internal/wire"},
	"feature/bind":             {"feature", "example", "internal/wire"},
	"feature/featurepb":        {"feature", "example", "proto"},
	"feature/infer":            {"feature", "example", "internal/keys", "internal/canonical"},
	"feature/specprint":        {"feature", "example"},
	"ragged/text":              {"ragged"},
	"dataset":                  {"tfrecord", "feature", "ragged", "internal/filelist"},
	"validate":                 {"example", "feature", "proto", "internal/judge", "internal/canonical"},

	// Inside validate. What starts from statistics knows nothing of how they are made.
	"validate/pbtext":            {"proto"},
	"validate/internal/cformat":  {},
	"validate/internal/sketch":   {},
	"validate/internal/numbers":  {"internal/simd", "validate/internal/sketch"},
	"validate/internal/view":     {"proto"},
	"validate/internal/distance": {"proto", "validate/internal/view"},
	"validate/internal/rules":    {"proto", "validate/pbtext", "validate/internal/cformat", "validate/internal/distance", "validate/internal/view"},
	"validate/schema":            {"proto", "validate/pbtext", "validate/internal/rules", "validate/internal/view"},
	"validate/anomaly":           {"proto", "validate/internal/rules", "validate/internal/view"},
	"validate/drift":             {"proto", "validate/internal/distance", "validate/internal/view"},
	"validate/examples":          {"proto", "validate", "validate/anomaly"},
	"validate/report":            {"proto", "validate/drift", "validate/internal/view"},
	"validate/record":            {"example", "feature", "feature/infer", "proto", "internal/judge", "internal/keys", "internal/canonical", "internal/wire", "validate/internal/cformat", "validate/internal/rules", "validate/internal/view"},

	"cmd/tfparse": {"tfrecord", "ragged", "ragged/layout", "example", "feature", "feature/featurepb", "feature/infer", "feature/specprint", "ragged/text", "dataset",
		"validate", "validate/anomaly", "validate/drift", "validate/examples", "validate/pbtext", "validate/record", "validate/report", "validate/schema", "proto", "internal/filelist", "internal/judge", "internal/canonical", "internal/wire"},
	"proto":              {},
	"internal":           {},
	"internal/wire":      {"internal/simd"},
	"internal/canonical": {"internal/simd", "internal/wire"},
	"internal/keys":      {"internal/simd", "internal/canonical", "internal/wire"},
}

// outsiders says which packages of ours may import a module of others.
var outsiders = map[string][]string{
	"github.com/golang/snappy":                      {"tfrecord"},
	"github.com/klauspost/compress":                 {"tfrecord"},
	"github.com/spf13/pflag":                        {"cmd/tfparse"},
	"golang.org/x/sys/cpu":                          {"internal/simd", "tfrecord"},
	"golang.org/x/term":                             {"cmd/tfparse"},
	"google.golang.org/protobuf/encoding/protowire": {"example", "feature", "internal/wire", "proto", "validate"},
	"google.golang.org/protobuf":                    {"feature/featurepb", "validate", "proto", "cmd/tfparse"},
}

// entry finds the entry of the nearest folder at or above dir.
func entry[T any](table map[string]T, dir string) (key string, value T, ok bool) {
	for {
		if v, ok := table[dir]; ok {
			return dir, v, true
		}
		if dir == "." {
			return "", value, false
		}
		dir = path.Dir(dir)
	}
}

// imports calls f for every import of a shipped file of the root module.
func (r tree) imports(f func(file goFile, imported string)) {
	for _, file := range r.goFiles() {
		if file.test || !r.inRoot(file.dir) || below(file.dir, "internal/test") {
			continue
		}
		for _, i := range file.ast.Imports {
			if p, err := strconv.Unquote(i.Path.Value); err == nil {
				f(file, p)
			}
		}
	}
}

func ruleArrows(r tree) (faults []string) {
	r.imports(func(file goFile, imported string) {
		to, ours := strings.CutPrefix(imported, module)
		if !ours || to != "" && to[0] != '/' {
			return
		}
		to = strings.TrimPrefix(to, "/")
		from, allowed, ok := entry(arrows, file.dir)
		if !ok || from == "." && file.dir != "." {
			faults = append(faults, fmt.Sprintf("%s: no rule says what a package in %s may import", file.name, file.dir))
			return
		}
		if below(to, path.Join(from, "internal")) || file.dir == to {
			return
		}
		target, _, _ := entry(arrows, to)
		if !slices.ContainsFunc(allowed, func(a string) bool { return a == target || strings.HasPrefix(a, "internal/") && below(to, a) }) {
			faults = append(faults, fmt.Sprintf("%s imports %s: %s may import %q of ours", file.name, to, from, allowed))
		}
	})
	return faults
}

func ruleOutsiders(r tree) (faults []string) {
	r.imports(func(file goFile, imported string) {
		first, _, _ := strings.Cut(imported, "/")
		if !strings.Contains(first, ".") || imported == module || strings.HasPrefix(imported, module+"/") {
			return // the standard library, or ours
		}
		by, allowed, ok := entry(outsiders, imported)
		if !ok || !slices.ContainsFunc(allowed, func(dir string) bool { return below(file.dir, dir) }) {
			faults = append(faults, fmt.Sprintf("%s imports %s: only %q may import %s", file.name, imported, allowed, by))
		}
	})
	return faults
}

// fenced are the only packages that may use unsafe: each is small and has a portable
// implementation. Sizes may be asked for anywhere.
var fenced = []string{"internal/simd"}

func ruleUnsafe(r tree) (faults []string) {
	for _, file := range r.goFiles() {
		if slices.Contains(fenced, file.dir) || file.test || file.generated {
			continue
		}
		ast.Inspect(file.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name != "Sizeof" {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "unsafe" {
					faults = append(faults, fmt.Sprintf("%s uses unsafe.%s: only %q may", file.name, s.Sel.Name, fenced))
				}
			}
			return true
		})
	}
	return faults
}

// free are the packages that stay clear of the protobuf runtime.
var free = []string{"tfrecord", "ragged", "ragged/array", "ragged/layout", "ragged/nn", "ragged/num", "ragged/shape", "ragged/text", "example", "feature", "feature/bind", "feature/infer",
	"feature/specprint", "dataset"}

// TestNoRegistry keeps the runtime of protobuf, with its registry, out of the
// packages that do not need it, whatever imports it for them. Only
// encoding/protowire and what that needs may be there.
func TestNoRegistry(t *testing.T) {
	const protobuf, wire = "google.golang.org/protobuf/", "google.golang.org/protobuf/encoding/protowire"
	needed := deps(t, module+"/...", wire)
	allowed := append(needed[wire], wire)
	for _, dir := range free {
		if needed[module+"/"+dir] == nil {
			t.Errorf("there is no package %s", dir)
		}
		for _, p := range needed[module+"/"+dir] {
			if strings.HasPrefix(p, protobuf) && !slices.Contains(allowed, p) {
				t.Errorf("%s needs %s", dir, p)
			}
		}
	}
	if got := needed[module+"/proto/examplepb"]; !slices.Contains(got, protobuf+"reflect/protoregistry") {
		t.Errorf("this test does not see the registry where it is needed: %q", got)
	}
}

// TestNoTensorFlow keeps generated code of TensorFlow's, under whatever module,
// out of everything that is shipped.
func TestNoTensorFlow(t *testing.T) {
	for ours, needed := range deps(t, module+"/...") {
		for _, p := range needed {
			if strings.Contains(p, "tensorflow") {
				t.Errorf("%s needs %s", ours, p)
			}
		}
	}
}

// deps asks the go command which packages each of those that match needs on this
// system.
func deps(t *testing.T, patterns ...string) map[string][]string {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("skipped: it needs the go command: %v", err)
	}
	out, err := exec.Command(tool, append([]string{"list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}"}, patterns...)...).Output()
	if err != nil {
		if e, ok := err.(*exec.ExitError); ok {
			t.Fatalf("go list %q: %v\n%s", patterns, err, e.Stderr)
		}
		t.Fatal(err)
	}
	needed := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		needed[fields[0]] = fields[1:]
	}
	return needed
}

// TestTables proves that the tables name packages in the way the rules look
// them up.
func TestTables(t *testing.T) {
	for from, allowed := range arrows {
		for _, to := range allowed {
			if _, ok := arrows[to]; !ok && !strings.HasPrefix(to, "internal/") {
				t.Errorf("%s may import %s, which has no entry", from, to)
			}
		}
	}
	if key, _, _ := entry(arrows, "ragged/layout/internal/x"); key != "ragged/layout" {
		t.Errorf("ragged/layout/internal/x has the entry of %s", key)
	}
	for _, dir := range slices.Sorted(maps.Keys(arrows)) {
		if cycle := reaches(dir, dir, nil); cycle != nil {
			t.Errorf("the arrows run in a circle: %q", cycle)
		}
	}
}

func reaches(from, to string, seen []string) []string {
	for _, next := range arrows[from] {
		switch {
		case next == to:
			return append(seen, from, to)
		case !slices.Contains(seen, next):
			if c := reaches(next, to, append(seen, from)); c != nil {
				return c
			}
		}
	}
	return nil
}
