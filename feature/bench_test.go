package feature_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// benchSpec is the spec of a request to a ranking service with 40 features: scalars, dense vectors, bags of words
// and ragged lists. They read 45 keys.
func benchSpec() feature.Spec {
	fs := feature.Features{}
	for i := range 12 {
		fs[fmt.Sprintf("dense/float/%02d", i)] = feature.FixedLen{DType: feature.Float32}
		fs[fmt.Sprintf("dense/int/%02d", i)] = feature.FixedLen{DType: feature.Int64}
	}
	for i := range 3 {
		fs[fmt.Sprintf("embedding/%d", i)] = feature.FixedLen{DType: feature.Float32, Shape: []int{32}}
	}
	for i := range 4 {
		fs[fmt.Sprintf("words/%d", i)] = feature.VarLen{DType: feature.String}
		fs[fmt.Sprintf("ids/%d", i)] = feature.VarLen{DType: feature.Int64}
	}
	for i := range 5 {
		name := fmt.Sprintf("history/%d", i)
		fs[name] = feature.Ragged{DType: feature.Int64, ValueKey: name + "/values", Partitions: []feature.Partition{feature.RowLengths(name + "/lengths")}}
	}
	return feature.Spec{Features: fs}
}

// benchRecords makes n records. Their keys are in sorted order, or in the random order in which protobuf-go writes
// a map.
func benchRecords(tb testing.TB, n int, sorted bool) [][]byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	out := make([][]byte, n)
	for i := range out {
		m := map[string]*examplepb.Feature{}
		ints := func(name string, v ...int64) {
			m[name] = &examplepb.Feature{Kind: &examplepb.Feature_Int64List{Int64List: &examplepb.Int64List{Value: v}}}
		}
		for name, f := range benchSpec().Features {
			switch f := f.(type) {
			case feature.FixedLen:
				if f.DType == feature.Int64 {
					ints(name, rnd.Int64N(100000))
					continue
				}
				v := make([]float32, random.Size(f.Shape))
				for j := range v {
					v[j] = rnd.Float32()
				}
				m[name] = &examplepb.Feature{Kind: &examplepb.Feature_FloatList{FloatList: &examplepb.FloatList{Value: v}}}
			case feature.VarLen:
				count := rnd.IntN(12)
				if f.DType == feature.Int64 {
					v := make([]int64, count)
					for j := range v {
						v[j] = rnd.Int64N(1 << 30)
					}
					ints(name, v...)
					continue
				}
				v := make([][]byte, count)
				for j := range v {
					v[j] = fmt.Appendf(nil, "word-%d", rnd.IntN(1000))
				}
				m[name] = &examplepb.Feature{Kind: &examplepb.Feature_BytesList{BytesList: &examplepb.BytesList{Value: v}}}
			case feature.Ragged:
				lengths, values := make([]int64, rnd.IntN(6)), []int64{}
				for j := range lengths {
					lengths[j] = rnd.Int64N(8)
					for range lengths[j] {
						values = append(values, rnd.Int64N(1<<20))
					}
				}
				ints(name+"/values", values...)
				ints(name+"/lengths", lengths...)
			}
		}
		b, err := proto.MarshalOptions{Deterministic: sorted}.Marshal(&examplepb.Example{Features: &examplepb.Features{Feature: m}})
		if err != nil {
			tb.Fatal(err)
		}
		out[i] = b
	}
	return out
}

func totalSize(records [][]byte) (n int64) {
	for _, r := range records {
		n += int64(len(r))
	}
	return n
}

// BenchmarkBatch parses batches of 256 records into a reused Batch. It also unmarshals the same records with
// protobuf-go, and makes columns of the messages.
func BenchmarkBatch(b *testing.B) {
	for _, sorted := range []bool{true, false} {
		records := benchRecords(b, 256, sorted)
		b.Run(fmt.Sprintf("parser=feature/sorted=%t", sorted), func(b *testing.B) {
			p, err := feature.NewParser(benchSpec(), nil)
			if err != nil {
				b.Fatal(err)
			}
			batch := p.NewBatch()
			b.SetBytes(totalSize(records))
			b.ReportAllocs()
			for b.Loop() {
				batch.Reset()
				for _, r := range records {
					if err := batch.Append(r); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(fmt.Sprintf("parser=protobuf/sorted=%t", sorted), func(b *testing.B) {
			w := newWalker(benchSpec())
			b.SetBytes(totalSize(records))
			b.ReportAllocs()
			for b.Loop() {
				w.reset()
				for _, r := range records {
					if err := w.add(r); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkSingle parses one request of 40 features: into a reused Batch, with
// ParseSingle, and with protobuf-go.
func BenchmarkSingle(b *testing.B) {
	records := benchRecords(b, 64, false)
	p, err := feature.NewParser(benchSpec(), nil)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, parse func([]byte) error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(totalSize(records) / int64(len(records)))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := parse(records[i%len(records)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	batch := p.NewBatch()
	run("parser=reused", func(r []byte) error {
		batch.Reset()
		return batch.Append(r)
	})
	run("parser=fresh", func(r []byte) error {
		_, err := p.ParseSingle(r)
		return err
	})
	w := newWalker(benchSpec())
	run("parser=protobuf", func(r []byte) error {
		w.reset()
		return w.add(r)
	})
}

// BenchmarkEncode encodes a batch of 256 records.
func BenchmarkEncode(b *testing.B) {
	records := benchRecords(b, 256, true)
	p, err := feature.NewParser(benchSpec(), nil)
	if err != nil {
		b.Fatal(err)
	}
	batch, err := p.Parse(records...)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(totalSize(records))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		for i := range batch.Len() {
			if dst, err = batch.AppendRecord(dst[:0], i); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// A walker works like a program that has only protobuf-go: it decodes the message, looks up every feature and
// appends its values to a column.
type walker struct {
	fs      feature.Features
	ints    map[string][]int64
	floats  map[string][]float32
	strings map[string][]string
	splits  map[string][]int
}

func newWalker(s feature.Spec) *walker {
	return &walker{s.Features, map[string][]int64{}, map[string][]float32{}, map[string][]string{}, map[string][]int{}}
}

func (w *walker) reset() {
	for k := range w.ints {
		w.ints[k] = w.ints[k][:0]
	}
	for k := range w.floats {
		w.floats[k] = w.floats[k][:0]
	}
	for k := range w.strings {
		w.strings[k] = w.strings[k][:0]
	}
	for k := range w.splits {
		w.splits[k] = w.splits[k][:0]
	}
}

func (w *walker) add(record []byte) error {
	var ex examplepb.Example
	if err := proto.Unmarshal(record, &ex); err != nil {
		return err
	}
	m := ex.GetFeatures().GetFeature()
	for name, f := range w.fs {
		switch f := f.(type) {
		case feature.FixedLen:
			if n := w.values(name, f.DType, m[name]); n != random.Size(f.Shape) {
				return fmt.Errorf("%s: %d values", name, n)
			}
		case feature.VarLen:
			w.splits[name] = append(w.splits[name], w.values(name, f.DType, m[name]))
		case feature.Ragged:
			rest := w.values(f.ValueKey, f.DType, m[f.ValueKey])
			for _, n := range m[string(f.Partitions[0].(feature.RowLengths))].GetInt64List().GetValue() {
				w.splits[name] = append(w.splits[name], int(n))
				rest -= int(n)
			}
			if rest != 0 {
				return fmt.Errorf("%s: %d values left", name, rest)
			}
		}
	}
	return nil
}

func (w *walker) values(name string, d feature.DType, f *examplepb.Feature) int {
	switch d {
	case feature.Int64:
		v := f.GetInt64List().GetValue()
		w.ints[name] = append(w.ints[name], v...)
		return len(v)
	case feature.Float32:
		v := f.GetFloatList().GetValue()
		w.floats[name] = append(w.floats[name], v...)
		return len(v)
	}
	v := f.GetBytesList().GetValue()
	for _, s := range v {
		w.strings[name] = append(w.strings[name], string(s))
	}
	return len(v)
}
