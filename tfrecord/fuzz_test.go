package tfrecord_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// seedFiles returns the small files of testdata, and streams with each kind of damage.
func seedFiles(f *testing.F) (files [][]byte) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*.tfrecord"))
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		files = append(files, b)
	}
	raw := slowStream([]byte("first"), nil, []byte("the third"))
	bad := bytes.Clone(raw)
	bad[12] ^= 1
	return append(files, nil, raw, bad, raw[:30], append(slowHeader(1<<40), raw...), append(slowHeader(20), raw...),
		append(bytes.Clone(raw), slowHeader(1<<31-1)...), []byte("<html>"), []byte(`{"a": 1}`),
		slowStream(raw, raw), append(snappyBlock(raw[:20]), snappyBlock(raw[20:])...))
}

// reading is everything that a Reader returns for a stream.
type reading struct {
	payloads [][]byte
	at       []tfrecord.Position
	faults   []string // of damaged payloads, in order
	end      string
	class    tfrecord.Class
	codec    tfrecord.Compression
}

// readOn reads to the end, and skips damaged payloads.
func readOn(t *testing.T, src io.Reader, o tfrecord.ReaderOptions) (got reading) {
	r := tfrecord.NewReader(src, &o)
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			got.payloads = append(got.payloads, bytes.Clone(p))
			got.at = append(got.at, r.Pos())
			continue
		}
		e, ok := errors.AsType[*tfrecord.Error](err)
		if !ok {
			t.Fatalf("error %v is no *Error", err)
		}
		if e.Class == tfrecord.PayloadCRC {
			got.faults = append(got.faults, e.Position.String())
			continue
		}
		if e.Class == 0 {
			t.Fatalf("error %v has no class, and the source did not fail", err)
		}
		got.end, got.class = e.Position.String()+" "+e.Class.String(), e.Class
		break
	}
	got.codec = r.Compression()
	return got
}

func (a reading) String() string {
	return fmt.Sprint(len(a.payloads), a.at, a.faults, a.end, a.codec)
}

// FuzzReader: for any bytes the Reader terminates and uses bounded memory. The result does not depend on how the
// source splits the bytes. For uncompressed bytes it agrees with the simple implementation.
func FuzzReader(f *testing.F) {
	for _, b := range seedFiles(f) {
		for _, c := range autoCodecs {
			f.Add(b, uint8(c))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, codec uint8) {
		const limit = 1 << 20
		o := tfrecord.ReaderOptions{Compression: autoCodecs[int(codec)%len(autoCodecs)], MaxRecordSize: limit}
		var got reading
		spent := allocated(func() { got = readOn(t, bytes.NewReader(data), o) })
		// The output of a decoder may be much larger than its input: 1,000 times for zeros. This test also copies
		// each record.
		if most := uint64(64<<20 + 4096*len(data)); spent > most {
			t.Errorf("%d bytes of memory for %d of input", spent, len(data))
		}
		o.BufferSize = 1
		if again := readOn(t, &stutter{r: bytes.NewReader(data)}, o); again.String() != got.String() || !equalPayloads(again.payloads, got.payloads) {
			t.Errorf("from memory: %v\nin small pieces: %v", got, again)
		}

		// Skip finds the same records, and also the damaged ones.
		r := tfrecord.NewReader(bytes.NewReader(data), &o)
		n := 0
		for r.Skip() == nil {
			n++
		}
		if n != len(got.payloads)+len(got.faults) {
			t.Errorf("%d skipped, %d read, %d damaged", n, len(got.payloads), len(got.faults))
		}

		if got.codec != tfrecord.None {
			return
		}
		payloads, faults, class, off := slowWalk(data, limit)
		if !equalPayloads(payloads, got.payloads) || len(faults) != len(got.faults) {
			t.Errorf("%v, want %d records, faults at %v", got, len(payloads), faults)
		}
		if got.class == tfrecord.NotTFRecord && off == 0 && (class == tfrecord.LengthCRC || class == tfrecord.Truncated) {
			class = tfrecord.NotTFRecord // which of the two depends on the first bytes
		}
		if got.class != class {
			t.Errorf("%v, want class %v at %d", got, class, off)
		}
		for b := data; ; {
			p, n, err := tfrecord.ConsumeRecord(b)
			if n == 0 {
				if (err == io.EOF) != (class == 0) {
					t.Errorf("ConsumeRecord ends with %v, the Reader with %v", err, class)
				}
				break
			}
			if err == nil {
				if len(payloads) == 0 || !bytes.Equal(p, payloads[0]) {
					t.Errorf("ConsumeRecord finds %q", p)
					break
				}
				payloads = payloads[1:]
			}
			b = b[n:]
		}
	})
}

// FuzzRecover: Recover terminates, its records and losses have no gaps, and its records are in the stream. For
// uncompressed bytes it follows the rule.
func FuzzRecover(f *testing.F) {
	for _, b := range seedFiles(f) {
		for _, c := range autoCodecs {
			f.Add(b, uint8(c))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, codec uint8) {
		c := autoCodecs[int(codec)%len(autoCodecs)]
		got, losses := recovered(t, bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: c, MaxRecordSize: 1 << 20})
		whole := readOn(t, bytes.NewReader(data), tfrecord.ReaderOptions{Compression: c, MaxRecordSize: 1 << 20})
		if intact := whole.end == "" && len(whole.faults) == 0; intact != (len(losses) == 0) || intact && !equalPayloads(got, whole.payloads) {
			t.Errorf("Reader: %v\nRecover: %d records, lost %v", whole, len(got), sketch(losses))
		}
		if c == tfrecord.None {
			compareRecover(t, data)
		}
	})
}

// FuzzRoundTrip: any payloads that are written with any codec are read back, and equal payloads give equal bytes.
func FuzzRoundTrip(f *testing.F) {
	for _, c := range codecs {
		f.Add([]byte("one two three"), uint8(c), uint16(3), uint16(0))
		f.Add(bytes.Repeat([]byte("label "), 1000), uint8(c), uint16(700), uint16(100))
	}
	f.Fuzz(func(t *testing.T, data []byte, codec uint8, cut, buffer uint16) {
		c := codecs[int(codec)%len(codecs)]
		var payloads [][]byte
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 1+int(cut)%(1+len(payloads)*7))
			payloads, rest = append(payloads, rest[:n-n%2]), rest[n:]
		}
		write := func() []byte {
			var b bytes.Buffer
			w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c, BufferSize: int(buffer)})
			for _, p := range payloads {
				if err := w.WriteRecord(p); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		b := write()
		if !bytes.Equal(b, write()) {
			t.Errorf("%v: equal records, other bytes", c)
		}
		for _, named := range []tfrecord.Compression{c, tfrecord.Auto} {
			got, err := readPayloads(bytes.NewReader(b), &tfrecord.ReaderOptions{Compression: named, BufferSize: int(buffer)})
			if err != nil || !equalPayloads(got, payloads) {
				t.Errorf("%v read as %v: %d records of %d, %v", c, named, len(got), len(payloads), err)
			}
		}
	})
}
