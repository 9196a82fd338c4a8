package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goName is the name of the section for the standard library and the runtime.
const goName = "The Go standard library and runtime"

// ours is the path of the root module, and the beginning of the paths of nested ones.
const ours = "github.com/tfparse/tfparse"

// linkedPackage is a package that is linked into the command on one platform.
type linkedPackage struct {
	section string   // module and version, or goName
	path    string   // import path
	dir     string   // folder of its files
	root    string   // folder of its module, or of the Go installation
	files   []string // names of its source files on this platform
}

// linked lists the packages of other projects that the command of a module contains, for one platform after
// another. A package is listed once for each platform, because its files differ.
func linked(module, command string, platforms []string) ([]linkedPackage, error) {
	if len(platforms) == 0 {
		return nil, errors.New("no platform is named")
	}
	var packages []linkedPackage
	for _, platform := range platforms {
		goos, goarch, ok := strings.Cut(platform, "/")
		if !ok {
			return nil, fmt.Errorf("%q is not GOOS/GOARCH", platform)
		}
		list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Root,Standard,Module,GoFiles,SFiles,HFiles", command)
		list.Dir = module
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off") // as .ci/release builds
		var stderr bytes.Buffer
		list.Stderr = &stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w\n%s", platform, err, stderr.Bytes())
		}
		of, err := decode(bytes.NewReader(out))
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		packages = append(packages, of...)
	}
	return packages, nil
}

// decode reads the output of go list and omits our own packages.
func decode(r io.Reader) (packages []linkedPackage, err error) {
	type module struct {
		Path, Version string
	}
	for d := json.NewDecoder(r); ; {
		var p struct {
			ImportPath, Dir, Root   string
			Standard                bool
			Module                  *module
			GoFiles, SFiles, HFiles []string
		}
		if err := d.Decode(&p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		l := linkedPackage{path: p.ImportPath, dir: p.Dir, root: p.Root, files: append(append(p.GoFiles, p.SFiles...), p.HFiles...)}
		switch {
		case p.Standard:
			l.section = goName
			// For what Go vendors, go list gives the folder of the module of that name, if there is one.
			l.root = filepath.FromSlash(strings.TrimSuffix(filepath.ToSlash(p.Dir), "/src/"+p.ImportPath))
		case p.Module == nil:
			return nil, fmt.Errorf("package %s belongs to no module", p.ImportPath)
		case p.Module.Path == ours || strings.HasPrefix(p.Module.Path, ours+"/"):
			continue
		default:
			l.section = strings.TrimSpace(p.Module.Path + " " + p.Module.Version)
		}
		packages = append(packages, l)
	}
}

// folders returns the folder of the package and every folder above it, up to
// the root of its module.
func (l linkedPackage) folders() (dirs []string, err error) {
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == l.root {
			return dirs, nil
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("package %s: its folder %s is not below %s", l.path, l.dir, l.root)
		}
	}
}
