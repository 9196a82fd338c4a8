package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/tfrecord"
)

// commandTable measures the command, including the start of its process. Its output is discarded.
func commandTable(c *config) error {
	w, err := c.worker()
	if err != nil {
		return err
	}
	set, view, err := datasets.Find("ads")
	if err != nil {
		return err
	}
	n := set.Scaled(c.scale)
	files, err := c.files(set, n, 1, tfrecord.None)
	if err != nil {
		return err
	}
	program, err := c.program()
	if err != nil {
		return err
	}
	spec := filepath.Join(c.dir, "ads.spec.json")
	b, err := json.Marshal(view.Spec)
	if err != nil {
		return err
	}
	if err := os.WriteFile(spec, b, 0o666); err != nil {
		return err
	}
	info, err := os.Stat(files[0])
	if err != nil {
		return err
	}
	mb := float64(info.Size()) / 1e6
	fmt.Fprintf(c.out, "\nthe command on %.0f MB of ads: MB/s, %d threads, %s time\n\n", mb, c.threads, c.clock)
	fmt.Fprintf(c.out, "%-26s %9s %24s %8s\n", "tfparse", "MB/s", "other", "ratio")
	run := func(name string, args ...string) side {
		return side{name, func() (time.Duration, error) { return c.process(c.threads, append([]string{program}, args...)...) }}
	}
	cat := side{"cat", func() (time.Duration, error) { return c.process(c.threads, "cat", files[0]) }}
	if err := c.commandRow("count", mb, mb, run("tfparse", "count", files[0]), cat); err != nil {
		return err
	}
	if err := c.commandRow("verify", mb, mb, run("tfparse", "verify", files[0]), cat); err != nil {
		return err
	}
	if err := c.commandRow("recover", mb, mb, run("tfparse", "recover", files[0], "-o", "-"), cat); err != nil {
		return err
	}
	others := []side{}
	part := min(n, 1000) // Python would take minutes for all
	partMB := float64(datasets.Size(set.Slice(part))+16*int64(part)) / 1e6
	if w != nil {
		if _, err := w.ask(request{"op": "json.load", "file": files[0], "count": part}); err != nil {
			return err
		}
		others = append(others, side{"Python MessageToJson", w.timed(request{"op": "json.run", "clock": c.clock})})
	}
	if err := c.commandRow("cat", mb, partMB, append([]side{run("tfparse", "cat", files[0])}, others...)...); err != nil {
		return err
	}
	if err := c.commandRow("cat --spec --batch 1024", mb, mb, run("tfparse", "cat", "--spec", spec, "--batch", "1024", files[0])); err != nil {
		return err
	}
	shards := filepath.Join(c.dir, "converted@4")
	if err := c.commandRow("convert to 4 gzip shards", mb, mb,
		run("tfparse", "convert", files[0], "--to", "gzip", "-o", shards),
		side{"codec, one thread", c.clock.timed(func() error { return compress(files[0]) })}); err != nil {
		return err
	}
	for _, name := range []string{"ads", "text", "sequence"} {
		if err := c.linesRows(program, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// linesRows compares two directions: JSON lines to records, and records to JSON lines. It does so with a spec and
// without, in megabytes of records.
func (c *config) linesRows(program, name string) error {
	plain, withSpec := "encode "+name, "encode --spec "+name
	if !c.wanted(plain) && !c.wanted(withSpec) {
		return nil
	}
	set, view, err := datasets.Find(name)
	if err != nil {
		return err
	}
	files, err := c.files(set, set.Scaled(c.scale), 1, tfrecord.None)
	if err != nil {
		return err
	}
	info, err := os.Stat(files[0])
	if err != nil {
		return err
	}
	mb := float64(info.Size()) / 1e6
	spec, lines := filepath.Join(c.dir, name+".spec.json"), filepath.Join(c.dir, name+".jsonl")
	b, err := json.Marshal(view.Spec)
	if err != nil {
		return err
	}
	if err := os.WriteFile(spec, b, 0o666); err != nil {
		return err
	}
	for _, row := range []string{plain, withSpec} {
		if !c.wanted(row) {
			continue
		}
		var flags []string
		if row == withSpec {
			flags = []string{"--spec", spec}
		}
		cat := append([]string{program, "cat", files[0]}, flags...)
		encode := append([]string{program, "encode", "-o", os.DevNull, lines}, flags...)
		if _, err := c.process(c.threads, append(cat, "-o", lines)...); err != nil {
			return err
		}
		if err := c.commandRow(row, mb, mb,
			side{"tfparse", func() (time.Duration, error) { return c.process(c.threads, encode...) }},
			side{"cat", func() (time.Duration, error) { return c.process(c.threads, cat...) }}); err != nil {
			return err
		}
	}
	return nil
}

// compress compresses the records of a file with gzip, and discards the output.
func compress(name string) error {
	r, err := tfrecord.Open(name, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	w := tfrecord.NewWriter(io.Discard, &tfrecord.WriterOptions{Compression: tfrecord.GZIP})
	for rec, err := range r.All() {
		if err != nil {
			return err
		}
		if err := w.WriteRecord(rec); err != nil {
			return err
		}
	}
	return w.Close()
}

// program builds the command in the folder c.dir, which must exist.
func (c *config) program() (string, error) {
	name := filepath.Join(c.dir, "tfparse")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", name, "./cmd/tfparse").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return name, nil
}

// commandRow prints the rate of the first side, which processes mb megabytes. It also prints the rate of the second
// side, if any, which processes otherMB megabytes.
func (c *config) commandRow(name string, mb, otherMB float64, sides ...side) error {
	if !c.wanted(name) {
		return nil
	}
	times, err := alternate(c.turns, sides)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	rate := mb / times[0].Seconds()
	fmt.Fprintf(c.out, "%-26s %9.0f", name, rate)
	if len(sides) == 1 {
		fmt.Fprintf(c.out, " %24s %8s\n", "-", "-")
		return nil
	}
	other := otherMB / times[1].Seconds()
	fmt.Fprintf(c.out, " %24s %7.2fx\n", fmt.Sprintf("%s: %.1f", sides[1].name, other), rate/other)
	return nil
}

// process runs a program on the given number of threads, and returns the time it took. The program's output is
// discarded.
func (c *config) process(threads int, args ...string) (time.Duration, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", threads))
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	if c.clock == cpu {
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
	}
	return time.Since(start), nil
}
