package tfrecordio

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

func init() {
	register.DoFn4x1[context.Context, int, func(*written) bool, func(Shard), error](&finishFn{})
	register.Emitter1[Shard]()
	register.Iter1[written]()
	register.Iter1[int]()
	register.Iter1[[]byte]()
}

// finish gives the shards of a PCollection<written> their names, when all of them are there: the group of all has to be
// complete before it is an element.
func finish(s beam.Scope, set string, o WriteOptions, shards beam.PCollection) beam.PCollection {
	return beam.ParDo(s, &finishFn{Set: set}, beam.GroupByKey(s, beam.AddFixedKey(s, shards)))
}

// finishFn renames the shards of a set.
type finishFn struct{ Set string }

// ProcessElement implements the DoFn. After a failure it can be called again with the same shards.
func (fn *finishFn) ProcessElement(ctx context.Context, _ int, shards func(*written) bool, emit func(Shard)) error {
	names, err := filelist.ShardNames(fn.Set)
	if err != nil {
		return fmt.Errorf("tfrecordio: %w", err)
	}
	var all []written
	var w written
	for shards(&w) {
		all = append(all, w)
	}
	if len(all) != len(names) { // an engine that runs every element once gives one for each shard
		return fmt.Errorf("tfrecordio: %s: %d shards were written", fn.Set, len(all))
	}
	if !storage.Remote(fn.Set) { // objects have their names
		var first error
		for _, w := range all { // also after an error: less is left for the next attempt
			if err := rename(w); first == nil {
				first = err
			}
		}
		if first != nil {
			return first
		}
		removeLeftovers(ctx, names)
	}
	for _, w := range all {
		emit(w.Shard)
	}
	return nil
}

// rename gives a shard its name. Where an attempt before this one has done so, the bytes under the name are
// compared with what was written.
func rename(w written) error {
	fault := func(err error) error { return fmt.Errorf("tfrecordio: %s: %w", w.Shard.Name, reason(err)) }
	info, err := os.Stat(w.Temporary)
	switch {
	case err != nil && same(w):
		return nil
	case err != nil:
		return fault(fmt.Errorf("what was written is no longer there: %w", reason(err)))
	case info.Size() != w.Size:
		return fault(fmt.Errorf("%d bytes were written, and there are %d", w.Size, info.Size()))
	}
	if err := os.Rename(w.Temporary, w.Shard.Name); err != nil {
		return fault(err)
	}
	return nil
}

// same reports whether the file under the name of a shard has the bytes that were written.
func same(w written) bool {
	f, err := os.Open(w.Shard.Name)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	n, err := io.Copy(sum, f)
	return err == nil && n == w.Size && sum.Sum32() == w.Sum
}

// RemoveLeftovers removes the hidden files that a pipeline has left beside the shards of a set, if it ended before all were written
// or was cancelled. No pipeline may be writing the set. A pipeline that succeeds leaves none.
func RemoveLeftovers(ctx context.Context, set string) error {
	names, err := filelist.ShardNames(set)
	if err != nil {
		return fmt.Errorf("tfrecordio: %w", err)
	}
	if !storage.Remote(set) {
		removeLeftovers(ctx, names)
	}
	return nil
}

// removeLeftovers removes what attempts that failed have left beside the shards. That it cannot is no failure: the shards are there.
func removeLeftovers(ctx context.Context, names []string) {
	dir, _ := filepath.Split(names[0])
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		log.Warnf(ctx, "tfrecordio: %s: cannot look for files of attempts that failed: %v", dir, err)
		return
	}
	ours := map[string]bool{}
	for _, n := range names {
		ours[filepath.Base(n)] = true
	}
	for _, e := range entries {
		base := e.Name()
		i := strings.LastIndex(base, hidden)
		if i < 1 || base[0] != '.' || len(base) != i+len(hidden)+16 || !ours[base[1:i]] {
			continue
		}
		if err := os.Remove(filepath.Join(dir, base)); err != nil {
			log.Warnf(ctx, "tfrecordio: a file of an attempt that failed stays: %v", err)
		}
	}
}
