package command

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestPartial checks that merging the outputs of several --partial processes, in any order, gives the same output, messages and
// exit code as one process that reads all files.
func TestPartial(t *testing.T) {
	t.Chdir("../../..")
	dir := t.TempDir()
	const recipes, schema = "testdata/recipes.tfrecord", "testdata/recipes.schema.pbtxt"
	damaged, ragged := damagedFiles(t, dir), raggedFiles(t, dir)
	other, values, rules := filepath.Join(dir, "other.pbtxt"), filepath.Join(dir, "values.pbtxt"), "testdata/recipes.rules"
	write(t, other, []byte(`feature { name: "minutes" type: INT int_domain { max: 10 } presence { min_fraction: 1 } }`+
		`feature { name: "rating" type: INT } feature { name: "tags" type: BYTES value_count { min: 1 max: 1 } }`))
	write(t, values, []byte(`feature { name: "values" type: INT }`))
	ofRecords := filepath.Join(dir, "record.rules")
	write(t, ofRecords, []byte("len(allergens/words) < 2\nwarning: all(minutes < 100)\nmax(minutes) < 100\n"))
	csv := filepath.Join(dir, "csv")
	odd := filepath.Join(dir, "odd") // with a name that is passed over
	for name, files := range map[string]map[string]string{
		csv: {"a.csv": "id,x\n1,2\n", "b.csv": "id,x\n3,4.5\n", "c.csv": "id,x\n5,x\n7,8,9\n"},
		odd: {"a": "", "notes.json": "none"},
	} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		for file, text := range files {
			write(t, filepath.Join(name, file), []byte(text))
		}
	}
	missing := filepath.Join(dir, "gone@3")
	for _, i := range []int{0, 2} {
		b, err := os.ReadFile(recipes)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, fmt.Sprintf("gone-%05d-of-00003", i)), b)
	}
	unknown := filepath.Join(dir, "events")
	write(t, unknown, tfrecord.AppendRecord(nil, []byte("\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x1a\x0dbrain.Event:2")))
	mixed := mixedFiles(t, dir)
	divisions := []int{3} // into how many shards
	if testkit.Long(t, "2 and 8 shards") {
		divisions = []int{2, 3, 8}
	}
	for _, words := range [][]string{
		{"stats", "--", recipes, recipes},
		{"stats", "--format", "json", "--slice", "servings", "--", damaged},
		{"stats", "-o", "OUT.pb", "--max-messages", "1", "--", damaged},
		{"stats", "-o", "OUT.json", "--", recipes, recipes, recipes},
		{"stats", "--max-slices", "2", "--slice", "servings", "--", recipes, recipes},
		{"stats", "--weight", "serving", "--", recipes, recipes},
		{"stats", "--top", "3", "--memory", "64MiB", "--", "nowhere", recipes},
		{"stats", "--", "nowhere"},
		{"stats", "--", filepath.Join(dir, "damaged-c")},
		{"stats", "--", odd, recipes},
		{"stats", "--", recipes, "testdata/sessions.tfrecord"},
		{"stats", "--allow-missing-shards", "--", missing},
		{"stats", "--format", "json", "--input-format", "csv", "--", csv},
		{"validate", "--schema", schema, "--", recipes, recipes},
		{"validate", "--rules", rules, "--", recipes, recipes},
		{"validate", "--rules", ofRecords, "--records", "--", recipes, recipes},
		{"validate", "--schema", schema, "--records", "--", recipes, recipes, recipes, recipes},
		{"validate", "--schema", other, "--records", "--", recipes, damaged},
		{"validate", "--schema", other, "--records", "--max-findings", "1", "--format", "json", "--", damaged},
		{"validate", "--schema", other, "--records", "--max-findings", "0", "--suggest", "--", damaged},
		{"validate", "--schema", other, "--records", "--severity", "SCHEMA_NEW_COLUMN=warning", "--severity", "INT_TYPE_BIG_INT=none", "--format", "sarif", "--", damaged},
		{"validate", "--schema", other, "--records", "--compat", "tfdv", "--format", "github", "--", recipes, recipes},
		{"validate", "--schema", values, "--records", "--suggest", "--", ragged},
		{"validate", "--schema", values, "--records", "--suggest", "--format", "json", "--", ragged},
		{"validate", "--schema", values, "--records", "--format", "junit", "-o", "OUT.pbtxt", "--", ragged},
		{"validate", "--schema", schema, "--slice", "servings", "--previous", recipes, "-o", "OUT.pb", "--", recipes, recipes},
		{"validate", "--schema", other, "--fail-on", "never", "--", recipes},
		{"validate", "--schema", other, "--records", "--on-error", "skip", "--", "nowhere"},
		{"validate", "--schema", other, "--records", "--", odd, filepath.Join(dir, "damaged-c")},
		{"validate", "--schema", other, "--records", "--", "testdata/sessions.tfrecord", recipes},
		{"validate", "--schema", other, "--allow-missing-shards", "--", missing},
		{"validate", "--schema", other, "--input-format", "csv", "--", csv},
		{"count", "--", recipes, "testdata/sessions.tfrecord"},
		{"count", "--", unknown, recipes, odd},
		{"count", "--verify", "--format", "json", "--", unknown, recipes, odd},
		{"count", "--", damaged},
		{"count", "--on-error", "skip", "--", damaged, "nowhere"},
		{"count", "--on-error", "skip", "--max-messages", "1", "--format", "json", "--", damaged},
		{"count", "--allow-missing-shards", "--", missing},
		{"count", "--input-format", "csv", "--", csv},
		{"count", "--", recipes},
		{"verify", "--", recipes},
		{"verify", "--", damaged, "nowhere", damaged},
		{"verify", "--all", "--format", "json", "--", damaged, "nowhere"},
		{"verify", "--on-error", "stop", "--", damaged, "nowhere"},
		{"verify", "--format", "junit", "--", recipes, recipes, damaged},
		{"verify", "--format", "github", "--", mixed, unknown, damaged},
		{"verify", "--format", "json", "--", mixed, odd},
		{"verify", "--type", "sequence", "--", mixed, recipes},
		{"verify", "--type", "raw", "--format", "json", "--", mixed, unknown},
		{"verify", "--", unknown, recipes},
		{"verify", "--", filepath.Join(dir, "gone-00002-of-00003")},
		{"verify", "--partial-set", "--", filepath.Join(dir, "gone-00002-of-00003"), recipes},
		{"verify", "--allow-missing-shards", "--", missing},
	} {
		cut := slices.Index(words, "--")
		verb, flags, files := words[0], words[1:cut], words[cut+1:]
		run := func(args ...string) string {
			var stdout, stderr bytes.Buffer
			code := Program().Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
			return fmt.Sprintf("%s\n%s\nexit code %d", &stdout, &stderr, code)
		}
		results := map[int]string{}
		for _, shards := range append([]int{1}, divisions...) {
			out := t.TempDir()
			at := func(flags []string) (all []string) {
				for _, f := range flags {
					all = append(all, strings.Replace(f, "OUT", filepath.Join(out, "x"), 1))
				}
				return all
			}
			var text string
			if shards == 1 {
				text = run(slices.Concat([]string{verb}, at(flags), files)...)
			} else {
				var parts []string
				for i := range shards {
					part := filepath.Join(t.TempDir(), "part")
					// Flags of the report cannot be used with --partial.
					text := run(slices.Concat([]string{verb}, withoutOutput(flags), []string{"--shard", fmt.Sprintf("%d/%d", i, shards), "--partial", part}, files)...)
					none := fmt.Sprintf("tfparse: shard %d/%d has none of the %d files\n", i, shards, len(files))
					_, messages, _ := strings.Cut(results[1], "\n\n") // behind what was printed
					if end := strings.Replace(text, none, "", 1); strings.HasSuffix(end, "exit code 4") && strings.TrimPrefix(end, "\n") == strings.TrimPrefix(messages, "\n") || end == results[1] {
						// An error that ends one run also ends the run of its shard, which then writes no output.
						parts = nil
						break
					}
					if !strings.HasPrefix(text, "\n") || !strings.HasSuffix(text, "\nexit code 0") {
						t.Errorf("%q, shard %d/%d: %q", words, i, shards, text)
					}
					parts = append(parts, part)
				}
				if parts == nil {
					results[shards] = results[1]
					continue
				}
				slices.Reverse(parts)
				text = run(slices.Concat([]string{verb, "merge"}, at(mergeFlags(verb, flags)), parts)...)
			}
			written, err := filepath.Glob(filepath.Join(out, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range written {
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				text += "\n" + filepath.Base(name) + "\n" + string(b)
			}
			results[shards] = text
		}
		for _, shards := range divisions {
			if results[shards] != results[1] {
				t.Errorf("%q\nin one process %.3000q\nin %d           %.3000q", words, results[1], shards, results[shards])
			}
		}
	}
}

// TestDamagedPart checks that a damaged output of --partial gives an error or another report, but no panic. It changes bytes of
// each record and corrects the checksums.
func TestDamagedPart(t *testing.T) {
	t.Chdir("../../..")
	dir := t.TempDir()
	mixed, part, damaged := mixedFiles(t, dir), filepath.Join(dir, "part"), filepath.Join(dir, "damaged-part")
	step := 51
	if testkit.Long(t, "each 17th byte: each 51st is changed") {
		step = 17
	}
	for _, flags := range [][]string{{"count"}, {"verify", "--all"}, {"validate", "--schema", "testdata/recipes.schema.pbtxt", "--records"}} {
		run := func(args ...string) (code int, stderr string) {
			var out, messages bytes.Buffer
			code = Program().Run(t.Context(), args, strings.NewReader(""), &out, &messages)
			return code, messages.String()
		}
		files := []string{mixed}
		if flags[0] == "validate" {
			files = []string{filepath.Join(dir, "mixed-00000-of-00005"), filepath.Join(dir, "mixed-00002-of-00005")}
		}
		if code, text := run(slices.Concat(flags, []string{"--partial", part}, files)...); code != 0 {
			t.Fatal(text)
		}
		b, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		var records [][]byte
		for rest := b; len(rest) > 0; {
			rec, n, err := tfrecord.ConsumeRecord(rest)
			if err != nil {
				t.Fatal(err)
			}
			records, rest = append(records, rec), rest[n:]
		}
		merge := slices.Concat([]string{flags[0], "merge"}, flags[1:], []string{damaged})
		refused := 0
		for i := range records {
			for at := 0; at < len(records[i]); at += step {
				var out []byte
				for n, rec := range records {
					if n == i {
						rec = bytes.Clone(rec)
						rec[at] ^= 1 << (at % 7)
					}
					out = tfrecord.AppendRecord(out, rec)
				}
				write(t, damaged, out)
				if code, text := run(merge...); code == 4 && text == "" {
					t.Errorf("%q, record %d, byte %d: no message", flags, i, at)
				} else if code == 4 {
					refused++
				}
			}
			if i == 0 {
				continue
			}
			var out []byte
			for _, rec := range records[:i] {
				out = tfrecord.AppendRecord(out, rec)
			}
			write(t, damaged, out)
			if code, text := run(merge...); code != 4 || !strings.Contains(text, "damaged-part: truncated part: it has the results of") {
				t.Errorf("%q, %d records: exit code %d, %q", flags, i, code, text)
			}
		}
		if refused == 0 {
			t.Errorf("%q: no damage was noticed", flags)
		}
	}
}

// mixedFiles writes a set whose shards differ in codecs, messages, and kinds of a feature, and returns its name.
func mixedFiles(t *testing.T, dir string) string {
	t.Helper()
	for i, v := range []example.Value{example.Int64s(1), example.Floats(2), example.Strings("x"), example.Int64s(4), {}} {
		rec, err := example.Example{"a": v, "b": example.Int64s(5)}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			if rec, err = (&example.Sequence{Context: example.Example{"a": v}}).MarshalBinary(); err != nil {
				t.Fatal(err)
			}
		}
		b := tfrecord.AppendRecord(nil, rec)
		if i == 1 {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			if _, err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			b = z.Bytes()
		}
		if i == 4 {
			b = nil
		}
		write(t, filepath.Join(dir, fmt.Sprintf("mixed-%05d-of-00005", i)), b)
	}
	return filepath.Join(dir, "mixed@5")
}

// withoutOutput removes -o and its value.
func withoutOutput(flags []string) []string {
	if i := slices.Index(flags, "-o"); i >= 0 {
		return slices.Delete(slices.Clone(flags), i, i+2)
	}
	return flags
}

// mergeFlags returns the flags that the merge verb accepts. Outputs with statistics contain their settings.
func mergeFlags(verb string, flags []string) (all []string) {
	refused := []string{"--input-format"}
	if verb == "stats" {
		refused = []string{"--input-format", "--slice", "--max-messages", "--compat", "--max-slices", "--weight", "--top", "--memory"}
	}
	for i := 0; i < len(flags); i++ {
		if slices.Contains(refused, flags[i]) {
			i++
		} else if verb != "stats" || flags[i] != "--allow-missing-shards" {
			all = append(all, flags[i])
		}
	}
	return all
}

// damagedFiles writes damaged files, files of other messages and empty files, and returns the pattern of their names.
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

// raggedFiles writes files with row lengths that no schema declares and that are wrong in some records.
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
