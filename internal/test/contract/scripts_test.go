package contract

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestScripts holds that every JSON output of the scripts of the command fits its schema.
func TestScripts(t *testing.T) {
	testkit.OnlyLong(t, "the scripts of the command are run, which takes half a minute; TestOutputs has command lines of its own")
	all, compiled := forms(t), schemas(t)
	dir := t.TempDir()
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-run", "^TestScript$", "./cmd/tfparse")
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "TFPARSE_RECORD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	must(t, err)
	outputs := 0
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		var run struct { // see script_test.go of the command
			Args []string
			Out  []byte
		}
		must(t, json.Unmarshal(b, &run))
		if len(run.Args) == 0 || decode(run.Out) == nil {
			continue
		}
		outputs++
		at := "tfparse " + strings.Join(run.Args, " ")
		if f := match(all, run.Args); f != nil {
			validate(t, at, compiled[f.schema], run.Out, members{})
		} else {
			t.Errorf("%s: an output in JSON without a line in docs/json.md: %.200s", at, run.Out)
		}
	}
	if outputs < 100 {
		t.Errorf("%d of %d runs printed JSON, want hundreds", outputs, len(names))
	}
	t.Logf("%d outputs in JSON, of %d runs", outputs, len(names))
}
