package main

import (
	"bytes"
	"hash/crc32"
	"io"
	"math"
	"testing"
	"time"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tfrecord"
)

// BenchmarkStages measures the stages from TFRecord bytes to columns one by one, each over all bytes of the same
// records, and also limits of the machine. ARCHITECTURE.md has a table of the results.
//
//	limit=copy      the bytes are copied
//	limit=crc       CRC-32C, by the standard library
//	limit=kernels   numbers are decoded and strings copied, without looking for them
//	stage=frame     records are read from the stream, checksums are not verified
//	stage=verify    the same, checksums are verified
//	stage=scan      features are found, their values are not read
//	stage=parse     records in memory become columns
//	stage=all       the stream becomes columns
//
// best-MB/s is the rate of the fastest turn, by elapsed time: processor time is too coarse for turns of some
// milliseconds.
func BenchmarkStages(b *testing.B) {
	for _, name := range []string{"ads", "ads-shuffled", "text", "wide", "image", "sequence"} {
		b.Run("set="+name, func(b *testing.B) { stages(b, name) })
	}
}

func stages(b *testing.B, name string) {
	set, view, err := datasets.Find(name)
	if err != nil {
		b.Fatal(err)
	}
	records := set.Slice(min(*batches*rows, set.Count, 64<<20/len(set.Slice(1)[0])))
	var file []byte
	for _, r := range records {
		file = tfrecord.AppendRecord(file, r)
	}
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			if err := f(); err != nil { // warm up, so that a steady state is measured
				b.Fatal(err)
			}
			best := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := wall.now()
				if err := f(); err != nil {
					b.Fatal(err)
				}
				best = min(best, wall.now()-start)
			}
			b.ReportMetric(float64(datasets.Size(records))/1e6/best.Seconds(), "best-MB/s")
		})
	}
	target := make([]byte, rows*len(records[0])*2+1<<20)
	run("limit=copy", func() error {
		at := 0
		for _, r := range records { // spread over the memory like the values of a batch
			if at+len(r) > len(target) {
				at = 0
			}
			at += copy(target[at:], r)
		}
		return nil
	})
	table := crc32.MakeTable(crc32.Castagnoli)
	run("limit=crc", func() error {
		for _, r := range records {
			sink += crc32.Checksum(r, table)
		}
		return nil
	})
	k := kernelsOf(b, records, view.Spec)
	run("limit=kernels", k.run)
	for stage, skip := range map[string]bool{"stage=frame": true, "stage=verify": false} {
		run(stage, func() error { return eachRecord(file, skip, func([]byte) error { return nil }) })
	}
	run("stage=scan", func() error {
		for _, r := range records {
			if err := scan(r, len(view.Spec.Sequence) > 0); err != nil {
				return err
			}
		}
		return nil
	})
	p, err := feature.NewParser(view.Spec, &feature.ParserOptions{AliasRecords: view.Alias})
	if err != nil {
		b.Fatal(err)
	}
	batch := p.NewBatch()
	add := func(r []byte) error {
		if batch.Len() == rows {
			batch.Reset()
		}
		return batch.Append(r)
	}
	run("stage=parse", func() error {
		for _, r := range records {
			if err := add(r); err != nil {
				return err
			}
		}
		return nil
	})
	if !view.Alias { // an alias would point into the reader's buffer
		run("stage=all", func() error { return eachRecord(file, false, add) })
	}
}

var sink uint32

func eachRecord(file []byte, skip bool, f func([]byte) error) error {
	r := tfrecord.NewReader(bytes.NewReader(file), &tfrecord.ReaderOptions{Compression: tfrecord.None, SkipChecksums: skip})
	for {
		record, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(record); err != nil {
			return err
		}
	}
}

func scan(r []byte, sequence bool) error {
	s := example.TypeExample.Scan(r)
	if sequence {
		lists := example.ScanFeatureLists(r)
		for lists.Next() {
			for steps := lists.List().Scan(); steps.Next(); {
				sink += uint32(steps.Feature().Offset())
			}
		}
		if err := lists.Err(); err != nil {
			return err
		}
		s = example.TypeSequence.Scan(r)
	}
	for s.Next() {
		sink += uint32(len(s.Name()))
	}
	return s.Err()
}

// A kernel holds the values of records without tags and lengths: the bodies of packed lists, and byte strings.
type kernel struct {
	ints, floats, texts [][]byte

	int64s   []int64
	float32s []float32
	bytes    []byte
}

func kernelsOf(b *testing.B, records [][]byte, spec feature.Spec) *kernel {
	k := &kernel{}
	block := make([]byte, 0, 2*datasets.Size(records)) // consecutive lists, as in the records
	add := func(f example.Feature) {
		raw := f.Raw()
		switch f.Kind() {
		case example.Int64List:
			if lo, ok := canonical.Chunk(raw, 0, canonical.Int64Tag); ok {
				start := len(block)
				block = append(append(block, make([]byte, simd.Before)...), raw[lo:]...)
				k.ints = append(k.ints, block[start:])
			}
		case example.FloatList:
			if lo, ok := canonical.Chunk(raw, 0, canonical.FloatTag); ok {
				k.floats = append(k.floats, raw[lo:])
			}
		case example.BytesList:
			var err error
			if k.texts, err = f.AppendBytes(k.texts); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, r := range records {
		s := example.TypeExample.Scan(r)
		if len(spec.Sequence) > 0 {
			for lists := example.ScanFeatureLists(r); lists.Next(); {
				for steps := lists.List().Scan(); steps.Next(); {
					add(steps.Feature())
				}
			}
			s = example.TypeSequence.Scan(r)
		}
		for s.Next() {
			add(s.Feature())
		}
	}
	return k
}

// run decodes everything into reused memory.
func (k *kernel) run() error {
	for _, list := range k.ints {
		if len(k.int64s) > 256*rows { // about as many as a batch has
			k.int64s = k.int64s[:0]
		}
		if size := len(list) - simd.Before; size > 0 && size <= 10 {
			if v, ok := wire.LastVarint(list, size); ok {
				k.int64s = append(k.int64s, v)
				continue
			}
		}
		k.int64s, _, _ = wire.FillInt64s(k.int64s, list, simd.Before)
	}
	for i, list := range k.floats {
		if i%(16*rows) == 0 || len(k.float32s) > 4<<20 {
			k.float32s = k.float32s[:0]
		}
		if len(list) == 4 {
			k.float32s = append(k.float32s, wire.Float(list))
			continue
		}
		k.float32s = wire.AppendFloats(k.float32s, list)
	}
	for i, text := range k.texts {
		if i%(16*rows) == 0 || len(k.bytes) > 16<<20 {
			k.bytes = k.bytes[:0]
		}
		k.bytes = append(k.bytes, text...)
	}
	return nil
}
