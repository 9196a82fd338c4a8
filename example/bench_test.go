package example_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// forty returns an Example with 40 features of different kinds and lengths: ids, counts, embeddings, short strings.
func forty() example.Example {
	r := rand.New(rand.NewPCG(40, 1))
	e := example.Example{}
	for i := range 40 {
		name := "feature_" + strconv.Itoa(i)
		switch i % 4 {
		case 0: // one or a few ids
			v := make([]int64, 1+i%3)
			for j := range v {
				v[j] = r.Int64N(1 << 40)
			}
			e[name] = example.Int64s(v...)
		case 1: // counts
			v := make([]int64, 8)
			for j := range v {
				v[j] = r.Int64N(200)
			}
			e[name] = example.Int64s(v...)
		case 2: // an embedding
			v := make([]float32, 16)
			for j := range v {
				v[j] = r.Float32()
			}
			e[name] = example.Floats(v...)
		default:
			e[name] = example.Strings("token-"+strconv.Itoa(i), "another token")
		}
	}
	return e
}

func marshal(t testing.TB, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A sink holds values as a reader of columns would.
type sink struct {
	ints   []int64
	floats []float32
	blobs  [][]byte
}

// decodeAll scans msg and decodes every feature into the sink.
func (d *sink) decodeAll(msg []byte) (err error) {
	d.ints, d.floats, d.blobs = d.ints[:0], d.floats[:0], d.blobs[:0]
	s := example.TypeExample.Scan(msg)
	for s.Next() {
		f := s.Feature()
		switch f.Kind() {
		case example.Int64List:
			d.ints, err = f.AppendInt64s(d.ints)
		case example.FloatList:
			d.floats, err = f.AppendFloats(d.floats)
		case example.BytesList:
			d.blobs, err = f.AppendBytes(d.blobs)
		default:
			err = f.Validate()
		}
		if err != nil {
			return err
		}
	}
	return s.Err()
}

func BenchmarkExample(b *testing.B) {
	msg := marshal(b, forty())
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("features=40/op=scan", func() error {
		s := example.TypeExample.Scan(msg)
		for s.Next() {
		}
		return s.Err()
	})
	var d sink
	run("features=40/op=decode", func() error { return d.decodeAll(msg) })
	run("features=40/op=validate", func() error { return example.TypeExample.Validate(msg) })
	run("features=40/op=validate-slow-path", func() error { // how Validate checks other encodings
		entries, err := example.TypeExample.Collect(nil, msg)
		for i := 0; err == nil && i < len(entries); i++ {
			err = entries[i].Feature.Validate()
		}
		return err
	})
	run("features=40/op=unmarshal", func() error { var e example.Example; return e.UnmarshalBinary(msg) })
	run("features=40/op=unmarshal-protobuf-go", func() error { var e examplepb.Example; return proto.Unmarshal(msg, &e) })
	e := forty()
	buf := make([]byte, 0, 2*len(msg))
	run("features=40/op=marshal", func() (err error) { _, err = e.AppendBinary(buf); return err })
	var bld example.Builder
	run("features=40/op=build", func() (err error) {
		bld.Reset()
		for name, v := range e {
			bld.Add(name, v)
		}
		_, err = bld.AppendBinary(buf)
		return err
	})
	var pb examplepb.Example
	if err := proto.Unmarshal(msg, &pb); err != nil {
		b.Fatal(err)
	}
	run("features=40/op=marshal-protobuf-go", func() (err error) {
		_, err = proto.MarshalOptions{Deterministic: true}.MarshalAppend(buf, &pb)
		return err
	})
}

// BenchmarkList reads one feature with many values.
func BenchmarkList(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(4096, 1))
	for _, bits := range []int{7, 14, 32, 63, 64} {
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(r.Uint64() >> (64 - bits))
		}
		benchmarkList(b, fmt.Sprintf("int64s=%d/bits=%d", n, bits), example.Int64s(v...))
	}
	mixed := make([]int64, n)
	for i := range mixed {
		mixed[i] = int64(r.Uint64() >> (1 + r.IntN(63)))
	}
	benchmarkList(b, fmt.Sprintf("int64s=%d/bits=mixed", n), example.Int64s(mixed...))
	floats := make([]float32, n)
	for i := range floats {
		floats[i] = r.Float32()
	}
	benchmarkList(b, fmt.Sprintf("floats=%d", n), example.Floats(floats...))
	blobs := make([][]byte, n)
	for i := range blobs {
		blobs[i] = make([]byte, r.IntN(20))
	}
	benchmarkList(b, fmt.Sprintf("bytes=%d", n), example.Bytes(blobs...))
}

func benchmarkList(b *testing.B, name string, v example.Value) {
	msg := marshal(b, example.Example{"a": v})
	var d sink
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(msg)))
		b.ReportAllocs()
		for b.Loop() {
			if err := d.decodeAll(msg); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(name+"/protobuf-go", func(b *testing.B) {
		b.SetBytes(int64(len(msg)))
		b.ReportAllocs()
		for b.Loop() {
			var e examplepb.Example
			if err := proto.Unmarshal(msg, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
}
