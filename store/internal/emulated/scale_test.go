package emulated

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestManyShards writes ten thousand shards together and reads them by a glob and by the sharded name, with one request per shard and one
// request per thousand names.
func TestManyShards(t *testing.T) {
	shards := 1000
	if testkit.Long(t, "10,000 shards, but 1,000") {
		shards = 10_000
	}
	each(t, func(t *testing.T, root string) {
		name := fmt.Sprintf("%s/set@%d", root, shards)
		w, err := dataset.Create(context.Background(), name, &dataset.CreateOptions{Writer: tfrecord.WriterOptions{Compression: tfrecord.None}})
		if err != nil {
			t.Fatal(err)
		}
		asked := requests.during(func() {
			for i := range 2 * shards {
				if err := w.WriteRecord(fmt.Appendf(nil, "record %d", i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		})
		if n := asked["PUT"] + asked["POST"]; n != shards || len(asked) != 1 {
			t.Errorf("writing: %v", asked)
		}
		for _, pattern := range []string{fmt.Sprintf("%s/set-*-of-%05d", root, shards), name} {
			asked := requests.during(func() {
				if n := count(t, pattern); n != 2*shards {
					t.Errorf("%s: %d records, want %d", pattern, n, 2*shards)
				}
			})
			if n := asked["GET object"]; n != shards {
				t.Errorf("%s: %d requests for objects, want %d", pattern, n, shards)
			}
			if n := asked["GET list"]; n > 2*(shards/1000+2) || asked["HEAD"] > 4 || asked["GET range"] > 0 {
				t.Errorf("%s: %v", pattern, asked)
			}
		}
	})
}

// count returns the number of records.
func count(t *testing.T, pattern string) (n int) {
	t.Helper()
	records := dataset.NewFiles([]string{pattern}, nil).Records(context.Background())
	defer records.Close()
	for {
		if _, err := records.Next(); err == io.EOF {
			return n
		} else if err != nil {
			t.Fatal(err)
		}
		n++
	}
}

// TestIndexedRequests checks that reading a record by an index takes one request for its bytes.
func TestIndexedRequests(t *testing.T) {
	each(t, func(t *testing.T, root string) {
		name := root + "/x.tfrecord"
		w, err := tfrecord.Create(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			w.WriteRecord(fmt.Appendf(nil, "record %d %01000d", i, i))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := run("index", name); code != 0 {
			t.Fatal(stderr)
		}
		x, err := tfrecord.OpenIndexedFile(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for _, i := range []int64{500, 3, 999, 42} {
			asked := requests.during(func() {
				rec, err := x.AppendAt(nil, i)
				if want := fmt.Sprintf("record %d %01000d", i, i); err != nil || string(rec) != want {
					t.Errorf("record %d: %q, %v", i, rec, err)
				}
			})
			if len(asked) != 1 || asked["GET range"] != 1 {
				t.Errorf("record %d: %v, want one range", i, asked)
			}
		}
		// A global shuffle has every record once.
		seen := map[string]bool{}
		records := dataset.NewFiles([]string{name}, &dataset.FilesOptions{GlobalShuffle: true}).Records(context.Background())
		defer records.Close()
		for {
			rec, err := records.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			seen[string(rec)] = true
		}
		if len(seen) != 1000 {
			t.Errorf("a global shuffle has %d records", len(seen))
		}
	})
}
