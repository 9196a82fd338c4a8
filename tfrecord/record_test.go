package tfrecord_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// hello is the stream of two records, "hello" and "", as TensorFlow writes it.
const hello = `
	05 00 00 00 00 00 00 00  ea b2 04 3e  68 65 6c 6c 6f  bb 1f 1c 19
	00 00 00 00 00 00 00 00  29 03 98 07  d8 ea 82 a2`

func TestMaskedCRC(t *testing.T) {
	up := make([]byte, 32)
	for i := range up {
		up[i] = byte(i)
	}
	for _, c := range []struct {
		in   []byte
		want uint32
	}{
		{nil, 0xa282ead8},
		{[]byte("123456789"), 0xc78ab0e5},
		{make([]byte, 8), 0x07980329},
		{make([]byte, 32), 0x0fd7fffa},
		{bytes.Repeat([]byte{0xff}, 32), 0xf909b029},
		{up, 0x951f7892},
		{[]byte("hello"), 0x191c1fbb},
		{[]byte("\x05\x00\x00\x00\x00\x00\x00\x00"), 0x3e04b2ea},
		{[]byte("abc"), 0x21f1576e},
		{[]byte("defg"), 0xa11b0727},
	} {
		if got := tfrecord.MaskedCRC(c.in); got != c.want {
			t.Errorf("MaskedCRC(%x) = %08x, want %08x", c.in, got, c.want)
		}
		if got := slowMaskedCRC(c.in); got != c.want {
			t.Errorf("slowMaskedCRC(%x) = %08x, want %08x", c.in, got, c.want)
		}
	}
}

func TestAppendRecord(t *testing.T) {
	for payload, want := range map[string]string{
		"":     "00 00 00 00 00 00 00 00 29 03 98 07 d8 ea 82 a2",
		"abc":  "03 00 00 00 00 00 00 00 b0 99 49 0e 61 62 63 6e 57 f1 21",
		"defg": "04 00 00 00 00 00 00 00 42 45 52 04 64 65 66 67 27 07 1b a1",
	} {
		got := tfrecord.AppendRecord([]byte("before"), []byte(payload))
		if want := append([]byte("before"), unhex(t, want)...); !bytes.Equal(got, want) {
			t.Errorf("AppendRecord(%q):\n got %x\nwant %x", payload, got, want)
		}
	}
	// The table for the checksum of the length: every byte of a length, and lengths that no slice can have.
	for shift := range 64 {
		n := uint64(0xfedcba9876543210) >> shift
		b := append(slowHeader(n), make([]byte, 4)...)
		if _, _, err := tfrecord.ConsumeRecord(b); errors.Is(err, tfrecord.ErrLengthChecksum) {
			t.Errorf("length %#x: %v", n, err)
		}
	}
}

func TestConsumeRecord(t *testing.T) {
	b := unhex(t, hello)
	for i, want := range []string{"hello", ""} {
		p, n, err := tfrecord.ConsumeRecord(b)
		if string(p) != want || n != 16+len(want) || err != nil {
			t.Fatalf("record %d: %q, %d, %v", i, p, n, err)
		}
		if cap(p) != len(p) {
			t.Errorf("record %d: capacity %d reaches beyond the payload", i, cap(p))
		}
		b = b[n:]
	}
	if _, n, err := tfrecord.ConsumeRecord(b); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
	first := unhex(t, hello)[:21]
	for n := 1; n < len(first); n++ {
		if p, k, err := tfrecord.ConsumeRecord(first[:n]); p != nil || k != 0 || err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes: %q, %d, %v", n, p, k, err)
		}
	}
	for i := range first {
		b := bytes.Clone(first)
		b[i] ^= 0x10
		want, size := tfrecord.ErrDataChecksum, len(b)
		if i < 12 {
			want, size = tfrecord.ErrLengthChecksum, 0
		}
		if p, n, err := tfrecord.ConsumeRecord(b); p != nil || n != size || !errors.Is(err, want) {
			t.Errorf("byte %d damaged: %q, %d, %v; want %d, %v", i, p, n, err, size, want)
		}
		// Damage is distinguished from truncation also if the payload is missing.
		if _, _, err := tfrecord.ConsumeRecord(b[:12]); i < 12 && !errors.Is(err, tfrecord.ErrLengthChecksum) {
			t.Errorf("byte %d damaged, header only: %v", i, err)
		}
	}
	for _, n := range []uint64{5, 1 << 31, 1<<32 + 5, 1<<63 - 1, 1 << 63, 1<<64 - 16, 1<<64 - 1} {
		b := append(slowHeader(n), "xxxx"...)
		if p, k, err := tfrecord.ConsumeRecord(b); p != nil || k != 0 || err != io.ErrUnexpectedEOF {
			t.Errorf("length %d: %q, %d, %v", n, p, k, err)
		}
	}
}

func TestPrimitivesDoNotAllocate(t *testing.T) {
	payload := bytes.Repeat([]byte("x"), 1000)
	b := tfrecord.AppendRecord(nil, payload)
	dst := make([]byte, 0, 2*len(b))
	for name, f := range map[string]func(){
		"AppendRecord":  func() { dst = tfrecord.AppendRecord(dst[:0], payload) },
		"ConsumeRecord": func() { tfrecord.ConsumeRecord(b) },
		"MaskedCRC":     func() { tfrecord.MaskedCRC(payload) },
		"short":         func() { tfrecord.ConsumeRecord(b[:20]) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
