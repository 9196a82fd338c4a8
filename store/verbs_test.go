package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// testdata is the testdata of the root module.
const testdata = "../testdata"

// run runs a command line whose arguments have no spaces.
func run(line string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = command.Program().Run(context.Background(), strings.Fields(line), strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// TestRecordsOfURLs checks that verbs that accept FILE#RECORDS accept it for a URL, and that other verbs refuse it: an HTTP server never gets the part
// after the #.
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
	for _, line := range []string{"count URL/r.tfrecord#7", "tail URL/r.tfrecord#7", "sample URL/r.tfrecord#7", "verify URL/a#b.tfrecord",
		"stats URL/r.tfrecord#7", "explain URL/r.tfrecord#x" + spec} {
		out := filepath.Join(dir, "out")
		stdout, stderr, code := run(strings.NewReplacer("URL", server.URL, "OUT", out).Replace(line))
		if text := stdout + stderr; code != 4 && code != 2 || !strings.Contains(text, "write # in a URL as %23") && !strings.Contains(text, "use tfparse get for single records") && !strings.Contains(text, "want FILE#RECORD") {
			t.Errorf("%s: exit code %d, %s", line, code, text)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is an output", line)
		}
	}
	for line, want := range map[string]string{"convert URL/r.tfrecord#5:9 -o OUT": "4\t", "filter has(title) -o OUT URL/r.tfrecord#7": "1\t"} {
		out := filepath.Join(t.TempDir(), "out.tfrecord")
		if _, stderr, code := run(strings.NewReplacer("URL", server.URL, "OUT", out).Replace(line)); code != 0 {
			t.Errorf("%s: exit code %d, %s", line, code, stderr)
		}
		if stdout, stderr, _ := run("count " + out); !strings.HasPrefix(stdout, want) {
			t.Errorf("%s: %s%s; want %q records", line, stdout, stderr, want)
		}
	}
	// In a bucket a # may be part of a name, which takes precedence.
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
	// The name that the error of get proposes works.
	_, stderr, _ := run("get " + server.URL + "/r.tfrecord")
	_, rest, _ := strings.Cut(stderr, "name a record, such as ")
	name, _, _ := strings.Cut(rest, ";")
	for _, verb := range []string{"get --select title ", "cat --select title "} {
		if stdout, stderr, _ := run(verb + name); stdout != "{\"title\":[\"Pancakes\"]}\n" {
			t.Errorf("%s%s: %q, %s", verb, name, stdout, stderr)
		}
	}
}

// TestRefusals checks that an error has the server's reason, even if the answer to HEAD has none, and that a missing bucket is not reported as
// missing shards.
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

// A meter counts the requests of a client, and the bytes that it reads of their bodies.
type meter struct {
	mu       sync.Mutex
	requests []string // method, path and range
	bytes    int64
}

func (m *meter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, strings.TrimSpace(req.Method+" "+req.URL.Path+" "+req.Header.Get("Range")))
	if err == nil {
		resp.Body = &meteredBody{resp.Body, m}
	}
	return resp, err
}

type meteredBody struct {
	io.ReadCloser
	m *meter
}

func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	b.m.bytes += int64(n)
	return n, err
}

// objects returns the requests for objects that are not listings.
func (m *meter) objects() (all []string) {
	for _, r := range m.requests {
		if r != "GET /bucket/" {
			all = append(all, r)
		}
	}
	return all
}

// TestRequestsOfVerbs checks that verbs read each byte once, with one request for each object, as beam/README.md says.
func TestRequestsOfVerbs(t *testing.T) {
	s := newObjectServer(t)
	m := &meter{}
	Register(&Options{Transport: m})
	var records bytes.Buffer
	w := tfrecord.NewWriter(&records, nil)
	for i := range 20_000 {
		rec, err := example.Example{"x": example.Strings(fmt.Sprintf("%0200d", i)), "w": example.Floats(1)}.MarshalBinary()
		if err == nil {
			err = w.WriteRecord(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		s.put(fmt.Sprintf("bucket/set-%05d-of-00003", i), records.Bytes(), `"v1"`)
	}
	s.put("bucket/one", records.Bytes(), `"v2"`)
	dir := t.TempDir()
	in := strings.NewReplacer("OUT", dir, "SET", "s3://bucket/set@3", "ONE", "s3://bucket/one", "URL", s.server.URL)
	for _, line := range []string{
		"schema -o OUT/s.pbtxt SET", "stats SET", "stats --weight w SET", "validate --schema OUT/s.pbtxt SET", "validate --records --schema OUT/s.pbtxt SET", "drift SET SET", "schema ONE", "stats ONE",
		"count SET", "count --verify SET", "count ONE", "verify SET", "info SET", "digest SET", "cat SET", "cat --where x!='1' ONE", "convert -o OUT/c SET", "merge -o OUT/m SET", "filter w>0 -o OUT/f SET",
		"project --select x -o OUT/p SET", "split --part OUT/a=0.5 --part OUT/b=0.5 SET", "sort --by x -o OUT/sorted SET", "shuffle -o OUT/shuffled SET", "skew --by x SET ONE", "du SET",
	} {
		files := 3*strings.Count(line, "SET") + strings.Count(line, "ONE")
		m.requests, m.bytes = nil, 0
		_, stderr, code := run(in.Replace(line))
		asked := slices.DeleteFunc(m.objects(), func(r string) bool { return strings.HasPrefix(r, "HEAD") })
		const listings = 10_000
		if most := int64(files*records.Len() + listings); code != 0 || len(asked) != files || m.bytes > most {
			t.Errorf("%s: exit code %d, %d requests for %d objects, %d bytes of %d\n%s%s", line, code, len(asked), files, m.bytes, most-listings, strings.Join(m.requests, "\n"), stderr)
		}
		if heads := len(m.objects()) - len(asked); heads > 2 { // HEAD requests for the names on the command line
			t.Errorf("%s: %d HEAD requests", line, heads)
		}
	}
	// With an index, reading a record takes some KB, including the index, and no byte is read twice.
	if _, stderr, code := run(in.Replace("index ONE")); code != 0 {
		t.Fatal(stderr)
	}
	if len(s.objects["bucket/one.tfindex"]) < 40_000 {
		t.Fatalf("the index has %d bytes", len(s.objects["bucket/one.tfindex"]))
	}
	for line, want := range map[string]string{"get --select x ONE#12345": "12345", "tail -n 1 --select x ONE": "19999", "get --select x ONE#-3:": "19998"} {
		Register(&Options{Transport: m}) // nothing is cached
		m.requests, m.bytes = nil, 0
		stdout, stderr, code := run(in.Replace(line))
		if code != 0 || !strings.Contains(stdout, want) || m.bytes > 20_000 || len(m.requests) > 12 {
			t.Errorf("%s: exit code %d, %q, %d bytes, %d requests\n%s%s", line, code, stdout, m.bytes, len(m.requests), strings.Join(m.requests, "\n"), stderr)
		}
	}
	// A URL takes one request for its bytes.
	plain := httptest.NewServer(http.FileServer(http.Dir(testdata)))
	t.Cleanup(plain.Close)
	for _, verb := range []string{"count", "stats", "cat"} {
		m.requests = nil
		if _, stderr, code := run(verb + " " + plain.URL + "/recipes.tfrecord"); code != 0 || len(m.requests) != 1 {
			t.Errorf("%s of a URL: exit code %d, %q, %s", verb, code, m.requests, stderr)
		}
	}
}
