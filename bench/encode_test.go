package main

import (
	"testing"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/feature"
)

// BenchmarkEncode writes the rows of a batch as records into reused memory.
func BenchmarkEncode(b *testing.B) {
	for _, name := range []string{"ads", "text", "wide", "image", "sequence"} {
		set, view, err := datasets.Find(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("set="+name, func(b *testing.B) {
			records := set.Slice(rows)
			p, err := feature.NewParser(view.Spec, nil)
			if err != nil {
				b.Fatal(err)
			}
			batch, err := p.Parse(records...)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(datasets.Size(records))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				for i := range batch.Len() {
					if dst, err = batch.AppendRecord(dst[:0], i); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
