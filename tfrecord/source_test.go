package tfrecord_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// stutter is a source that returns 0, nil before each byte.
type stutter struct {
	r    io.Reader
	odd  bool
	some int
}

func (s *stutter) Read(p []byte) (int, error) {
	s.odd = !s.odd
	if s.odd || len(p) == 0 {
		return 0, nil
	}
	s.some = s.some%7 + 1
	return s.r.Read(p[:min(len(p), s.some)])
}

// TestSources reads the same streams from correct sources that behave in unusual ways.
func TestSources(t *testing.T) {
	want := somePayloads(6, 150)
	for _, c := range codecs {
		data := pack(t, c, want...)
		cut := data[:len(data)-3]
		for name, source := range map[string]func([]byte) io.Reader{
			"bytes.Reader":  func(b []byte) io.Reader { return bytes.NewReader(b) },
			"bytes.Buffer":  func(b []byte) io.Reader { return bytes.NewBuffer(b) },
			"one byte":      func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
			"half":          func(b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) },
			"data with EOF": func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
			"0, nil":        func(b []byte) io.Reader { return &stutter{r: bytes.NewReader(b)} },
		} {
			for _, o := range []tfrecord.ReaderOptions{{}, {Compression: c}, {BufferSize: 1}, {BufferSize: 1 << 20}} {
				got, err := readPayloads(source(data), &o)
				if err != nil || !equalPayloads(got, want) {
					t.Errorf("%v, %s, %+v: %d records, %v", c, name, o, len(got), err)
				}
				got, err = readPayloads(source(cut), &o)
				if !errors.Is(err, io.ErrUnexpectedEOF) || !equalPayloads(got, want[:len(got)]) {
					t.Errorf("%v, %s, %+v, cut: %d records, %v", c, name, o, len(got), err)
				}
			}
			// Alternately skipping and reading gives the same records.
			r := tfrecord.NewReader(source(data), &tfrecord.ReaderOptions{BufferSize: 1})
			for i, p := range want {
				if i%2 == 0 {
					if err := r.Skip(); err != nil {
						t.Fatalf("%v, %s: Skip %d: %v", c, name, i, err)
					}
				} else if got, err := r.Next(); err != nil || !bytes.Equal(got, p) {
					t.Fatalf("%v, %s: record %d: %v", c, name, i, err)
				}
			}
			if err := r.Skip(); err != io.EOF {
				t.Errorf("%v, %s: %v at the end", c, name, err)
			}
		}
	}
}

// TestFailingSource: the error of a source is returned, now and in later calls, and has no class of data errors.
func TestFailingSource(t *testing.T) {
	broken := errors.New("connection reset by peer")
	want := somePayloads(7, 150)
	for _, c := range codecs {
		data := pack(t, c, want...)
		for _, n := range []int{0, 1, 5, 11, 12, 13, 40, len(data) / 2, len(data) - 1, len(data)} {
			for _, name := range []tfrecord.Compression{c, tfrecord.Auto} {
				src := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken))
				r := tfrecord.NewReader(src, &tfrecord.ReaderOptions{Name: "f", Compression: name})
				records := 0
				var err error
				for err == nil {
					if _, err = r.Next(); err == nil {
						records++
					}
				}
				e, ok := errors.AsType[*tfrecord.Error](err)
				if !ok || !errors.Is(err, broken) || e.Class != 0 || e.Record != int64(records) {
					t.Errorf("%v as %v, after %d bytes: %v", c, name, n, err)
				}
				if _, again := r.Next(); again != err || r.Skip() != err {
					t.Errorf("%v: the error does not stay", c)
				}
			}
		}
		src := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken))
		var last tfrecord.Recovered
		records := 0
		for last = range tfrecord.NewReader(src, nil).Recover() {
			if last.Skipped == nil {
				records++
			}
		}
		if records != len(want) || last.Skipped == nil || last.Skipped.End != -1 || !errors.Is(last.Skipped.Err, broken) {
			t.Errorf("%v: Recover: %d records, then %+v", c, records, last.Skipped)
		}
	}
}

type countLiar struct{ n int }

func (c countLiar) Read(p []byte) (int, error) { return c.n, nil }

type never struct{}

func (never) Read(p []byte) (int, error) { return 0, nil }

func TestBrokenSource(t *testing.T) {
	for _, c := range autoCodecs {
		for name, src := range map[string]io.Reader{"-1": countLiar{-1}, "too many": countLiar{math.MaxInt32}, "nothing": never{}} {
			done := make(chan error, 1)
			go func() {
				_, err := tfrecord.NewReader(src, &tfrecord.ReaderOptions{Compression: c}).Next()
				done <- err
			}()
			select {
			case err := <-done:
				if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class != 0 {
					t.Errorf("%v, %s: %v", c, name, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%v, %s: hangs", c, name)
			}
		}
	}
}

// allocated returns how much memory f allocates.
func allocated(f func()) uint64 {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	f()
	runtime.ReadMemStats(&b)
	return b.TotalAlloc - a.TotalAlloc
}

// TestLengthsThatLie: a false length takes no more memory than the bytes that follow it.
func TestLengthsThatLie(t *testing.T) {
	first := slowRecord([]byte("first"))
	for _, n := range []uint64{1 << 20, 1 << 30, 1<<31 - 1, 1 << 31, 1<<32 + 5, 1 << 40, 1<<63 - 5, 1 << 63, 1<<64 - 16, 1<<64 - 1} {
		raw := append(append(bytes.Clone(first), slowHeader(n)...), make([]byte, 5000)...)
		class := tfrecord.Truncated
		if n > 1<<31-1 {
			class = tfrecord.TooLong
		}
		for _, c := range codecs {
			data := raw
			if c != tfrecord.None {
				data = packRaw(t, c, raw)
			}
			for _, way := range []string{"Next", "Skip", "Recover"} {
				var err error
				spent := allocated(func() {
					src := struct{ io.Reader }{bytes.NewReader(data)}
					r := tfrecord.NewReader(src, &tfrecord.ReaderOptions{Compression: c})
					switch way {
					case "Next":
						for err == nil {
							_, err = r.Next()
						}
					case "Skip":
						for err == nil {
							err = r.Skip()
						}
					default:
						for x := range tfrecord.NewReader(src, &tfrecord.ReaderOptions{Compression: c}).Recover() {
							if x.Skipped != nil {
								err = x.Skipped.Err
							}
						}
					}
				})
				e, ok := errors.AsType[*tfrecord.Error](err)
				if !ok || e.Class != class || e.Offset != 21 || e.Record != 1 {
					t.Errorf("length %d, %v, %s: %v", n, c, way, err)
				}
				if spent > 12<<20 { // a zstd decoder uses 8 MiB for its window
					t.Errorf("length %d, %v, %s: %d bytes of memory for %d of input", n, c, way, spent, len(data))
				}
			}
		}
	}
}

// packRaw compresses bytes that are not whole records. This makes no difference to deflate and zstd. Snappy gets
// several blocks.
func packRaw(t testing.TB, c tfrecord.Compression, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tfrecord.Pack(&b, c, raw); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestClaimsOfCodecs: the same for the sizes in compressed streams.
func TestClaimsOfCodecs(t *testing.T) {
	good := pack(t, tfrecord.SNAPPY, []byte("first"))
	zstd := pack(t, tfrecord.ZSTD, []byte("first"))
	for _, c := range []struct {
		name  string
		codec tfrecord.Compression
		data  []byte
	}{
		{"snappy: block of 4 GiB", tfrecord.SNAPPY, append(bytes.Clone(good), "\xff\xff\xff\xf0abcdefgh"...)},
		{"snappy: block of 1 GiB that could be", tfrecord.SNAPPY, append(bytes.Clone(good), "\x40\x00\x00\x00\x80\x80\x80\x80\x04abcd"...)},
		{"snappy: 2 GiB in 6 bytes", tfrecord.SNAPPY, append(bytes.Clone(good), "\x00\x00\x00\x06\xff\xff\xff\xff\x07\x00"...)},
		{"snappy: 4 GiB in 6 bytes", tfrecord.SNAPPY, append(bytes.Clone(good), "\x00\x00\x00\x06\xff\xff\xff\xff\x0f\x00"...)},
		{"zstd: window of 3 TiB", tfrecord.ZSTD, append(bytes.Clone(zstd), "\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00"...)},
		{"zstd: window of 128 MiB", tfrecord.ZSTD, append(bytes.Clone(zstd), "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"...)},
		{"zstd: content of 1 TiB in one segment", tfrecord.ZSTD, append(bytes.Clone(zstd), "\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00"...)},
		{"zstd: skippable frame of 4 GiB", tfrecord.ZSTD, append(bytes.Clone(zstd), "\x50\x2a\x4d\x18\xff\xff\xff\xffabc"...)},
	} {
		var got [][]byte
		var err error
		spent := allocated(func() {
			got, err = readPayloads(bytes.NewReader(c.data), &tfrecord.ReaderOptions{Compression: c.codec})
		})
		e, ok := errors.AsType[*tfrecord.Error](err)
		if len(got) != 1 || !ok || e.Class != tfrecord.Codec && e.Class != tfrecord.Truncated || e.Offset != 21 {
			t.Errorf("%s: %d records, %v", c.name, len(got), err)
		}
		if spent > 12<<20 {
			t.Errorf("%s: %d bytes of memory for %d of input", c.name, spent, len(c.data))
		}
	}
}

// TestLongRecord reads a record that is much larger than the buffer, complete and truncated.
func TestLongRecord(t *testing.T) {
	testkit.OneGoroutine(t)
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	want := [][]byte{[]byte("before"), long, nil, []byte("after"), long[:1<<18], []byte("last")}
	for _, c := range codecs {
		data := pack(t, c, want...)
		for _, size := range []int{1, 64 << 10, 1 << 21} {
			src := struct{ io.Reader }{bytes.NewReader(data)}
			got, err := readPayloads(src, &tfrecord.ReaderOptions{BufferSize: size})
			if err != nil || !equalPayloads(got, want) {
				t.Errorf("%v, buffer of %d: %d records, %v", c, size, len(got), err)
			}
		}
	}
	cut := slowStream(want...)[:22+900_000]
	_, err := readPayloads(struct{ io.Reader }{bytes.NewReader(cut)}, nil)
	if fmt.Sprint(err) != "record 1 (offset 0x16): truncated: the stream ends after 899988 of the 1048580 bytes of payload and footer" {
		t.Error(err)
	}
}

// TestReadsLandAligned: no matter how much of the last read is left, the next one uses an aligned address, to which
// files are copied fast.
func TestReadsLandAligned(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, size := range []int{1, 700, 1013, 4099, 100_001} {
		raw := bytes.Repeat(slowRecord(make([]byte, size)), 3_000_000/size)
		for name, step := range map[string]func(*tfrecord.Reader) error{
			"Next": func(r *tfrecord.Reader) error { _, err := r.Next(); return err },
			"Skip": (*tfrecord.Reader).Skip,
		} {
			src := &addresses{r: bytes.NewReader(raw)}
			r := tfrecord.NewReader(src, nil)
			var err error
			for err == nil {
				err = step(r)
			}
			if err != io.EOF {
				t.Fatal(err)
			}
			if src.reads < 10 || src.odd > 0 {
				t.Errorf("%s, records of %d bytes: %d of %d reads are not aligned", name, size, src.odd, src.reads)
			}
		}
	}
}

// addresses counts the large reads, and those of them that are to unaligned memory.
type addresses struct {
	r          io.Reader
	reads, odd int
}

func (a *addresses) Read(p []byte) (int, error) {
	if len(p) >= 64<<10 {
		a.reads++
		if uintptr(unsafe.Pointer(&p[0]))%64 != 0 {
			a.odd++
		}
	}
	return a.r.Read(p)
}
