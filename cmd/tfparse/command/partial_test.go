package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPartial proves that the parts of several processes, merged in any order, print and write what one process does that reads all
// files, byte for byte, with its messages and exit code.
func TestPartial(t *testing.T) {
	t.Chdir("../../..")
	dir := t.TempDir()
	const recipes, schema = "testdata/recipes.tfrecord", "testdata/recipes.schema.pbtxt"
	damaged, ragged := damagedFiles(t, dir), raggedFiles(t, dir)
	other, values, rules := filepath.Join(dir, "other.pbtxt"), filepath.Join(dir, "values.pbtxt"), "testdata/recipes.rules"
	write(t, other, []byte(`feature { name: "minutes" type: INT int_domain { max: 10 } presence { min_fraction: 1 } }`+
		`feature { name: "rating" type: INT } feature { name: "tags" type: BYTES value_count { min: 1 max: 1 } }`))
	write(t, values, []byte(`feature { name: "values" type: INT }`))
	csv := filepath.Join(dir, "csv")
	odd := filepath.Join(dir, "odd") // with a name that is passed over
	for name, files := range map[string]map[string]string{
		csv: {"a.csv": "id,x\n1,2\n", "b.csv": "id,x\n3,4.5\n", "c.csv": "id,x\n5,x\n7,8,9\n"},
		odd: {"a": "", "README.md": "none"},
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
	for _, words := range [][]string{
		{"stats", "--", recipes, recipes},
		{"stats", "--format", "json", "--slice", "servings", "--", damaged},
		{"stats", "-o", "OUT.pb", "--max-messages", "1", "--", damaged},
		{"stats", "-o", "OUT.json", "--compat", "tfdv", "--", recipes, recipes, recipes},
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
	} {
		cut := slices.Index(words, "--")
		verb, flags, files := words[0], words[1:cut], words[cut+1:]
		run := func(args ...string) string {
			var stdout, stderr bytes.Buffer
			code := Program().Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
			return fmt.Sprintf("%s\n%s\nexit code %d", &stdout, &stderr, code)
		}
		results := map[int]string{}
		for _, shards := range []int{1, 2, 3, 8} {
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
					// Flags of the report have no meaning here.
					text := run(slices.Concat([]string{verb}, withoutOutput(flags), []string{"--shard", fmt.Sprintf("%d/%d", i, shards), "--partial", part}, files)...)
					none := fmt.Sprintf("tfparse: shard %d/%d has none of the %d files\n", i, shards, len(files))
					if strings.Replace(text, none, "", 1) == results[1] { // it ends every run
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
		for _, shards := range []int{2, 3, 8} {
			if results[shards] != results[1] {
				t.Errorf("%q\nin one process %.3000q\nin %d           %.3000q", words, results[1], shards, results[shards])
			}
		}
	}
}

// withoutOutput takes -o and its value away.
func withoutOutput(flags []string) []string {
	if i := slices.Index(flags, "-o"); i >= 0 {
		return slices.Delete(slices.Clone(flags), i, i+2)
	}
	return flags
}

// mergeFlags returns those flags that merge takes. Parts of statistics have their settings with them.
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
