package tfrecord_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"io"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// This file makes streams like those of other writers byte by byte.

func rawDeflate(raw, dict []byte) []byte {
	var b bytes.Buffer
	z, err := flate.NewWriterDict(&b, 6, dict)
	if err != nil {
		panic(err)
	}
	z.Write(raw)
	z.Close()
	return b.Bytes()
}

// gzipMember makes a member with the header fields that flags selects, of any length.
func gzipMember(raw []byte, flags byte, extra, name, comment string) []byte {
	b := []byte{0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 2, 7}
	if flags&4 != 0 {
		b = append(binary.LittleEndian.AppendUint16(b, uint16(len(extra))), extra...)
	}
	if flags&8 != 0 {
		b = append(append(b, name...), 0)
	}
	if flags&16 != 0 {
		b = append(append(b, comment...), 0)
	}
	if flags&2 != 0 {
		b = binary.LittleEndian.AppendUint16(b, uint16(crc32.ChecksumIEEE(b)))
	}
	b = append(b, rawDeflate(raw, nil)...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(raw))
	return binary.LittleEndian.AppendUint32(b, uint32(len(raw)))
}

func zlibStream(raw []byte) []byte {
	b := append([]byte{0x78, 0x9c}, rawDeflate(raw, nil)...)
	return binary.BigEndian.AppendUint32(b, adler32.Checksum(raw))
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestForeignStreams(t *testing.T) {
	testkit.OneGoroutine(t)
	payloads := somePayloads(20, 30)
	raw := slowStream(payloads...)
	whole := gzipMember(raw, 0, "", "", "")
	inParts := func(pack func([]byte) []byte) []byte { // split anywhere, with empty parts between
		var b []byte
		for i := 0; i < len(raw); i += 37 {
			b = append(b, pack(raw[i:min(len(raw), i+37)])...)
			if i%3 == 0 {
				b = append(b, pack(nil)...)
			}
		}
		return b
	}
	badHeaderSum := gzipMember(raw, 2, "", "", "")
	badHeaderSum[10] ^= 1
	badSum, badSize := bytes.Clone(whole), bytes.Clone(whole)
	badSum[len(whole)-8] ^= 1
	badSize[len(whole)-1] ^= 1
	dict := append([]byte{0x78, 0xbb, 0x14, 0xe0, 0x04, 0x19}, rawDeflate(raw, []byte("dictionary"))...)
	badAdler := zlibStream(raw)
	badAdler[len(badAdler)-1] ^= 1
	zeros := func(n int) []byte { return make([]byte, n) }
	ok, z := tfrecord.Class(0), zlibStream(raw)
	for _, c := range []struct {
		name  string
		codec tfrecord.Compression
		data  []byte
		count int
		want  tfrecord.Class
	}{
		{"every header field", tfrecord.GZIP, gzipMember(raw, 31, "AP\x02\x00zz", "n\xe4me", "a comment"), 30, ok},
		{"long header fields", tfrecord.GZIP, gzipMember(raw, 30, string(zeros(65535)), string(bytes.Repeat([]byte("n"), 5000)), string(bytes.Repeat([]byte("c"), 70000))), 30, ok},
		{"header checksum wrong", tfrecord.GZIP, badHeaderSum, 0, tfrecord.Codec},
		{"reserved flag", tfrecord.GZIP, gzipMember(raw, 0x20, "", "", ""), 0, tfrecord.Codec},
		{"other method", tfrecord.GZIP, join([]byte("\x1f\x8b\x07"), whole[3:]), 0, tfrecord.Codec},
		{"members", tfrecord.GZIP, inParts(func(b []byte) []byte { return gzipMember(b, 8, "", "part", "") }), 30, ok},
		{"checksum wrong", tfrecord.GZIP, badSum, 30, tfrecord.Codec},
		{"size wrong", tfrecord.GZIP, badSize, 30, tfrecord.Codec},
		{"zero padding", tfrecord.GZIP, join(whole, zeros(1)), 30, ok},
		{"more zero padding", tfrecord.GZIP, join(whole, zeros(100_000)), 30, ok},
		{"text after padding", tfrecord.GZIP, join(whole, zeros(10), []byte("x")), 30, tfrecord.Codec},
		{"a member after padding", tfrecord.GZIP, join(whole, zeros(10), whole), 30, tfrecord.Codec},
		{"zeros alone", tfrecord.GZIP, zeros(100), 0, tfrecord.Codec},
		{"text after the stream", tfrecord.GZIP, join(whole, []byte("xyz")), 30, tfrecord.Codec},
		{"a member's first byte after the stream", tfrecord.GZIP, join(whole, whole[:1]), 30, tfrecord.Truncated},
		{"a member's header after the stream", tfrecord.GZIP, join(whole, whole[:10]), 30, tfrecord.Truncated},
		{"cut in the extra field", tfrecord.GZIP, gzipMember(raw, 4, "12345", "", "")[:14], 0, tfrecord.Truncated},
		{"cut in the size of the extra field", tfrecord.GZIP, gzipMember(raw, 4, "12345", "", "")[:11], 0, tfrecord.Truncated},
		{"cut in the name", tfrecord.GZIP, gzipMember(raw, 8, "", "12345", "")[:14], 0, tfrecord.Truncated},
		{"cut in the header checksum", tfrecord.GZIP, gzipMember(raw, 2, "", "", "")[:11], 0, tfrecord.Truncated},
		{"no bytes", tfrecord.GZIP, nil, 0, ok},

		{"streams", tfrecord.ZLIB, inParts(zlibStream), 30, ok},
		{"zero padding", tfrecord.ZLIB, join(z, zeros(16)), 30, ok},
		{"text after the stream", tfrecord.ZLIB, join(z, []byte("text")), 30, tfrecord.Codec},
		{"half a header after the stream", tfrecord.ZLIB, join(z, z[:1]), 30, tfrecord.Truncated},
		{"a bad header after the stream", tfrecord.ZLIB, join(z, []byte("\x78\x9d")), 30, tfrecord.Codec},
		{"checksum wrong", tfrecord.ZLIB, badAdler, 30, tfrecord.Codec},
		{"preset dictionary", tfrecord.ZLIB, dict, 0, tfrecord.Codec},
		{"raw deflate", tfrecord.ZLIB, rawDeflate(raw, nil), 0, tfrecord.Codec},
		{"no bytes", tfrecord.ZLIB, nil, 0, ok},

		{"blocks", tfrecord.SNAPPY, inParts(snappyBlock), 30, ok},
		{"one large block", tfrecord.SNAPPY, snappyBlock(join(raw, slowRecord(zeros(1<<20)))), 31, ok},
		{"empty blocks", tfrecord.SNAPPY, join(snappyBlock(nil), snappyBlock(raw), snappyBlock(nil)), 30, ok},
		{"block of size 0", tfrecord.SNAPPY, join(snappyBlock(raw), zeros(4), snappyBlock(raw)), 30, tfrecord.Codec},
		{"three bytes after the last block", tfrecord.SNAPPY, join(snappyBlock(raw), zeros(3)), 30, tfrecord.Truncated},
		{"a size that leads beyond the end", tfrecord.SNAPPY, join(snappyBlock(raw), []byte("\x00\x00\x00\xff\x05abc")), 30, tfrecord.Truncated},
		{"a size its content cannot have", tfrecord.SNAPPY, join(snappyBlock(raw), []byte("\x00\x00\x00\x03\xff\xff\x03"), snappyBlock(raw)), 30, tfrecord.Codec},
		{"a size of six bytes", tfrecord.SNAPPY, join(snappyBlock(raw), []byte("\x00\x00\x00\x06\xff\xff\xff\xff\xff\x00")), 30, tfrecord.Codec},
		{"no bytes", tfrecord.SNAPPY, nil, 0, ok},

		{"frames", tfrecord.ZSTD, inParts(func(b []byte) []byte { return packRaw(t, tfrecord.ZSTD, b) }), 30, ok},
		{"text after the stream", tfrecord.ZSTD, join(packRaw(t, tfrecord.ZSTD, raw), []byte("xyz!")), 30, tfrecord.Codec},
		{"no bytes", tfrecord.ZSTD, nil, 0, ok},
	} {
		for _, src := range []io.Reader{bytes.NewReader(c.data), &stutter{r: bytes.NewReader(c.data)}} {
			got, err := readPayloads(src, &tfrecord.ReaderOptions{Compression: c.codec})
			class := ok
			if err != nil {
				e, _ := errors.AsType[*tfrecord.Error](err)
				class = e.Class
				if e.Record != int64(len(got)) {
					t.Errorf("%v, %s: %d records, then %v", c.codec, c.name, len(got), err)
				}
			}
			if class != c.want || len(got) != c.count || !equalPayloads(got[:min(len(got), 30)], payloads[:min(len(got), 30)]) {
				t.Errorf("%v, %s: %d records, %v; want %d, %q", c.codec, c.name, len(got), err, c.count, c.want)
			}
		}
	}
}

// TestRecordsBeforeABadSum: if the checksum at the end of a compressed stream is wrong, all good records before it
// are still returned.
func TestRecordsBeforeABadSum(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, n := range []int{1, 100, 20_000} {
		payloads := make([][]byte, n)
		for i := range payloads {
			payloads[i] = fmt.Appendf(nil, "payload %d %x", i, i*i*7919)
		}
		for _, c := range codecs {
			if c == tfrecord.None || c == tfrecord.SNAPPY {
				continue // these formats have no checksum
			}
			data := pack(t, c, payloads...)
			data[len(data)-2] ^= 1
			got, err := readPayloads(bytes.NewReader(data), nil)
			if !equalPayloads(got, payloads) || !errors.Is(err, tfrecord.ErrCodec) {
				t.Errorf("%v: %d records of %d, %v", c, len(got), n, err)
			}
		}
	}
}

// Records with the checksums of other writers are an error that says so. They can be read without checksums.
func TestForeignChecksums(t *testing.T) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	payloads := [][]byte{[]byte("\x0a\x03abc"), bytes.Repeat([]byte("\x0a\x01x"), 300), {}}
	for looks, sum := range map[string]func([]byte) uint32{
		"crc-zero":     func([]byte) uint32 { return 0 },
		"crc-unmasked": func(b []byte) uint32 { return crc32.Checksum(b, castagnoli) },
		"crc-32":       crc32.ChecksumIEEE,
		"uncompressed": slowMaskedCRC, // TensorFlow's
	} {
		for first := range payloads {
			var raw []byte
			for i := range payloads {
				p := payloads[(first+i)%len(payloads)]
				raw = binary.LittleEndian.AppendUint64(raw, uint64(len(p)))
				raw = binary.LittleEndian.AppendUint32(raw, sum(raw[len(raw)-8:]))
				raw = append(raw, p...)
				raw = binary.LittleEndian.AppendUint32(raw, sum(p))
			}
			for _, codec := range codecs {
				b := raw
				if codec != tfrecord.None {
					b = packRaw(t, codec, raw)
				}
				got, err := readPayloads(bytes.NewReader(b), &tfrecord.ReaderOptions{Compression: codec})
				e, ok := errors.AsType[*tfrecord.Error](err)
				switch {
				case looks == "uncompressed":
					if err != nil || len(got) != len(payloads) {
						t.Errorf("%v: %d records, %v", codec, len(got), err)
					}
				case looks == "crc-zero" && len(payloads[first]) == 0: // the record has only zeros
				case !ok || e.Class != tfrecord.NotTFRecord || e.LooksLike != looks:
					t.Errorf("%s in %v, %d bytes first: %v", looks, codec, len(payloads[first]), err)
				}
				got, err = readPayloads(bytes.NewReader(b), &tfrecord.ReaderOptions{Compression: codec, SkipChecksums: true})
				if err != nil || len(got) != len(payloads) {
					t.Errorf("%s in %v without checksums: %d records, %v", looks, codec, len(got), err)
				}
			}
		}
	}
	// Other formats whose second number is zero.
	for _, b := range [][]byte{
		binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte("\x05\x00\x00\x00\x00\x00\x00\x00"), 0), 7), // int64s
		[]byte("\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0a\x03abc\x01\x00\x00\x00"),                                // a footer
		[]byte("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x0a\x03abc\x00\x00\x00\x00"),                                // 2^56 bytes
	} {
		_, err := readPayloads(bytes.NewReader(b), nil)
		if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class != tfrecord.NotTFRecord || e.LooksLike != "" {
			t.Errorf("%x: %v", b, err)
		}
	}
}

// A crash can leave zeros in place of records. The error says so, and how many there are.
func TestZerosBetweenRecords(t *testing.T) {
	a := slowStream([]byte("first"), []byte("second"))
	for _, c := range []struct {
		zeros int
		more  []byte
		want  string
	}{
		{4096, a, "4096 zeros in place of a record"},
		{16, a, "16 zeros in place of a record"},
		{12, []byte{1}, "12 zeros in place of a record"},
		{5000, nil, "zeros in place of a record"},
		{1 << 20, a, "zeros in place of a record"}, // more than are counted
	} {
		b := slices.Concat(a, make([]byte, c.zeros), c.more)
		want := fmt.Sprintf("record 2 (offset %#x): length checksum mismatch: %s", len(a), c.want)
		got, err := readPayloads(bytes.NewReader(b), nil)
		if len(got) != 2 || !errors.Is(err, tfrecord.ErrLengthChecksum) || err.Error() != want {
			t.Errorf("%d zeros: %d records, %v\nwant %s", c.zeros, len(got), err, want)
		}
		r := tfrecord.NewReader(bytes.NewReader(b), nil)
		for rec := range r.Recover() {
			if rec.Skipped != nil && rec.Skipped.Err.Error() != want {
				t.Errorf("recover: %v\nwant %s", rec.Skipped.Err, want)
			}
		}
	}
}
