//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// A nightly is a directory with the script of docs/nightly.md, and what its commands make of a set
// of records that is good: the reference, and the schema if it is not that of the page.
type nightly struct {
	dir, shell string
	set        [][]byte
	faults     int // days with a planted fault
}

func newNightly(t *testing.T, set [][]byte, infer bool) *nightly {
	t.Helper()
	const page = "../../docs/nightly.md"
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("skipped: there is no sh:", err)
	}
	n := &nightly{dir: t.TempDir(), shell: shell, set: set}
	var blocks []string
	for _, language := range []string{"sh", "pbtxt", "bash"} {
		found := scripts(t, page, language)
		if len(found) != 1 {
			t.Fatalf("%s has %d blocks of %s, want 1", page, len(found), language)
		}
		blocks = append(blocks, found[0])
	}
	for i, name := range []string{"nightly.sh", "schema.pbtxt"} {
		must(t, os.WriteFile(filepath.Join(n.dir, name), []byte(blocks[i]), 0o666))
	}
	n.write(t, "good", set)
	once := blocks[2]
	if infer {
		text, err := os.ReadFile(page)
		must(t, err)
		command := regexp.MustCompile("`(tfparse schema .* -o schema.pbtxt)`").FindSubmatch(text)
		if command == nil {
			t.Fatalf("%s does not say how a schema is inferred", page)
		}
		once += string(command[1])
	}
	if out, err := n.run("set -e\n" + once); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return n
}

// run runs a script.
func (n *nightly) run(script string) (string, error) {
	cmd := exec.Command(n.shell, "-c", script)
	cmd.Dir = n.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// shards are the names of the files of a day.
func shards(dir string) (names []string) {
	for i := range 4 {
		names = append(names, filepath.Join(dir, fmt.Sprintf("train-%05d-of-00004.tfrecord", i)))
	}
	return names
}

// write writes the records of a day.
func (n *nightly) write(t *testing.T, dir string, records [][]byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(n.dir, dir), 0o700))
	for i, name := range shards(filepath.Join(n.dir, dir)) {
		writeRecords(t, name, records[i*len(records)/4:(i+1)*len(records)/4])
	}
}

// sample returns 800 to 1,200 records of the set, each at most once, in random order.
func (n *nightly) sample(rng *rand.Rand) [][]byte {
	records := make([][]byte, 800+rng.IntN(401))
	for i, at := range rng.Perm(len(n.set))[:len(records)] {
		records[i] = n.set[at]
	}
	return records
}

// orders makes a set of records with features of all kinds: numbers with long tails, a vocabulary, a
// feature that is sometimes missing, and a ragged one.
func orders(t *testing.T, size int) [][]byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(19, 11))
	cities, words := []string{"Aarhus", "Bergen", "Cork", "Dijon", "Essen"}, strings.Fields("chop fry stir rest serve simmer until brown and gently")
	set := make([][]byte, size)
	for i := range set {
		items := 1 + int64(min(11, rng.ExpFloat64()*2))
		e := example.Example{
			"city":    example.Strings(cities[min(4, int(rng.ExpFloat64()*2))]),
			"items":   example.Int64s(items),
			"minutes": example.Floats(float32(5 + 60*rng.ExpFloat64())),
			"price":   example.Floats(float32(math.Exp(2 + rng.NormFloat64()))),
		}
		if rng.IntN(10) > 0 {
			e["rating"] = example.Floats(float32(5 - min(5, rng.ExpFloat64())))
		}
		var lengths []int64
		var steps []string
		for range 1 + rng.IntN(4) {
			length := 1 + rng.IntN(6)
			lengths = append(lengths, int64(length))
			for range length {
				steps = append(steps, words[rng.IntN(len(words))])
			}
		}
		e["steps/words"], e["steps/lengths"] = example.Strings(steps...), example.Int64s(lengths...)
		set[i] = marshal(t, e)
	}
	return set
}

func marshal(t *testing.T, e example.Example) []byte {
	t.Helper()
	msg, err := e.MarshalBinary()
	must(t, err)
	return msg
}

// The script of docs/nightly.md lets days pass that are samples of one set: of the orders with the
// schema of the page, and of real records with the one that its command infers.
func TestNightlyCleanDays(t *testing.T) {
	t.Parallel()
	days := 3
	if testkit.Long(t, "100 clean days of each set: 3 are checked") {
		days = 100
	}
	check := func(t *testing.T, n *nightly) {
		alarms := 0
		for day := range days {
			name := fmt.Sprintf("clean-%03d", day)
			n.write(t, "data/"+name, n.sample(rand.New(rand.NewPCG(uint64(day), 7))))
			if out, err := n.run("sh nightly.sh " + name); err != nil || !strings.HasSuffix(out, "\n"+name+": ok\n") {
				alarms++
				t.Errorf("%s: %v: %s", name, err, out)
			}
			must(t, os.RemoveAll(filepath.Join(n.dir, "data")))
		}
		t.Logf("%d of %d clean days fail", alarms, days)
	}
	t.Run("orders", func(t *testing.T) { check(t, newNightly(t, orders(t, 20_000), false)) })
	t.Run("taxi", func(t *testing.T) {
		files, _ := filepath.Glob("../../../shared/data/chicago_taxi/*.gz")
		if files == nil {
			t.Skip("skipped: the files of chicago_taxi are not there")
		}
		var set [][]byte
		for _, file := range files {
			r, err := tfrecord.Open(file, nil)
			must(t, err)
			for rec, err := range r.All() {
				must(t, err)
				set = append(set, bytes.Clone(rec))
			}
			must(t, r.Close())
		}
		check(t, newNightly(t, set, true))
	})
}

// The script of docs/nightly.md finds each planted fault, and its report names it.
func TestNightlyFaults(t *testing.T) {
	t.Parallel()
	n := newNightly(t, orders(t, 20_000), false)
	edited := func(change func(rng *rand.Rand, e example.Example)) func([][]byte) [][]byte {
		return func(records [][]byte) [][]byte {
			rng := rand.New(rand.NewPCG(3, 5))
			for i, msg := range records {
				var e example.Example
				must(t, e.UnmarshalBinary(msg))
				change(rng, e)
				records[i] = marshal(t, e)
			}
			return records
		}
	}
	now := func(rng *rand.Rand, percent int) bool { return rng.IntN(100) < percent }
	file := func(change func(name string) error) func(dir string) error {
		return func(dir string) error { return change(shards(dir)[2]) }
	}
	long, seen := testkit.Long(t, "all but one fault that each check finds in records, and one in files"), map[string]bool{}
	for _, c := range []struct {
		fault   string
		records func([][]byte) [][]byte // what the day has in place of a sample
		files   func(dir string) error  // what becomes of them
		failed  string                  // the checks that must fail; others may
		report  string                  // what the report says
	}{
		{fault: "a missing feature", records: edited(func(rng *rand.Rand, e example.Example) {
			delete(e, "price")
		}), failed: "schema", report: `price: error: SCHEMA_MISSING_COLUMN`},
		{fault: "a feature that is missing in a third", records: edited(func(rng *rand.Rand, e example.Example) {
			if now(rng, 33) {
				delete(e, "rating")
			}
		}), failed: "schema", report: `rating: error: FEATURE_TYPE_LOW_FRACTION_PRESENT`},
		{fault: "another kind", records: edited(func(rng *rand.Rand, e example.Example) {
			e["items"] = example.Strings(fmt.Sprint(e["items"].Int64s[0]))
		}), failed: "schema", report: `items: error: UNEXPECTED_DATA_TYPE`},
		{fault: "a number out of range", records: edited(func(rng *rand.Rand, e example.Example) {
			if now(rng, 1) {
				e["items"] = example.Int64s(-1)
			}
		}), failed: "schema", report: `record \d+ .*: items: error: INT_TYPE_SMALL_INT`},
		{fault: "a NaN", records: edited(func(rng *rand.Rand, e example.Example) {
			if now(rng, 1) {
				e["minutes"] = example.Floats(float32(math.NaN()))
			}
		}), failed: "schema", report: `minutes: error: FLOAT_TYPE_HAS_NAN`},
		{fault: "a new word in a vocabulary", records: edited(func(rng *rand.Rand, e example.Example) {
			if now(rng, 1) {
				e["city"] = example.Strings("Faro")
			}
		}), failed: "schema", report: `city: error: ENUM_TYPE_UNEXPECTED_STRING_VALUES: .*Faro`},
		{fault: "row partitions that contradict", records: edited(func(rng *rand.Rand, e example.Example) {
			if now(rng, 1) {
				e["steps/lengths"].Int64s[0]++
			}
		}), failed: "schema", report: `record \d+ .*: steps/lengths: error: RAGGED_STRUCTURE`},
		{fault: "a torn file", files: file(func(name string) error {
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			return os.Truncate(name, info.Size()-7)
		}), failed: "files", report: `train-00002-of-00004.tfrecord#\d+: record \d+ .*truncated`},
		{fault: "a flipped bit", files: file(func(name string) error {
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			b[len(b)/2] ^= 1
			return os.WriteFile(name, b, 0o666)
		}), failed: "files", report: `train-00002-of-00004.tfrecord#\d+: record \d+ .*checksum`},
		{fault: "a missing shard", files: file(os.Remove), failed: "files", report: `shard.*missing`},
		{fault: "a shifted distribution", records: edited(func(rng *rand.Rand, e example.Example) {
			e["minutes"].Floats[0] += 40
		}), failed: "drift", report: `minutes: .* is above 0\.1`},
		{fault: "another unit", records: edited(func(rng *rand.Rand, e example.Example) {
			e["price"].Floats[0] *= 100
		}), failed: "drift", report: `price: .* is above 0\.1`},
		{fault: "a vocabulary that is used in another way", records: edited(func(rng *rand.Rand, e example.Example) {
			if now(rng, 30) {
				e["city"] = example.Strings("Essen")
			}
		}), failed: "drift", report: `city: .* is above 0\.1`},
		{fault: "no records", records: func([][]byte) [][]byte { return nil }, failed: "schema", report: `no records`},
		{fault: "half of the records", records: func(all [][]byte) [][]byte { return all[:len(all)/2] }, failed: "schema", report: `DATASET_LOW_NUM_EXAMPLES`},
		{fault: "a day that was delivered before", records: func([][]byte) [][]byte {
			again := n.sample(rand.New(rand.NewPCG(0, 1)))
			return append(again[1:], again[0])
		}, failed: "new", report: `the same records as those of days/clean.digest`},
	} {
		class := fmt.Sprint(c.failed, c.files != nil)
		if !long && seen[class] {
			continue
		}
		seen[class] = true
		t.Run(strings.ReplaceAll(c.fault, " ", "-"), func(t *testing.T) {
			if n.faults == 0 { // the days are fine but for the fault, and one was there before
				n.write(t, "data/clean", n.sample(rand.New(rand.NewPCG(0, 1))))
				if out, err := n.run("sh nightly.sh clean"); err != nil {
					t.Fatalf("the day without a fault: %v: %s", err, out)
				}
			}
			n.faults++
			day := fmt.Sprintf("fault-%d", n.faults)
			dir := filepath.Join(n.dir, "data", day)
			records := n.sample(rand.New(rand.NewPCG(0, 2)))
			if c.records != nil {
				records = c.records(records)
			}
			n.write(t, "data/"+day, records)
			if c.files != nil {
				must(t, c.files(dir))
			}
			out, err := n.run("sh nightly.sh " + day)
			if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
				t.Fatalf("%v, want exit code 1: %s", err, out)
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, day+": FAILED:") || !strings.Contains(last+" ", " "+c.failed+" ") {
				t.Errorf("the last line is %q, want that %s failed: %s", last, c.failed, out)
			}
			if !regexp.MustCompile(c.report).MatchString(out) {
				t.Errorf("the report does not say %s: %s", c.report, out)
			}
			if testing.Verbose() {
				t.Log(out)
			}
		})
	}
}

// With the schema that the command of docs/nightly.md infers, the script lets a clean day pass, and fails on row partitions that contradict the values
// in every record, so that the day itself does not show which they are.
func TestNightlyInferredPartitions(t *testing.T) {
	t.Parallel()
	n := newNightly(t, orders(t, 20_000), true)
	n.write(t, "data/clean", n.sample(rand.New(rand.NewPCG(0, 1))))
	if out, err := n.run("sh nightly.sh clean"); err != nil {
		t.Fatalf("the day without a fault: %v: %s", err, out)
	}
	broken := n.sample(rand.New(rand.NewPCG(0, 2)))
	for i, msg := range broken {
		var e example.Example
		must(t, e.UnmarshalBinary(msg))
		e["steps/lengths"].Int64s[0] += 1 + int64(i%2)
		broken[i] = marshal(t, e)
	}
	n.write(t, "data/broken", broken)
	out, err := n.run("sh nightly.sh broken")
	if err == nil || !regexp.MustCompile(`record \d+ .*: steps/lengths: error: RAGGED_STRUCTURE`).MatchString(out) || !regexp.MustCompile(`broken: FAILED:.* schema`).MatchString(out) {
		t.Errorf("%v: %s", err, out)
	}
}

// What cron and the GitHub Action run is the script without a day: yesterday. It fails if nothing came.
func TestNightlyYesterday(t *testing.T) {
	text, err := os.ReadFile("../../docs/nightly.md")
	must(t, err)
	const command = "sh nightly.sh >report.txt"
	if n := strings.Count(string(text), command); n != 2 {
		t.Errorf("the page has %q %d times, want it for cron and for GitHub", command, n)
	}
	if err := exec.Command("date", "-d", "yesterday", "+%F").Run(); err != nil {
		t.Skip("skipped: date is not that of GNU:", err)
	}
	n := newNightly(t, orders(t, 1000), false)
	out, err := n.run(command)
	report, _ := os.ReadFile(filepath.Join(n.dir, "report.txt"))
	if err == nil || !regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d: FAILED: files schema statistics drift new\n$`).Match(report) {
		t.Errorf("%v: %s%s", err, out, report)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
