package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// validateTable measures statistics of records. In memory they are compared with parsing. The command tfparse
// stats, which reads files, is compared with TensorFlow Data Validation, as a call and as a program, and with
// tfparse validate.
func validateTable(c *config) error {
	w, err := c.bsl()
	if err != nil {
		return err
	}
	set, _, err := datasets.Find("ads")
	if err != nil {
		return err
	}
	files, err := c.files(set, set.Scaled(c.scale), 1, tfrecord.None)
	if err != nil {
		return err
	}
	program, err := c.program()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "\nstatistics of records: MB/s, one thread except under \"all cores\", %s time; speed as a part of parsing, times relative to stats, peak memory\n\n", c.clock)
	fmt.Fprintf(c.out, "%-12s %8s %9s %8s %9s %9s %8s %8s %9s %8s %8s %9s %10s %9s\n", "set", "records", "in memory", "of parse", "command", "TFDV", "ratio", "programs", "all cores", "ratio", "programs", "validate", "--records", "peak MB")
	if c.wanted("ads") {
		if err := c.validateRow(w, program, "ads", files); err != nil {
			return fmt.Errorf("ads: %w", err)
		}
	}
	if c.records == "" {
		return nil
	}
	if files, err = filepath.Glob(c.records); err != nil || len(files) == 0 {
		return fmt.Errorf("no files match %q: %w", c.records, err)
	}
	return c.validateRow(w, program, "-records", files)
}

func (c *config) validateRow(w *worker, program, name string, files []string) error {
	records, err := readRecords(files)
	if err != nil {
		return err
	}
	parser, err := feature.NewParser(specOf(records), &feature.ParserOptions{AliasRecords: true})
	if err != nil {
		return err
	}
	batch := parser.NewBatch()
	parse := inBatches(batch.Reset, batch.Append, nil)
	sides := []side{
		{"parse", c.clock.timed(func() error { return parse(records, nil) })},
		{"add", c.clock.timed(func() error { return describe(records) })},
	}
	schema := filepath.Join(c.dir, name+".schema.pbtxt")
	list := filepath.Join(c.dir, name+".pb")
	if out, err := exec.Command(program, append([]string{"schema", "--emit", "tfmd", "-o", schema}, files...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("schema: %w\n%s", err, out)
	}
	for _, args := range [][]string{{"stats", "-o", list}, {"validate", "--schema", schema}, {"validate", "--records", "--schema", schema}} {
		args := append(append([]string{program}, args...), files...)
		sides = append(sides, side{args[1], func() (time.Duration, error) { return c.process(1, args...) }})
	}
	all := append([]string{program, "stats", "-o", list}, files...)
	sides = append(sides, side{"all cores", func() (time.Duration, error) { return c.process(runtime.NumCPU(), all...) }})
	var theirs, whole time.Duration // time of the call alone, and of a program that only makes this call
	if w != nil {                   // this takes long, so only the second of two calls is measured
		for range 2 {
			a, err := w.ask(request{"op": "tfdv.run", "files": files, "clock": c.clock})
			if err != nil {
				return err
			}
			var sum struct{ Records int }
			if err := json.Unmarshal(a.Sum, &sum); err != nil || sum.Records != len(records) {
				return fmt.Errorf("TFDV read %d of %d records: %w", sum.Records, len(records), err)
			}
			theirs = time.Duration(a.Seconds * float64(time.Second))
		}
		if whole, err = c.process(1, append([]string{c.pythonBSL, filepath.Join(w.dir, "tfdv_program.py")}, files...)...); err != nil {
			return fmt.Errorf("TFDV as a program: %w", err)
		}
	}
	times, err := alternate(c.turns, sides)
	if err != nil {
		return err
	}
	peak, err := peakMemory(append([]string{program, "stats", "-o", list}, files...)...)
	if err != nil {
		return err
	}
	mb := float64(datasets.Size(records)) / 1e6
	rate := func(d time.Duration) float64 { return mb / d.Seconds() }
	fmt.Fprintf(c.out, "%-12s %8d %9.0f %8.2f %9.0f", name, len(records), rate(times[1]), times[0].Seconds()/times[1].Seconds(), rate(times[2]))
	if w != nil {
		ratio := func(theirs, ours time.Duration) string { return fmt.Sprintf("%.1fx", theirs.Seconds()/ours.Seconds()) }
		fmt.Fprintf(c.out, " %9.1f %8s %8s %9.0f %8s %8s", rate(theirs), ratio(theirs, times[2]), ratio(whole, times[2]), rate(times[5]), ratio(theirs, times[5]), ratio(whole, times[5]))
	} else {
		fmt.Fprintf(c.out, " %9s %8s %8s %9.0f %8s %8s", "-", "-", "-", rate(times[5]), "-", "-")
	}
	fmt.Fprintf(c.out, " %8.2fx %9.2fx %9.0f\n", times[3].Seconds()/times[2].Seconds(), times[4].Seconds()/times[2].Seconds(), float64(peak)/1e6)
	return nil
}

// describe computes statistics of records.
func describe(records [][]byte) error {
	a, err := stats.New(nil)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := a.Add(r); err != nil {
			return err
		}
	}
	_, err = a.Statistics()
	return err
}

// readRecords reads whole files into one block of memory.
func readRecords(files []string) ([][]byte, error) {
	var block []byte
	var ends []int
	for _, name := range files {
		r, err := tfrecord.Open(name, nil)
		if err != nil {
			return nil, err
		}
		for rec, err := range r.All() {
			if err != nil {
				return nil, err
			}
			block = append(block, rec...)
			ends = append(ends, len(block))
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	out, from := make([][]byte, len(ends)), 0
	for i, to := range ends {
		out[i], from = block[from:to:to], to
	}
	return out, nil
}

// specOf returns a spec with every feature of the first records, as Ragged.
func specOf(records [][]byte) feature.Spec {
	dtypes := map[example.Kind]feature.DType{example.Int64List: feature.Int64, example.FloatList: feature.Float32, example.BytesList: feature.String}
	features := feature.Features{}
	for _, r := range records[:min(len(records), 1000)] {
		for s := example.TypeExample.Scan(r); s.Next(); {
			if d, ok := dtypes[s.Feature().Kind()]; ok {
				features[string(s.Name())] = feature.Ragged{DType: d}
			}
		}
	}
	return feature.Spec{Features: features}
}
