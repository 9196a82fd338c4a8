package tfrecord_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/snappy"

	"github.com/tfparse/tfparse/tfrecord"
)

// zlibOf returns raw as a zlib stream.
func zlibOf(raw string) string {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, flate.BestSpeed)
	io.WriteString(z, raw)
	z.Close()
	return b.String()
}

func snappyBlock(raw []byte) []byte {
	c := snappy.Encode(nil, raw)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(c))), c...)
}

func TestIdentify(t *testing.T) {
	two := unhex(t, hello)
	framed := func() string {
		var b bytes.Buffer
		w := snappy.NewBufferedWriter(&b)
		w.Write(two)
		w.Close()
		return b.String()
	}()
	block := snappyBlock(two)
	tar := make([]byte, 600)
	copy(tar, "train-00000-of-00001")
	copy(tar[257:], "ustar\x0000")
	for _, c := range []struct{ data, want string }{
		{string(two), "uncompressed"},
		{string(two[:12]), "uncompressed"},
		{string(pack(t, tfrecord.GZIP, nil)), "gzip"},
		{string(pack(t, tfrecord.GZIP)), "gzip"},
		{string(pack(t, tfrecord.ZLIB, []byte("x"))), "zlib"},
		{string(pack(t, tfrecord.ZLIB)), "zlib"},
		{zlibOf("this is no TFRecord, but it is a zlib stream all the same"), "zlib"},
		{string(pack(t, tfrecord.SNAPPY, []byte("x"))), "snappy"},
		{string(snappyBlock(two[:5])) + string(snappyBlock(two[5:])), "snappy"},
		{string(snappyBlock(nil)) + string(block), "snappy"},
		{string(pack(t, tfrecord.ZSTD, []byte("x"))), "zstd"},
		{"\x50\x2a\x4d\x18\x00\x00\x00\x00", "zstd"},

		{"<!DOCTYPE html>\n<html>", "html"},
		{"  \n<html lang=en>", "html"},
		{"\ufeff<?xml version='1.0'?><Error/>", "html"},
		{"<!-- moved -->", "html"},
		{`{"label": 1}`, "json"},
		{"{ }\n", "json"},
		{`[1, 2]`, "json"},
		{"[[0.5]]", "json"},
		{"[section]\nkey = value", "text"},
		{"{{ template }}", "text"},
		{"< 5 of them", "text"},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "git-lfs"},
		{"id,label\n1,cat\n", "text"},
		{"Grüße, 你好", "text"},
		{strings.Repeat("你", 300), "text"}, // the sample ends inside a character
		{"\xff\xfeh\x00i\x00", "text"},
		{"\xfe\xff\x00h\x00i", "text"},
		{"oops\n", "text"},
		{"PAR1\x15\x04", "parquet"},
		{"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f\x00\x00", "riegeli"},
		{"PK\x03\x04\x14\x00", "zip"},
		{"PK\x05\x06" + strings.Repeat("\x00", 18), "zip"},
		{string(tar), "tar"},
		{"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", "png"},
		{"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "jpeg"},
		{"GIF89a\x01\x00", "gif"},
		{"%PDF-1.7\n", "pdf"},
		{"\xfd7zXZ\x00\x00\x04", "xz"},
		{"BZh91AY&SY\x00", "bzip2"},
		{"BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00", "bzip2"},
		{"\x04\x22\x4d\x18\x64\x40", "lz4"},
		{framed, "snappy-framed"},
		{string(binary.BigEndian.AppendUint32(nil, 37)) + string(block), "hadoop-snappy"},
		{string(binary.BigEndian.AppendUint32(nil, 74)) + string(block) + string(block), "hadoop-snappy"},
		{"ARROW1\x00\x00", "arrow"},
		{"Obj\x01\x04\x16avro.schema", "avro"},
		{"ORC\x08\x03", "orc"},
		{"\x89HDF\r\n\x1a\n", "hdf5"},
		{"\x93NUMPY\x01\x00", "numpy"},
		{"SQLite format 3\x00", "sqlite"},

		{strings.Repeat("\x00", 16), "zeros"},
		{strings.ToValidUTF8("\x2d\x01\x00\x00\x00\x00\x00\x00\x81\xc5\x9c\xff"+strings.Repeat("é", 300), "\ufffd"), "utf8-mangled"},
		{"\x1f\ufffd\b\x00\x00\x00\x00\x00\x02\ufffd", "utf8-mangled"},
		{"text with a \ufffd", "text"},

		{"", ""},
		{"e", ""},  // the first byte of a length
		{"ab", ""}, // the first two bytes of a length
		{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", ""},
		{string(two[:11]), ""},
		{string(two[1:]), ""},
		{"BZh, as they say", "text"},
		{"x\x9c, which could be zlib, and is not", ""},
		{"\x0a\x1a\x0a\x18\x0a\x05label\x12\x0f\x1a\x0d\x0a\x0b0123456789a", ""},
	} {
		if got := tfrecord.Identify([]byte(c.data)); got != c.want {
			t.Errorf("Identify(%.30q) = %q, want %q", c.data, got, c.want)
		}
	}
	rnd := rand.NewChaCha8([32]byte{1})
	b := make([]byte, 512)
	for range 20_000 {
		rnd.Read(b)
		if got := tfrecord.Identify(b); got != "" {
			t.Errorf("Identify(%x…) = %q for noise", b[:16], got)
		}
	}
}

// TestNotTFRecord reads other formats as a file, with an automatic codec and with each named codec.
func TestNotTFRecord(t *testing.T) {
	for looks, data := range map[string]string{
		"html":          "<!DOCTYPE html><html><head><title>404</title></head></html>",
		"json":          `{"features": {}}` + "\n\n\n",
		"git-lfs":       "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
		"zip":           "PK\x03\x04\x14\x00\x00\x00\x08\x00\x00\x00\x00\x00",
		"text":          "This directory holds the training data.\n",
		"hadoop-snappy": string(binary.BigEndian.AppendUint32(nil, 37)) + string(snappyBlock(unhex(t, hello))),
	} {
		for _, c := range autoCodecs {
			for _, size := range []int{1, 0} {
				src := struct{ io.Reader }{strings.NewReader(data)}
				if size == 1 {
					src.Reader = &stutter{r: src.Reader}
				}
				got, err := readPayloads(src, &tfrecord.ReaderOptions{Compression: c})
				e, ok := errors.AsType[*tfrecord.Error](err)
				want := tfrecord.Codec
				if c == tfrecord.Auto || c == tfrecord.None {
					want = tfrecord.NotTFRecord
				}
				if !ok || len(got) > 0 || e.Class != want || e.LooksLike != looks || e.Record != 0 || e.Offset != 0 {
					t.Errorf("%s read as %v: %v", looks, c, err)
				}
			}
		}
		for _, c := range codecs[1:] {
			_, err := readPayloads(bytes.NewReader(packRaw(t, c, []byte(data))), &tfrecord.ReaderOptions{Compression: c})
			if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class != tfrecord.NotTFRecord || e.LooksLike != looks {
				t.Errorf("%s inside %v: %v", looks, c, err)
			}
		}
	}
}

// TestWrongCodecNamed: if a stream is read with the wrong codec, the error names the right one.
func TestWrongCodecNamed(t *testing.T) {
	for _, is := range codecs {
		for _, size := range []int{10, 1000, 300_000} {
			data := pack(t, is, bytes.Repeat([]byte("0123456789"), size/10))
			for _, named := range codecs {
				_, err := readPayloads(bytes.NewReader(data), &tfrecord.ReaderOptions{Compression: named})
				if is == named {
					if err != nil {
						t.Errorf("%v: %v", is, err)
					}
					continue
				}
				looks, class := is.String(), tfrecord.Codec
				if is == tfrecord.None {
					looks = "uncompressed"
				}
				if named == tfrecord.None {
					class = tfrecord.NotTFRecord
				}
				if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class != class || e.LooksLike != looks {
					t.Errorf("%v read as %v: %v", is, named, err)
				}
			}
		}
	}
}

// TestSniffing reads streams that begin like another format.
func TestSniffing(t *testing.T) {
	for name, payload := range map[string][]byte{
		"a length that is gzip's magic":           make([]byte, 559903),
		"a length that is zlib's magic, 78 01":    make([]byte, 376),
		"a length that is zlib's magic, 78 9c":    make([]byte, 0x9c78),
		"a length that is zlib's magic, 78 da":    make([]byte, 0xda78),
		"a payload that is a gzip file":           pack(t, tfrecord.GZIP, []byte("inner")),
		"a payload that is a TFRecord":            unhex(t, hello),
		"a length whose bytes are printable text": make([]byte, 0x6162),
	} {
		raw := slowStream(payload, []byte("second"))
		r := tfrecord.NewReader(bytes.NewReader(raw), nil)
		got, err := r.Next()
		if err != nil || !bytes.Equal(got, payload) || r.Compression() != tfrecord.None {
			t.Errorf("%s: %d bytes, %v, %v", name, len(got), r.Compression(), err)
		}
		// If its first header is damaged, it is still not detected as gzip.
		raw[9] ^= 4
		_, err = readPayloads(bytes.NewReader(raw), nil)
		if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class != tfrecord.LengthCRC || e.Offset != 0 {
			t.Errorf("%s, header damaged: %v", name, err)
		}
	}

	// A codec is also detected if the first bytes are ambiguous.
	raw := slowStream(somePayloads(8, 20)...)
	var small []byte
	for i := range raw {
		small = append(small, snappyBlock(raw[i:i+1])...)
	}
	emptyFirst := append(pack(t, tfrecord.ZLIB), packRaw(t, tfrecord.ZLIB, raw)...)
	for range 20 {
		emptyFirst = append(pack(t, tfrecord.ZLIB), emptyFirst...)
	}
	longName := append([]byte("\x1f\x8b\x08\x1c\x00\x00\x00\x00\x00\x03\xff\xff"), make([]byte, 0xffff)...)
	longName = append(longName, strings.Repeat("n", 100_000)+"\x00comment\x00"...)
	longName = append(longName, packRaw(t, tfrecord.GZIP, raw)[10:]...)
	for name, c := range map[string]struct {
		data []byte
		want tfrecord.Compression
	}{
		"snappy blocks of one byte":   {small, tfrecord.SNAPPY},
		"empty zlib streams first":    {emptyFirst, tfrecord.ZLIB},
		"gzip with a very long name":  {longName, tfrecord.GZIP},
		"zstd with a skippable frame": {append([]byte("\x5e\x2a\x4d\x18\x03\x00\x00\x00abc"), packRaw(t, tfrecord.ZSTD, raw)...), tfrecord.ZSTD},
	} {
		for _, src := range []io.Reader{bytes.NewReader(c.data), &stutter{r: bytes.NewReader(c.data)}} {
			r := tfrecord.NewReader(src, nil)
			n := 0
			for _, err := range r.All() {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				n++
			}
			if n != 20 || r.Compression() != c.want {
				t.Errorf("%s: %d records, %v", name, n, r.Compression())
			}
		}
	}
}

func TestCompressionText(t *testing.T) {
	for _, c := range autoCodecs {
		b, err := c.MarshalText()
		var lower, upper tfrecord.Compression
		if err != nil || lower.UnmarshalText(b) != nil || upper.UnmarshalText(bytes.ToUpper(b)) != nil || lower != c || upper != c || string(b) != c.String() {
			t.Errorf("%v: %s, %v, %v, %v", c, b, err, lower, upper)
		}
	}
	c := tfrecord.GZIP
	if err := c.UnmarshalText(nil); err != nil || c != tfrecord.None {
		t.Errorf("TensorFlow's name for none: %v, %v", c, err)
	}
	for _, bad := range []string{"Gzip", "gz", "lz4", " gzip"} {
		if err := c.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken for %v", bad, c)
		}
	}
	if _, err := tfrecord.Compression(99).MarshalText(); err == nil {
		t.Error("there is no compression 99")
	}
	if tfrecord.PayloadCRC.String() != "payload_crc" || tfrecord.NotTFRecord.String() != "not_tfrecord" {
		t.Error("the text form of classes is a contract")
	}
}
