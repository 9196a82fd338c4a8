package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

func init() {
	register.DoFn3x1[int, func(*tfrecordio.Shard) bool, func([]byte), error](&shardsFn{})
	register.Iter1[tfrecordio.Shard]()
	register.Emitter1[[]byte]()
}

// Rewrite implements [engine.Engine].
func (on *pipelines) Rewrite(ctx context.Context, w *engine.Rewriting, files []engine.File) ([]int64, error) {
	on.running.Add(1)
	defer on.running.Done()
	output := absolute(w.Output)
	names, err := filelist.ShardNames(output)
	if err != nil {
		return nil, err
	}
	o := &tfrecordio.OrderedOptions{
		Read:       tfrecordio.ReadOptions{Compression: w.Input, MaxRecordSize: w.MaxRecordSize, SkipChecksums: w.SkipChecksums},
		Write:      tfrecordio.WriteOptions{Compression: w.Compression, Level: w.Level, Memory: w.Memory},
		SkipDamage: !w.Stop,
		KeepShards: w.KeepShards,
	}
	if *runners.Runner == "prism" && !w.KeepShards {
		warnOfMemory(files)
	}
	// What was skipped is reported by the pass that counted the records, and a file that has others now is an error: the second
	// PCollections are not used.
	b, err := deliver(ctx, func(s beam.Scope) beam.PCollection {
		var shards beam.PCollection
		if w.Shuffle {
			shards, _ = tfrecordio.ShuffleFiles(s, output, w.Seed, o, create(s, files))
		} else {
			shards, _ = tfrecordio.ConvertFiles(s, output, o, create(s, files))
		}
		return beam.ParDo(s, &shardsFn{}, beam.GroupByKey(s, beam.AddFixedKey(s, shards)))
	})
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(ctx.Err(), tfrecordio.RemoveLeftovers(context.WithoutCancel(ctx), output))
		}
		return nil, err
	}
	var shards []shardCount
	if err := json.Unmarshal(b, &shards); err != nil {
		return nil, err
	}
	records := map[string]int64{}
	for _, s := range shards {
		records[string(s.Name)] = s.Records
	}
	all := make([]int64, len(names))
	for i, name := range names {
		n, ok := records[name]
		if !ok {
			return nil, fmt.Errorf("%s: the pipeline has not written it", name)
		}
		all[i] = n
	}
	return all, nil
}

// manyBytes is how many bytes of files prism can copy where there are a few gigabytes of memory.
const manyBytes = 256 << 20

// warnOfMemory prints a warning if prism, which keeps all records in memory while they move, may need too much.
func warnOfMemory(files []engine.File) {
	var size int64
	for _, f := range files {
		if info, err := storage.Stat(absolute(f.Name)); err == nil && f.Err == "" {
			size += info.Size()
		}
	}
	if size > manyBytes {
		fmt.Fprintf(os.Stderr, "tfparsebeam: the files have %d MB, and prism keeps their records in memory, some 15 times in all; --runner names an engine that does not, and tfparse needs none\n", size/1e6)
	}
}

// shardCount is a shard in the result of a pipeline. Its name is bytes: JSON has no others than UTF-8.
type shardCount struct {
	Name    []byte
	Records int64
}

// shardsFn returns how many records each shard has.
type shardsFn struct{}

// ProcessElement implements the DoFn.
func (*shardsFn) ProcessElement(_ int, shards func(*tfrecordio.Shard) bool, emit func([]byte)) error {
	all := []shardCount{}
	var s tfrecordio.Shard
	for shards(&s) {
		all = append(all, shardCount{[]byte(s.Name), s.Records})
	}
	b, err := json.Marshal(all)
	if err == nil {
		emit(b)
	}
	return err
}
