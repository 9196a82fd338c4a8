package view

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// testRecords returns n encoded Examples with the feature i, of about size bytes each.
func testRecords(t testing.TB, n, size int) [][]byte {
	t.Helper()
	var all [][]byte
	for i := range n {
		rec, err := example.Example{
			"i":    example.Int64s(int64(i)),
			"text": example.Strings(fmt.Sprintf("%0*d", size, i)),
		}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
	return all
}

// encodeRecords returns a stream of records.
func encodeRecords(t testing.TB, c tfrecord.Compression, records [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, &tfrecord.WriterOptions{Compression: c})
	for _, rec := range records {
		if err := w.WriteRecord(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newMemory returns a handler for files in memory.
func newMemory(t testing.TB, files map[string][]byte, opts *Options, names ...string) *Handler {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: data, ModTime: time.Unix(1, 0)}
	}
	var o Options
	if opts != nil {
		o = *opts
	}
	o.FS = fsys
	h, err := New(names, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// A wantRow is what Recover says about a row.
type wantRow struct {
	data    []byte
	offset  int64
	class   tfrecord.Class // 0: intact
	message string
	skipped string
}

// messageOf returns the text of an error without the place in the compressed stream, which an index does not know.
func messageOf(e *tfrecord.Error) string {
	plain := *e
	plain.Compressed = -1
	return plain.Error()
}

// recoverRows returns the rows of a stream by [tfrecord.Reader.Recover].
func recoverRows(data []byte, name string) (all []wantRow) {
	r := tfrecord.NewReader(bytes.NewReader(data), &tfrecord.ReaderOptions{Name: name, MaxRecordSize: defaultBytes})
	for rec := range r.Recover() {
		w := wantRow{data: bytes.Clone(rec.Record), offset: rec.Pos.Offset}
		if s := rec.Skipped; s != nil {
			w.data, w.class, w.message = nil, s.Err.Class, messageOf(s.Err)
			if s.Records != 1 || s.Err.Class != tfrecord.PayloadCRC {
				w.skipped = fmt.Sprint(s.Begin, s.End, s.Records)
			}
		}
		all = append(all, w)
	}
	return all
}

// allRows reads all rows of a file by pages.
func allRows(t testing.TB, f *recordFile, page int) (all []row) {
	t.Helper()
	for {
		rows, end, err := f.readRows(t.Context(), int64(len(all)), page)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
		if end {
			return all
		}
		if len(rows) == 0 {
			t.Fatalf("no rows from %d on, and no end", len(all))
		}
	}
}

// checkRow compares a row with what Recover says.
func checkRow(t testing.TB, got row, number int, want wantRow) {
	t.Helper()
	if got.number != int64(number) || got.offset != want.offset || !bytes.Equal(got.data, want.data) || (got.err != nil) != (want.class != 0) {
		t.Fatalf("row %d: got number %d, offset %d, %d bytes, error %v; want offset %d, %d bytes, %q",
			number, got.number, got.offset, len(got.data), got.err, want.offset, len(want.data), want.message)
	}
	if want.class == 0 {
		if got.data == nil {
			t.Fatalf("row %d: nil data", number)
		}
		return
	}
	e, ok := errors.AsType[*tfrecord.Error](got.err)
	skipped := ""
	if s := got.skipped; s != nil {
		skipped = fmt.Sprint(s.Begin, s.End, s.Records)
	}
	if !ok || e.Class != want.class || messageOf(e) != want.message || skipped != want.skipped {
		t.Fatalf("row %d:\ngot  %v, skipped %q\nwant %v, skipped %q", number, got.err, skipped, want.message, want.skipped)
	}
}

// damages are ways to damage a stream of records of equal size.
var damages = map[string]func(b []byte, size int){
	"payload":              func(b []byte, size int) { b[5*size+20] ^= 1 },
	"last payload":         func(b []byte, size int) { b[len(b)-10] ^= 1 },
	"length":               func(b []byte, size int) { b[7*size] ^= 1 },
	"first length":         func(b []byte, size int) { b[0] ^= 1 },
	"payload, then length": func(b []byte, size int) { b[6*size+20] ^= 1; b[7*size+1] ^= 1 },
	"length, then payload": func(b []byte, size int) { b[6*size] ^= 1; b[9*size+15] ^= 1 },
	"last length":          func(b []byte, size int) { b[len(b)-size] ^= 1 },
	"zeros":                func(b []byte, size int) { clear(b[3*size+4 : 8*size+3]) },
	"many": func(b []byte, size int) {
		for i := 150; i < len(b)/size; i += 7 {
			b[i*size] ^= 1
		}
	},
	"far behind and payload": func(b []byte, size int) { b[900*size] ^= 1; b[899*size+30] ^= 1; b[400*size+30] ^= 1 },
}

func TestDamagedFiles(t *testing.T) {
	var equal [][]byte // records of equal size, so that the places are known
	for i := range 1000 {
		equal = append(equal, fmt.Appendf(nil, "record %06d %0100d", i, i))
	}
	plain := encodeRecords(t, tfrecord.None, equal)
	size := len(plain) / len(equal)
	streams := map[string][]byte{"intact": plain, "empty": nil, "text": []byte("no records at all\n"), "JPEG": []byte("\xff\xd8\xff\xe0 1234567890 1234567890"),
		"one byte": plain[:1], "cut in header": plain[:500*size+5], "cut in payload": plain[:len(plain)-20], "cut in the first": plain[:30]}
	for name, damage := range damages {
		b := bytes.Clone(plain)
		damage(b, size)
		streams[name] = b
		for _, c := range []tfrecord.Compression{tfrecord.GZIP, tfrecord.ZLIB, tfrecord.SNAPPY, tfrecord.ZSTD} {
			streams[name+" in "+c.String()] = compressBytes(t, c, b)
		}
	}
	for _, c := range []tfrecord.Compression{tfrecord.GZIP, tfrecord.ZLIB, tfrecord.SNAPPY, tfrecord.ZSTD} {
		b := encodeRecords(t, c, testRecords(t, 1000, 100))
		streams[c.String()] = b
		streams["cut "+c.String()] = b[:len(b)*2/3]
		bad := bytes.Clone(b)
		bad[len(bad)/2] ^= 0x55
		streams["damaged "+c.String()] = bad
		sum := bytes.Clone(b)
		sum[len(sum)-6] ^= 1
		streams["trailer of "+c.String()] = sum
		streams["two members of "+c.String()] = append(bytes.Clone(bad), b...)
	}
	for name, data := range streams {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newMemory(t, map[string][]byte{"f": data}, nil, "f")
			f := h.files[0]
			want := recoverRows(data, "f")
			rows := allRows(t, f, 37)
			if len(rows) != len(want) {
				t.Fatalf("got %d rows, want %d", len(rows), len(want))
			}
			for i, r := range rows {
				checkRow(t, r, i, want[i])
			}
			for _, i := range []int{len(want) - 1, 0, 7, 6, 5, 899, 900, 901, 156, 155} { // any order
				if i < 0 || i >= len(want) {
					continue
				}
				r, err := h.readRecord(t.Context(), 0, int64(i))
				if err != nil {
					t.Fatal(err)
				}
				checkRow(t, r, i, want[i])
			}
			if _, err := h.readRecord(t.Context(), 0, int64(len(want))); !errors.Is(err, errNoRecord) {
				t.Errorf("after the end: %v", err)
			}
			s, _ := f.status()
			damaged := int64(0)
			for _, w := range want {
				if w.class != 0 {
					damaged++
				}
			}
			if s.state != complete || s.count != int64(len(want)) || s.damaged != damaged {
				t.Errorf("state %v, %d rows, %d damaged; want %d, %d damaged", s.state, s.count, s.damaged, len(want), damaged)
			}
		})
	}
}

// compressBytes compresses a stream that need not have records.
func compressBytes(t testing.TB, c tfrecord.Compression, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch c {
	case tfrecord.GZIP:
		w = gzip.NewWriter(&b)
	case tfrecord.ZLIB:
		w = zlib.NewWriter(&b)
	case tfrecord.ZSTD:
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(64<<10))
	case tfrecord.SNAPPY:
		for part := range slices.Chunk(data, 10_000) {
			block := snappy.Encode(nil, part)
			b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(block))))
			b.Write(block)
		}
		return b.Bytes()
	}
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func TestIndexFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f.tfrecord")
	data := encodeRecords(t, tfrecord.None, testRecords(t, 500, 10))
	os.WriteFile(name, data, 0o666)
	x, err := tfrecord.BuildIndex(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := x.MarshalBinary()
	for what, index := range map[string][]byte{"index": b, "damaged": b[:len(b)-3], "of other data": other(t)} {
		os.WriteFile(name+tfrecord.IndexExtension, index, 0o666)
		h, err := New([]string{name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := allRows(t, h.files[0], 200)
		want := recoverRows(data, name)
		if len(rows) != len(want) {
			t.Fatalf("%s: %d rows", what, len(rows))
		}
		for i, r := range rows {
			checkRow(t, r, i, want[i])
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// other returns the index of another file.
func other(t *testing.T) []byte {
	data := encodeRecords(t, tfrecord.None, testRecords(t, 501, 10))
	x, err := tfrecord.BuildIndex(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := x.MarshalBinary()
	return b
}

// TestCloseLeavesNoGoroutine closes handlers at any time.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	records := testRecords(t, 20_000, 100)
	data := encodeRecords(t, tfrecord.GZIP, records)
	bad := encodeRecords(t, tfrecord.None, records)
	bad[len(bad)/3] ^= 1
	bad[0] ^= 1
	before := runtime.NumGoroutine()
	for i := range 20 {
		files := fstest.MapFS{"a": {Data: data}, "b": {Data: bad}, "c": {Data: data}}
		h, err := New([]string{"a", "b", "c"}, &Options{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, _, err := h.files[1].readRows(ctx, int64(i*1000), 10)
			done <- err
		}()
		time.Sleep(time.Duration(i) * time.Millisecond / 2)
		cancel()
		<-done
		h.readRecord(t.Context(), 1, 5)
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
