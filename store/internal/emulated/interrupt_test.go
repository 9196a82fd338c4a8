package emulated

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A run that is interrupted while it writes leaves no object, of a single output and of a set, and says nothing else.
func TestInterrupted(t *testing.T) {
	each(t, func(t *testing.T, root string) {
		for _, output := range []string{root + "/one.tfrecord", root + "/set@3"} {
			var records bytes.Buffer
			w := tfrecord.NewWriter(&records, nil)
			for range 30 {
				if err := w.WriteRecord(pattern(1 << 20)); err != nil { // parts are sent before the end
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
				cancel() // while more is waited for
			}()
			var stdout, stderr bytes.Buffer
			code := command.Program().Run(ctx, []string{"merge", "-", "-o", output}, stdin, &stdout, &stderr)
			feed.Close()
			if code != 130 {
				t.Errorf("exit code %d, want 130\n%s", code, stderr.String())
			}
			entries, err := storage.ReadDir(root)
			if err != nil || len(entries) > 0 {
				t.Errorf("%s: there are %v, %v", output, entries, err)
			}
		}
	})
}

// The help names the schemes, and a name whose scheme no store has is refused as before.
func TestHelp(t *testing.T) {
	if stdout, _, _ := run("--help"); !strings.Contains(stdout, "gs://, http://, https://, s3://") {
		t.Errorf("the help has no schemes:\n%s", stdout)
	}
	if _, stderr, code := run("count", "hdfs://b/x"); code != 2 || !strings.Contains(stderr, "hdfs dfs -cat") {
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
	if _, stderr, code := run("convert", "-o", "http://127.0.0.1:1/x", testdata+"/recipes.tfrecord"); code != 4 || !strings.Contains(stderr, "not written by HTTP") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
