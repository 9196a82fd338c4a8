package lint

import (
	"fmt"
	"go/ast"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers is the order of the packages inside the command: each may import those of the lines
// above its own, and none beside it. So verbs do not know each other, and what they share knows
// no verb.
var layers = [][]string{
	{"console", "content", "summary", "tfmessage"},
	{"cli", "protomessage", "statjson"},
	{"explain", "scan", "tensortext"},
	{"partial"},
	{"statsource"},
	{"compare", "encode", "export", "files", "quality", "records", "rewrite", "schema", "serving", "viewer"},
}

func ruleLayers(r tree) (faults []string) {
	const dir = "cmd/tfparse/internal/"
	layer := map[string]int{}
	for i, packages := range layers {
		for _, p := range packages {
			layer[dir+p] = i + 1
		}
	}
	r.imports(func(file goFile, imported string) {
		to := strings.TrimPrefix(imported, module+"/")
		if !below(file.dir, strings.TrimSuffix(dir, "/")) {
			return
		}
		from := layer[file.dir]
		switch {
		case from == 0:
			faults = append(faults, fmt.Sprintf("%s: no layer of the command has %s", file.name, file.dir))
		case strings.HasPrefix(to, dir) && layer[to] >= from:
			faults = append(faults, fmt.Sprintf("%s imports %s, which is in no layer above it", file.name, to))
		}
	})
	return faults
}

// outsiders says which packages of ours may import a module of others.
var outsiders = map[string][]string{
	"github.com/bufbuild/protocompile":              {"cmd/tfparse/internal/protomessage"},
	"github.com/golang/snappy":                      {"tfrecord"},
	"github.com/klauspost/compress":                 {"tfrecord"},
	"github.com/spf13/cobra":                        {"cmd/tfparse/internal/cli"},
	"github.com/spf13/pflag":                        {"cmd/tfparse"},
	"golang.org/x/sys/cpu":                          {"internal/simd", "tfrecord"},
	"golang.org/x/term":                             {"cmd/tfparse"},
	"google.golang.org/protobuf/encoding/protowire": {"example", "feature", "internal/wire", "internal/pbtext", "proto", "validate"},
	"google.golang.org/protobuf":                    {"feature/featurepb", "internal/pbtext", "validate", "proto", "cmd/tfparse"},
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
var free = []string{"tfrecord", "ragged", "ragged/array", "ragged/layout", "ragged/nn", "ragged/num", "ragged/shape", "ragged/text", "example", "expr", "example/recordjson", "feature", "feature/bind", "feature/infer", "feature/raggedjson",
	"feature/specprint", "dataset", "model"}

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
