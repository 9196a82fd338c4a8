package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// manyRecords makes n Examples of some size, in which keys and whole records repeat.
func manyRecords(t *testing.T, n, size int) (records [][]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(17, uint64(n)))
	for range n {
		if len(records) > 0 && r.IntN(5) == 0 {
			records = append(records, records[r.IntN(len(records))])
			continue
		}
		x := example.Example{"id": example.Int64s(r.Int64N(int64(n)) - 5), "pad": example.Bytes(make([]byte, r.IntN(2*size)))}
		switch r.IntN(6) {
		case 0:
			x["score"] = example.Floats()
		default:
			x["score"] = example.Floats(float32(r.IntN(8))-4, r.Float32())
		}
		if r.IntN(10) > 0 {
			x["title"] = example.Strings(strings.Repeat("n\x00", r.IntN(3)) + string(rune('a'+r.IntN(4))))
		}
		msg, err := x.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, msg)
	}
	return records
}

func writeRecords(t *testing.T, name string, records [][]byte) {
	t.Helper()
	w, err := tfrecord.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if err := w.WriteRecord(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// readRecords reads files, one after the other.
func readRecords(t *testing.T, names ...string) (records [][]byte) {
	t.Helper()
	for _, name := range names {
		r, err := tfrecord.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, bytes.Clone(rec))
		}
		r.Close()
	}
	return records
}

// runs runs a command line that has to succeed.
func runs(t *testing.T, args ...string) {
	t.Helper()
	if code, _, stderr := runWith(t, nil, args...); code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, stderr)
	}
}

func equalRecords(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

func sortedRecords(all [][]byte) [][]byte {
	all = slices.Clone(all)
	slices.SortFunc(all, bytes.Compare)
	return all
}

// compareFeature orders records as sort does: decoded, and slowly.
func compareFeature(t *testing.T, name string) func(a, b []byte) int {
	decoded := map[string]example.Value{} // by record, since a sort compares each about twenty times
	value := func(rec []byte) example.Value {
		v, ok := decoded[string(rec)]
		if !ok {
			var x example.Example
			if err := x.UnmarshalBinary(rec); err != nil {
				t.Fatal(err)
			}
			v = x[name]
			decoded[string(rec)] = v
		}
		return v
	}
	return func(a, b []byte) int {
		v, w := value(a), value(b)
		return cmp.Or(slices.Compare(v.Int64s, w.Int64s), slices.Compare(v.Floats, w.Floats), slices.CompareFunc(v.Bytes, w.Bytes, bytes.Compare))
	}
}

// Records come out as they went in: shuffle, split and merge lose none and make none, sort is
// stable, dedup keeps the first; in any memory, and on any number of goroutines.
func TestRewriteRecords(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	records := manyRecords(t, 1500, 100)
	writeRecords(t, at("in"), records)
	var first []byte
	for _, memory := range []string{"1GiB", "20KiB", "1000"} { // 1000: hundreds of runs, merged twice
		for _, by := range []string{"id", "score", "title"} {
			for _, down := range []bool{false, true} {
				want := slices.Clone(records)
				order := compareFeature(t, by)
				slices.SortStableFunc(want, func(a, b []byte) int {
					if down {
						return order(b, a)
					}
					return order(a, b)
				})
				runs(t, "sort", "--by", by, fmt.Sprintf("--descending=%v", down), "--memory", memory, at("in"), "-o", at("sorted@2"))
				if got := readRecords(t, at("sorted-00000-of-00002"), at("sorted-00001-of-00002")); !equalRecords(got, want) {
					t.Errorf("sort --by %s, descending %v, in %s: another order", by, down, memory)
				}
			}
		}
		runs(t, "shuffle", "--seed", "7", "--memory", memory, at("in"), "-o", at("shuffled"))
		got := readRecords(t, at("shuffled"))
		if equalRecords(got, records) || !equalRecords(sortedRecords(got), sortedRecords(records)) {
			t.Errorf("shuffle in %s is no permutation, or none but the first", memory)
		}
		b, err := os.ReadFile(at("shuffled"))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Errorf("shuffle in %s gives another order", memory)
		}
		var once [][]byte
		seen := map[string]bool{}
		for _, rec := range records {
			if !seen[string(rec)] {
				once = append(once, rec)
			}
			seen[string(rec)] = true
		}
		runs(t, "dedup", "--memory", memory, at("in"), "-o", at("once"))
		if got := readRecords(t, at("once")); !equalRecords(got, once) {
			t.Errorf("dedup in %s keeps %d records, want %d", memory, len(got), len(once))
		}
	}
	runs(t, "split", at("in"), "-o", at("part@7"))
	for i := range 7 {
		var want [][]byte
		for j := i; j < len(records); j += 7 {
			want = append(want, records[j])
		}
		if got := readRecords(t, at(fmt.Sprintf("part-%05d-of-00007", i))); !equalRecords(got, want) {
			t.Errorf("shard %d of split has other records", i)
		}
	}
	runs(t, "split", "--by", "id", "--part", at("train@3")+"=0.7", "--part", at("test")+"=0.3", at("in"))
	train := readRecords(t, at("train-00000-of-00003"), at("train-00001-of-00003"), at("train-00002-of-00003"))
	test := readRecords(t, at("test"))
	if got := slices.Concat(train, test); !equalRecords(sortedRecords(got), sortedRecords(records)) {
		t.Error("split --by is no partition")
	}
	if n := len(test); n < 350 || n > 550 {
		t.Errorf("0.3 of 1500 records are %d", n)
	}
	ids := map[int64]bool{}
	id := func(rec []byte) int64 {
		f, _, err := example.TypeExample.Lookup(rec, "id")
		v, err2 := f.AppendInt64s(nil)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		return v[0]
	}
	for _, rec := range train {
		ids[id(rec)] = true
	}
	for _, rec := range test {
		if ids[id(rec)] {
			t.Fatalf("the records of id %d are in both parts", id(rec))
		}
	}
	for _, verb := range [][]string{{"filter", "id > 100 && has(title)"}, {"project", "--drop", "pad"}, {"rename", "--name", "pad=x"}, {"set", "--value", "x=1"}, {"merge"}} {
		var want []byte
		for _, jobs := range []string{"1", "2", "5"} {
			for _, out := range []string{"one", "set@2"} {
				runs(t, slices.Concat(verb, []string{"--jobs", jobs, at("in"), "-o", at(out)})...)
			}
			var got []byte
			for _, name := range []string{"one", "set-00000-of-00002", "set-00001-of-00002"} {
				b, err := os.ReadFile(at(name))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, b...)
			}
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%q: --jobs %s writes other bytes", verb, jobs)
			}
		}
	}
}

// rewriteLine returns a command line of a verb that writes records: a verb that sorts uses temporary files.
func rewriteLine(c *verbCase, dir, input string, records int) []string {
	var flags []string
	if _, ok := c.has("memory"); ok {
		flags = []string{"--memory", "30KiB"}
	}
	return c.line(dir, input, records, flags...)
}

// filesOf returns the content of all files of a directory.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range list(t, dir) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	return all
}

// A process that is killed, whenever that is, leaves each output as it was, absent or complete, and of
// a set never a mixture of old and new files. The next run leaves nothing else.
func TestRewriteKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process that is killed on Windows may close its files")
	}
	times := 1
	if testkit.Long(t, "killing each verb 26 times") {
		times = 26 // 286 in all; some end before they are killed
	}
	input := filepath.Join(t.TempDir(), "in")
	const records = 2000
	writeRecords(t, input, manyRecords(t, records, 700))
	r := rand.New(rand.NewPCG(17, 3))
	killed, early := 0, 0
	for _, c := range verbCases {
		if !c.records {
			continue
		}
		t.Run(c.verb, func(t *testing.T) {
			dir := t.TempDir()
			begin := time.Now()
			if out, err := tfparse(t, rewriteLine(&c, dir, input, records)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			took := time.Since(begin)
			complete := filesOf(t, dir)
			for range times {
				for name := range complete {
					if err := os.WriteFile(filepath.Join(dir, name), []byte("old "+name), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				cmd := tfparse(t, rewriteLine(&c, dir, input, records)...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(float64(took) * (0.1 + r.Float64())))
				cmd.Process.Kill()
				if cmd.Wait() != nil {
					killed++
				}
				now := filesOf(t, dir)
				old, done := 0, 0
				for name, want := range complete {
					switch got, ok := now[name]; {
					case !ok:
					case got == "old "+name:
						old++
					case got == want:
						done++
					default:
						t.Errorf("%s has %d bytes, which are neither the old ones nor all %d", name, len(got), len(want))
					}
				}
				if old > 0 && done > 0 {
					t.Errorf("%d files are old and %d new", old, done)
				}
				if done == 0 {
					early++
				}
				if out, err := tfparse(t, rewriteLine(&c, dir, input, records)...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				if got := filesOf(t, dir); !equalFiles(got, complete) {
					t.Errorf("after the next run there are %q", list(t, dir))
				}
			}
		})
	}
	t.Logf("%d processes were killed, %d before any output had its name", killed, early)
	if killed == 0 {
		t.Error("no process was killed before its end")
	}
}

func equalFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, content := range a {
		if b[name] != content {
			return false
		}
	}
	return true
}

// Where the disk is full there is an error that says so, exit code 4, and no half file.
func TestRewriteDiskFull(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("skipped: a small file system cannot be mounted here: %v: %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	input := filepath.Join(t.TempDir(), "in")
	const records = 5000
	writeRecords(t, input, manyRecords(t, records, 700))
	for _, c := range verbCases {
		if !c.records {
			continue
		}
		code, stdout, stderr := runWith(t, nil, rewriteLine(&c, dir, input, records)...)
		if code != 4 || stdout != "" || !strings.Contains(stderr, "cannot write: no space left on device") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s%s", c.verb, code, stdout, stderr)
		}
		if !strings.Contains(stderr, dir) { // of temporary files, too
			t.Errorf("%s: %s does not say which disk is full", c.verb, stderr)
		}
		if left := list(t, dir); len(left) > 0 {
			t.Errorf("%s leaves %q", c.verb, left)
		}
	}
}

// A disk that takes no more, without one: every verb that writes to standard output says so.
func TestRewriteFullPipe(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in")
	const records = 1000
	writeRecords(t, input, manyRecords(t, records, 700))
	for _, c := range verbCases {
		if !c.records || c.verb == "split" {
			continue
		}
		var stderr bytes.Buffer
		code := runCommand(c.lineTo("", input, records, "-o", "-"), strings.NewReader(""), &disk{space: 50_000}, &stderr)
		if code != 4 || stderr.String() != "tfparse: standard output: cannot write: disk is full\n" {
			t.Errorf("%s: exit code %d, %s", c.verb, code, &stderr)
		}
	}
}
