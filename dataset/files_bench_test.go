package dataset_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// A corpus is a kind of records.
type corpus struct {
	spec  feature.Features
	build func(b *example.Builder, rng *rand.Rand)
}

// ads is records of about 1.6 KB: scalars and a few lists.
func ads() corpus {
	c := corpus{spec: feature.Features{}}
	for i := range 13 {
		c.spec[fmt.Sprintf("float/%d", i)] = feature.FixedLen{DType: feature.Float32}
	}
	for i := range 20 {
		c.spec[fmt.Sprintf("int/%d", i)] = feature.FixedLen{DType: feature.Int64}
	}
	for i := range 5 {
		c.spec[fmt.Sprintf("list/%d", i)] = feature.VarLen{DType: feature.Int64}
	}
	c.build = func(b *example.Builder, rng *rand.Rand) {
		for i := range 13 {
			b.Add(fmt.Sprintf("float/%d", i), example.Floats(rng.Float32()))
		}
		for i := range 20 {
			b.Add(fmt.Sprintf("int/%d", i), example.Int64s(rng.Int64N(1<<(4*i/3+6))))
		}
		for i := range 5 {
			v := make([]int64, rng.IntN(100))
			for j := range v {
				v[j] = rng.Int64N(1 << (8 * (i + 1)))
			}
			b.Add(fmt.Sprintf("list/%d", i), example.Int64s(v...))
		}
	}
	return c
}

// text is records of about 700 bytes: tokens in sentences.
func text() corpus {
	return corpus{
		spec: feature.Features{"doc": feature.Ragged{DType: feature.Int64, ValueKey: "tokens", Partitions: []feature.Partition{feature.RowLengths("sentences")}}},
		build: func(b *example.Builder, rng *rand.Rand) {
			var tokens, lengths []int64
			for range rng.IntN(25) {
				n := rng.Int64N(30)
				lengths = append(lengths, n)
				for range n {
					tokens = append(tokens, rng.Int64N(1<<(7+rng.IntN(3)*5)))
				}
			}
			b.Add("tokens", example.Int64s(tokens...))
			b.Add("sentences", example.Int64s(lengths...))
		},
	}
}

// shards writes n bytes of records, or a few more, to four files.
func (c corpus) shards(tb testing.TB, n int64, codec tfrecord.Compression) (files []string, records [][]byte) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var b example.Builder
	for range 2000 {
		b.Reset()
		c.build(&b, rng)
		rec, err := b.AppendBinary(nil)
		if err != nil {
			tb.Fatal(err)
		}
		records = append(records, rec)
	}
	dir := tb.TempDir()
	for i := range 4 {
		name := filepath.Join(dir, fmt.Sprintf("train-%05d-of-00004", i))
		w, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: codec})
		if err != nil {
			tb.Fatal(err)
		}
		for w.Offset() < n/4 {
			if err := w.WriteRecord(records[rng.IntN(len(records))]); err != nil {
				tb.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
		files = append(files, name)
	}
	return files, records
}

// BenchmarkFiles compares a loop over tfrecord.Reader and Batch.Append with Files on one thread and on
// two.
func BenchmarkFiles(b *testing.B) {
	const bytes = 64 << 20
	for name, c := range map[string]corpus{"ads": ads(), "text": text()} {
		for _, codec := range []tfrecord.Compression{tfrecord.None, tfrecord.GZIP} {
			b.Run(fmt.Sprintf("records=%s/codec=%v", name, codec), func(b *testing.B) {
				files, _ := c.shards(b, bytes, codec)
				p, err := feature.NewParser(feature.Spec{Features: c.spec}, nil)
				if err != nil {
					b.Fatal(err)
				}
				run := func(way string, threads int, f func() (int64, error)) {
					b.Run(fmt.Sprintf("way=%s/threads=%d", way, threads), func(b *testing.B) {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
						b.SetBytes(bytes)
						for b.Loop() {
							if _, err := f(); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
				run("loop", 1, func() (int64, error) { return plainLoop(files, p) })
				for threads := range 2 {
					run("files", threads+1, func() (int64, error) { return filesLoop(files, p, &dataset.FilesOptions{}) })
				}
				run("shuffle", 2, func() (int64, error) {
					return filesLoop(files, p, &dataset.FilesOptions{Shuffle: 10000, Interleave: 4})
				})
			})
		}
	}
}

func plainLoop(files []string, p *feature.Parser) (rows int64, err error) {
	batch := p.NewBatch()
	for _, name := range files {
		r, err := tfrecord.Open(name, nil)
		if err != nil {
			return 0, err
		}
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			if err := batch.Append(rec); err != nil {
				return 0, err
			}
			if batch.Len() == 1024 {
				rows += 1024
				batch.Reset()
			}
		}
		if err := r.Close(); err != nil {
			return 0, err
		}
	}
	return rows + int64(batch.Len()), nil
}

func filesLoop(files []string, p *feature.Parser, opts *dataset.FilesOptions) (rows int64, err error) {
	for batch, err := range dataset.NewFiles(files, opts).Batches(context.Background(), p, 1024).All() {
		if err != nil {
			return 0, err
		}
		rows += int64(batch.Len())
		batch.Release()
	}
	return rows, nil
}
