package store

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
)

// testdata is that of the root module.
const testdata = "../testdata"

// run runs a command line, in which no argument has a blank.
func run(line string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = command.Program().Run(context.Background(), strings.Fields(line), strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// Verbs that take FILE#RECORDS take them of a URL, and others refuse it: an HTTP server never sees what follows the #.
func TestRecordsOfURLs(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(testdata + "/recipes.tfrecord")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"r.tfrecord", "a#b.tfrecord"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	Register(nil)
	spec := " --spec " + testdata + "/recipes.spec.json"
	for _, c := range []struct{ line, want string }{ // titles by TensorFlow: see testdata/recipes.jsonl
		{"cat --select title URL/r.tfrecord#7", `{"title":["Toast"]}`},
		{"get --select title URL/r.tfrecord#7", `{"title":["Toast"]}`},
		{"head --select title URL/r.tfrecord#7", `{"title":["Toast"]}`},
		{"cat --select title URL/r.tfrecord?user=secret#7", `{"title":["Toast"]}`},
		{"cat --select title URL/a%23b.tfrecord#0:1", `{"title":["Pancakes"]}`},
		{"get --select title URL/a%23b.tfrecord#-5:-4", `{"title":["Toast"]}`},
		{"explain URL/r.tfrecord#7" + spec, "record 7 (offset"},
		{"count URL/a%23b.tfrecord", "12\t"},
		{"stats URL/r.tfrecord?slice=title=Toast", "title_Toast: 1 record,"},
	} {
		stdout, stderr, code := run(strings.ReplaceAll(c.line, "URL", server.URL))
		if code != 0 || !strings.Contains(stdout, c.want) || strings.Count(stdout, `"title"`) > 1 && !strings.Contains(c.line, "explain") {
			t.Errorf("%s: exit code %d, %q, %s; want %q", c.line, code, stdout, stderr, c.want)
		}
	}
	for _, line := range []string{"count URL/r.tfrecord#7", "filter has(title) -o OUT URL/r.tfrecord#7", "tail URL/r.tfrecord#7", "sample URL/r.tfrecord#7", "verify URL/a#b.tfrecord",
		"stats URL/r.tfrecord#7", "explain URL/r.tfrecord#x" + spec, "convert URL/r.tfrecord#5:9 -o OUT"} {
		out := filepath.Join(dir, "out")
		stdout, stderr, code := run(strings.NewReplacer("URL", server.URL, "OUT", out).Replace(line))
		if text := stdout + stderr; code != 4 && code != 2 || !strings.Contains(text, "write %23 for #") && !strings.Contains(text, "tfparse get prints records") && !strings.Contains(text, "the number of a record behind the #") {
			t.Errorf("%s: exit code %d, %s", line, code, text)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is an output", line)
		}
	}
	// In a bucket a # may be part of a name, which wins.
	objects := newObjectServer(t)
	Register(nil)
	for _, name := range []string{"a#b.tfrecord", "x#5", "x"} {
		objects.put("bucket/"+name, data, `"v1"`)
	}
	for line, want := range map[string]int{"cat s3://bucket/a#b.tfrecord#7": 1, "get s3://bucket/x#5#5:9": 4, "cat s3://bucket/x#5": 12, "cat s3://bucket/x#-1:": 0, "get s3://bucket/x#4": 1} {
		if stdout, stderr, _ := run(line); strings.Count(stdout, "\n") != want {
			t.Errorf("%s: %d records, want %d\n%s", line, strings.Count(stdout, "\n"), want, stderr)
		}
	}
	// The name that get proposes works.
	_, stderr, _ := run("get " + server.URL + "/r.tfrecord")
	_, rest, _ := strings.Cut(stderr, "no record is named: ")
	name, _, _ := strings.Cut(rest, " ")
	for _, verb := range []string{"get --select title ", "cat --select title "} {
		if stdout, stderr, _ := run(verb + name); stdout != "{\"title\":[\"Pancakes\"]}\n" {
			t.Errorf("%s%s: %q, %s", verb, name, stdout, stderr)
		}
	}
}

// A refusal says why, also where the answer to HEAD cannot, and a bucket that is not there is not taken for missing shards.
func TestRefusals(t *testing.T) {
	newObjectServer(t)
	Register(nil)
	signed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message><Expires>"+exampleKey+"</Expires></Error>")
	}))
	t.Cleanup(signed.Close)
	const denied, none = "403 Forbidden: AccessDenied: not for you", "404 Not Found: NoSuchBucket: The specified bucket does not exist"
	for _, c := range []struct{ name, want string }{
		{"s3://bucket/secret.tfrecord", denied}, {"s3://bucket/secret/x@20", denied}, {"s3://bucket/secret/x@1", denied},
		{"s3://none/x.tfrecord", none}, {"s3://none/dir/", none}, {"s3://none/x@20", none}, {"s3://none/x@300", none}, {"s3://none/x@1", none}, {"s3://none/*.tfrecord", none},
		{signed.URL + "/x.tfrecord?X-Amz-Signature=" + exampleKey, "403 Forbidden: AccessDenied: Request has expired"},
	} {
		for _, verb := range []string{"count", "verify", "stats", "tail", "cat", "info"} {
			stdout, stderr, code := run(verb + " " + c.name)
			text := stdout + stderr
			if code != 4 || !strings.Contains(text, c.want) || strings.Contains(text, "missing") || strings.Contains(text, exampleKey) {
				t.Errorf("%s %s: exit code %d, %s, want %s", verb, c.name, code, text, c.want)
			}
		}
	}
}
