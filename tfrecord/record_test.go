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
	// The table for the checksum of the length: every byte of it, and lengths
	// that no slice has.
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
		// Damage is told from a cut also where there is no room for a payload.
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

func TestReadRecordAt(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 20_000) // more than one step of reading
	b := slowStream([]byte("hello"), nil, big)
	for _, c := range []struct {
		off  int64
		want []byte
	}{{0, []byte("hello")}, {21, nil}, {37, big}} {
		got, err := tfrecord.ReadRecordAt(bytes.NewReader(b), c.off, []byte("dst"))
		if err != nil || !bytes.Equal(got, append([]byte("dst"), c.want...)) {
			t.Errorf("at %d: %d bytes, %v", c.off, len(got), err)
		}
	}
	end := int64(len(b))
	if _, err := tfrecord.ReadRecordAt(bytes.NewReader(b), end, nil); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	flipped := bytes.Clone(b)
	flipped[12] ^= 1
	for _, c := range []struct {
		name  string
		data  []byte
		off   int64
		class tfrecord.Class
		text  string
	}{
		{"inside a record", b, 3, tfrecord.LengthCRC, "offset 0x3: length checksum mismatch: stored 0x6c65683e, computed"},
		{"payload", flipped, 0, tfrecord.PayloadCRC, "offset 0x0: payload checksum mismatch: stored 0x191c1fbb, computed"},
		{"cut header", b[:30], 21, tfrecord.Truncated, "offset 0x15: truncated: the stream ends after 9 of the 12 bytes of a header"},
		{"cut payload", b[:20], 0, tfrecord.Truncated, "offset 0x0: truncated: the stream ends after 8 of the 9 bytes of payload and footer"},
		{"no payload", b[:12], 0, tfrecord.Truncated, "after 0 of the 9 bytes"},
		{"cut long payload", b[:100_000], 37, tfrecord.Truncated, "after 99951 of the 320004 bytes"},
		{"length that lies", append(slowHeader(1<<31-1), 1, 2, 3), 0, tfrecord.Truncated, "after 3 of the 2147483651 bytes"},
		{"over the limit", slowHeader(1 << 31), 0, tfrecord.TooLong, "record of 2147483648 bytes exceeds the limit of 2147483647"},
		{"before the start", b, -1, 0, "negative offset"},
	} {
		got, err := tfrecord.ReadRecordAt(bytes.NewReader(c.data), c.off, []byte("dst"))
		e, ok := errors.AsType[*tfrecord.Error](err)
		if !ok || e.Class != c.class || e.Record != -1 || e.Offset != c.off || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want class %v, %q", c.name, err, c.class, c.text)
		}
		if string(got) != "dst" {
			t.Errorf("%s: %q returned for dst", c.name, got)
		}
	}
	failing := errors.New("disk on fire")
	if _, err := tfrecord.ReadRecordAt(failingAt{failing}, 0, nil); !errors.Is(err, failing) {
		t.Errorf("failing source: %v", err)
	}
}

type failingAt struct{ err error }

func (f failingAt) ReadAt(p []byte, off int64) (int, error) { return 0, f.err }

func TestPrimitivesDoNotAllocate(t *testing.T) {
	payload := bytes.Repeat([]byte("x"), 1000)
	b := tfrecord.AppendRecord(nil, payload)
	src := bytes.NewReader(b)
	dst := make([]byte, 0, 2*len(b))
	for name, f := range map[string]func(){
		"AppendRecord":  func() { dst = tfrecord.AppendRecord(dst[:0], payload) },
		"ConsumeRecord": func() { tfrecord.ConsumeRecord(b) },
		"ReadRecordAt":  func() { tfrecord.ReadRecordAt(src, 0, dst) },
		"MaskedCRC":     func() { tfrecord.MaskedCRC(payload) },
		"short":         func() { tfrecord.ConsumeRecord(b[:20]) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
