package main

import (
	"flag"
	"testing"

	"github.com/tfparse/tfparse/bench/datasets"
	"github.com/tfparse/tfparse/bench/flatten"
)

var batches = flag.Int("batches", 4, "how many batches of 1,024 records the benchmarks of the parsers read")

// BenchmarkParse parses records in memory into reused batches. set=NAME is a view of package datasets.
func BenchmarkParse(b *testing.B) {
	for _, set := range datasets.All() {
		n := min(*batches*rows, set.Count)
		var records [][]byte
		for _, view := range set.Views {
			for _, side := range []struct {
				name string
				make func(datasets.View) (parser, error)
			}{{"tfparse", ours}, {"protobuf", protobufs}} {
				b.Run("set="+view.Name+"/parser="+side.name, func(b *testing.B) {
					if records == nil {
						records = set.Slice(n)
					}
					read, err := side.make(view)
					if err != nil {
						b.Fatal(err)
					}
					if err := read(records, nil); err != nil { // warm up, so that a steady state is measured
						b.Fatal(err)
					}
					b.SetBytes(datasets.Size(records))
					b.ReportAllocs()
					for b.Loop() {
						if err := read(records, nil); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// TestParsersAgree proves that both sides of BenchmarkParse do the same work, also in reused memory.
func TestParsersAgree(t *testing.T) {
	for _, set := range datasets.All() {
		records := set.Slice(40)
		for _, view := range set.Views {
			var sums [2]flatten.Sum
			for i, make := range []func(datasets.View) (parser, error){ours, protobufs} {
				read, err := make(view)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					sums[i] = flatten.Sum{}
					if err := read(records, &sums[i]); err != nil {
						t.Fatalf("%s: %v", view.Name, err)
					}
				}
			}
			if sums[0] != sums[1] || sums[0] == (flatten.Sum{}) {
				t.Errorf("%s: tfparse %+v, protobuf %+v", view.Name, sums[0], sums[1])
			}
		}
	}
}
