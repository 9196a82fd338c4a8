//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// scripts returns the blocks of a language in a document.
func scripts(t *testing.T, name, language string) (all []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(b), "```") {
		if text, ok := strings.CutPrefix(block, language+"\n"); ok && i%2 == 1 {
			all = append(all, text)
		}
	}
	return all
}

// The scripts of docs/many-machines.md, run by 8 processes, write what one process would. One of the 8 is killed and
// run again.
func TestManyMachines(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash:", err)
	}
	const tasks, files = 8, 20
	blocks := scripts(t, "../../docs/many-machines.md", "bash")
	if len(blocks) != 2 {
		t.Fatalf("the document has %d scripts, want 2", len(blocks))
	}
	dir := t.TempDir()
	for _, name := range []string{"raw", "ready", "parts", "one"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	records := manyRecords(t, 4000, 300)
	for i := range files {
		name := fmt.Sprintf("train-%05d-of-%05d", i, files)
		writeRecords(t, filepath.Join(dir, "raw", name), records[i*len(records)/files:(i+1)*len(records)/files])
	}
	task := func(i int) *exec.Cmd {
		cmd := exec.Command(bash, "-c", blocks[0])
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), fmt.Sprint("SLURM_ARRAY_TASK_ID=", i), fmt.Sprint("SLURM_ARRAY_TASK_COUNT=", tasks))
		return cmd
	}

	const victim = 3
	var running []*exec.Cmd
	for i := range tasks {
		cmd := task(i)
		if i == victim {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to kill what it started, too
		} else {
			cmd.Stderr = t.Output()
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	waitFor(t, func() bool { return len(list(t, filepath.Join(dir, "ready"))) > 0 })
	if err := syscall.Kill(-running[victim].Process.Pid, syscall.SIGKILL); err != nil {
		t.Log("the task ended before it was killed:", err)
	}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil && i != victim {
			t.Errorf("task %d: %v", i, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "parts/train-00003-of-00008")); err != nil {
		if out, err := shell(bash, dir, blocks[1]); err == nil {
			t.Errorf("without task %d the last step succeeds: %s", victim, out)
		}
	}
	if out, err := task(victim).CombinedOutput(); err != nil {
		t.Fatalf("again: %v: %s", err, out)
	}
	if out, err := shell(bash, dir, blocks[1]); err != nil {
		t.Fatalf("the last step: %v: %s", err, out)
	}

	one := `set -e
tfparse filter 'has(id)' --keep-shards --compression gzip raw/train@20 -o one/train@20.gz
tfparse stats raw/train@20 -o one.stats.pb`
	if out, err := shell(bash, dir, one); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, want := filesOf(t, filepath.Join(dir, "ready")), filesOf(t, filepath.Join(dir, "one"))
	if len(want) != files || !maps.Equal(got, want) {
		t.Errorf("the tasks wrote %d files, and one process %d; or the files differ", len(got), len(want))
	}
	var stats []string
	for _, name := range []string{"train.stats.pb", "one.stats.pb"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		stats = append(stats, string(b))
	}
	if len(slices.Compact(stats)) != 1 {
		t.Error("the merged statistics are not those of one process")
	}
}

// shell runs a script in a directory.
func shell(bash, dir, script string) (string, error) {
	cmd := exec.Command(bash, "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
