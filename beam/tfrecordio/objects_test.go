package tfrecordio_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/tfparse/tfparse/beam/internal/pipetest"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/store"
	"github.com/tfparse/tfparse/tfrecord"
)

// A bucketServer is a minimal S3 server for small objects. The module of package store tests against emulators.
type bucketServer struct {
	mu      sync.Mutex
	objects map[string][]byte // objects by "/bucket/key"
	deny    string            // an object that cannot be written
}

func (s *bucketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch data, ok := s.objects[r.URL.Path]; {
	case r.Method == http.MethodPut && r.URL.Path != s.deny:
		s.objects[r.URL.Path], _ = io.ReadAll(r.Body)
		w.Header().Set("ETag", `"1"`)
	case r.Method == http.MethodPut:
		http.Error(w, "<Error><Code>AccessDenied</Code></Error>", http.StatusForbidden)
	case r.URL.Query().Has("list-type"):
		fmt.Fprint(w, "<ListBucketResult>")
		for name, data := range s.objects {
			if key, ok := strings.CutPrefix(name, strings.TrimSuffix(r.URL.Path, "/")+"/"); ok && strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
				fmt.Fprintf(w, `<Contents><Key>%s</Key><Size>%d</Size><ETag>"1"</ETag></Contents>`, key, len(data))
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	case !ok:
		http.Error(w, "<Error><Code>NoSuchKey</Code></Error>", http.StatusNotFound)
	default:
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// names returns the names of all objects.
func (s *bucketServer) names() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.objects {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// TestObjects checks that workers write objects, without hidden names, and read objects.
func TestObjects(t *testing.T) {
	s3 := &bucketServer{objects: map[string][]byte{}}
	server := httptest.NewServer(s3)
	defer server.Close()
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": server.URL, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key", "AWS_REGION": "here", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	store.Register(nil)
	records := [][]byte{}
	var want []any
	for i := range 100 {
		rec := fmt.Appendf(nil, "record %d", i)
		records, want = append(records, rec), append(want, rec)
	}
	local := t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	in := beam.CreateList(s, records)
	tfrecordio.Write(s, "s3://b/w@2.gz", in, &tfrecordio.WriteOptions{Compression: tfrecord.GZIP})
	tfrecordio.Write(s, filepath.Join(local, "w@2.gz"), in, &tfrecordio.WriteOptions{Compression: tfrecord.GZIP})
	pipetest.Run(t, p)
	p, s = beam.NewPipelineWithRoot()
	passert.Equals(s, tfrecordio.Read(s, "s3://b/w@2.gz", nil), want...)
	tfrecordio.Convert(s, "s3://b/c@3", nil, "s3://b/w-*")
	tfrecordio.Shuffle(s, "s3://b/s", 1, nil, "s3://b/w@2.gz")
	tfrecordio.Shuffle(s, filepath.Join(local, "s"), 1, nil, filepath.Join(local, "w@2.gz"))
	pipetest.Run(t, p)
	if got, want := s3.names(), []string{"/b/c-00000-of-00003", "/b/c-00001-of-00003", "/b/c-00002-of-00003", "/b/s", "/b/w-00000-of-00002.gz", "/b/w-00001-of-00002.gz"}; !slices.Equal(got, want) {
		t.Errorf("objects %q", got)
	}
	for _, name := range []string{"s", "w-00000-of-00002.gz", "w-00001-of-00002.gz"} {
		if got, want := recordsIn(t, s3.objects["/b/"+name]), readShard(t, filepath.Join(local, name)); !slices.Equal(got, want) {
			t.Errorf("%s: records %q, want %q", name, got, want)
		}
	}
	// A refusal of the server is the error of the pipeline.
	s3.deny = "/b/d-00001-of-00002"
	p, s = beam.NewPipelineWithRoot()
	tfrecordio.Write(s, "s3://b/d@2", beam.CreateList(s, records), nil)
	if err := pipetest.Fail(t, p); !strings.Contains(err.Error(), "s3:/"+s3.deny) || !strings.Contains(err.Error(), "403") {
		t.Error(err)
	}
	// If the output cannot be written, making the pipeline panics.
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "cannot write files by HTTP") {
			t.Error(text)
		}
	}()
	tfrecordio.Write(s, server.URL+"/x", beam.CreateList(s, records), nil)
}
