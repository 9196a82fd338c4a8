package emulated

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/store"
)

// bucket is the bucket of the tests, in each emulator.
const bucket = "training-data"

var requests = &counter{counts: map[string]int{}}

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	gcs, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, Writer: io.Discard})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	gcs.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket})
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	google := httptest.NewServer(requests.count(relocate(gcs.HTTPHandler())))
	amazon := httptest.NewServer(requests.count(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()))
	for name, value := range map[string]string{
		"STORAGE_EMULATOR_HOST": google.URL, "AWS_ENDPOINT_URL_S3": amazon.URL, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": secret, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		os.Setenv(name, value)
	}
	store.Register(nil)
	os.Exit(m.Run())
}

// secret is a key that must not appear in any output.
const secret = "wJalrXUtnFEMIexamplekeyK7MDENG"

// relocate replaces the address in the URL of an upload session by the address of the request: the emulator returns another address.
func relocate(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&relocated{w, r}, r)
	})
}

type relocated struct {
	http.ResponseWriter
	r *http.Request
}

func (w *relocated) WriteHeader(status int) {
	if at := w.Header().Get("Location"); at != "" {
		_, rest, _ := strings.Cut(at, "://")
		w.Header().Set("Location", "http://"+w.r.Host+rest[strings.IndexByte(rest, '/'):])
	}
	w.ResponseWriter.WriteHeader(status)
}

// put writes an object.
func put(t testing.TB, name string, data []byte) {
	t.Helper()
	out, err := storage.Create(name)
	if err == nil {
		_, err = out.Write(data)
	}
	if err == nil {
		err = out.Stage()
	}
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// schemes are the tested schemes.
var schemes = []string{"gs", "s3"}

func each(t *testing.T, do func(t *testing.T, root string)) {
	for _, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) { do(t, scheme+"://"+bucket+"/"+strings.ReplaceAll(t.Name(), "/", "-")) })
	}
}

// TestReadBack checks that objects of all sizes are read as they were written: empty, in one request, in parts, and in parts with a rest.
func TestReadBack(t *testing.T) {
	each(t, func(t *testing.T, root string) {
		for _, size := range []int{0, 1, 1000, 8 << 20, 8<<20 + 1, 16 << 20, 20<<20 + 12345} {
			name := fmt.Sprintf("%s/size %d+&=ü", root, size)
			data := pattern(size)
			put(t, name, data)
			got, err := storage.ReadFile(name)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s: read %d bytes, %v, want %d", name, len(got), err, size)
			}
			info, err := storage.Stat(name)
			if err != nil || info.Size() != int64(size) || !info.Mode().IsRegular() {
				t.Errorf("%s: %v, %v", name, info, err)
			}
			f, err := storage.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 100)
			for _, at := range []int{0, size / 2, size - 50, size} {
				if at < 0 {
					continue
				}
				n, err := f.ReadAt(p, int64(at))
				want := data[at:min(at+len(p), size)]
				if !bytes.Equal(p[:n], want) || (n < len(p)) != (err == io.EOF) {
					t.Errorf("%s at %d: %d bytes, %v", name, at, n, err)
				}
			}
			f.Close()
			if err := storage.Remove(t.Context(), name); err != nil || storage.Exists(name) {
				t.Errorf("%s: after Remove: %v", name, err)
			}
		}
	})
}

func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*i>>8 + i)
	}
	return b
}
