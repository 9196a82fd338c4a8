//go:build unix

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
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

// more are steps that TestManyMachines adds to those of docs/many-machines.md, so that every verb that has --shard and writes a
// file of its own is run.
const more = `
tfparse count --shard "$me/$all" --partial "parts/count-$part" raw/train@20
tfparse index --shard "$me/$all" raw/train@20
tfparse split --shard "$me/$all" --keep-shards --part split/a@20=0.7 --part split/b@20=0.3 raw/train@20
tfparse convert --shard "$me/$all" --keep-shards --to zlib raw/train@20 -o packed/train@20
`

// The scripts of docs/many-machines.md, run by 8 processes, write and print what one process would. One of the 8 is killed while
// it writes, and run again.
func TestManyMachines(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash:", err)
	}
	const tasks, files, victim = 8, 20, 3
	blocks := scripts(t, "../../docs/many-machines.md", "bash")
	if len(blocks) != 2 {
		t.Fatalf("the document has %d scripts, want 2", len(blocks))
	}
	dir := t.TempDir()
	outputs := []string{"ready", "parts", "split", "packed"}
	for _, name := range append([]string{"raw", "slow", "one", "one/ready", "one/split", "one/packed"}, outputs...) {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	records := manyRecords(t, 4000, 300)
	for i := range files {
		name := fmt.Sprintf("train-%05d-of-%05d", i, files)
		writeRecords(t, filepath.Join(dir, "raw", name), records[i*len(records)/files:(i+1)*len(records)/files])
		must(t, os.Symlink("../raw/"+name, filepath.Join(dir, "slow", name)))
	}
	if out, err := shell(bash, dir, "tfparse schema -o schema.pbtxt raw/train@20"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	task := func(i int, script string) *exec.Cmd {
		cmd := exec.Command(bash, "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), fmt.Sprint("SLURM_ARRAY_TASK_ID=", i), fmt.Sprint("SLURM_ARRAY_TASK_COUNT=", tasks))
		return cmd
	}

	// The last file of the victim is a pipe that never ends: half of the file is written to it.
	last := fmt.Sprintf("train-%05d-of-%05d", (victim+1)*files/tasks-1, files)
	pipe := filepath.Join(dir, "slow", last)
	must(t, os.Remove(pipe))
	must(t, syscall.Mkfifo(pipe, 0o600))
	slowly := strings.Replace(blocks[0], "--to gzip raw/", "--to gzip slow/", 1)
	if slowly == blocks[0] {
		t.Fatal("the script has no step whose input could be slow")
	}
	var running []*exec.Cmd
	for i := range tasks {
		cmd := task(i, blocks[0]+more)
		if i == victim {
			cmd = task(i, slowly+more)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to kill what it started, too
		} else {
			cmd.Stderr = t.Output()
		}
		must(t, cmd.Start())
		running = append(running, cmd)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "raw", last))
	must(t, err)
	feed, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the victim reads it
	must(t, err)
	defer feed.Close()
	_, err = feed.Write(whole[:len(whole)/2])
	must(t, err)
	if err := syscall.Kill(-running[victim].Process.Pid, syscall.SIGKILL); err != nil {
		t.Error("the task ended before it was killed:", err)
	}
	for i, cmd := range running {
		if err := cmd.Wait(); (err != nil) != (i == victim) {
			t.Errorf("task %d: %v", i, err)
		}
	}
	for _, name := range list(t, filepath.Join(dir, "ready")) {
		var n int
		if _, err := fmt.Sscanf(name, "train-%d-of-00020.gz", &n); err == nil && victim*files/tasks <= n && n < (victim+1)*files/tasks {
			t.Errorf("the task that was killed has left %s", name)
		}
	}
	if out, err := shell(bash, dir, blocks[1]); err == nil || !strings.Contains(out, "parts/stats@8: 1 of 8 shards is missing: parts/stats-00003-of-00008") {
		t.Errorf("without task %d the last step ends with %v: %s", victim, err, out)
	}
	if out, err := task(victim, blocks[0]+more).CombinedOutput(); err != nil {
		t.Fatalf("again: %v: %s", err, out)
	}

	merged, err := shell(bash, dir, blocks[1]+"tfparse count merge parts/count@8\n")
	if err != nil {
		t.Fatalf("the last step: %v: %s", err, merged)
	}
	indexes := map[string]string{}
	for name, b := range filesOf(t, filepath.Join(dir, "raw")) {
		if strings.HasSuffix(name, ".tfindex") {
			indexes[name] = b
			must(t, os.Remove(filepath.Join(dir, "raw", name)))
		}
	}
	one, err := shell(bash, dir, `set -e
exec 3>&1 >&2
tfparse filter 'has(id)' --keep-shards --to gzip raw/train@20 -o one/ready/train@20.gz
tfparse split --keep-shards --part one/split/a@20=0.7 --part one/split/b@20=0.3 raw/train@20
tfparse convert --keep-shards --to zlib raw/train@20 -o one/packed/train@20
tfparse stats raw/train@20 -o one.stats.pb
tfparse index raw/train@20
exec >&3
tfparse verify raw/train@20
tfparse validate --schema schema.pbtxt --records raw/train@20
tfparse verify ready/train@20.gz
tfparse count raw/train@20`)
	if err != nil {
		t.Fatalf("%v: %s", err, one)
	}
	if merged != one {
		t.Errorf("the last step prints\n%s\nand one process\n%s", merged, one)
	}
	for _, name := range []string{"ready", "split", "packed"} {
		got, want := visible(filesOf(t, filepath.Join(dir, name))), filesOf(t, filepath.Join(dir, "one", name))
		if len(want)%files != 0 || len(want) == 0 || !maps.Equal(got, want) {
			t.Errorf("%s: the tasks wrote %d files, and one process %d; or the files differ", name, len(got), len(want))
		}
	}
	all := filesOf(t, filepath.Join(dir, "raw"))
	for name, b := range indexes {
		if all[name] != b {
			t.Errorf("%s is not that of one process", name)
		}
	}
	if len(indexes) != files {
		t.Errorf("the tasks wrote %d indexes, want %d", len(indexes), files)
	}
	got, err := os.ReadFile(filepath.Join(dir, "train.stats.pb"))
	must(t, err)
	want, err := os.ReadFile(filepath.Join(dir, "one.stats.pb"))
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Error("the merged statistics are not those of one process")
	}
}

// visible leaves out hidden files: one that a killed process leaves is removed by the next that writes there, or has no name at all.
func visible(all map[string]string) map[string]string {
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, ".") })
	return all
}

// shell runs a script in a directory, and returns what it prints, messages too if it fails.
func shell(bash, dir, script string) (string, error) {
	cmd := exec.Command(bash, "-c", script)
	cmd.Dir = dir
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		out = append(out, messages.Bytes()...)
	}
	return string(out), err
}
