package tfrecord_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tfparse/tfparse/tfrecord"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// benchStream returns a stream of records of one size, about 4 MB: more than the caches of one core, like most
// files.
func benchStream(size int) []byte {
	rnd := rand.NewChaCha8([32]byte{})
	p := make([]byte, size)
	var b []byte
	for len(b) < 4<<20 {
		rnd.Read(p)
		b = tfrecord.AppendRecord(b, p)
	}
	return b
}

var sinkCRC uint32

// framings are ways to read a stream. The first does the minimum: it only computes the checksums.
var framings = []struct {
	name string
	walk func(stream []byte, size int) error
}{
	{"crc32-alone", func(b []byte, size int) error {
		for ; len(b) > 0; b = b[16+size:] {
			sinkCRC ^= crc32.Update(0, castagnoli, b[12:12+size])
		}
		return nil
	}},
	{"ConsumeRecord", func(b []byte, _ int) error {
		for len(b) > 0 {
			_, n, err := tfrecord.ConsumeRecord(b)
			if err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	}},
	{"Reader", func(b []byte, _ int) error { return readAll(benchReader, bytes.NewReader(b)) }},
	{"Reader-copying", func(b []byte, _ int) error { return readAll(benchReader, struct{ io.Reader }{bytes.NewReader(b)}) }},
	{"Recover", func(b []byte, _ int) error {
		for x := range tfrecord.NewReader(bytes.NewReader(b), nil).Recover() {
			if x.Skipped != nil {
				return x.Skipped.Err
			}
		}
		return nil
	}},
}

var benchReader = tfrecord.NewReader(nil, nil)

func readAll(r *tfrecord.Reader, src io.Reader) error {
	r.Reset(src, "")
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func BenchmarkFraming(b *testing.B) {
	for _, size := range []int{64, 1 << 10, 64 << 10} {
		stream := benchStream(size)
		for _, f := range framings {
			b.Run(fmt.Sprintf("%s/size=%d", f.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(stream)))
				b.ReportAllocs()
				for b.Loop() {
					if err := f.walk(stream, size); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkRatio alternates between each way of reading and the checksum alone, on the same bytes. It reports the
// ratio of their speeds: at 1 a reader has no cost except the checksums.
func BenchmarkRatio(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10} {
		stream := benchStream(size)
		for _, f := range framings[1:] {
			b.Run(fmt.Sprintf("%s/size=%d", f.name, size), func(b *testing.B) {
				var alone, framed time.Duration
				for b.Loop() {
					t0 := time.Now()
					framings[0].walk(stream, size)
					t1 := time.Now()
					if err := f.walk(stream, size); err != nil {
						b.Fatal(err)
					}
					alone, framed = alone+t1.Sub(t0), framed+time.Since(t1)
				}
				b.ReportMetric(float64(alone)/float64(framed), "of-crc32")
			})
		}
	}
}
