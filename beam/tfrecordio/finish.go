package tfrecordio

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
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

// finishers is how many shards are renamed at once: in object stores each takes some requests.
const finishers = 16

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
		fsys, err := filesystem.New(ctx, fn.Set)
		if err != nil {
			return fmt.Errorf("tfrecordio: %w", err)
		}
		defer fsys.Close()
		if err := forEach(all, func(w written) error { return rename(ctx, fsys, w) }); err != nil {
			return err
		}
		removeLeftovers(ctx, fsys, names)
	}
	for _, w := range all {
		emit(w.Shard)
	}
	return nil
}

// forEach calls do for the shards, for some at once, and returns the first error.
func forEach(all []written, do func(written) error) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var first error
	next := make(chan written)
	for range min(finishers, len(all)) {
		wait.Go(func() {
			for w := range next {
				if err := do(w); err != nil { // the others are tried: less is left for the next attempt
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	for _, w := range all {
		next <- w
	}
	close(next)
	wait.Wait()
	return first
}

// rename gives a shard its name. Where an attempt before this one has done so, the bytes under the name are
// compared with what was written.
func rename(ctx context.Context, fsys filesystem.Interface, w written) error {
	if w.Temporary == "" {
		return nil
	}
	fault := func(err error) error { return fmt.Errorf("tfrecordio: %s: %w", w.Shard.Name, reason(err)) }
	// Renaming what is not there makes an empty file in some file systems.
	size, err := sizeOf(ctx, fsys, w.Temporary)
	if err != nil {
		if same(ctx, fsys, w) {
			return nil
		}
		return fault(fmt.Errorf("what was written is no longer there: %w", reason(err)))
	}
	if size != w.Size {
		return fault(fmt.Errorf("%d bytes were written, and there are %d", w.Size, size))
	}
	if err := filesystem.Rename(ctx, fsys, w.Temporary, w.Shard.Name); err != nil {
		return fault(err)
	}
	return nil
}

// same reports whether the file under the name of a shard has the bytes that were written.
func same(ctx context.Context, fsys filesystem.Interface, w written) bool {
	if size, err := sizeOf(ctx, fsys, w.Shard.Name); err != nil || size != w.Size {
		return false
	}
	f, err := fsys.OpenRead(ctx, w.Shard.Name)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	_, err = io.Copy(sum, f)
	return err == nil && sum.Sum32() == w.Sum
}

// RemoveLeftovers removes the hidden files that a pipeline has left beside the shards of a set, if it ended before all were written
// or was cancelled. No pipeline may be writing the set. A pipeline that succeeds leaves none.
func RemoveLeftovers(ctx context.Context, set string) error {
	names, err := filelist.ShardNames(set)
	if err != nil {
		return fmt.Errorf("tfrecordio: %w", err)
	}
	if storage.Remote(set) {
		return nil
	}
	fsys, err := filesystem.New(ctx, set)
	if err != nil {
		return fmt.Errorf("tfrecordio: %w", err)
	}
	defer fsys.Close()
	removeLeftovers(ctx, fsys, names)
	return nil
}

// removeLeftovers removes what attempts that failed have left beside the shards. That it cannot is no failure: the shards are there.
func removeLeftovers(ctx context.Context, fsys filesystem.Interface, names []string) {
	remover, ok := fsys.(filesystem.Remover)
	if !ok {
		return
	}
	dir, _ := splitName(names[0])
	found, err := fsys.List(ctx, escape(dir)+".*"+hidden+"*")
	if err != nil {
		log.Warnf(ctx, "tfrecordio: %s: cannot look for files of attempts that failed: %v", dir, err)
		return
	}
	ours := map[string]bool{}
	for _, n := range names {
		_, base := splitName(n)
		ours[base] = true
	}
	for _, name := range found {
		_, base := splitName(name)
		i := strings.LastIndex(base, hidden)
		if i < 1 || len(base) != i+len(hidden)+16 || !ours[base[1:i]] {
			continue
		}
		if err := remover.Remove(ctx, name); err != nil {
			log.Warnf(ctx, "tfrecordio: a file of an attempt that failed stays: %v", err)
		}
	}
}

// escape makes a name into a pattern that matches it alone, as far as patterns can.
func escape(name string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(name)
}
