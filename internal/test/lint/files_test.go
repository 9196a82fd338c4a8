package lint

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// machinePath matches a path that means something on one machine only.
var machinePath = regexp.MustCompile(`/(` + strings.Join([]string{"work", "farm", "root", "tmp", "home", "Users"}, "|") + `)/[\w.-]*`)

// ruleMachinePaths looks at every text file, in compressed ones too.
func ruleMachinePaths(r tree) (faults []string) {
	for _, name := range r.names {
		if path.Base(name) == "go.sum" {
			continue
		}
		b := r.read(name)
		if path.Ext(name) == ".gz" {
			z, err := gzip.NewReader(bytes.NewReader(b))
			if err == nil {
				b, err = io.ReadAll(z)
			}
			if err != nil {
				faults = append(faults, fmt.Sprintf("%s: %v", name, err))
				continue
			}
		}
		if bytes.IndexByte(b, 0) >= 0 {
			continue // not a text
		}
		if m := machinePath.Find(b); m != nil {
			faults = append(faults, fmt.Sprintf("%s: a path of some machine: %s", name, m))
		}
	}
	return faults
}

// ruleProto keeps TensorFlow's names out of what is shipped: our messages have
// packages and paths of our own. The folder of the test that links both is the
// one exception.
func ruleProto(r tree) (faults []string) {
	declared := regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)\s*;`)
	source := regexp.MustCompile(`(?m)^// source: (\S+)$`)
	for _, name := range r.names {
		if below(name, "internal/linktest") {
			continue
		}
		b := r.read(name)
		switch {
		case path.Ext(name) == ".proto":
			m := declared.FindSubmatch(b)
			if m == nil || !strings.HasPrefix(string(m[1]), "tfparse.") {
				faults = append(faults, fmt.Sprintf("%s: the package must begin with tfparse.", name))
			}
			if !below(name, "proto") {
				faults = append(faults, fmt.Sprintf("%s: .proto files lie in the folder proto", name))
			}
		case strings.HasSuffix(name, ".pb.go"):
			m := source.FindSubmatch(b)
			if m == nil || !strings.HasPrefix(string(m[1]), "tfparse/") {
				faults = append(faults, fmt.Sprintf("%s: the path of its source must begin with tfparse/", name))
			}
		}
	}
	return faults
}

// direct are the modules that go.mod of the root may require for itself.
var direct = []string{
	"google.golang.org/protobuf", "github.com/golang/snappy", "github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/klauspost/compress", "golang.org/x/sys", "golang.org/x/term",
	"github.com/bufbuild/protocompile",                            // compiles .proto files for cat --proto; only the command links it
	"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", // for tests
}

var requirement = regexp.MustCompile(`(?m)^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+(v\S+)(\s*//\s*indirect)?\s*$`)

// ruleModules keeps heavy dependencies in nested modules, and one version of
// protobuf in all of them.
func ruleModules(r tree) (faults []string) {
	versions := map[string]string{}
	for _, name := range r.names {
		if path.Base(name) != "go.mod" {
			continue
		}
		for _, m := range requirement.FindAllSubmatch(r.read(name), -1) {
			required, version, indirect := string(m[1]), string(m[2]), len(m[3]) > 0
			if name == "go.mod" && !indirect && !slices.Contains(direct, required) {
				faults = append(faults, fmt.Sprintf("%s requires %s: say why in the table of this test, or nest a module", name, required))
			}
			if required == "google.golang.org/protobuf" {
				versions[name] = version
			}
		}
	}
	for _, name := range r.names {
		if v, ok := versions[name]; ok && v != versions["go.mod"] {
			faults = append(faults, fmt.Sprintf("%s requires protobuf %s, go.mod %s: generated code must fit both", name, v, versions["go.mod"]))
		}
	}
	return faults
}

// maxTestdata is how many bytes may lie in testdata.
const maxTestdata = 6 << 20

func ruleSize(r tree) (faults []string) {
	total := 0
	for _, name := range r.names {
		if below(name, "testdata") {
			total += len(r.read(name))
		}
	}
	if total > maxTestdata {
		faults = append(faults, fmt.Sprintf("testdata holds %d bytes, at most %d are allowed", total, maxTestdata))
	}
	return faults
}

// programs are the first bytes of executables of Linux, macOS, Windows and WebAssembly, and of archives of object files.
var programs = []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ", "\x00asm", "!<arch>\n"}

// rulePrograms refuses compiled programs: `go build` in the folder of a command leaves one there, which `git add` takes.
func rulePrograms(r tree) (faults []string) {
	for _, name := range r.names {
		b := r.read(name)
		if slices.ContainsFunc(programs, func(magic string) bool { return bytes.HasPrefix(b, []byte(magic)) }) {
			faults = append(faults, fmt.Sprintf("%s: a compiled program: git rm --cached it, and name it in .gitignore", name))
		}
	}
	return faults
}
