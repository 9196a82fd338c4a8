package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// listedPackage is a package as "go list -deps -json" describes it.
type listedPackage struct {
	Dir, ImportPath string
	Standard        bool
	GoFiles         []string
	ImportMap       map[string]string // import path in the source: path of the package
}

// TestPlatforms type-checks all packages for systems and processors other than that of the test, with what they import, from
// source. It takes a few seconds where a build takes a minute; .ci/run long builds.
func TestPlatforms(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: no go command to list packages with: ", err)
	}
	platforms := []string{"windows/386"}
	if testkit.Long(t, "macOS, and a big-endian processor") {
		platforms = append(platforms, "darwin/arm64", "linux/s390x")
	}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		t.Run(platform, func(t *testing.T) {
			cmd := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Standard,GoFiles,ImportMap", "./...")
			cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, &stderr)
			}
			checked := map[string]*types.Package{"unsafe": types.Unsafe}
			ours := 0
			for d := json.NewDecoder(bytes.NewReader(out)); ; {
				var p listedPackage
				if err := d.Decode(&p); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if p.ImportPath == "unsafe" {
					continue
				}
				if checked[p.ImportPath], err = checkPackage(&p, checked, types.SizesFor("gc", goarch)); err != nil {
					t.Errorf("%s: %v", p.ImportPath, err)
				}
				if strings.HasPrefix(p.ImportPath, module) {
					ours++
				}
			}
			if ours < 50 {
				t.Errorf("%d packages were checked, want more", ours)
			}
		})
	}
}

// checkPackage type-checks a package whose imports have been checked: bodies of functions in packages of ours only.
func checkPackage(p *listedPackage, checked map[string]*types.Package, sizes types.Sizes) (*types.Package, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{
		IgnoreFuncBodies: !strings.HasPrefix(p.ImportPath, module),
		Sizes:            sizes,
		Importer: importFunc(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if found := checked[path]; found != nil {
				return found, nil
			}
			return nil, errors.New("it was not checked before")
		}),
	}
	return config.Check(p.ImportPath, fset, files, nil)
}

// importFunc is a types.Importer.
type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }
