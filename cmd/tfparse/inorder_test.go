package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// What verify and info report is the same, in the same order, for any number of goroutines:
// of files that take several portions, of many small ones, and of records and files with
// faults; and so is what --on-error stop leaves out.
func TestReportsInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(15, 3))
	var all []string
	add := func(data []byte) {
		name := filepath.Join(dir, fmt.Sprintf("f%02d", len(all)))
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	records := func(n int, faults bool) (data []byte) {
		for i := range n {
			var b example.Builder
			for _, k := range r.Perm(12)[:8] { // in any order
				b.Add(fmt.Sprintf("feature_%d", k), example.Int64s(int64(i)))
			}
			b.Add("pad", example.Bytes(make([]byte, r.IntN(300))))
			if i%100 == 50 {
				b.Add("long", example.Bytes(make([]byte, 64<<10)))
			}
			rec, err := b.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			if faults && i%200 == 199 {
				rec = rec[:len(rec)-1]
			}
			data = tfrecord.AppendRecord(data, rec)
			if faults && i%500 == 499 {
				data[len(data)-1] ^= 1
			}
		}
		return data
	}
	add(records(1500, false))
	add(records(2000, true))
	for i := range 40 {
		add(records(i, i%10 == 9))
	}
	add([]byte("<html>no records</html>"))
	all = append(all, filepath.Join(dir, "missing"))
	add(records(3, false)[:100])
	add(bytes.Repeat(tfrecord.AppendRecord(nil, nil), 30_000))
	add(records(1000, true))
	all = append(all, sample, "../../testdata/sessions.tfrecord", "../../testdata/ranking.tfrecord")

	allJobs := []string{"1", "3"}
	if testkit.Long(t, "2 and 20 goroutines") {
		allJobs = []string{"1", "3", "2", "20"}
	}
	for _, args := range [][]string{
		{"verify"}, {"verify", "--all"}, {"verify", "--all", "--format", "json"}, {"verify", "--on-error", "stop"}, {"verify", "--type", "raw"},
		{"info", "--on-error", "skip", "--max-messages", "1000"}, {"info", "--on-error", "skip", "--format", "json"}, {"info"}, {"info", "--type", "raw", "--on-error", "skip"},
		{"digest", "--each", "--on-error", "skip", "--max-messages", "1000"}, {"digest", "--unordered", "--on-error", "skip"}, {"digest"},
		{"du", "--each", "--on-error", "skip"}, {"du", "--format", "json", "--on-error", "skip"}, {"du"},
	} {
		var code [4]int
		var out, errs [4]string
		for i, jobs := range allJobs {
			code[i], out[i], errs[i] = runWith(t, nil, append(append(args[:len(args):len(args)], "--jobs", jobs), all...)...)
			if code[i] != code[0] || out[i] != out[0] || errs[i] != errs[0] {
				t.Errorf("%q: %s goroutines and one give exit codes %d and %d\n%.2000s\n%.2000s\n%.2000s\n%.2000s", args, jobs, code[i], code[0], out[i], errs[i], out[0], errs[0])
			}
		}
		if code[0] < 3 || len(out[0])+len(errs[0]) < 100 {
			t.Errorf("%q: exit code %d, %s%s", args, code[0], out[0], errs[0])
		}
	}
	for _, verb := range []string{"verify", "info", "digest", "du"} {
		if code, _, _ := runWith(t, nil, verb, "--jobs", "0", sample); code != cli.ExitUsage {
			t.Errorf("%s: no goroutine: exit code %d", verb, code)
		}
	}
}
