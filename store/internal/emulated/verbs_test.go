package emulated

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/internal/storage"
)

// testdata is the testdata of the root module.
const testdata = "../../../testdata"

// run runs a command line.
func run(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = command.Program().Run(context.Background(), args, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// upload copies a folder of testdata into a directory of a store.
func upload(t *testing.T, folder, root string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(testdata, folder), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err == nil {
			rel, _ := filepath.Rel(testdata, name)
			put(t, root+"/"+filepath.ToSlash(rel), b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestVerbs checks that every verb prints and writes the same for objects as for files.
func TestVerbs(t *testing.T) {
	reads := []string{
		"cat IN/recipes.tfrecord", "head -n 3 IN/recipes.tfrecord", "tail -n 3 IN/recipes.tfrecord", "get IN/recipes.tfrecord#2 IN/recipes.tfrecord#-1",
		"sample -n 4 --seed 1 IN/recipes.tfrecord", "cat --shuffle --seed 3 IN/recipes.tfrecord", "count IN/recipes.tfrecord IN/sessions.tfrecord", "verify IN/recipes.tfrecord",
		"verify IN/tfds/toy/1.0.0", "info IN/recipes.tfrecord", "info IN/tfds/toy/1.0.0", "schema IN/recipes.tfrecord", "schema IN/tfds/toy/1.0.0", "cat IN/tfds/toy/1.0.0/toy-train.tfrecord*",
		"explain --spec IN/recipes.spec.json IN/recipes.tfrecord#0", "stats IN/recipes.tfrecord", "validate --schema IN/recipes.schema.pbtxt IN/recipes.tfrecord",
		"drift IN/recipes.tfrecord IN/ranking.tfrecord", "skew --by title IN/recipes.tfrecord IN/recipes.tfrecord", "cat --where servings>2 IN/recipes.tfrecord", "digest IN/recipes.tfrecord", "du IN/recipes.tfrecord", "diff IN/recipes.tfrecord IN/recipes.tfrecord", "diff IN/recipes.tfrecord IN/ranking.tfrecord",
		"head --spec IN/recipes.spec.json --batch 5 IN/recipes.tfrecord", "model IN/models/recipes", "request --spec IN/recipes.spec.json IN/models/recipes IN/recipes.tfrecord",
		"count IN/*.tfrecord", "count IN/r*.tfrecord IN/none*", "count IN/none.tfrecord", "count IN/none@3", "cat IN/recipes.tfrecord#1:3",
	}
	writes := []string{
		"convert --to gzip -o OUT/a.tfrecord.gz IN/recipes.tfrecord", "convert -o OUT/set@5 IN/recipes.tfrecord", "merge -o OUT/m.tfrecord IN/recipes.tfrecord OUT/set@5",
		"split --records-per-shard 3 -o OUT/split.tfrecord IN/recipes.tfrecord", "split --part OUT/one=0.5 --part OUT/two=0.5 IN/recipes.tfrecord", "filter -o OUT/f.tfrecord has(title) IN/recipes.tfrecord",
		"project --select title -o OUT/p.tfrecord IN/recipes.tfrecord", "rename --name title=name -o OUT/r.tfrecord IN/recipes.tfrecord", "set --value x=1 -o OUT/s.tfrecord IN/recipes.tfrecord",
		"sort --by title -o OUT/sorted.tfrecord IN/recipes.tfrecord", "shuffle --seed 7 -o OUT/shuffled@3 IN/recipes.tfrecord", "dedup -o OUT/d.tfrecord IN/recipes.tfrecord IN/recipes.tfrecord",
		"recover -o OUT/rec.tfrecord IN/recipes.tfrecord", "encode -o OUT/e.tfrecord IN/recipes.jsonl", "index -o OUT/x.tfindex IN/recipes.tfrecord", "index OUT/m.tfrecord", "get OUT/m.tfrecord#7",
		"index --verify OUT/m.tfrecord", "stats --partial OUT/part.pb IN/recipes.tfrecord", "stats merge OUT/part.pb", "schema -o OUT/spec.json IN/recipes.tfrecord",
		"warmup -o OUT/warm --spec IN/recipes.spec.json IN/models/recipes IN/recipes.tfrecord", "count OUT", "diff OUT/set-*-of-00005 IN/recipes.tfrecord", "convert -o OUT/m.tfrecord OUT/m.tfrecord",
		"skew --by title IN/recipes.tfrecord OUT/set@5", "convert --keep-shards --shard 0/2 --to zlib OUT/set@5 -o OUT/kept@5", "convert --keep-shards --shard 1/2 --to zlib OUT/set@5 -o OUT/kept@5",
		"split --keep-shards --shard 0/2 --part OUT/sa@5=0.5 --part OUT/sb@5=0.5 OUT/set@5", "split --keep-shards --shard 1/2 --part OUT/sa@5=0.5 --part OUT/sb@5=0.5 OUT/set@5",
		"stats --shard 0/2 --partial OUT/p0.pb OUT/set@5", "stats --shard 1/2 --partial OUT/p1.pb OUT/set@5", "stats merge OUT/p0.pb OUT/p1.pb", "count --shard 1/2 OUT/set@5", "verify --shard 0/2 OUT/kept@5",
		"convert -o OUT/set@2 OUT/set@5",
	}
	local := t.TempDir()
	each(t, func(t *testing.T, root string) {
		for _, folder := range []string{"recipes.tfrecord", "sessions.tfrecord", "ranking.tfrecord", "recipes.jsonl", "recipes.spec.json", "recipes.schema.pbtxt", "tfds/toy", "models/recipes"} {
			upload(t, folder, root)
		}
		out := filepath.Join(local, filepath.Base(root))
		if err := os.Mkdir(out, 0o777); err != nil {
			t.Fatal(err)
		}
		compare := func(line string) {
			t.Helper()
			at := func(in, out string) string {
				return strings.NewReplacer("IN", in, "OUT", out).Replace(line)
			}
			back := strings.NewReplacer(root+"/out", "OUT", root, "IN", filepath.ToSlash(out), "OUT", testdata, "IN", "no such file or directory", "file does not exist")
			stdout, stderr, code := run(strings.Fields(at(root, root+"/out"))...)
			wantOut, wantErr, wantCode := run(strings.Fields(at(testdata, filepath.ToSlash(out)))...)
			same := func(a, b string) bool {
				return spaces.ReplaceAllString(back.Replace(a), " ") == spaces.ReplaceAllString(back.Replace(b), " ")
			}
			if code != wantCode || !same(stdout, wantOut) || !same(stderr, wantErr) {
				t.Errorf("%s: exit code %d, want %d\n%s\nwant\n%s\n%s\nwant\n%s", line, code, wantCode, clip(stdout), clip(wantOut), stderr, wantErr)
			}
			if strings.Contains(stdout+stderr, secret) {
				t.Errorf("%s: a credential is printed", line)
			}
		}
		for _, line := range reads {
			compare(line)
		}
		for _, line := range writes {
			compare(line)
		}
		// The written objects equal the files, and there are no other objects.
		entries, err := storage.ReadDir(t.Context(), root+"/out")
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		files, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range files {
			want = append(want, e.Name())
			a, err1 := os.ReadFile(filepath.Join(out, e.Name()))
			b, err2 := storage.ReadFile(root + "/out/" + e.Name())
			// An index contains the time of its file, and a part the name of its input, so only the output of verbs that read them is compared.
			own := strings.HasSuffix(e.Name(), ".tfindex") || e.Name() == "part.pb"
			if err1 != nil || err2 != nil || !bytes.Equal(a, b) && !own {
				t.Errorf("%s: %d bytes, %v, want %d, %v", e.Name(), len(b), err2, len(a), err1)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("there are\n%q, want\n%q", got, want)
		}
	})
}

// TestCSV checks that a CSV object is read twice, like a file.
func TestCSV(t *testing.T) {
	parts := []string{"id,x\n1,2\n", "id,x\n2,2.5\n3\n4,\n", "id,x\n"}
	local := t.TempDir()
	for i, part := range parts {
		if err := os.WriteFile(filepath.Join(local, fmt.Sprintf("set-%05d-of-00003.csv", i)), []byte(part), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	each(t, func(t *testing.T, root string) {
		for i, part := range parts {
			put(t, fmt.Sprintf("%s/set-%05d-of-00003.csv", root, i), []byte(part))
		}
		for _, line := range []string{"stats IN/set@3.csv", "cat --typed --on-error skip IN/set-*.csv", "count --input-format csv --on-error skip IN", "stats IN/none.csv"} {
			stdout, stderr, code := run(strings.Fields(strings.ReplaceAll(line, "IN", root))...)
			wantOut, wantErr, wantCode := run(strings.Fields(strings.ReplaceAll(line, "IN", filepath.ToSlash(local)))...)
			back := strings.NewReplacer(root, "IN", filepath.ToSlash(local), "IN", "no such file or directory", "file does not exist")
			if code != wantCode || back.Replace(stdout) != back.Replace(wantOut) || back.Replace(stderr) != back.Replace(wantErr) {
				t.Errorf("%s: exit code %d, want %d\n%s\nwant\n%s\n%s\nwant\n%s", line, code, wantCode, stdout, wantOut, stderr, wantErr)
			}
			if strings.Contains(line, "none") != (code == 4) {
				t.Errorf("%s: exit code %d: %s", line, code, stderr)
			}
		}
	})
}

// spaces matches the padding of a column of names.
var spaces = regexp.MustCompile(` +`)

func clip(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "…"
	}
	return s
}
