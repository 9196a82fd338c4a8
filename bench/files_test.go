package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
)

var fileScale = flag.Float64("filescale", 0.25, "the part of every set of records that the benchmark of files reads")

// BenchmarkFiles reads the files of the table "files" with tfparse alone, for profiles. best-MB/s is the rate of
// the fastest turn by processor time, without the garbage collection of earlier turns.
func BenchmarkFiles(b *testing.B) {
	for _, p := range pipelines() {
		b.Run(fmt.Sprintf("set=%s/threads=%d/codec=%v", p.set, p.threads, p.codec), func(b *testing.B) {
			set, view, err := datasets.Find(p.set)
			if err != nil {
				b.Fatal(err)
			}
			n := set.Scaled(*fileScale)
			files, err := set.WriteFiles(b.TempDir(), n, p.shards, p.codec)
			if err != nil {
				b.Fatal(err)
			}
			parser, err := feature.NewParser(view.Spec, &feature.ParserOptions{AliasRecords: view.Alias})
			if err != nil {
				b.Fatal(err)
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(p.threads))
			part := set.Slice(min(n, 1000))
			size := float64(datasets.Size(part)) / float64(len(part)) * float64(n)
			best := time.Duration(math.MaxInt64)
			fs := dataset.NewFiles(files, &dataset.FilesOptions{Workers: p.threads, Interleave: p.interleave})
			turn := func() {
				runtime.GC()
				start := cpu.now()
				for batch, err := range fs.Batches(context.Background(), parser, rows).All() {
					if err != nil {
						b.Fatal(err)
					}
					batch.Release()
				}
				best = min(best, cpu.now()-start)
			}
			turn()
			for b.Loop() {
				turn()
			}
			b.ReportMetric(size/1e6/best.Seconds(), "best-MB/s")
		})
	}
}
