package linktest

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/tfparse/tfparse"
	_ "github.com/tfparse/tfparse/cmd/tfparse/command"
	_ "github.com/tfparse/tfparse/dataset"
	_ "github.com/tfparse/tfparse/example/recordcsv"
	_ "github.com/tfparse/tfparse/example/recordjson"
	_ "github.com/tfparse/tfparse/expr"
	_ "github.com/tfparse/tfparse/feature"
	_ "github.com/tfparse/tfparse/feature/bind"
	_ "github.com/tfparse/tfparse/feature/featurepb"
	_ "github.com/tfparse/tfparse/feature/infer"
	_ "github.com/tfparse/tfparse/feature/raggedjson"
	_ "github.com/tfparse/tfparse/feature/specprint"
	_ "github.com/tfparse/tfparse/feature/tfds"
	_ "github.com/tfparse/tfparse/model"
	_ "github.com/tfparse/tfparse/proto"
	_ "github.com/tfparse/tfparse/proto/metadatapb"
	_ "github.com/tfparse/tfparse/proto/parserconfigpb"
	_ "github.com/tfparse/tfparse/proto/slicingpb"
	_ "github.com/tfparse/tfparse/ragged"
	_ "github.com/tfparse/tfparse/ragged/array"
	_ "github.com/tfparse/tfparse/ragged/layout"
	_ "github.com/tfparse/tfparse/ragged/nn"
	_ "github.com/tfparse/tfparse/ragged/num"
	_ "github.com/tfparse/tfparse/ragged/shape"
	_ "github.com/tfparse/tfparse/ragged/text"
	_ "github.com/tfparse/tfparse/tfrecord"
	_ "github.com/tfparse/tfparse/validate/anomaly"
	_ "github.com/tfparse/tfparse/validate/drift"
	_ "github.com/tfparse/tfparse/validate/record"
	_ "github.com/tfparse/tfparse/validate/report"
	_ "github.com/tfparse/tfparse/validate/schema"
	_ "github.com/tfparse/tfparse/validate/stats"
)

// TestLinksEverything proves that these tests link every package that others can import, so that a new one is not
// forgotten.
func TestLinksEverything(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("skipped: it needs the go command: %v", err)
	}
	list := func(dir string, args ...string) []string {
		cmd := exec.Command(tool, append([]string{"list"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list %q: %v", args, err)
		}
		return strings.Fields(string(out))
	}
	linked := list(".", "-deps", "-test", ".")
	all := list(filepath.Join("..", ".."), "-f", `{{if and .GoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}`, "./...")
	checked := 0
	for _, p := range all {
		if strings.Contains(p+"/", "/internal/") {
			continue
		}
		checked++
		if !slices.Contains(linked, p) {
			t.Errorf("%s is not linked: import it here", p)
		}
	}
	if checked < 4 {
		t.Errorf("only %d packages were found: %q", checked, all)
	}
}
