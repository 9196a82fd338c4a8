package tfrecord_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// withMemory makes a reader read into memory of the caller.
func withMemory(r *tfrecord.Reader, memory recordhooks.Memory) *tfrecord.Reader {
	recordhooks.SetMemory(r, memory)
	return r
}

// Records in memory of the caller do not change later, for all sizes of records, buffers and reads, and also when
// the next stream is read.
func TestMemory(t *testing.T) {
	testkit.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var want [][]byte
	for range 120 {
		n := rng.IntN(1 << rng.IntN(13))
		want = append(want, bytes.Repeat([]byte{byte(len(want))}, n))
	}
	for _, c := range codecs {
		data := pack(t, c, want...)
		for _, slab := range []int{0, 100, 1000, 70_000} {
			for name, source := range map[string]func() io.Reader{
				"bytes.Reader": func() io.Reader { return bytes.NewReader(data) },
				"halves":       func() io.Reader { return iotest.HalfReader(bytes.NewReader(data)) },
				"single bytes": func() io.Reader { return iotest.OneByteReader(bytes.NewReader(data)) },
			} {
				given := 0
				r := withMemory(tfrecord.NewReader(nil, &tfrecord.ReaderOptions{BufferSize: 4096}), func(n int) ([]byte, error) {
					given += max(n, slab)
					b := make([]byte, max(n, slab))
					for i := range b {
						b[i] = 0xee
					}
					return b, nil
				})
				var got [][]byte
				for range 2 {
					r.Reset(source(), "")
					for rec, err := range r.All() {
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, rec)
					}
				}
				if !equalPayloads(got, append(want, want...)) {
					t.Errorf("%v, slabs of %d, %s: the records differ", c, slab, name)
				}
				if slab == 70_000 && given > 20*len(slowStream(want...)) {
					t.Errorf("%v, %s: %d bytes of memory", c, name, given)
				}
			}
		}
	}
}

// If the caller returns an error instead of memory, it is treated like an error of the source.
func TestMemoryRefused(t *testing.T) {
	full := errors.New("full")
	data := slowStream(make([]byte, 500), make([]byte, 500))
	for left := range 3 {
		r := withMemory(tfrecord.NewReader(bytes.NewReader(data), &tfrecord.ReaderOptions{}), func(n int) ([]byte, error) {
			if left--; left < 0 {
				return nil, full
			}
			return make([]byte, max(n, 400)), nil
		})
		var err error
		for err == nil {
			_, err = r.Next()
		}
		if !errors.Is(err, full) {
			t.Error(err)
		}
	}
	r := withMemory(tfrecord.NewReader(bytes.NewReader(data), &tfrecord.ReaderOptions{}), func(n int) ([]byte, error) { return make([]byte, n-1), nil })
	if _, err := r.Next(); !errors.Is(err, io.ErrShortBuffer) {
		t.Error(err)
	}
}

// A false length takes at most twice as much memory as the bytes that were read.
func TestMemoryClaims(t *testing.T) {
	data := slowStream(make([]byte, 100_000))
	cut := append(slowStream([]byte("first")), data[:50_000]...)
	given := 0
	r := withMemory(tfrecord.NewReader(bytes.NewReader(cut), &tfrecord.ReaderOptions{}), func(n int) ([]byte, error) {
		if n > 2*len(cut)+100 {
			t.Errorf("%d bytes are asked for", n)
		}
		given += n
		return make([]byte, n), nil
	})
	var err error
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || given > 5*len(cut) {
		t.Errorf("%v, %d bytes", err, given)
	}
}

// Skip also asks for new memory, and does not change memory of earlier records.
func TestMemorySkip(t *testing.T) {
	want := [][]byte{[]byte("one"), make([]byte, 5000), []byte("three"), make([]byte, 9), []byte("five")}
	r := withMemory(tfrecord.NewReader(bytes.NewReader(slowStream(want...)), &tfrecord.ReaderOptions{BufferSize: 1}), func(n int) ([]byte, error) { return make([]byte, n), nil })
	var got []byte
	var kept [][]byte
	for i := range want {
		if i%2 == 1 {
			if err := r.Skip(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, rec)
	}
	for _, k := range kept {
		got = append(got, k...)
	}
	if string(got) != "onethreefive" {
		t.Errorf("%q", got)
	}
}
