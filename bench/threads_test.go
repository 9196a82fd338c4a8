package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/feature"
)

// BenchmarkThreads reads four files on one thread and on two, in turns. All figures are ratios to one thread, from
// the fastest turns. x-of-1 is the speed of two threads, apart-of-1 the speed of two independent streams with two
// of the files each, both by elapsed time. cpu-of-1 is the processor time of two threads: 1 means no additional
// work.
func BenchmarkThreads(b *testing.B) {
	for _, p := range pipelines() {
		if p.threads == 1 {
			continue
		}
		b.Run(fmt.Sprintf("set=%s/codec=%v", p.set, p.codec), func(b *testing.B) {
			set, view, err := datasets.Find(p.set)
			if err != nil {
				b.Fatal(err)
			}
			files, err := set.WriteFiles(b.TempDir(), set.Scaled(*fileScale), p.shards, p.codec)
			if err != nil {
				b.Fatal(err)
			}
			parser, err := feature.NewParser(view.Spec, &feature.ParserOptions{AliasRecords: view.Alias})
			if err != nil {
				b.Fatal(err)
			}
			read := func(fs *dataset.Files) {
				for batch, err := range fs.Batches(context.Background(), parser, rows).All() {
					if err != nil {
						b.Error(err)
						return
					}
					batch.Release()
				}
			}
			one := dataset.NewFiles(files, &dataset.FilesOptions{Workers: 1, Interleave: p.interleave})
			two := dataset.NewFiles(files, &dataset.FilesOptions{Workers: 2, Interleave: p.interleave})
			half := [2]*dataset.Files{
				dataset.NewFiles(files[:2], &dataset.FilesOptions{Workers: 1, Interleave: p.interleave}),
				dataset.NewFiles(files[2:], &dataset.FilesOptions{Workers: 1, Interleave: p.interleave}),
			}
			ways := [3]struct {
				threads int
				read    func()
			}{
				{1, func() { read(one) }},
				{2, func() { read(two) }},
				{2, func() {
					var apart sync.WaitGroup
					for _, fs := range half {
						apart.Go(func() { read(fs) })
					}
					apart.Wait()
				}},
			}
			watch, work := [3]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}, [3]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}
			turn := func() {
				for i, way := range ways {
					func() {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(way.threads))
						runtime.GC()
						at, worked := wall.now(), cpu.now()
						way.read()
						watch[i], work[i] = min(watch[i], wall.now()-at), min(work[i], cpu.now()-worked)
					}()
				}
			}
			turn()
			for b.Loop() {
				turn()
			}
			b.ReportMetric(watch[0].Seconds()/watch[1].Seconds(), "x-of-1")
			b.ReportMetric(watch[0].Seconds()/watch[2].Seconds(), "apart-of-1")
			b.ReportMetric(work[1].Seconds()/work[0].Seconds(), "cpu-of-1")
		})
	}
}
