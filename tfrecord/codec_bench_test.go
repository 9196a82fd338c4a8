package tfrecord_test

import (
	"bufio"
	"bytes"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/tfparse/tfparse/tfrecord"
)

// taxiShards are real gzip files with flat Examples.
func taxiShards(tb testing.TB) []string {
	tb.Helper()
	names, _ := filepath.Glob(filepath.FromSlash("../../shared/data/chicago_taxi/*.gz"))
	if len(names) == 0 {
		tb.Skip("no real data beside the project: ../shared/data/chicago_taxi is absent")
	}
	return names
}

// benchMegabytes is the size of the generated file. The library was chosen from a comparison with 200.
func benchMegabytes(tb testing.TB) int {
	s := os.Getenv("TFPARSE_BENCH_MB")
	if s == "" {
		return 16
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		tb.Fatalf("TFPARSE_BENCH_MB: %v", err)
	}
	return n
}

// writeBenchFile writes records that look like Examples: every record has the same names, small numbers, floats and
// words.
func writeBenchFile(tb testing.TB, c tfrecord.Compression) (name string, records int) {
	tb.Helper()
	name = filepath.Join(tb.TempDir(), "bench.tfrecord")
	w, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: c})
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Abort()
	rnd := rand.New(rand.NewPCG(1, 2))
	companies := []string{"Taxi Affiliation Services", "Dispatch Taxi Affiliation", "Blue Ribbon Taxi Association Inc.", "0118 - 42111 Godfrey S.Awir"}
	var p []byte
	for total := benchMegabytes(tb) << 20; w.Offset() < int64(total); records++ {
		p = p[:0]
		for i := range 40 {
			p = fmt.Appendf(p, "\n\x1e\n\x12feature_name_%02d\x12", i)
			switch i % 4 {
			case 0:
				p = append(p, companies[rnd.IntN(len(companies))]...)
			case 1:
				p = binary.LittleEndian.AppendUint32(p, rnd.Uint32()&0xffff0000)
			case 2:
				p = binary.AppendUvarint(p, uint64(rnd.IntN(5000)))
			}
		}
		if err := w.WriteRecord(p); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return name, records
}

// inflaters are the libraries to choose from, with their default settings.
var inflaters = map[tfrecord.Compression][2]func(io.Reader) (io.Reader, error){
	tfrecord.GZIP: {
		func(r io.Reader) (io.Reader, error) { return stdgzip.NewReader(r) },
		func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	},
	tfrecord.ZLIB: {
		func(r io.Reader) (io.Reader, error) { return stdzlib.NewReader(r) },
		func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
	},
}

func inflate(tb testing.TB, data []byte, open func(io.Reader) (io.Reader, error)) (time.Duration, int64) {
	t := time.Now()
	z, err := open(bufio.NewReaderSize(bytes.NewReader(data), 64<<10))
	if err != nil {
		tb.Fatal(err)
	}
	n, err := io.Copy(onlyWriter{}, onlyReader{z})
	if err != nil {
		tb.Fatal(err)
	}
	return time.Since(t), n
}

// Without WriteTo and ReadFrom, because a Reader only calls Read.
type onlyReader struct{ io.Reader }
type onlyWriter struct{}

func (onlyWriter) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkInflate alternates between the standard library and klauspost/compress, and reports how much faster the
// second one is.
func BenchmarkInflate(b *testing.B) {
	compare := func(b *testing.B, c tfrecord.Compression, files ...[]byte) {
		var std, other time.Duration
		var size int64
		for b.Loop() {
			for _, f := range files {
				d, n := inflate(b, f, inflaters[c][0])
				std, size = std+d, size+n
				d, _ = inflate(b, f, inflaters[c][1])
				other += d
			}
		}
		b.ReportMetric(float64(std)/float64(other), "klauspost/std")
		b.ReportMetric(float64(size)/1e6/std.Seconds(), "std-MB/s")
		b.ReportMetric(float64(size)/1e6/other.Seconds(), "klauspost-MB/s")
	}
	b.Run("gzip/chicago_taxi", func(b *testing.B) {
		var files [][]byte
		for _, name := range taxiShards(b) {
			f, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			files = append(files, f)
		}
		compare(b, tfrecord.GZIP, files...)
	})
	for _, c := range []tfrecord.Compression{tfrecord.GZIP, tfrecord.ZLIB} {
		b.Run(fmt.Sprintf("%v/generated-%dMB", c, benchMegabytes(b)), func(b *testing.B) {
			name, _ := writeBenchFile(b, c)
			f, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			compare(b, c, f)
		})
	}
}

// BenchmarkFile reads a generated file with every codec.
func BenchmarkFile(b *testing.B) {
	for _, c := range codecs {
		b.Run(fmt.Sprintf("%v/%dMB", c, benchMegabytes(b)), func(b *testing.B) {
			name, want := writeBenchFile(b, c)
			b.ReportAllocs()
			for b.Loop() {
				r, err := tfrecord.Open(name, nil)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for _, err := range r.All() {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != want {
					b.Fatalf("%d records, want %d", n, want)
				}
				b.SetBytes(r.Offset())
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
