package tfrecord_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// largePayloads returns payloads of at least n bytes in total. Some are compressible, and some are longer than the
// distance between two checkpoints.
func largePayloads(seed uint64, n int) (payloads [][]byte) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	for n > 0 {
		size := rnd.IntN(2000)
		switch rnd.IntN(200) {
		case 0:
			size = rnd.IntN(300_000)
		case 1:
			size = rnd.IntN(3) * 700_000
		}
		p := make([]byte, size)
		noise := rnd.IntN(3) == 0
		for i := range p {
			if p[i] = byte(rnd.IntN(256)); !noise {
				p[i] = "some words of a text\x00\x01"[p[i]%22]
			}
		}
		payloads = append(payloads, p)
		n -= size + 16
	}
	return payloads
}

// openIndexed indexes data, writes the index in its file form, and reads it back.
func openIndexed(t testing.TB, data []byte, opts tfrecord.IndexedOptions) *tfrecord.Indexed {
	t.Helper()
	r := bytes.NewReader(data)
	x, err := tfrecord.BuildIndex(r, r.Size(), &tfrecord.IndexOptions{Compression: opts.Compression, Name: opts.Name, ModTime: opts.ModTime})
	if err != nil {
		t.Fatal(err)
	}
	b, err := x.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if opts.Index, err = tfrecord.ReadIndex(bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	if again, _ := opts.Index.MarshalBinary(); !bytes.Equal(again, b) {
		t.Error("the index changes when it is read and written")
	}
	in, err := tfrecord.OpenIndexed(r, r.Size(), &opts)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// checkIndexed reads every record, in a random order, and compares.
func checkIndexed(t testing.TB, x *tfrecord.Indexed, payloads [][]byte, seed uint64) {
	t.Helper()
	if x.Len() != int64(len(payloads)) {
		t.Fatalf("%d records, want %d", x.Len(), len(payloads))
	}
	off := int64(0)
	var offsets []int64
	for i := range x.Len() {
		at, size := x.Index().Entry(i)
		i := len(offsets)
		if a, s := x.Index().Entry(int64(i)); at != off || size != int64(len(payloads[i])+16) || a != at || s != size || x.Pos(int64(i)).Offset != at {
			t.Fatalf("record %d: %d bytes at %d, and %d at %d, want %d at %d", i, size, at, s, a, len(payloads[i])+16, off)
		}
		if x.Index().Find(at) != int64(i) || x.Index().Find(at+size-1) != int64(i) {
			t.Fatalf("record %d is not found by its bytes", i)
		}
		offsets = append(offsets, at)
		off += size
	}
	if off != x.Index().StreamSize() || x.Index().Find(off) != x.Len() {
		t.Fatalf("%d bytes, want %d", x.Index().StreamSize(), off)
	}
	if len(payloads) == 0 {
		return
	}
	any := rand.New(rand.NewPCG(seed, 8)).Perm(len(payloads)) // only some of a long stream: each decodes up to 1 MiB
	for _, i := range any[:min(len(any), 30)] {
		p, err := x.AppendAt(nil, int64(i))
		if err != nil || !bytes.Equal(p, payloads[i]) {
			t.Fatalf("record %d: %d bytes, error %v; want %d bytes", i, len(p), err, len(payloads[i]))
		}
	}
}

func TestIndexed(t *testing.T) {
	for _, n := range []int{0, 1, 128, 129, 400} {
		payloads := somePayloads(uint64(n), n)
		for _, c := range codecs {
			t.Run(fmt.Sprint(c, n), func(t *testing.T) {
				data := pack(t, c, payloads...)
				x := openIndexed(t, data, tfrecord.IndexedOptions{Compression: c})
				checkIndexed(t, x, payloads, 1)
				if x.Index().Compression() != c || (x.Index().Checkpoints() == 0) != (c == tfrecord.None) {
					t.Errorf("%v with %d checkpoints", x.Index().Compression(), x.Index().Checkpoints())
				}
			})
		}
	}
}

// A countedAt counts the bytes that are read.
type countedAt struct {
	io.ReaderAt
	n, most atomic.Int64 // bytes; the longest read
}

func (r *countedAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.n.Add(int64(n))
	for m := r.most.Load(); int64(n) > m && !r.most.CompareAndSwap(m, int64(n)); m = r.most.Load() {
	}
	return n, err
}

// TestIndexedCheckpoints reads streams of several MiB, also from other writers. One access reads at most the data
// between two checkpoints.
func TestIndexedCheckpoints(t *testing.T) {
	testkit.OneGoroutine(t) // TestIndexedConcurrently also uses checkpoints
	payloads, every := largePayloads(1, 4<<20), testkit.Long(t, "gzip of every level, and flushed often")
	raw := slowStream(payloads...)
	whole := func(c tfrecord.Compression) func() []byte { return func() []byte { return pack(t, c, payloads...) } }
	deflated := func(level int) func() []byte {
		return func() []byte {
			var b bytes.Buffer
			z, err := gzip.NewWriterLevel(&b, level)
			if err != nil {
				t.Fatal(err)
			}
			z.Write(raw)
			z.Close()
			return b.Bytes()
		}
	}
	members := func(size int) func() []byte {
		return func() (b []byte) {
			for part := range slices.Chunk(raw, size) {
				b = append(b, gzipMember(part, 0, "", "", "")...)
			}
			return b
		}
	}
	for _, c := range []struct {
		name  string
		codec tfrecord.Compression
		data  func() []byte
		least int // checkpoints
	}{
		{"none", tfrecord.None, whole(tfrecord.None), 0},
		{"gzip", tfrecord.GZIP, whole(tfrecord.GZIP), 3},
		{"zlib", tfrecord.ZLIB, whole(tfrecord.ZLIB), 3},
		{"snappy", tfrecord.SNAPPY, whole(tfrecord.SNAPPY), 14},
		{"gzip stored", tfrecord.GZIP, deflated(gzip.NoCompression), 3},
		{"gzip of compress/flate, level 1", tfrecord.GZIP, deflated(1), 3},
		{"gzip of compress/flate, level 9", tfrecord.GZIP, deflated(9), 3},
		{"gzip of compress/flate, Huffman only", tfrecord.GZIP, deflated(gzip.HuffmanOnly), 3},
		{"zlib of compress/flate, flushed", tfrecord.ZLIB, func() []byte {
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			for part := range slices.Chunk(raw, 5000) {
				z.Write(part)
				z.Flush()
			}
			z.Close()
			return b.Bytes()
		}, 3},
		{"zstd frames", tfrecord.ZSTD, func() []byte { return packPieces(t, tfrecord.ZSTD, raw, 200_000).data }, 15},
		{"gzip members", tfrecord.GZIP, members(10_000), 40},
		{"long gzip members", tfrecord.GZIP, members(1_800_001), 4},
	} {
		if !every && strings.Contains(c.name, "flate") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			data := c.data()
			x := openIndexed(t, data, tfrecord.IndexedOptions{})
			if x.Index().Compression() != c.codec || x.Index().Checkpoints() < c.least {
				t.Errorf("%v with %d checkpoints, want %v with at least %d", x.Index().Compression(), x.Index().Checkpoints(), c.codec, c.least)
			}
			checkIndexed(t, x, payloads, 2)
			if c.codec == tfrecord.None {
				return
			}
			b, _ := x.Index().MarshalBinary()
			t.Logf("%d bytes of data, %d of index, %d checkpoints", len(data), len(b), x.Index().Checkpoints())
			// Read one record of a newly opened stream.
			for range 5 {
				r := &countedAt{ReaderAt: bytes.NewReader(data)}
				one, err := tfrecord.OpenIndexed(r, int64(len(data)), &tfrecord.IndexedOptions{Index: x.Index()})
				if err != nil {
					t.Fatal(err)
				}
				r.n.Store(0)
				i := rand.Int64N(x.Len())
				if _, err := one.AppendAt(nil, i); err != nil {
					t.Fatal(err)
				}
				_, size := x.Index().Entry(i)
				if most := 2*size + 3<<19; r.n.Load() > most {
					t.Errorf("record %d of %d bytes: %d bytes read of %d, want at most %d", i, size, r.n.Load(), len(data), most)
				}
			}
		})
	}
}

func TestIndexedConcurrently(t *testing.T) {
	payloads, accesses := largePayloads(4, 1<<20), 30
	if testkit.Race {
		accesses = 3
	}
	for _, c := range codecs {
		x := openIndexed(t, pack(t, c, payloads...), tfrecord.IndexedOptions{})
		var wg sync.WaitGroup
		for g := range uint64(4) {
			wg.Go(func() {
				for _, i := range rand.New(rand.NewPCG(g, 1)).Perm(len(payloads))[:min(accesses, len(payloads))] {
					if p, err := x.AppendAt(nil, int64(i)); err != nil || !bytes.Equal(p, payloads[i]) {
						t.Errorf("%v: record %d: %d bytes, error %v", c, i, len(p), err)
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestIndexedHops: making an index does not read long payloads.
func TestIndexedHops(t *testing.T) {
	testkit.OneGoroutine(t)
	var payloads [][]byte
	for i := range 20 {
		payloads = append(payloads, make([]byte, 1<<20+i))
	}
	raw := slowStream(payloads...)
	r := &countedAt{ReaderAt: bytes.NewReader(raw)}
	x, err := tfrecord.BuildIndex(r, int64(len(raw)), nil)
	if err != nil || x.Len() != 20 || r.n.Load() > 20*40<<10+128<<10 {
		t.Errorf("%d records, error %v, %d bytes read of %d", x.Len(), err, r.n.Load(), len(raw))
	}
}

// TestIndexStale has every way in which data can differ from the data of the index.
func TestIndexStale(t *testing.T) {
	raw := slowStream(largePayloads(5, 400_000)...)
	raw = raw[:len(raw):len(raw)]
	when := time.Date(2025, 1, 2, 3, 4, 5, 678, time.UTC)
	x := openIndexed(t, raw, tfrecord.IndexedOptions{ModTime: when}).Index()
	flip := func(i int) []byte { b := bytes.Clone(raw); b[i] ^= 1; return b }
	for _, c := range []struct {
		name string
		data []byte
		when time.Time
		want string
	}{
		{"the same", raw, when, ""},
		{"the same, at an unknown time", raw, time.Time{}, ""},
		{"a later time", raw, when.Add(1), "data modified at 2025-01-02 03:04:05.000000679, index made for 2025-01-02 03:04:05.000000678"},
		{"longer", append(raw, 0), when, fmt.Sprintf("it was made for %d bytes, and the data have %d", len(raw), len(raw)+1)},
		{"shorter", raw[:len(raw)-1], when, "it was made for"},
		{"another start", flip(4_000), when, "the first bytes"},
		{"another end", flip(len(raw) - 4_000), when, "the last bytes"},
		{"another middle", flip(len(raw) / 2), when, ""},
	} {
		_, err := tfrecord.OpenIndexed(bytes.NewReader(c.data), int64(len(c.data)), &tfrecord.IndexedOptions{Name: "x", Index: x, ModTime: c.when})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, tfrecord.ErrIndex) || !bytes.Contains([]byte(err.Error()), []byte(c.want))) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := tfrecord.OpenIndexed(bytes.NewReader(raw), int64(len(raw)), &tfrecord.IndexedOptions{Index: x, Compression: tfrecord.GZIP}); !errors.Is(err, tfrecord.ErrIndex) {
		t.Errorf("another codec: %v", err)
	}
	if _, err := tfrecord.OpenIndexed(bytes.NewReader(raw), int64(len(raw))+5, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("data shorter than their size: %v", err)
	}
}

// TestFreeDecoders: records after the last ones are found, even if the decoder that is next to them is gone.
func TestFreeDecoders(t *testing.T) {
	payloads := largePayloads(9, 60_000)
	for _, c := range tfrecord.Compressions() {
		x := openIndexed(t, pack(t, c, payloads...), tfrecord.IndexedOptions{})
		for i, want := range payloads {
			if got, err := x.AppendAt(nil, int64(i)); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%v: record %d: %d bytes, %v", c, i, len(got), err)
			}
			if i%3 == 0 {
				recordhooks.FreeDecoders(x)
			}
		}
	}
}

// TestIndexModTime: an index is accepted for a copy of the data, in every codec. It is refused if records have
// moved, even if the size and the ends of the data are the same.
func TestIndexModTime(t *testing.T) {
	when := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	payloads := append(somePayloads(8, 60), largePayloads(5, 400_000)...)
	open := func(data []byte, x *tfrecord.Index) (ignored, err error) {
		_, err = tfrecord.OpenIndexed(bytes.NewReader(data), int64(len(data)), &tfrecord.IndexedOptions{
			Name: "x", Index: x, ModTime: when.Add(1), OnModTime: func(err error) { ignored = err }})
		return ignored, err
	}
	for _, c := range tfrecord.Compressions() {
		data := pack(t, c, payloads...)
		x := openIndexed(t, data, tfrecord.IndexedOptions{ModTime: when}).Index()
		if ignored, err := open(data, x); err != nil || !errors.Is(ignored, tfrecord.ErrModTime) || !errors.Is(ignored, tfrecord.ErrIndex) {
			t.Errorf("%v: a copy: %v; %v", c, err, ignored)
		}
	}
	raw := slowStream(payloads...)
	x := openIndexed(t, raw, tfrecord.IndexedOptions{ModTime: when}).Index()
	swapped := slices.Clone(payloads)
	from, to := len(swapped)/3, len(swapped)/2
	for len(swapped[to]) == 0 {
		to++
	}
	swapped[from], swapped[to] = append(slices.Clone(swapped[from]), 1), swapped[to][1:]
	if ignored, err := open(slowStream(swapped...), x); !errors.Is(err, tfrecord.ErrIndex) || errors.Is(err, tfrecord.ErrModTime) || ignored != nil {
		t.Errorf("other sizes in the middle: %v; %v", err, ignored)
	}
	if ignored, err := open(append(raw, 0), x); !errors.Is(err, tfrecord.ErrIndex) || ignored != nil {
		t.Errorf("longer: %v; %v", err, ignored)
	}
}

// TestIndexedDamage: after any damage of the data or the index, a read returns the right record or an error, never
// another record.
func TestIndexedDamage(t *testing.T) {
	payloads := somePayloads(6, 60)
	rounds := uint64(60)
	if testkit.Long(t, "3,000 damaged streams") {
		rounds = 3000
	}
	for _, c := range codecs {
		data := pack(t, c, payloads...)
		x := openIndexed(t, data, tfrecord.IndexedOptions{}).Index()
		form, _ := x.MarshalBinary()
		for seed := range rounds {
			rnd := rand.New(rand.NewPCG(seed, 9))
			bad := bytes.Clone(data)
			bad[rnd.IntN(len(bad))] ^= 1 << rnd.IntN(8)
			index := x
			if seed%2 == 0 { // a valid index of other data
				f := bytes.Clone(form)
				for range 1 + rnd.IntN(3) {
					f[8+rnd.IntN(len(f)-12)] ^= 1 << rnd.IntN(8)
				}
				binary.LittleEndian.PutUint32(f[len(f)-4:], crc32.Checksum(f[:len(f)-4], crc32.MakeTable(crc32.Castagnoli)))
				var err error
				if index, err = tfrecord.ReadIndex(bytes.NewReader(f)); err != nil {
					if !errors.Is(err, tfrecord.ErrIndex) {
						t.Errorf("%v, seed %d: %v", c, seed, err)
					}
					continue
				}
				bad = data
			}
			in, err := tfrecord.OpenIndexed(bytes.NewReader(bad), int64(len(bad)), &tfrecord.IndexedOptions{Index: index})
			if err != nil { // the damage is near the start or the end
				if !errors.Is(err, tfrecord.ErrIndex) {
					t.Errorf("%v, seed %d: %v", c, seed, err)
				}
				if in, err = tfrecord.OpenIndexed(bytes.NewReader(bad), int64(len(bad)), nil); err != nil {
					continue
				}
			}
			for i := range in.Len() {
				p, err := in.AppendAt(nil, i)
				if err == nil {
					if !slices.ContainsFunc(payloads, func(q []byte) bool { return bytes.Equal(p, q) }) {
						t.Errorf("%v, seed %d: record %d is %q, which nobody wrote", c, seed, i, p)
					}
				} else if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Record != i {
					t.Errorf("%v, seed %d: record %d: %v", c, seed, i, err)
				}
			}
		}
	}
}

// TestIndexForm truncates an index file and flips bits: each time the error says that it is not an index.
func TestIndexForm(t *testing.T) {
	for _, c := range codecs {
		x := openIndexed(t, pack(t, c, somePayloads(7, 10)...), tfrecord.IndexedOptions{}).Index()
		form, _ := x.MarshalBinary()
		for n, b := range testkit.Cuts(form) {
			if _, err := tfrecord.ReadIndex(bytes.NewReader(b)); !errors.Is(err, tfrecord.ErrIndex) {
				t.Errorf("%v, cut at %d: %v", c, n, err)
			}
		}
		for n, b := range testkit.Flips(form) {
			if _, err := tfrecord.ReadIndex(bytes.NewReader(b)); !errors.Is(err, tfrecord.ErrIndex) {
				t.Errorf("%v, bit %d: %v", c, n, err)
			}
		}
	}
	if _, err := tfrecord.ReadIndex(bytes.NewReader(nil)); !errors.Is(err, tfrecord.ErrIndex) {
		t.Errorf("empty: %v", err)
	}
}

// TestReadIndexOfData: if data are passed as an index, only their beginning is read.
func TestReadIndexOfData(t *testing.T) {
	data := slowStream(somePayloads(7, 1000)...)
	read := 0
	_, err := tfrecord.ReadIndex(readerFunc(func(p []byte) (int, error) {
		n := copy(p, data[read%len(data):])
		if read += n; read > 1<<20 {
			return 0, errors.New("read on and on")
		}
		return n, nil
	}))
	if !errors.Is(err, tfrecord.ErrIndex) || read > 4096 {
		t.Errorf("%d bytes read, error %v", read, err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestTextIndex reads the lines that tfrecord2idx and the Python package tfrecord write for two records of 37
// bytes, and files that are not an index.
func TestTextIndex(t *testing.T) {
	raw := slowStream([]byte("hello"), nil)
	x := openIndexed(t, raw, tfrecord.IndexedOptions{}).Index()
	const lines = "0 21\n21 16\n"
	if b, err := x.AppendText(nil); string(b) != lines || err != nil {
		t.Errorf("%q, error %v", b, err)
	}
	for _, text := range []string{lines, "0 21 21 16", "\n0\t21\r\n21 16\r\n\n"} {
		x, err := tfrecord.ReadIndex(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		in, err := tfrecord.OpenIndexed(bytes.NewReader(raw), 37, &tfrecord.IndexedOptions{Index: x})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		checkIndexed(t, in, [][]byte{[]byte("hello"), nil}, 1)
		if _, err := tfrecord.OpenIndexed(bytes.NewReader(raw), 21, &tfrecord.IndexedOptions{Index: x}); !errors.Is(err, tfrecord.ErrIndex) {
			t.Errorf("other data: %v", err)
		}
	}
	for _, text := range []string{"0", "0 21\n21", "0 21\n20 16\n", "0 21\n21 15\n", "1 20\n", "0 x", "-0 -21", "0 99999999999999999999", "0 9223372036854775807\n9223372036854775807 16",
		"0 0000000000000000000000000000021", "TFRINDEX"} {
		if x, err := tfrecord.ReadIndex(bytes.NewReader([]byte(text))); !errors.Is(err, tfrecord.ErrIndex) {
			t.Errorf("%q: %v, error %v", text, x, err)
		}
	}
	gz := openIndexed(t, packRaw(t, tfrecord.GZIP, raw), tfrecord.IndexedOptions{}).Index()
	if b, err := gz.AppendText(nil); err == nil {
		t.Errorf("compressed data: %q", b)
	}
}

// TestBuildIndexDamage: an index covers all data, or making it fails.
func TestBuildIndexDamage(t *testing.T) {
	raw := slowStream(somePayloads(8, 20)...)
	for n, b := range testkit.Cuts(raw) {
		x, err := tfrecord.BuildIndex(bytes.NewReader(b), int64(n), &tfrecord.IndexOptions{Compression: tfrecord.None})
		whole := err == nil && x.StreamSize() == int64(n)
		if _, ok := errors.AsType[*tfrecord.Error](err); !whole && !ok {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	b := bytes.Clone(raw)
	b[0] ^= 1
	if _, err := tfrecord.BuildIndex(bytes.NewReader(b), int64(len(b)), &tfrecord.IndexOptions{Name: "x"}); !errors.Is(err, tfrecord.ErrLengthChecksum) {
		t.Errorf("a damaged length: %v", err)
	}
	if _, err := tfrecord.BuildIndex(bytes.NewReader([]byte("some text, and nothing else")), 27, nil); !errors.Is(err, tfrecord.ErrNotTFRecord) {
		t.Errorf("text: %v", err)
	}
}
