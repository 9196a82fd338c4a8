package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A job is what the Jobs of docs/many-machines.md have, by the names of the Kubernetes API batch/v1. Another name is an error.
type job struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   map[string]string `yaml:"metadata"`
	Spec       struct {
		Completions          int    `yaml:"completions"`
		Parallelism          int    `yaml:"parallelism"`
		CompletionMode       string `yaml:"completionMode"`
		BackoffLimit         *int   `yaml:"backoffLimit"`
		BackoffLimitPerIndex *int   `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes     *int   `yaml:"maxFailedIndexes"`
		PodFailurePolicy     struct {
			Rules []struct {
				Action      string `yaml:"action"`
				OnExitCodes struct {
					ContainerName string `yaml:"containerName"`
					Operator      string `yaml:"operator"`
					Values        []int  `yaml:"values"`
				} `yaml:"onExitCodes"`
			} `yaml:"rules"`
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []struct {
					Name         string              `yaml:"name"`
					Image        string              `yaml:"image"`
					Command      []string            `yaml:"command"`
					Args         []string            `yaml:"args"`
					VolumeMounts []map[string]string `yaml:"volumeMounts"`
				} `yaml:"containers"`
				Volumes []struct {
					Name                  string            `yaml:"name"`
					PersistentVolumeClaim map[string]string `yaml:"persistentVolumeClaim"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

// TestKubernetes parses the Jobs of docs/many-machines.md, and runs their scripts as their pods do: one for each index, which
// Kubernetes sets in a variable, and then the one that merges.
func TestKubernetes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("skipped: there is no bash:", err)
	}
	page, err := os.ReadFile(filepath.Join("../../..", "docs/many-machines.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := bytes.Cut(page, []byte("```yaml\n"))
	text, _, _ = bytes.Cut(text, []byte("```"))
	var jobs []job
	for from := yaml.NewDecoder(bytes.NewReader(text)); ; {
		from.KnownFields(true)
		var one job
		if err := from.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, one)
	}
	if len(jobs) != 2 {
		t.Fatalf("the document has %d Jobs, want 2", len(jobs))
	}
	data := t.TempDir()
	for _, name := range []string{"raw", "parts", "ready"} {
		if err := os.Mkdir(filepath.Join(data, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tfparse := build(t)
	run := func(script []string, env ...string) (int, string) {
		cmd := exec.Command(script[0], script[1:]...)
		cmd.Dir = data
		cmd.Env = append(os.Environ(), append(env, "PATH="+filepath.Dir(string(tfparse))+string(filepath.ListSeparator)+os.Getenv("PATH"))...)
		out, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode(), string(out)
		} else if err != nil {
			t.Fatal(err)
		}
		return 0, string(out)
	}
	sample, err := filepath.Abs(filepath.Join("../../..", "testdata/recipes.tfrecord"))
	if err != nil {
		t.Fatal(err)
	}
	// Records without the feature that the recipe filters by are left out; some have it.
	prepare := "set -e; tfparse set --value id=[7] '" + sample + "' -o with; tfparse split with '" + sample + "' -o raw/train@20; tfparse schema -o schema.pbtxt raw/train@20"
	if code, out := run([]string{bash, "-c", prepare}); code != 0 {
		t.Fatal(out)
	}

	for i, j := range jobs {
		spec := j.Spec.Template.Spec
		if j.APIVersion != "batch/v1" || j.Kind != "Job" || spec.RestartPolicy != "Never" || len(spec.Containers) != 1 || len(spec.Volumes) != 1 {
			t.Fatalf("Job %d: %+v", i, j)
		}
		pod, action := spec.Containers[0], []string{"FailIndex", "FailJob"}[i]
		rules := j.Spec.PodFailurePolicy.Rules
		if len(rules) != 1 || rules[0].Action != action || rules[0].OnExitCodes.Operator != "In" || rules[0].OnExitCodes.ContainerName != pod.Name || !slices.Equal(rules[0].OnExitCodes.Values, []int{1, 2, 3, 4}) {
			t.Errorf("Job %d: the policy of failures is %+v", i, rules)
		}
		if mounts := pod.VolumeMounts; len(mounts) != 1 || mounts[0]["mountPath"] != "/data" || mounts[0]["name"] != spec.Volumes[0].Name {
			t.Errorf("Job %d: the volumes are %v", i, mounts)
		}
		script := append(slices.Clone(pod.Command), strings.ReplaceAll(pod.Args[0], "/data", data))
		if script[0] != "bash" || len(pod.Args) != 1 {
			t.Fatalf("Job %d runs %q", i, script)
		}
		if i == 1 {
			code, out := run(script)
			if code != 0 || !strings.Contains(out, "20 files, 24 records: ok\nno anomalies in 24 records\n") || !strings.HasSuffix(out, "20 files, 12 records: ok\n") {
				t.Errorf("the last step: exit code %d: %s", code, out)
			}
			break
		}
		if j.Spec.CompletionMode != "Indexed" || j.Spec.Completions != 8 || j.Spec.BackoffLimitPerIndex == nil || j.Spec.MaxFailedIndexes == nil || *j.Spec.MaxFailedIndexes != 0 {
			t.Errorf("Job %d: %+v", i, j.Spec)
		}
		for index := range j.Spec.Completions {
			if code, out := run(script, fmt.Sprint("JOB_COMPLETION_INDEX=", index)); code != 0 {
				t.Errorf("index %d: exit code %d: %s", index, code, out)
			}
		}
		// Bad input is not tried again.
		bad := filepath.Join(data, "raw/train-00000-of-00020")
		good, err := os.ReadFile(bad)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(bad, good[:len(good)-1], 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := run(script, "JOB_COMPLETION_INDEX=0"); code != 4 {
			t.Errorf("bad input: exit code %d: %s", code, out)
		}
		if err := os.WriteFile(bad, good, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := run(script, "JOB_COMPLETION_INDEX=0"); code != 0 {
			t.Errorf("again: exit code %d: %s", code, out)
		}
	}
}
