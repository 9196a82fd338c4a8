package parquetfile_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/tfparse/tfparse/arrow/ipcfile"
	"github.com/tfparse/tfparse/arrow/parquetfile"
	"github.com/tfparse/tfparse/arrow/recordbatch"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// benchmarkBatch returns 4,096 rows of 40 columns, lists of small numbers, a third of them floats, and the records with
// their batch.
func benchmarkBatch(b *testing.B) (*recordbatch.Schema, arrow.RecordBatch, *feature.Batch, [][]byte) {
	spec := feature.Spec{Features: feature.Features{}}
	for i := range 40 {
		spec.Features[fmt.Sprint("c", i)] = feature.VarLen{DType: []feature.DType{feature.Int64, feature.Int64, feature.Float32}[i%3]}
	}
	p, err := feature.NewParser(spec, nil)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	batch := p.NewBatch()
	var records [][]byte
	for range 4096 {
		e := example.Example{}
		for name, f := range spec.Features {
			n := r.IntN(9)
			if feature.DTypeOf(f) == feature.Int64 {
				v := make([]int64, n)
				for i := range v {
					v[i] = r.Int64N(100000)
				}
				e[name] = example.Int64s(v...)
			} else {
				v := make([]float32, n)
				for i := range v {
					v[i] = r.Float32()
				}
				e[name] = example.Floats(v...)
			}
		}
		record, err := e.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		if err := batch.Append(record); err != nil {
			b.Fatal(err)
		}
		records = append(records, record)
	}
	s, err := recordbatch.ForSpec(spec, nil)
	if err != nil {
		b.Fatal(err)
	}
	rec, err := s.FromBatch(batch)
	if err != nil {
		b.Fatal(err)
	}
	return s, rec, batch, records
}

// BenchmarkWrite writes batches of 40 columns: by the Writer, the same from records, by pqarrow alone, and as a stream.
func BenchmarkWrite(b *testing.B) {
	s, rec, batch, records := benchmarkBatch(b)
	const batches = 32
	run := func(name string, write func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(batches * recordbatch.Size(rec))
			for b.Loop() {
				if err := write(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("writer", func() error {
		w, err := parquetfile.NewWriter(io.Discard, s.Arrow(), nil)
		for range batches {
			if err == nil {
				err = w.Write(rec)
			}
		}
		if err == nil {
			err = w.Close()
		}
		return err
	})
	run("records", func() error {
		w, err := parquetfile.NewWriter(io.Discard, s.Arrow(), nil)
		for range batches {
			batch.Reset()
			for _, record := range records {
				err = errors.Join(err, batch.Append(record))
			}
			rec, failed := s.FromBatch(batch)
			if err = errors.Join(err, failed); err == nil {
				err = w.Write(rec)
			}
		}
		if err == nil {
			err = w.Close()
		}
		return err
	})
	run("pqarrow", func() error {
		props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(1), parquet.WithDictionaryDefault(false))
		w, err := pqarrow.NewFileWriter(s.Arrow(), io.Discard, props, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
		for range batches {
			if err == nil {
				err = w.WriteBuffered(rec)
			}
		}
		if err == nil {
			err = w.Close()
		}
		return err
	})
	run("stream", func() error {
		w, err := ipcfile.NewWriter(io.Discard, s.Arrow(), nil)
		for range batches {
			if err == nil {
				err = w.Write(rec, "next")
			}
		}
		if err == nil {
			err = w.Close()
		}
		return err
	})
}
