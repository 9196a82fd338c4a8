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

// finish gives the shards of a PCollection<written> their names when all shards are written: the group of all shards becomes
// an element only when it is complete.
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
	if len(all) != len(names) { // every shard is one element, unless the engine has failed
		return fmt.Errorf("tfrecordio: %s: want %d shards written, got %d", fn.Set, len(names), len(all))
	}
	if !storage.Remote(fn.Set) { // objects already have their names
		var first error
		for _, w := range all { // continue after an error: less is left for the next attempt
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

// rename gives a shard its name. If an earlier attempt has already renamed it, rename compares the file with the size and the
// checksum that were written.
func rename(w written) error {
	fault := func(err error) error { return fmt.Errorf("tfrecordio: %s: %w", w.Shard.Name, reason(err)) }
	info, err := os.Stat(w.Temporary)
	switch {
	case err != nil && same(w):
		return nil
	case err != nil:
		return fault(fmt.Errorf("the written file is missing: %w", reason(err)))
	case info.Size() != w.Size:
		return fault(fmt.Errorf("want a file of %d bytes, got %d", w.Size, info.Size()))
	}
	if err := os.Rename(w.Temporary, w.Shard.Name); err != nil {
		return fault(err)
	}
	return nil
}

// same reports whether the file with the name of a shard has the size and the checksum that were written.
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

// RemoveLeftovers removes the hidden files that a pipeline has left beside the shards of a set, if it failed or was cancelled before
// all shards were written. No pipeline may be writing the set. A pipeline that succeeds leaves no hidden files.
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

// removeLeftovers removes hidden files that failed attempts have left beside the shards. It only logs errors: the shards are complete.
func removeLeftovers(ctx context.Context, names []string) {
	dir, _ := filepath.Split(names[0])
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		log.Warnf(ctx, "tfrecordio: %s: cannot look for files of failed attempts: %v", dir, err)
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
			log.Warnf(ctx, "tfrecordio: cannot remove a file of a failed attempt: %v", err)
		}
	}
}
