package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/internal/filelist"
)

func init() {
	register.DoFn3x1[int, func(*tfrecordio.Shard) bool, func([]byte), error](&shardsFn{})
	register.Iter1[tfrecordio.Shard]()
	register.Emitter1[[]byte]()
}

// Rewrite implements [engine.Engine].
func (*pipelines) Rewrite(ctx context.Context, w *engine.Rewriting, files []engine.File) ([]int64, error) {
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
		return nil, err
	}
	var shards []written
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

// written is a shard in the result of a pipeline. Its name is bytes: JSON has no others than UTF-8.
type written struct {
	Name    []byte
	Records int64
}

// shardsFn returns how many records each shard has.
type shardsFn struct{}

// ProcessElement implements the DoFn.
func (*shardsFn) ProcessElement(_ int, shards func(*tfrecordio.Shard) bool, emit func([]byte)) error {
	all := []written{}
	var s tfrecordio.Shard
	for shards(&s) {
		all = append(all, written{[]byte(s.Name), s.Records})
	}
	b, err := json.Marshal(all)
	if err == nil {
		emit(b)
	}
	return err
}
