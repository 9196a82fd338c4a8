package dataset_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/dataset"
)

// TestInterleaveAfterFilter checks that Filter applies before Interleave takes a record of each file
// in turn: a record that is left out does not take a turn. The orders are those of tf.data 2.21 with
// a filter in each interleaved dataset.
func TestInterleaveAfterFilter(t *testing.T) {
	fsys := shardFS(t, 4, 4)
	first := [][]byte{numbered(t, 0, 0), numbered(t, 0, 1)}
	filter := func(rec []byte) (bool, error) {
		return !slices.ContainsFunc(first, func(b []byte) bool { return string(b) == string(rec) }), nil
	}
	for name, c := range map[string]struct {
		opts dataset.FilesOptions
		want string
	}{
		"all":             {dataset.FilesOptions{}, "0/0 1/0 0/1 1/1 0/2 1/2 0/3 1/3"},
		"filter":          {dataset.FilesOptions{Filter: filter}, "0/2 1/0 0/3 1/1 1/2 1/3"},
		"skip and take":   {dataset.FilesOptions{Filter: filter, Skip: 1, Take: 3}, "1/0 0/3 1/1"},
		"shard by record": {dataset.FilesOptions{Filter: filter, Shard: dataset.Shard{Index: 1, Count: 2, ByRecord: true}}, "1/0 1/1 1/3"},
	} {
		for _, workers := range []int{1, 3} {
			opts := c.opts
			opts.FS, opts.Interleave, opts.Workers = fsys, 2, workers
			r := dataset.NewFiles([]string{"f@2"}, &opts).Records(t.Context())
			var got []string
			for {
				_, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%s/%d", r.Pos().Name[6:7], r.Pos().Record))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s, %d workers: got %s, want %s", name, workers, got, c.want)
			}
		}
	}
}
