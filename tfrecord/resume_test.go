package tfrecord_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// A packed is a stream in pieces. Each piece can be decoded alone.
type packed struct {
	codec  tfrecord.Compression
	data   []byte
	starts []int // offsets of the pieces in data
	safe   int   // bytes at the start of a piece; if they are damaged, the next piece is not found either
	plain  []int // offsets of the pieces in the uncompressed stream
}

// packPieces makes streams whose pieces have size bytes of records.
func packPieces(t testing.TB, c tfrecord.Compression, raw []byte, size int) packed {
	p := packed{codec: c}
	for at := 0; at < len(raw); at += size {
		p.starts, p.plain = append(p.starts, len(p.data)), append(p.plain, at)
		part := raw[at:min(len(raw), at+size)]
		switch c {
		case tfrecord.None:
			p.data = append(p.data, part...)
		case tfrecord.GZIP:
			p.data = append(p.data, gzipMember(part, 0, "", "", "")...)
		case tfrecord.ZSTD:
			z, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			p.data = z.EncodeAll(part, p.data)
		case tfrecord.SNAPPY:
			p.safe = 4 + 3
			p.data = append(p.data, snappyBlock(part)...)
		}
	}
	return p
}

// TestRecoverPieces damages streams of many members, frames and blocks at 1, 10 and 1,000 places. Exactly the
// records in unchanged pieces are recovered, and the lost ranges are those around the damage.
func TestRecoverPieces(t *testing.T) {
	testkit.OneGoroutine(t)
	rounds := uint64(2)
	if testkit.Long(t, "20 streams of each") {
		rounds = 20
	}
	for seed := range rounds {
		payloads := somePayloads(100+seed, testkit.Rounds(8_000))
		raw := slowStream(payloads...)
		for _, c := range []tfrecord.Compression{tfrecord.None, tfrecord.GZIP, tfrecord.ZSTD, tfrecord.SNAPPY} {
			size := 5000
			if c == tfrecord.None {
				size = len(raw)
			}
			p := packPieces(t, c, raw, size)
			for _, faults := range []int{1, 10, 1000} {
				rnd := rand.New(rand.NewPCG(seed, uint64(faults)))
				data, bad := bytes.Clone(p.data), make([]bool, len(p.starts))
				touched := map[int]bool{} // changed places in raw, if the file is not compressed
				for range faults {
					i := rnd.IntN(len(data))
					piece, _ := slices.BinarySearch(p.starts, i+1)
					piece--
					if i < p.starts[piece]+p.safe {
						continue
					}
					data[i] ^= 1 << rnd.IntN(8)
					bad[piece], touched[i] = true, true
				}
				var want, sure [][]byte // expected records; sure has not those that decode although a bit of them changed
				at := 0
				for _, payload := range payloads {
					end := at + 16 + len(payload)
					whole := true
					if c == tfrecord.None {
						for i := at; i < end; i++ {
							whole = whole && !touched[i]
						}
					} else {
						for i := at / size; i*size < end; i++ {
							whole = whole && !bad[i]
						}
					}
					if whole {
						sure = append(sure, payload)
					}
					want = append(want, payload)
					at = end
				}
				got, losses := recovered(t, bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: c})
				if !inOrder(got, want) {
					t.Errorf("%v, seed %d, %d faults: records that were not written, or in another order", c, seed, faults)
				}
				if !inOrder(sure, got) {
					t.Errorf("%v, seed %d, %d faults: %d records, and %d were not touched; lost %v", c, seed, faults, len(got), len(sure), sketch(losses)[:min(5, len(losses))])
				}
				if c == tfrecord.None && !equalPayloads(got, sure) {
					t.Errorf("%v, seed %d, %d faults: %d records, want %d", c, seed, faults, len(got), len(sure))
				}
				if len(sure) < len(payloads) && len(losses) == 0 {
					t.Errorf("%v, seed %d, %d faults: nothing is reported", c, seed, faults)
				}
			}
		}
	}
}

// inOrder reports whether list contains all elements of some, in their order.
func inOrder(some, list [][]byte) bool {
	for _, p := range list {
		if len(some) > 0 && bytes.Equal(some[0], p) {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// TestRecoverPrefix: from a single gzip or zlib stream, all records are recovered that another decoder returns
// before the damage.
func TestRecoverPrefix(t *testing.T) {
	testkit.OneGoroutine(t)
	payloads := somePayloads(21, 10_000)
	raw := slowStream(payloads...)
	for _, c := range []tfrecord.Compression{tfrecord.GZIP, tfrecord.ZLIB} {
		whole := packRaw(t, c, raw)
		for seed := range uint64(4) {
			rnd := rand.New(rand.NewPCG(seed, 5))
			i := 10 + rnd.IntN(len(whole)-10)
			var z io.Reader
			var err error
			if c == tfrecord.GZIP {
				z, err = gzip.NewReader(bytes.NewReader(whole[:i]))
			} else {
				z, err = zlib.NewReader(bytes.NewReader(whole[:i]))
			}
			if err != nil {
				t.Fatal(err)
			}
			prefix, _ := io.ReadAll(z)
			want, _, _, _ := slowWalk(prefix, 1<<30)
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << rnd.IntN(8)
			got, losses := recovered(t, bytes.NewReader(bad), nil)
			if len(got) < len(want) || !equalPayloads(got[:len(want)], want) || !inOrder(got, payloads) || len(losses) == 0 {
				t.Errorf("%v, seed %d: %d records, want %d at least; lost %v", c, seed, len(got), len(want), sketch(losses))
			}
		}
	}
}

// TestRecoverWrongTrailer: a wrong checksum of the compression loses no record.
func TestRecoverWrongTrailer(t *testing.T) {
	payloads := somePayloads(22, 200)
	raw := slowStream(payloads...)
	first := len(slowStream(payloads[:100]...))
	a, b := gzipMember(raw[:first], 0, "", "", ""), gzipMember(raw[first:], 0, "", "", "")
	a[len(a)-6] ^= 1
	got, losses := recovered(t, bytes.NewReader(join(a, b)), nil)
	want := []string{fmt.Sprintf("%d-%d 0 codec", first, first)}
	if !equalPayloads(got, payloads) || !slices.Equal(sketch(losses), want) {
		t.Errorf("%d records, lost %q; want %d, lost %q", len(got), sketch(losses), len(payloads), want)
	}
	// Damaged data may decode to more bytes than were written. The next member is still found.
	a = gzipMember(raw[:first], 0, "", "", "")
	clear(a[len(a)/2 : len(a)-8])
	got, losses = recovered(t, bytes.NewReader(join(a, b)), nil)
	if len(losses) != 1 || len(got) < 100 || !equalPayloads(got[len(got)-100:], payloads[100:]) {
		t.Errorf("%d records, lost %q, want the last hundred", len(got), sketch(losses))
	}
	// If they decode to fewer bytes, the size at the end of the member tells how many are missing. Here the damage
	// is after a block of 1,000 bytes: the header of a block of a kind that does not exist.
	a = join([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0xe8, 3, 0x17, 0xfc}, raw[:1000], []byte{7}, bytes.Repeat([]byte("junk"), 20),
		binary.LittleEndian.AppendUint32(nil, uint32(first)))
	got, losses = recovered(t, bytes.NewReader(join(a, b)), nil)
	if len(losses) != 1 || losses[0].End != int64(first) || losses[0].Begin > 1000 || !equalPayloads(got[len(got)-100:], payloads[100:]) {
		t.Errorf("%d records, lost %q, want them up to %d", len(got), sketch(losses), first)
	}
}

// TestRecoverMembersIsLinear has streams with bytes that look like members but are not.
func TestRecoverMembersIsLinear(t *testing.T) {
	testkit.OneGoroutine(t)
	size := testkit.Rounds(1 << 20)
	timing := testkit.Timing(t, "the time that each stream takes")
	good := gzipMember(slowStream([]byte("first"), []byte("second")), 0, "", "", "")
	head := good[:10]
	stored := join(head, []byte{0, 0xff, 0xff, 0, 0}) // a member of one block of 64 KiB
	short := join(head, []byte{0, 200, 0, 0xff ^ 200, 0xff})
	frame := packPieces(t, tfrecord.ZSTD, slowStream([]byte("first")), 1000).data
	for name, c := range map[string]struct {
		codec tfrecord.Compression
		first []byte
		again []byte
	}{
		"heads":                   {tfrecord.GZIP, good, head},
		"magics":                  {tfrecord.GZIP, good, head[:3]},
		"blocks that overlap":     {tfrecord.GZIP, good, stored},
		"short blocks that do":    {tfrecord.GZIP, good, short},
		"members that are cut":    {tfrecord.GZIP, good, good[:len(good)-9]},
		"members without trailer": {tfrecord.GZIP, good, good[:len(good)-8]},
		"magics of zstd":          {tfrecord.ZSTD, frame, frame[:4]},
		"heads of zstd":           {tfrecord.ZSTD, frame, frame[:6]},
		"frames that are cut":     {tfrecord.ZSTD, frame, frame[:len(frame)-5]},
	} {
		data := join(c.first, bytes.Repeat(c.again, size/len(c.again)))
		start := time.Now()
		items := 0
		for range tfrecord.NewReader(bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: c.codec}).Recover() {
			items++
		}
		d := time.Since(start)
		t.Logf("%s: %d items, %v", name, items, d.Round(time.Millisecond))
		if timing && d > 10*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}
