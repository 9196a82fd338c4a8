package tfrecord_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// unpack decodes with other libraries than the package does, and checks for content that TensorFlow cannot read.
func unpack(t *testing.T, c tfrecord.Compression, data []byte) []byte {
	t.Helper()
	var raw []byte
	var err error
	switch c {
	case tfrecord.None:
		return data
	case tfrecord.GZIP:
		if !bytes.Equal(data[4:8], make([]byte, 4)) {
			t.Errorf("gzip: time %x in the header", data[4:8])
		}
		src := bufio.NewReader(bytes.NewReader(data))
		var z *gzip.Reader
		if z, err = gzip.NewReader(src); err == nil {
			z.Multistream(false) // TensorFlow can lose the data after the first member
			raw, err = io.ReadAll(z)
		}
		if n := src.Buffered(); n > 0 {
			t.Errorf("gzip: %d bytes after the first member", n)
		}
	case tfrecord.ZLIB:
		src := bufio.NewReader(bytes.NewReader(data))
		var z io.ReadCloser
		if z, err = zlib.NewReader(src); err == nil {
			raw, err = io.ReadAll(z)
		}
		if n := src.Buffered(); n > 0 {
			t.Errorf("zlib: %d bytes after the first stream", n)
		}
	case tfrecord.SNAPPY:
		for len(data) > 0 && err == nil {
			n := binary.BigEndian.Uint32(data)
			var part []byte
			if part, err = snappy.Decode(nil, data[4:4+n]); len(part) > 262144 {
				t.Errorf("snappy: block of %d bytes, more than TensorFlow takes", len(part))
			}
			raw, data = append(raw, part...), data[4+n:]
		}
	case tfrecord.ZSTD:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(data)); err == nil {
			defer d.Close()
			raw, err = io.ReadAll(d)
		}
	default:
		t.Fatalf("%v: no other decoder to compare with", c)
	}
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return raw
}

func TestWriter(t *testing.T) {
	testkit.OneGoroutine(t)
	big := bytes.Repeat([]byte("label "), 200_000)
	for name, payloads := range map[string][][]byte{
		"no records":   {},
		"hello":        {[]byte("hello"), nil},
		"small":        somePayloads(11, 2000),
		"at the block": {big[:262128], big[:262129], big[:262144], big[:262145], big[:5], big},
		"long":         {nil, big, []byte("x"), big[:1<<19], nil},
	} {
		want := slowStream(payloads...)
		for _, c := range codecs {
			for _, size := range []int{0, 1, 100} {
				var first []byte
				for round := range 2 {
					var b bytes.Buffer
					w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c, BufferSize: size})
					off := int64(0)
					for i, p := range payloads {
						if w.Offset() != off {
							t.Errorf("%s, %v: record %d at %d, want %d", name, c, i, w.Offset(), off)
						}
						off += 16 + int64(len(p))
						if err := w.WriteRecord(p); err != nil {
							t.Fatalf("%s, %v: %v", name, c, err)
						}
					}
					if err := w.Close(); err != nil {
						t.Fatalf("%s, %v: %v", name, c, err)
					}
					if w.Offset() != int64(len(want)) {
						t.Errorf("%s, %v: ends at %d, want %d", name, c, w.Offset(), len(want))
					}
					if round == 0 {
						first = bytes.Clone(b.Bytes())
						if got := unpack(t, c, first); !bytes.Equal(got, want) {
							t.Errorf("%s, %v, buffer %d: %d bytes inside, want %d", name, c, size, len(got), len(want))
						}
						if got, err := readPayloads(&b, nil); err != nil || !equalPayloads(got, payloads) {
							t.Errorf("%s, %v, buffer %d: %d records, %v", name, c, size, len(got), err)
						}
					} else if !bytes.Equal(b.Bytes(), first) {
						t.Errorf("%s, %v: equal records, other bytes", name, c)
					}
				}
			}
		}
	}
}

func TestWriterLevels(t *testing.T) {
	testkit.OneGoroutine(t)
	payloads := somePayloads(12, 500)
	want := slowStream(payloads...)
	tops := map[tfrecord.Compression]int{tfrecord.None: 0, tfrecord.GZIP: 9, tfrecord.ZLIB: 9, tfrecord.SNAPPY: 0, tfrecord.ZSTD: 22}
	for _, c := range codecs {
		top, ok := tops[c]
		if !ok {
			t.Errorf("%v: no levels to test", c)
			continue
		}
		for level := -1; level <= top+1; level++ {
			var b bytes.Buffer
			w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c, Level: level})
			var err error
			for _, p := range payloads {
				if err = w.WriteRecord(p); err != nil {
					break
				}
			}
			if e := w.Close(); err == nil {
				err = e
			}
			if bad := level < 0 || level > top; bad != (err != nil) {
				t.Errorf("%v, level %d: %v", c, level, err)
			} else if !bad && !bytes.Equal(unpack(t, c, b.Bytes()), want) {
				t.Errorf("%v, level %d: other content", c, level)
			}
		}
	}
	if err := tfrecord.NewWriter(io.Discard, &tfrecord.WriterOptions{Compression: 99}).WriteRecord(nil); err == nil {
		t.Error("there is no compression 99")
	}
}

// TestFlush: flushed records can be read before the stream is closed.
func TestFlush(t *testing.T) {
	payloads := somePayloads(13, 30)
	for _, c := range codecs {
		var b bytes.Buffer
		w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c})
		for i, p := range payloads {
			if err := w.WriteRecord(p); err != nil {
				t.Fatal(err)
			}
			if i%7 != 3 {
				continue
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			got, err := readPayloads(bytes.NewReader(b.Bytes()), &tfrecord.ReaderOptions{Compression: c})
			if !equalPayloads(got, payloads[:i+1]) {
				t.Errorf("%v: %d records of the %d flushed: %v", c, len(got), i+1, err)
			}
			ends := c == tfrecord.None || c == tfrecord.SNAPPY // these formats have no end mark
			if ends != (err == nil) || !ends && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v: flushed and not closed: %v", c, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := readPayloads(&b, nil); err != nil || !equalPayloads(got, payloads) {
			t.Errorf("%v: %d records, %v", c, len(got), err)
		}
	}
}

// failAfter accepts n bytes, and then fails.
type failAfter struct{ n int }

var errFull = errors.New("no space left on device")

func (f *failAfter) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return f.n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestWriterFails(t *testing.T) {
	p := make([]byte, 1000)
	for _, c := range codecs {
		for _, n := range []int{0, 3, 20} {
			w := tfrecord.NewWriter(&failAfter{n}, &tfrecord.WriterOptions{Compression: c, BufferSize: 10})
			var err error
			for i := 0; err == nil && i < 10; i++ {
				binary.LittleEndian.PutUint64(p[i*8:], uint64(i)*0x9e3779b97f4a7c15)
				err = w.WriteRecord(p)
			}
			if err != nil {
				if again := w.WriteRecord(nil); again != err {
					t.Errorf("%v: the error does not stay: %v, then %v", c, err, again)
				}
			}
			if err := w.Close(); !errors.Is(err, errFull) {
				t.Errorf("%v, room for %d: Close returns %v", c, n, err)
			}
		}
	}
	w := tfrecord.NewWriter(shortWriter{}, nil)
	w.WriteRecord(p)
	if err := w.Flush(); err != io.ErrShortWrite {
		t.Errorf("short write: %v", err)
	}
}

func TestWriterAfterClose(t *testing.T) {
	for _, c := range codecs {
		var b bytes.Buffer
		w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c})
		w.WriteRecord([]byte("x"))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		size := b.Len()
		if err := w.Close(); err != nil {
			t.Errorf("%v: second Close: %v", c, err)
		}
		if w.WriteRecord(nil) == nil || w.Flush() == nil || b.Len() != size {
			t.Errorf("%v: writes after Close", c)
		}
	}
}

func TestWritingDoesNotAllocate(t *testing.T) {
	p := fmt.Appendf(nil, "%0300d", 7)
	for _, c := range []tfrecord.Compression{tfrecord.None, tfrecord.GZIP, tfrecord.ZLIB, tfrecord.SNAPPY} {
		w := tfrecord.NewWriter(io.Discard, &tfrecord.WriterOptions{Compression: c})
		for range 5000 {
			w.WriteRecord(p)
		}
		if n := testing.AllocsPerRun(3000, func() { w.WriteRecord(p) }); n != 0 {
			t.Errorf("%v: %v allocations", c, n)
		}
	}
}
