package tfrecord_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tfparse/tfparse/tfrecord"
)

// readPayloads reads all records, and returns copies of the payloads.
func readPayloads(src io.Reader, opts *tfrecord.ReaderOptions) (payloads [][]byte, err error) {
	for p, err := range tfrecord.NewReader(src, opts).All() {
		if err != nil {
			return payloads, err
		}
		payloads = append(payloads, bytes.Clone(p))
	}
	return payloads, nil
}

// damageFile is one file of testdata/damage.txt: its bytes, and the outcome of its cuts and flips in another
// reader.
type damageFile struct {
	name     string
	codec    tfrecord.Compression
	data     []byte
	payloads [][]byte
	cut      []string    // by the number of bytes left
	flip     [][8]string // by byte and bit
}

func readDamage(t *testing.T) []damageFile {
	t.Helper()
	f, err := os.Open(filepath.FromSlash("testdata/damage.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var files []damageFile
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		w := strings.Fields(sc.Text())
		last := len(files) - 1
		switch w[0] {
		case "file":
			d := damageFile{name: w[1]}
			if err := d.codec.UnmarshalText([]byte(w[2])); err != nil {
				t.Fatal(err)
			}
			if d.data, err = os.ReadFile(filepath.Join("testdata", w[1])); err != nil {
				t.Fatal(err)
			}
			d.payloads, err = readPayloads(bytes.NewReader(d.data), &tfrecord.ReaderOptions{Compression: d.codec})
			if err != nil || w[3] != strconv.Itoa(len(d.data)) || w[4] != strconv.Itoa(len(d.payloads)) {
				t.Fatalf("%s: %d bytes, %d records, error %v; want %s, %s, none", w[1], len(d.data), len(d.payloads), err, w[3], w[4])
			}
			files = append(files, d)
		case "cut":
			files[last].cut = w[1:]
		case "flip":
			files[last].flip = append(files[last].flip, [8]string(w[2:]))
		default:
			t.Fatalf("line %q", sc.Text())
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range codecs { // the codecs that damage.py writes
		for _, name := range []string{"two", "five"} {
			if !slices.ContainsFunc(files, func(f damageFile) bool { return f.codec == c && f.name == name+"."+c.String()+".tfrecord" }) {
				t.Errorf("damage.txt has nothing about %s.%v.tfrecord, a file that another program wrote", name, c)
			}
		}
	}
	return files
}

var letters = map[tfrecord.Class]string{
	tfrecord.Truncated: "T", tfrecord.LengthCRC: "L", tfrecord.PayloadCRC: "P",
	tfrecord.TooLong: "X", tfrecord.NotTFRecord: "N", tfrecord.Codec: "C",
}

// damageReaders are reused for all streams: one stream must not affect how a Reader reads the next.
var damageReaders = func() map[tfrecord.Compression]*tfrecord.Reader {
	m := make(map[tfrecord.Compression]*tfrecord.Reader)
	for _, c := range autoCodecs {
		m[c] = tfrecord.NewReader(nil, &tfrecord.ReaderOptions{Compression: c})
	}
	return m
}()

// outcome reads data and returns the outcome in the notation of damage.txt. It also checks that the records are
// those of want, and that the error is at their end.
func outcome(t *testing.T, what string, src io.Reader, codec tfrecord.Compression, want [][]byte) string {
	t.Helper()
	r := damageReaders[codec]
	r.Reset(src, "x")
	var got [][]byte
	var err error
	for p, e := range r.All() {
		if err = e; err == nil {
			got = append(got, bytes.Clone(p))
		}
	}
	off := int64(0)
	for i, p := range got {
		if i >= len(want) || !bytes.Equal(p, want[i]) {
			t.Errorf("%s: record %d is %q, which was never written there", what, i, p)
		}
		off += int64(len(p)) + 16
	}
	if err == nil {
		return fmt.Sprint("E", len(got))
	}
	e, ok := errors.AsType[*tfrecord.Error](err)
	if !ok {
		t.Fatalf("%s: error %v is no *Error", what, err)
	}
	if e.Name != "x" || e.Record != int64(len(got)) || e.Offset != off {
		t.Errorf("%s: after %d records, %d bytes: %v", what, len(got), off, err)
	}
	return fmt.Sprint(letters[e.Class], len(got))
}

// agree reports whether our outcome is acceptable if the other reader's outcome is want.
func agree(codec tfrecord.Compression, got, want string) bool {
	switch {
	case got == want:
		return true
	case want == "bad":
		return got[0] != 'E'
	case codec != tfrecord.None && want == "L0" && got == "N0":
		return true // first header in a compressed stream: its content is not TFRecord
	case codec == tfrecord.SNAPPY && want == "T0" && got == "C0":
		return true // the first block has impossible sizes: this is not snappy
	case codec == tfrecord.ZSTD && want[0] == 'E' && got == "C0":
		return true // zstd(1) accepts larger windows, and reserved bits that are set
	}
	return false
}

// silent reports whether an outcome is a clean end, and after how many records.
func silent(outcome string) string {
	if outcome[0] == 'E' {
		return outcome
	}
	return "a fault"
}

func TestCutAtEveryByte(t *testing.T) {
	for _, f := range readDamage(t) {
		if len(f.cut) != len(f.data)+1 {
			t.Fatalf("%s: %d outcomes for %d bytes", f.name, len(f.cut), len(f.data))
		}
		for n, want := range f.cut {
			what := fmt.Sprintf("%s, first %d bytes", f.name, n)
			for _, src := range []io.Reader{bytes.NewReader(f.data[:n]), iotest.OneByteReader(bytes.NewReader(f.data[:n]))} {
				if got := outcome(t, what, src, f.codec, f.payloads); !agree(f.codec, got, want) {
					t.Errorf("%s: %s, want %s", what, got, want)
				}
			}
			got := outcome(t, what, bytes.NewReader(f.data[:n]), tfrecord.Auto, f.payloads)
			if silent(got) != silent(want) {
				t.Errorf("%s, codec to be found: %s, want %s", what, got, want)
			}
		}
	}
}

func TestFlipEveryBit(t *testing.T) {
	for _, f := range readDamage(t) {
		if len(f.flip) != len(f.data) {
			t.Fatalf("%s: outcomes for %d of %d bytes", f.name, len(f.flip), len(f.data))
		}
		for i, bits := range f.flip {
			for bit, want := range bits {
				what := fmt.Sprintf("%s, bit %d of byte %d flipped", f.name, bit, i)
				b := bytes.Clone(f.data)
				b[i] ^= 1 << bit
				named := outcome(t, what, bytes.NewReader(b), f.codec, f.payloads)
				if !agree(f.codec, named, want) {
					t.Errorf("%s: %s, want %s", what, named, want)
				}
				found := outcome(t, what, bytes.NewReader(b), tfrecord.Auto, f.payloads)
				if silent(found) != silent(named) {
					t.Errorf("%s, codec to be found: %s, want %s", what, found, named)
				}
			}
		}
	}
}
