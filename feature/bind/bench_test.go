package bind_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/feature/bind"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// Forty is a request to a ranking service with 40 features: scalars, dense vectors, bags of words and rows of
// different lengths. They read 45 keys.
type Forty struct {
	F00 float32 `tfparse:"dense/float/00"`
	F01 float32 `tfparse:"dense/float/01"`
	F02 float32 `tfparse:"dense/float/02"`
	F03 float32 `tfparse:"dense/float/03"`
	F04 float32 `tfparse:"dense/float/04"`
	F05 float32 `tfparse:"dense/float/05"`
	F06 float32 `tfparse:"dense/float/06"`
	F07 float32 `tfparse:"dense/float/07"`
	F08 float32 `tfparse:"dense/float/08"`
	F09 float32 `tfparse:"dense/float/09"`
	F10 float32 `tfparse:"dense/float/10"`
	F11 float32 `tfparse:"dense/float/11"`

	I00 int64 `tfparse:"dense/int/00"`
	I01 int64 `tfparse:"dense/int/01"`
	I02 int64 `tfparse:"dense/int/02"`
	I03 int64 `tfparse:"dense/int/03"`
	I04 int64 `tfparse:"dense/int/04"`
	I05 int64 `tfparse:"dense/int/05"`
	I06 int64 `tfparse:"dense/int/06"`
	I07 int64 `tfparse:"dense/int/07"`
	I08 int64 `tfparse:"dense/int/08"`
	I09 int64 `tfparse:"dense/int/09"`
	I10 int64 `tfparse:"dense/int/10"`
	I11 int64 `tfparse:"dense/int/11"`

	E0 [32]float32 `tfparse:"embedding/0"`
	E1 [32]float32 `tfparse:"embedding/1"`
	E2 [32]float32 `tfparse:"embedding/2"`

	W0 []string `tfparse:"words/0"`
	W1 []string `tfparse:"words/1"`
	W2 []string `tfparse:"words/2"`
	W3 []string `tfparse:"words/3"`

	D0 []int64 `tfparse:"ids/0"`
	D1 []int64 `tfparse:"ids/1"`
	D2 []int64 `tfparse:"ids/2"`
	D3 []int64 `tfparse:"ids/3"`

	H0 [][]int64 `tfparse:"history/0,row_lengths=history/0/lengths"`
	H1 [][]int64 `tfparse:"history/1,row_lengths=history/1/lengths"`
	H2 [][]int64 `tfparse:"history/2,row_lengths=history/2/lengths"`
	H3 [][]int64 `tfparse:"history/3,row_lengths=history/3/lengths"`
	H4 [][]int64 `tfparse:"history/4,row_lengths=history/4/lengths"`
}

// random fills a request with random values.
func (r *Forty) random(rnd *rand.Rand) {
	for _, f := range []*float32{&r.F00, &r.F01, &r.F02, &r.F03, &r.F04, &r.F05, &r.F06, &r.F07, &r.F08, &r.F09, &r.F10, &r.F11} {
		*f = rnd.Float32()
	}
	for _, i := range []*int64{&r.I00, &r.I01, &r.I02, &r.I03, &r.I04, &r.I05, &r.I06, &r.I07, &r.I08, &r.I09, &r.I10, &r.I11} {
		*i = rnd.Int64N(100000)
	}
	for _, e := range []*[32]float32{&r.E0, &r.E1, &r.E2} {
		for i := range e {
			e[i] = rnd.Float32()
		}
	}
	for _, w := range []*[]string{&r.W0, &r.W1, &r.W2, &r.W3} {
		*w = (*w)[:0]
		for range rnd.IntN(12) {
			*w = append(*w, fmt.Sprintf("word-%d", rnd.IntN(1000)))
		}
	}
	for _, d := range []*[]int64{&r.D0, &r.D1, &r.D2, &r.D3} {
		*d = (*d)[:0]
		for range rnd.IntN(12) {
			*d = append(*d, rnd.Int64N(1<<30))
		}
	}
	for _, h := range []*[][]int64{&r.H0, &r.H1, &r.H2, &r.H3, &r.H4} {
		*h = make([][]int64, rnd.IntN(6))
		for i := range *h {
			for range rnd.IntN(8) {
				(*h)[i] = append((*h)[i], rnd.Int64N(1<<20))
			}
		}
	}
}

// requests returns n records whose keys are in the random order in which protobuf-go writes a map, and the size of
// a record.
func requests(tb testing.TB, codec *bind.Codec[Forty], n int) (records [][]byte, size int64) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range n {
		var r Forty
		r.random(rnd)
		record, err := codec.Encode(&r)
		if err != nil {
			tb.Fatal(err)
		}
		var m examplepb.Example
		if err := proto.Unmarshal(record, &m); err != nil {
			tb.Fatal(err)
		}
		if record, err = proto.Marshal(&m); err != nil {
			tb.Fatal(err)
		}
		records = append(records, record)
		size += int64(len(record))
	}
	return records, size / int64(n)
}

func fortyCodec(tb testing.TB) *bind.Codec[Forty] {
	codec, err := bind.New[Forty](nil)
	if err != nil {
		tb.Fatal(err)
	}
	return codec
}

// BenchmarkDecode decodes a request of 40 features into the same struct and into a new one. For comparison it also
// decodes into columns, and with protobuf-go, whose map is copied to a struct.
func BenchmarkDecode(b *testing.B) {
	codec := fortyCodec(b)
	records, size := requests(b, codec, 64)
	run := func(name string, decode func(record []byte) error) {
		b.Run("by="+name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := decode(records[i%len(records)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var r Forty
	run("bind/struct=same", func(record []byte) error { return codec.Decode(record, &r) })
	run("bind/struct=new", func(record []byte) error {
		var r Forty
		return codec.Decode(record, &r)
	})
	batch := codec.Parser().NewBatch()
	run("feature/batch=same", func(record []byte) error {
		batch.Reset()
		return batch.Append(record)
	})
	run("feature/batch=new", func(record []byte) error {
		_, err := codec.Parser().ParseSingle(record)
		return err
	})
	run("protobuf/struct=same", func(record []byte) error { return r.fromProto(record) })
	run("protobuf/struct=new", func(record []byte) error {
		var r Forty
		return r.fromProto(record)
	})
}

// BenchmarkEncode encodes the request, also with protobuf-go to the same bytes.
func BenchmarkEncode(b *testing.B) {
	codec := fortyCodec(b)
	var r Forty
	r.random(rand.New(rand.NewPCG(1, 2)))
	record, err := codec.Encode(&r)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("by=bind", func(b *testing.B) {
		b.SetBytes(int64(len(record)))
		b.ReportAllocs()
		for b.Loop() {
			if record, err = codec.AppendRecord(record[:0], &r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by=protobuf", func(b *testing.B) {
		b.SetBytes(int64(len(record)))
		b.ReportAllocs()
		for b.Loop() {
			if record, err = r.toProto(record[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
