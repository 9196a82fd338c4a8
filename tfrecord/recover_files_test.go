package tfrecord_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// realStream returns the records of all files of the pattern, as one uncompressed stream.
func realStream(t *testing.T, pattern string) (payloads [][]byte) {
	names, _ := filepath.Glob(pattern)
	if len(names) == 0 {
		t.Skipf("skipped: there is no %s", pattern)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range tfrecord.NewReader(bytes.NewReader(data), nil).All() {
			if err != nil {
				t.Fatal(err)
			}
			payloads = append(payloads, bytes.Clone(rec))
		}
	}
	return payloads
}

// overwrite changes n different bytes of b and returns their offsets in order. It does not change bytes for which
// keep returns true.
func overwrite(rnd *rand.Rand, b []byte, n int, keep func(at int) bool) (places []int) {
	for _, at := range rnd.Perm(len(b)) {
		if len(places) == n {
			break
		}
		if keep == nil || !keep(at) {
			b[at] ^= byte(1 + rnd.IntN(255))
			places = append(places, at)
		}
	}
	slices.Sort(places)
	return places
}

// hit reports whether one of the sorted places is in [begin, end).
func hit(places []int, begin, end int) bool {
	i, _ := slices.BinarySearch(places, begin)
	return i < len(places) && places[i] < end
}

// TestRecoverRealFiles overwrites 1, 10 and 1,000 bytes of real data, in every codec.
//
// Without compression every unchanged record is recovered, and the skipped ranges are the changed frames. The same
// is true for the members, frames or blocks of a compressed stream: every record in unchanged parts is recovered.
// From a stream of one member the records in its decodable part are recovered. No codec returns a record that was
// not written, or a different order.
func TestRecoverRealFiles(t *testing.T) {
	testkit.OneGoroutine(t)
	seeds := uint64(1)
	if testkit.Long(t, "10 seeds") {
		seeds = 10
	}
	for name, pattern := range map[string]string{
		"recipes": "../testdata/recipes.tfrecord",
		"taxi":    "../../shared/data/chicago_taxi/data_tfrecord-0000[0-2]-of-00012.gz",
		"ranking": "../../shared/data/ranking/vali*.tfrecord",
		"events":  "../../shared/data/sequence/data_tfrecord_eval.gz",
	} {
		t.Run(name, func(t *testing.T) {
			payloads := realStream(t, pattern)
			raw := slowStream(payloads...)
			for _, n := range []int{1, 10, 1000} {
				if n > len(raw)/4 {
					continue
				}
				for seed := range seeds {
					rnd := rand.New(rand.NewPCG(seed, uint64(n)))
					recoverUncompressed(t, rnd, payloads, raw, n)
					recoverParts(t, rnd, payloads, raw, n)
					recoverOne(t, rnd, payloads, raw, n)
				}
			}
		})
	}
}

func recoverUncompressed(t *testing.T, rnd *rand.Rand, payloads [][]byte, raw []byte, n int) {
	t.Helper()
	bad := bytes.Clone(raw)
	places := overwrite(rnd, bad, n, nil)
	got, lost := recovered(t, bytes.NewReader(bad), &tfrecord.ReaderOptions{Compression: tfrecord.None})
	var want [][]byte
	var ranges, skipped [][2]int64
	at := 0
	for _, p := range payloads {
		end := at + 16 + len(p)
		if hit(places, at, end) {
			ranges = appendRange(ranges, int64(at), int64(end))
		} else {
			want = append(want, p)
		}
		at = end
	}
	for _, l := range lost {
		skipped = appendRange(skipped, l.Begin, l.End)
	}
	if !equalPayloads(got, want) || !slices.Equal(skipped, ranges) {
		t.Errorf("%d bytes overwritten: %d records, skipped %v; want %d, %v", n, len(got), skipped, len(want), ranges)
	}
}

// appendRange appends a range, or extends the last one if that ends where the range begins.
func appendRange(ranges [][2]int64, begin, end int64) [][2]int64 {
	if k := len(ranges) - 1; k >= 0 && ranges[k][1] == begin {
		ranges[k][1] = end
		return ranges
	}
	return append(ranges, [2]int64{begin, end})
}

// recoverParts packs the stream in parts that can be decoded alone, and overwrites bytes in them. It does not
// change the bytes that mark the beginning of a part.
func recoverParts(t *testing.T, rnd *rand.Rand, payloads [][]byte, raw []byte, n int) {
	t.Helper()
	const size = 10_000
	for _, c := range []struct {
		codec  tfrecord.Compression
		header int // bytes at the beginning of a part
		tail   int // bytes at its end
		pack   func(part []byte) []byte
	}{
		{tfrecord.GZIP, 10, 8, func(part []byte) []byte { return packRaw(t, tfrecord.GZIP, part) }},
		{tfrecord.ZSTD, 12, 4, func(part []byte) []byte { return packRaw(t, tfrecord.ZSTD, part) }},
		{tfrecord.SNAPPY, 4, 0, snappyBlock},
	} {
		var data []byte
		var starts []int // where the parts begin
		for i := 0; i < len(raw); i += size {
			starts = append(starts, len(data))
			data = append(data, c.pack(raw[i:min(len(raw), i+size)])...)
		}
		starts = append(starts, len(data))
		part := func(at int) int {
			i, found := slices.BinarySearch(starts, at)
			if !found {
				i--
			}
			return i
		}
		places := overwrite(rnd, data, n, func(at int) bool {
			i := part(at)
			return at < starts[i]+c.header || at >= starts[i+1]-c.tail
		})
		var want [][]byte
		at := 0
		for _, p := range payloads {
			end := at + 16 + len(p)
			if first, last := at/size, (end-1)/size; !hit(places, starts[first], starts[last+1]) {
				want = append(want, p)
			}
			at = end
		}
		got, lost := recovered(t, bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: c.codec})
		compareRecovered(t, fmt.Sprintf("%v in parts, %d bytes overwritten", c.codec, n), payloads, want, got, lost)
	}
}

// recoverOne packs the stream in one piece. All whole records that the decoder returns before its first error are
// recovered.
func recoverOne(t *testing.T, rnd *rand.Rand, payloads [][]byte, raw []byte, n int) {
	t.Helper()
	for codec, decode := range map[tfrecord.Compression]func(io.Reader) (io.Reader, error){
		tfrecord.GZIP: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		tfrecord.ZLIB: func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		tfrecord.ZSTD: func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	} {
		data := packRaw(t, codec, raw)
		overwrite(rnd, data, n, func(at int) bool { return at < 18 })
		var decoded []byte
		if r, err := decode(bytes.NewReader(data)); err == nil {
			decoded, _ = io.ReadAll(r)
		}
		var want [][]byte
		at := 0
		for _, p := range payloads {
			end := at + 16 + len(p)
			if end <= len(decoded) && bytes.Equal(decoded[at:end], raw[at:end]) {
				want = append(want, p)
			}
			at = end
		}
		got, lost := recovered(t, bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: codec})
		compareRecovered(t, fmt.Sprintf("%v in one piece, %d bytes overwritten", codec, n), payloads, want, got, lost)
	}
}

// compareRecovered fails unless got contains all wanted records, and only records that were written, in the order
// of all.
func compareRecovered(t *testing.T, what string, all, want, got [][]byte, lost []tfrecord.SkippedRange) {
	t.Helper()
	k, i := 0, 0
	for _, p := range got {
		for i < len(all) && !bytes.Equal(all[i], p) {
			i++
		}
		if i == len(all) {
			t.Errorf("%s: record %.40q was not written, or earlier", what, p)
			return
		}
		i++
		if k < len(want) && bytes.Equal(want[k], p) {
			k++
		}
	}
	if k < len(want) || len(got) < len(all) && len(lost) == 0 {
		t.Errorf("%s: %d records of %d, and %d skipped ranges; %d ought to come back, and %d of them did", what, len(got), len(all), len(lost), len(want), k)
	}
}
