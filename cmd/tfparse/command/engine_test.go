package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/shufflekey"
	"github.com/tfparse/tfparse/tfrecord"
)

// A loop is an Engine that does all work here, from the last file to the first one, and has everything
// that goes from one machine to another written and read.
type loop struct{ t *testing.T }

func (l loop) Gather(ctx context.Context, w *engine.Work, files []engine.File) (*engine.Result, error) {
	config, err := w.MarshalBinary()
	if err != nil {
		return nil, err
	}
	all := make([][]byte, len(files))
	for i := len(files) - 1; i >= 0; i-- {
		var own engine.Work
		if err := own.UnmarshalBinary(config); err != nil {
			return nil, err
		}
		k, err := engine.NewWorker(&own)
		if err != nil {
			return nil, err
		}
		r, err := k.Do(ctx, files[i], func(_ context.Context, name string) (io.ReadCloser, error) { return os.Open(name) })
		if err != nil {
			return nil, err
		}
		if all[i], err = r.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	merged := w.NewResult()
	for _, b := range all {
		var r engine.Result
		if err := r.UnmarshalBinary(b); err != nil {
			return nil, err
		}
		merged.Merge(&r)
	}
	b, err := merged.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := &engine.Result{}
	return out, out.UnmarshalBinary(b)
}

// Rewrite writes the files as slowly and simply as can be.
func (l loop) Rewrite(ctx context.Context, w *engine.Rewriting, files []engine.File) ([]int64, error) {
	var records [][]byte
	var of []int // the file of each
	for i, f := range files {
		if f.Err != "" {
			continue
		}
		in, err := os.Open(f.Name)
		if err != nil {
			return nil, err
		}
		r := tfrecord.NewReader(in, &tfrecord.ReaderOptions{Compression: w.Input, MaxRecordSize: w.MaxRecordSize, SkipChecksums: w.SkipChecksums})
		n := int64(0)
		add := func(rec []byte) {
			records, of = append(records, bytes.Clone(rec)), append(of, i)
			n++
		}
		if w.Stop {
			for rec, err := range r.All() {
				if err != nil {
					return nil, err
				}
				add(rec)
			}
		} else {
			for item := range r.Recover() {
				if item.Skipped == nil {
					add(item.Record)
				}
			}
		}
		in.Close()
		if n != f.Records {
			l.t.Errorf("%s: %d records were counted, and there are %d", f.Name, f.Records, n)
		}
	}
	if w.Shuffle {
		random, keys := shufflekey.At(w.Seed, 0), make([]uint64, len(records))
		order := make([]int, len(records))
		for i := range records {
			keys[i], order[i] = random.Uint64(), i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		shuffled := make([][]byte, len(records))
		for i, from := range order {
			shuffled[i] = records[from]
		}
		records = shuffled
	}
	to, err := dataset.Create(ctx, w.Output, &dataset.CreateOptions{Writer: tfrecord.WriterOptions{Compression: w.Compression, Level: w.Level}})
	if err != nil {
		return nil, err
	}
	for i, rec := range records {
		shard := i % len(to.Shards())
		if w.KeepShards {
			shard = of[i]
		}
		if err := to.WriteShard(shard, rec); err != nil {
			return nil, err
		}
	}
	written := make([]int64, len(to.Shards()))
	for i := range written {
		written[i] = to.Records(i)
	}
	return written, to.Close()
}

// TestEngine proves that verbs print and write on an engine what they do in one process, byte for byte.
func TestEngine(t *testing.T) {
	t.Chdir("../../..")
	dir := t.TempDir()
	damaged := damagedFiles(t, dir)
	const recipes, schema = "testdata/recipes.tfrecord", "testdata/recipes.schema.pbtxt"
	other, ragged, raggedFiles := filepath.Join(dir, "other.pbtxt"), filepath.Join(dir, "ragged.pbtxt"), raggedFiles(t, dir)
	write(t, other, []byte(`feature { name: "minutes" type: INT int_domain { max: 10 } presence { min_fraction: 1 } }`+
		`feature { name: "rating" type: INT } feature { name: "tags" type: BYTES value_count { min: 1 max: 1 } }`))
	ofRecords := filepath.Join(dir, "record.rules")
	write(t, ofRecords, []byte("len(allergens/words) < 2\nwarning: all(minutes < 100)\nmax(minutes) < 100\n"))
	lists := filepath.Join(dir, "lists") // a set of shards, the last one empty
	if err := os.Mkdir(lists, 0o777); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{recipes, recipes, ""} {
		b, err := os.ReadFile(name)
		if err != nil && name != "" {
			t.Fatal(err)
		}
		write(t, filepath.Join(lists, fmt.Sprintf("in-%05d-of-00003", i)), b)
	}
	unknown := filepath.Join(dir, "events")
	write(t, unknown, tfrecord.AppendRecord(nil, []byte("\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x1a\x0dbrain.Event:2")))
	write(t, ragged, []byte(`feature { name: "values" type: INT }`))
	spec, context := filepath.Join(dir, "spec.json"), filepath.Join(dir, "context.json")
	write(t, spec, []byte(`{"features": {"values": {"ragged": {"dtype": "int64", "partitions": [{"row_lengths": "values/lengths"}]}}}}`))
	write(t, context, []byte(`{"context": {"values": {"ragged": {"dtype": "int64", "partitions": [{"row_lengths": "values/lengths"}]}}}}`))
	for _, words := range [][]string{
		{"stats", recipes},
		{"stats", "--format", "json", recipes, recipes},
		{"stats", "-o", "OUT.pb", "--schema", "testdata/recipes.schema.pbtxt", recipes, recipes},
		{"stats", "-o", "OUT.pbtxt", "--weight", "servings", "--slice", "servings", "--top", "3", recipes},
		{"stats", "-o", "OUT.json", "--compat", "tfdv", recipes, recipes},
		{"stats", "-o", "OUT.tfrecord", "--sample-rate", "0.5", "--domains", recipes},
		{"stats", "-o", "OUT.html", "--max-slices", "2", "--slice", "servings", recipes},
		{"stats", "--partial", "OUT.part", recipes},
		{"stats", "--features", "nothing", recipes},
		{"stats", "--weight", "id", "--on-error", "stop", recipes},
		{"stats", "--weight", "nothing", recipes},
		{"stats", "--top", "0", recipes},
		{"stats", "--compression", "gzip", recipes},
		{"stats", "nowhere", recipes},
		{"stats", "nowhere"},
		{"stats", lists},
		{"stats", damaged},
		{"stats", "--on-error", "stop", damaged},
		{"stats", "--max-messages", "1", damaged},
		{"stats", "--compat", "tfdv", damaged},
		{"stats", "--format", "json", "--type", "sequence", damaged},
		{"stats", "--memory", "4MiB", "--format", "json", damaged},
		{"validate", "--schema", schema, recipes},
		{"validate", "--schema", schema, "--records", recipes, recipes},
		{"validate", "--schema", other, "--records", recipes, damaged},
		{"validate", "--schema", other, "--records", "--max-findings", "1", "--format", "json", damaged},
		{"validate", "--schema", other, "--records", "--max-findings", "0", "--suggest", damaged},
		{"validate", "--schema", other, "--records", "--severity", "SCHEMA_NEW_COLUMN=warning", "--severity", "INT_TYPE_BIG_INT=none", "--format", "sarif", damaged},
		{"validate", "--schema", other, "--records", "--compat", "tfdv", "--format", "github", recipes},
		{"validate", "--schema", ragged, "--records", "--suggest", raggedFiles},
		{"validate", "--schema", ragged, "--records", "--format", "junit", "-o", "OUT.pbtxt", raggedFiles},
		{"validate", "--schema", ragged, "--records", "--spec", spec, "--suggest", raggedFiles},
		{"validate", "--schema", ragged, "--records", "--spec", context, raggedFiles},
		{"validate", "--schema", schema, "--records", "--previous", damaged, "-o", "OUT.html", recipes},
		{"validate", "--schema", other, "--environment", "nowhere", "--records", recipes},
		{"validate", "--schema", other, "--records", "nowhere"},
		{"validate", "--schema", other, "--records", "testdata/sessions.tfrecord", recipes},
		{"validate", "--rules", "testdata/recipes.rules", recipes, recipes},
		{"validate", "--rules", ofRecords, "--records", "--format", "json", recipes, recipes},
		{"count", recipes},
		{"count", lists},
		{"count", "--verify", "--format", "json", recipes, "testdata/sessions.tfrecord", unknown},
		{"count", unknown, recipes},
		{"count", recipes, "nowhere", recipes},
		{"count", "--on-error", "skip", recipes, "nowhere", recipes},
		{"count", damaged},
		{"count", "--verify", damaged},
		{"count", "--no-crc", damaged},
		{"count", "--on-error", "skip", "--max-messages", "1", "--format", "json", damaged},
		{"count", "--compression", "gzip", recipes},
		{"count", "--max-record-size", "300", recipes},
		{"count", "--verify", "--no-crc", recipes},
		{"count", "--partial", "OUT.part", recipes},
		{"validate", "--schema", schema, "--records", "--partial", "OUT.part", recipes},
		{"convert", recipes, recipes, "-o", "OUT.gz", "--compression", "gzip", "--level", "9"},
		{"convert", recipes, lists, "-o", "OUT@3"},
		{"convert", lists, recipes, "-o", "OUT@4", "--keep-shards"},
		{"convert", damaged, "-o", "OUT"},
		{"convert", "--no-crc", recipes, filepath.Join(dir, "damaged-b"), "-o", "OUT"},
		{"convert", "--on-error", "skip", damaged, "nowhere", "-o", "OUT@2"},
		{"convert", "--on-error", "skip", "--keep-shards", "nowhere", damaged, "-o", "OUT@7"},
		{"convert", filepath.Join(dir, "damaged-c"), "-o", "OUT@2"},
		{"convert", "--on-error", "skip", "nowhere", "-o", "OUT"},
		{"convert", "--on-error", "skip", "nowhere", "-o", "OUT", "--allow-empty"},
		{"convert", "nowhere", "-o", "OUT"},
		{"convert", recipes, unknown, "-o", "OUT"},
		{"convert", unknown, recipes, "-o", "OUT@2"},
		{"convert", "--type", "raw", recipes, "testdata/sessions.tfrecord", unknown, "-o", "OUT"},
		{"convert", recipes},
		{"convert", recipes, "-o", recipes},
		{"convert", recipes, "-o", "OUT.gz"},
		{"convert", recipes, "-o", "OUT@0"},
		{"convert", recipes, "-o", "OUT/there/is/none"},
		{"convert", recipes, "-o", "OUT@2", "--keep-shards"},
		{"convert", "--level", "3", recipes, "-o", "OUT"},
		{"shuffle", recipes, "-o", "OUT"},
		{"shuffle", "--seed", "7", lists, recipes, recipes, "-o", "OUT@3", "--format", "json", "--memory", "64KiB"},
		{"shuffle", "--seed", "7", "--on-error", "skip", damaged, "-o", "OUT@3.zst", "--compression", "zstd"},
		{"shuffle", damaged, "-o", "OUT@3"},
		{"shuffle", recipes, recipes, "testdata/sessions.tfrecord", "-o", "OUT"},
		{"shuffle", "--format", "json", recipes},
		{"shuffle", filepath.Join(dir, "damaged-c"), "-o", "OUT@2"},
	} {
		var results [2]string
		for i := range results {
			out := filepath.Join(dir, "out"+string(rune('0'+i)))
			if err := os.MkdirAll(out, 0o777); err != nil {
				t.Fatal(err)
			}
			args := make([]string, len(words))
			for n, w := range words {
				args[n] = strings.Replace(w, "OUT", filepath.Join(out, "x"), 1)
			}
			app := Program()
			if i == 1 {
				app = ProgramOn(loop{t}, "tfparse", "")
			}
			var stdout, stderr bytes.Buffer
			code := app.Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
			results[i] = strings.ReplaceAll(stdout.String()+"\n"+stderr.String()+"\nexit code "+string(rune('0'+code)), out, "OUT")
			files, err := filepath.Glob(filepath.Join(out, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				results[i] += "\n" + filepath.Base(f) + "\n" + string(b)
			}
			if all := strings.Join(words, " "); strings.Contains(all, "OUT") && !strings.Contains(all, "OUT@") && len(files) != 1 && code == 0 {
				t.Errorf("%q writes %d files", words, len(files))
			}
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
		}
		if results[0] != results[1] {
			t.Errorf("%q\nin one process %.2000q\non an engine   %.2000q", words, results[0], results[1])
		}
	}
}

// damagedFiles writes files with damage, other messages and no records, and returns the pattern of their names.
func damagedFiles(t *testing.T, dir string) string {
	t.Helper()
	good, err := os.ReadFile("testdata/recipes.tfrecord")
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := tfrecord.ConsumeRecord(good)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(first)+100] ^= 0x10
	for name, b := range map[string][]byte{
		"a": good, "b": flipped, "c": nil, "d": good[:len(good)-3], "e": append(bytes.Clone(good), tfrecord.AppendRecord(nil, []byte("\x0a\x05\xff"))...), "f": good,
	} {
		write(t, filepath.Join(dir, "damaged-"+name), b)
	}
	return filepath.Join(dir, "damaged-*")
}

// raggedFiles writes files with lengths of rows that no schema declares, which do not fit in some records.
func raggedFiles(t *testing.T, dir string) string {
	t.Helper()
	for n := range 3 {
		var b []byte
		for i := range int64(200) {
			lengths := []int64{i % 3, 1, i % 5}
			values := make([]int64, lengths[0]+lengths[1]+lengths[2])
			if (i+int64(n))%90 == 89 {
				values = append(values, 7)
			}
			rec, err := example.Example{"values": example.Int64s(values...), "values/lengths": example.Int64s(lengths...)}.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			b = tfrecord.AppendRecord(b, rec)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("ragged-%d", n)), b)
	}
	return filepath.Join(dir, "ragged-?")
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestEngineCSV proves that an engine, whose workers see a file at a time, refuses CSV, whose types depend on all files.
func TestEngineCSV(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.csv")
	write(t, name, []byte("id,x\n1,2\n"))
	for _, verb := range []string{"stats", "validate"} {
		args := []string{verb, name}
		if verb == "validate" {
			schema := filepath.Join(t.TempDir(), "schema.pbtxt")
			write(t, schema, []byte(`feature { name: "x" type: INT }`))
			args = append(args, "--schema", schema)
		}
		var stdout, stderr bytes.Buffer
		code := ProgramOn(loop{t}, "tfparse", "").Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		if want := name + " is CSV, which is read on one machine: tfparse encode makes records of it"; code != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s", verb, code, stderr.Bytes())
		}
	}
}
