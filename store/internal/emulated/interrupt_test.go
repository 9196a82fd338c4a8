package emulated

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestInterrupted checks that an interrupted run leaves no object, neither of a single output nor of a set, and prints nothing more.
func TestInterrupted(t *testing.T) {
	each(t, func(t *testing.T, root string) {
		for _, output := range []string{root + "/one.tfrecord", root + "/set@3"} {
			var records bytes.Buffer
			w := tfrecord.NewWriter(&records, nil)
			for range 30 {
				if err := w.WriteRecord(pattern(1 << 20)); err != nil { // parts are sent before the last record
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			stdin, feed := io.Pipe()
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				feed.Write(records.Bytes())
				time.Sleep(100 * time.Millisecond)
				cancel() // while the next request waits
			}()
			var stdout, stderr bytes.Buffer
			code := command.Program().Run(ctx, []string{"merge", "-", "-o", output}, stdin, &stdout, &stderr)
			feed.Close()
			if code != 130 {
				t.Errorf("exit code %d, want 130\n%s", code, stderr.String())
			}
			entries, err := storage.ReadDir(t.Context(), root)
			if err != nil || len(entries) > 0 {
				t.Errorf("%s: there are %v, %v", output, entries, err)
			}
		}
	})
}

// TestInterruptedListing checks that a run ends at once if it is interrupted during lookups and listings, and so does a stream whose context ends.
func TestInterruptedListing(t *testing.T) {
	requests.mute.Store(true)
	defer requests.mute.Store(false)
	each(t, func(t *testing.T, root string) {
		for _, name := range []string{root + "/set-*", root + "/set@3", root + "/dir"} {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
			began := time.Now()
			var stdout, stderr bytes.Buffer
			if code := command.Program().Run(ctx, []string{"count", name}, strings.NewReader(""), &stdout, &stderr); code != 130 || stderr.Len() > 0 {
				t.Errorf("%s: exit code %d, want 130\n%s", name, code, stderr.String())
			}
			ctx, cancel = context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
			records := dataset.NewFiles([]string{name}, nil).Records(ctx)
			if _, err := records.Next(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: Next returns %v", name, err)
			}
			records.Close()
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s: it took %v", name, took)
			}
		}
	})
}

// TestHelp checks that the help of files and the version name the schemes, and that a name with another scheme is refused.
func TestHelp(t *testing.T) {
	help, _, _ := run("help", "files")
	version, _, _ := run("version")
	for _, scheme := range []string{"gs", "http", "https", "s3"} {
		if !strings.Contains(help, scheme+"://") {
			t.Errorf("the help of files has no %s://:\n%s", scheme, help)
		}
		if !strings.Contains(version, scheme) {
			t.Errorf("the version has no %s: %s", scheme, version)
		}
	}
	if _, stderr, code := run("count", "hdfs://b/x"); code != 2 || !strings.Contains(stderr, "not a file: copy it") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for _, name := range []string{"gs://", "gs://*/x", "gs://b*/x", "s3://b?ck/x", "s3://b*", "gs://[b]/x"} {
		asked := requests.during(func() {
			want := "want " + name[:2] + "://BUCKET/NAME, and no wildcard in the bucket"
			if _, stderr, code := run("count", name); code != 4 || !strings.Contains(stderr, want) {
				t.Errorf("%s: exit code %d, %s", name, code, stderr)
			}
		})
		if len(asked) > 0 {
			t.Errorf("%s: %v", name, asked)
		}
	}
	if _, stderr, code := run("convert", "-o", "http://127.0.0.1:1/x", testdata+"/recipes.tfrecord"); code != 4 || !strings.Contains(stderr, "cannot write files by HTTP") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
