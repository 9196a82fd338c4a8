package tfrecord_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

var (
	codecs     = tfrecord.Compressions()
	autoCodecs = slices.Concat([]tfrecord.Compression{tfrecord.Auto}, codecs) // all that a Reader accepts
)

// pack returns payloads as a stream with codec c.
func pack(t testing.TB, c tfrecord.Compression, payloads ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c})
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

func equalPayloads(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func TestReadsWhatTensorFlowWrote(t *testing.T) {
	for _, c := range codecs {
		data, err := os.ReadFile(filepath.Join("testdata", "two."+c.String()+".tfrecord"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []tfrecord.Compression{c, tfrecord.Auto} {
			r := tfrecord.NewReader(bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: name})
			if r.Compression() != tfrecord.Auto {
				t.Errorf("%v before the first record: %v", c, r.Compression())
			}
			var got []string
			for p, err := range r.All() {
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				got = append(got, string(p))
			}
			if len(got) != 2 || got[0] != "hello" || got[1] != "" {
				t.Errorf("%v: %q", c, got)
			}
			if r.Compression() != c {
				t.Errorf("%v was found to be %v", c, r.Compression())
			}
			if r.Offset() != 37 {
				t.Errorf("%v: offset %d of 37", c, r.Offset())
			}
		}
	}
}

// TestPublishedFiles reads files that other projects publish. Their records were counted with other programs.
func TestPublishedFiles(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.FromSlash("../../shared/data")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no published files beside the project: ../shared/data is absent")
	}
	want := map[string]int{
		"penguin/data_tfrecord-00000-of-00001.gz": 234, "sequence/data_tfrecord_eval.gz": 4500,
		"ranking/eval_elwc.tfrecord": 10, "ranking/vali_numerical_elwc.tfrecord": 9,
	}
	for i := range 12 {
		want[fmt.Sprintf("chicago_taxi/data_tfrecord-%05d-of-00012.gz", i)] = 826 - map[int]int{3: 1, 5: 1, 11: 1}[i]
	}
	for name, n := range want {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		codec := tfrecord.GZIP
		if strings.HasSuffix(name, ".tfrecord") {
			codec = tfrecord.None
		}
		for _, c := range []tfrecord.Compression{codec, tfrecord.Auto} {
			got, err := readPayloads(bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: c})
			if err != nil || len(got) != n {
				t.Errorf("%s as %v: %d records, want %d: %v", name, c, len(got), n, err)
			}
			if raw := unpack(t, codec, data); !bytes.Equal(raw, pack(t, tfrecord.None, got...)) {
				t.Errorf("%s: written again, the stream differs", name)
			}
		}
	}
}

func TestPositions(t *testing.T) {
	payloads := somePayloads(1, 50)
	for _, c := range codecs {
		r := tfrecord.NewReader(bytes.NewReader(pack(t, c, payloads...)), &tfrecord.ReaderOptions{Name: "f", BufferSize: 1})
		if got := r.Pos(); got != (tfrecord.Position{Name: "f", Record: -1}) {
			t.Errorf("%v: first %+v", c, got)
		}
		off := int64(0)
		for i, p := range payloads {
			if r.Offset() != off {
				t.Errorf("%v: record %d: next at %d, want %d", c, i, r.Offset(), off)
			}
			var err error
			if i%3 == 2 {
				err = r.Skip()
			} else {
				_, err = r.Next()
			}
			if err != nil {
				t.Fatal(err)
			}
			want := tfrecord.Position{Name: "f", Record: int64(i), Offset: off}
			if r.Pos() != want {
				t.Errorf("%v: %+v, want %+v", c, r.Pos(), want)
			}
			off += 16 + int64(len(p))
		}
		last := r.Pos()
		for range 2 {
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("%v: %v at the end", c, err)
			}
			if err := r.Skip(); err != io.EOF {
				t.Errorf("%v: Skip: %v at the end", c, err)
			}
		}
		if r.Pos() != last || r.Offset() != off {
			t.Errorf("%v: at the end %+v, %d; want %+v, %d", c, r.Pos(), r.Offset(), last, off)
		}
	}
}

func TestErrorText(t *testing.T) {
	b := slowStream([]byte("first"), []byte("second"))
	b[21+12] ^= 1
	sums := fmt.Sprintf("stored %#08x, computed %#08x", slowMaskedCRC([]byte("second")), slowMaskedCRC([]byte("recond")))
	read := func(data []byte, o tfrecord.ReaderOptions) string {
		_, err := readPayloads(bytes.NewReader(data), &o)
		return fmt.Sprint(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(b)
	z.Close()
	long := append(bytes.Clone(b[:21]), slowHeader(1000)...)
	for _, c := range []struct {
		data []byte
		opts tfrecord.ReaderOptions
		want string
	}{
		{b, tfrecord.ReaderOptions{Name: "train-00003.tfrecord"},
			"train-00003.tfrecord: record 1 (offset 0x15): payload checksum mismatch: " + sums},
		{b, tfrecord.ReaderOptions{}, "record 1 (offset 0x15): payload checksum mismatch: " + sums},
		{packed.Bytes(), tfrecord.ReaderOptions{Name: "x.gz"},
			"x.gz: record 1 (offset 0x15), near compressed byte 0x0: payload checksum mismatch: " + sums},
		{b[:30], tfrecord.ReaderOptions{}, "record 1 (offset 0x15): truncated: the stream ends after 9 of the 12 bytes of a header"},
		{b[:40], tfrecord.ReaderOptions{}, "record 1 (offset 0x15): truncated: the stream ends after 7 of the 10 bytes of payload and footer"},
		{b[3:], tfrecord.ReaderOptions{}, "record 0 (offset 0x0): not a TFRecord, or damaged in its first header: length checksum mismatch: stored 0x7269663e, computed " + fmt.Sprintf("%#08x", slowMaskedCRC(b[3:11]))},
		{long, tfrecord.ReaderOptions{MaxRecordSize: 999}, "record 1 (offset 0x15): record of 1000 bytes exceeds the limit of 999"},
		{[]byte("<html>nothing here</html>"), tfrecord.ReaderOptions{Name: "a"}, "a: record 0 (offset 0x0): not a TFRecord: it looks like an HTML or XML page"},
		{b, tfrecord.ReaderOptions{Compression: tfrecord.GZIP}, "record 0 (offset 0x0), near compressed byte 0x1: not a gzip stream: it looks like an uncompressed TFRecord"},
		{packed.Bytes()[:30], tfrecord.ReaderOptions{}, "record 1 (offset 0x15), near compressed byte 0x1e: truncated: the gzip stream ends too early"},
	} {
		if got := read(c.data, c.opts); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestGoesOnAfterBadPayload(t *testing.T) {
	payloads := somePayloads(2, 9)
	for i := range payloads {
		payloads[i] = append(payloads[i], byte(i))
	}
	raw := slowStream(payloads...)
	_, _, _, size := slowWalk(raw, 1<<20)
	bad := map[int]bool{0: true, 3: true, 4: true, 8: true}
	at := int64(0)
	var offs []int64
	for i, p := range payloads {
		offs = append(offs, at)
		if bad[i] {
			raw[at+12] ^= 0x80
		}
		at += 16 + int64(len(p))
	}
	for _, source := range []func() io.Reader{
		func() io.Reader { return bytes.NewReader(raw) },
		func() io.Reader { return struct{ io.Reader }{bytes.NewReader(raw)} },
	} {
		r := tfrecord.NewReader(source(), &tfrecord.ReaderOptions{Name: "f"})
		for i, p := range payloads {
			got, err := r.Next()
			if !bad[i] {
				if err != nil || !bytes.Equal(got, p) {
					t.Errorf("record %d: %v", i, err)
				}
				continue
			}
			e, ok := errors.AsType[*tfrecord.Error](err)
			if !ok || e.Class != tfrecord.PayloadCRC || e.Record != int64(i) || e.Offset != offs[i] || got != nil {
				t.Errorf("record %d: %q, %v", i, got, err)
			}
			if r.Pos() != e.Position {
				t.Errorf("record %d: at %v after %v", i, r.Pos(), err)
			}
		}
		if _, err := r.Next(); err != io.EOF || r.Offset() != size {
			t.Errorf("at the end: %v, %d", err, r.Offset())
		}

		// All ends at the first error. Skip does not check payloads, and without checksums no method does.
		r.Reset(source(), "f")
		n := 0
		for _, err := range r.All() {
			if n++; err == nil {
				t.Error("All yields a damaged record")
			}
		}
		if n != 1 {
			t.Errorf("All yields %d pairs, want 1", n)
		}
		r.Reset(source(), "f")
		for i := range payloads {
			if err := r.Skip(); err != nil {
				t.Errorf("Skip %d: %v", i, err)
			}
		}
		if err := r.Skip(); err != io.EOF {
			t.Errorf("Skip at the end: %v", err)
		}
		got, err := readPayloads(source(), &tfrecord.ReaderOptions{SkipChecksums: true})
		if err != nil || len(got) != len(payloads) {
			t.Errorf("without checksums: %d records, %v", len(got), err)
		}
	}
}

func TestSkipChecksums(t *testing.T) {
	// Some writers do not fill in the checksums.
	var raw []byte
	want := somePayloads(3, 5)
	for _, p := range want {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(len(p)))
		raw = append(append(append(raw, 0, 0, 0, 0), p...), 0, 0, 0, 0)
	}
	for _, c := range []tfrecord.Compression{tfrecord.None, tfrecord.Auto} {
		got, err := readPayloads(bytes.NewReader(raw), &tfrecord.ReaderOptions{Compression: c, SkipChecksums: true})
		if err != nil || !equalPayloads(got, want) {
			t.Errorf("%v: %d records, %v", c, len(got), err)
		}
	}
	for name, c := range map[string]struct {
		data  string
		class tfrecord.Class
	}{
		"html":      {"<!DOCTYPE html><html><body>no such file</body></html>", tfrecord.NotTFRecord},
		"truncated": {string(raw[:len(raw)-1]), tfrecord.Truncated},
		"too long":  {string(raw) + "\xff\xff\xff\xff\xff\xff\xff\xff0000", tfrecord.TooLong},
	} {
		_, err := readPayloads(strings.NewReader(c.data), &tfrecord.ReaderOptions{SkipChecksums: true})
		if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class != c.class {
			t.Errorf("%s: %v, want %v", name, err, c.class)
		}
	}
}

func TestMaxRecordSize(t *testing.T) {
	payloads := [][]byte{make([]byte, 100), make([]byte, 101), make([]byte, 1)}
	for _, c := range codecs {
		got, err := readPayloads(bytes.NewReader(pack(t, c, payloads...)), &tfrecord.ReaderOptions{MaxRecordSize: 100})
		if len(got) != 1 || !errors.Is(err, tfrecord.ErrTooLarge) {
			t.Errorf("%v: %d records, %v", c, len(got), err)
		}
		got, err = readPayloads(bytes.NewReader(pack(t, c, payloads...)), &tfrecord.ReaderOptions{MaxRecordSize: 101})
		if len(got) != 3 || err != nil {
			t.Errorf("%v: %d records, %v", c, len(got), err)
		}
		r := tfrecord.NewReader(bytes.NewReader(pack(t, c, payloads...)), &tfrecord.ReaderOptions{MaxRecordSize: 100})
		r.Skip()
		if err := r.Skip(); !errors.Is(err, tfrecord.ErrTooLarge) {
			t.Errorf("%v: Skip over the limit: %v", c, err)
		}
	}
}

func TestReset(t *testing.T) {
	// Use one Reader for files of every codec in turn, also after an error.
	r := tfrecord.NewReader(strings.NewReader("no records"), nil)
	if _, err := r.Next(); err == nil {
		t.Fatal("text is no record")
	}
	for round := range 3 {
		for _, c := range codecs {
			want := somePayloads(uint64(round), 200)
			name := fmt.Sprintf("%v %d", c, round)
			data := pack(t, c, want...)
			var src io.Reader = bytes.NewReader(data)
			if round == 1 {
				src = struct{ io.Reader }{src}
			}
			r.Reset(src, name)
			var got [][]byte
			for p, err := range r.All() {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got = append(got, bytes.Clone(p))
			}
			if !equalPayloads(got, want) || r.Pos().Name != name || r.Compression() != c {
				t.Errorf("%s: %d records, %v, %v", name, len(got), r.Pos(), r.Compression())
			}
			r.Reset(bytes.NewReader(data[:len(data)-1]), name)
			err := r.Skip()
			for err == nil {
				err = r.Skip()
			}
			if err == io.EOF && c != tfrecord.SNAPPY {
				t.Errorf("%s: cut, and no error", name)
			}
		}
	}
}

func TestWrapError(t *testing.T) {
	r := tfrecord.NewReader(bytes.NewReader(unhex(t, hello)), &tfrecord.ReaderOptions{Name: "f"})
	if err := r.WrapError(nil); err != nil {
		t.Errorf("nil became %v", err)
	}
	r.Next()
	r.Next()
	cause := errors.New("label is missing")
	err := r.WrapError(cause)
	if err.Error() != "f: record 1 (offset 0x15): label is missing" || !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class != 0 || e.Position != r.Pos() {
		t.Errorf("%+v", e)
	}
}

// TestSourceIsNotWrittenTo: records may be slices of the bytes of a bytes.Reader, which belong to the caller.
func TestSourceIsNotWrittenTo(t *testing.T) {
	for _, c := range codecs {
		data := pack(t, c, somePayloads(5, 300)...)
		before := bytes.Clone(data)
		if _, err := readPayloads(bytes.NewReader(data), nil); err != nil {
			t.Fatal(err)
		}
		for x := range tfrecord.NewReader(bytes.NewReader(data), nil).Recover() {
			if x.Skipped != nil {
				t.Fatal(x.Skipped.Err)
			}
		}
		if !bytes.Equal(data, before) {
			t.Errorf("%v: reading changed the source", c)
		}
	}
}

func TestReadingDoesNotAllocate(t *testing.T) {
	testkit.OneGoroutine(t)
	payloads := make([][]byte, 6000)
	for i := range payloads {
		payloads[i] = fmt.Appendf(nil, "%0*d", 50+i%300, i*i)
	}
	for _, c := range codecs {
		data := pack(t, c, payloads...)
		for _, way := range []string{"Next", "Skip"} {
			for name, src := range map[string]io.Reader{
				"memory": bytes.NewReader(data), "stream": struct{ io.Reader }{bytes.NewReader(data)},
			} {
				r := tfrecord.NewReader(src, nil)
				next := map[string]func() error{
					"Next": func() error { _, err := r.Next(); return err },
					"Skip": r.Skip,
				}[way]
				for range 2000 {
					if err := next(); err != nil {
						t.Fatal(err)
					}
				}
				n := testing.AllocsPerRun(3000, func() {
					if err := next(); err != nil {
						t.Error(err)
					}
				})
				if n != 0 {
					t.Errorf("%v from %s: %s allocates %v times", c, name, way, n)
				}
			}
		}
	}
}

// TestReaderReadsNothingYet: a Reader does not read from the source before the first record is requested.
func TestReaderReadsNothingYet(t *testing.T) {
	data := append([]byte("head"), slowStream([]byte("one"), []byte("two"))...)
	for name, wrap := range map[string]func(*bytes.Reader) io.Reader{
		"bytes.Reader": func(b *bytes.Reader) io.Reader { return b },
		"any other":    func(b *bytes.Reader) io.Reader { return struct{ io.Reader }{b} },
	} {
		src := bytes.NewReader(data)
		r := tfrecord.NewReader(wrap(src), nil)
		if src.Len() != len(data) {
			t.Errorf("%s: %d bytes are taken from it", name, len(data)-src.Len())
		}
		src.Seek(4, io.SeekStart)
		p, err := r.Next()
		if err != nil || string(p) != "one" || r.Pos().Offset != 0 {
			t.Errorf("%s: %q at %v, %v", name, p, r.Pos(), err)
		}
		src.Seek(4, io.SeekStart)
		r.Reset(wrap(src), "")
		if src.Len() != len(data)-4 {
			t.Errorf("%s: Reset takes bytes from it", name)
		}
		if err := r.Skip(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHasNext: HasNext is true until the last record was read, and if the next call returns an error. It does not
// skip a record.
func TestHasNext(t *testing.T) {
	for _, c := range codecs {
		data := pack(t, c, []byte("one"), nil)
		for _, skip := range []bool{false, true} {
			r := tfrecord.NewReader(iotest.OneByteReader(bytes.NewReader(data)), nil)
			for i := range 2 {
				for range 2 {
					if !recordhooks.HasNext(r) {
						t.Fatalf("%v: no more after %d records", c, i)
					}
				}
				if skip {
					if err := r.Skip(); err != nil {
						t.Fatal(err)
					}
				} else if p, err := r.Next(); err != nil || string(p) != [...]string{"one", ""}[i] {
					t.Fatalf("%v: record %d: %q, %v", c, i, p, err)
				}
			}
			for range 2 {
				if recordhooks.HasNext(r) {
					t.Errorf("%v: more after the last record", c)
				}
			}
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("%v: %v", c, err)
			}
		}
		for n := 1; n < len(data); n++ { // truncated
			r := tfrecord.NewReader(bytes.NewReader(data[:n]), nil)
			for recordhooks.HasNext(r) {
				if _, err := r.Next(); err == io.EOF {
					t.Fatalf("%v, %d bytes: more, but then EOF", c, n)
				} else if err != nil {
					break
				}
			}
		}
	}
	if recordhooks.HasNext(tfrecord.NewReader(bytes.NewReader(nil), nil)) {
		t.Error("more in no bytes")
	}
}
