package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/snappy"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestDamagedFiles cuts every file of records in testdata at random lengths, flips random
// bits in it, and gives it to every verb that reads. What each must do follows from what the
// standard library's decoders and a reader of 20 lines find in the same bytes.
func TestDamagedFiles(t *testing.T) {
	changes, every := 1, 8
	if testkit.Long(t, "16 cuts and flips of each file, and seven of eight files of the vectors") {
		changes, every = 16, 1
	}
	vectors := 0
	root := filepath.Join("..", "..", "testdata")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".tfrecord" {
			return err
		}
		if strings.Contains(filepath.ToSlash(name), "/vectors/") {
			if vectors++; vectors%every != 0 {
				return nil
			}
		}
		t.Run(filepath.ToSlash(strings.TrimPrefix(name, root)[1:]), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := newDamaged(t, name, data)
			hash := fnv.New64a()
			io.WriteString(hash, filepath.Base(name))
			rnd := rand.New(rand.NewPCG(hash.Sum64(), 1))
			c.run("as it is", data)
			first := rnd.IntN(2)
			for i := range changes {
				if (first+i)%2 == 0 {
					at := rnd.IntN(len(data))
					c.run(fmt.Sprintf("cut at %d", at), data[:at])
					continue
				}
				at := rnd.IntN(8 * len(data))
				flipped := bytes.Clone(data)
				flipped[at/8] ^= 1 << (at % 8)
				c.run(fmt.Sprintf("bit %d of byte %d flipped", at%8, at/8), flipped)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A damaged runs the verbs on damaged copies of one file.
type damaged struct {
	t       *testing.T
	codec   tfrecord.Compression
	written map[string]bool // the payloads of the file
	whole   string          // the name of the file
	copy    string          // and of the damaged copy
	out     string          // what recover writes
}

func newDamaged(t *testing.T, name string, data []byte) *damaged {
	dir := t.TempDir()
	c := &damaged{t: t, written: map[string]bool{}, whole: name, copy: filepath.Join(dir, "copy.tfrecord"), out: filepath.Join(dir, "out.tfrecord")}
	r := tfrecord.NewReader(bytes.NewReader(data), nil)
	for rec := range r.Recover() { // samples that are damaged themselves have records behind the damage
		if rec.Skipped == nil {
			c.written[string(rec.Record)] = true
		}
	}
	c.codec = r.Compression()
	return c
}

// run gives data to each verb.
func (c *damaged) run(change string, data []byte) {
	c.t.Helper()
	if err := os.WriteFile(c.copy, data, 0o666); err != nil {
		c.t.Fatal(err)
	}
	want, sound := simpleRecords(c.codec, data)
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	do := func(args ...string) (code int, stdout, stderr string) {
		code, stdout, stderr = runWith(c.t, nil, args...)
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
			c.t.Errorf("%s: %q: allocates %d MB", change, args, used>>20)
		}
		before = after
		if code == cli.ExitBadInput && args[0] != "verify" && !strings.Contains(stderr, "tfparse: ") { // whose report is its output
			c.t.Errorf("%s: %q: exit code 4 without a message: %q", change, args, stderr)
		}
		return code, stdout, stderr
	}
	wrong := func(args []string, code int, stdout, stderr, format string, more ...any) {
		c.t.Helper()
		c.t.Errorf("%s: %q: %s: got exit code %d, %.200q, %.300q", change, args, fmt.Sprintf(format, more...), code, stdout, stderr)
	}

	// What reads records as bytes prints those in front of the damage, and no others.
	args := []string{"cat", "--type", "raw", c.copy}
	code, stdout, stderr := do(args...)
	if got := rawRecords(c.t, stdout); !slices.EqualFunc(got, want, bytes.Equal) || (code == cli.ExitDone) != sound || code != cli.ExitDone && code != cli.ExitBadInput {
		wrong(args, code, "", stderr, "want %d records and sound %v, got %d", len(want), sound, len(got))
	}
	args = []string{"count", c.copy}
	code, stdout, stderr = do(args...)
	number, _, _ := strings.Cut(stdout, "\t")
	n, err := strconv.Atoi(number) // of records with a sound header: it leaves the payloads unread
	if sound && (code != cli.ExitDone || n != len(want)) || code == cli.ExitDone && (err != nil || n < len(want)) || code != cli.ExitDone && code != cli.ExitBadInput {
		wrong(args, code, stdout, stderr, "want %d records and sound %v", len(want), sound)
	}
	args = []string{"verify", "--type", "raw", "--format", "json", c.copy}
	code, stdout, stderr = do(args...)
	var report struct{ Files []struct{ OK bool } }
	if err = json.Unmarshal([]byte(stdout), &report); err != nil || (code == cli.ExitDone) != sound || report.Files[0].OK != sound || !sound && code != cli.ExitBadInput {
		wrong(args, code, stdout, stderr, "want sound %v (%v)", sound, err)
	}

	// What reads all records and their messages refuses a damaged file.
	for _, args := range [][]string{
		{"info", c.copy}, {"schema", c.copy}, {"stats", c.copy}, {"du", c.copy}, {"digest", c.copy}, {"digest", "--unordered", c.copy}, {"verify", c.copy},
		{"verify", "--all", "--format", "junit", c.copy}, {"diff", c.whole, c.copy}, {"cat", "--batch", "3", c.copy}, {"sort", "--type", "raw", "-o", c.out, c.copy},
		{"shuffle", "-o", c.out, c.copy}, {"dedup", "-o", c.out, c.copy}, {"convert", "--to", "gzip", "-o", c.out, c.copy}, {"merge", "-o", c.out, c.copy},
		{"export", "--to", "npz", "-o", c.out, c.copy}, {"export", "--to", "jsonl", "-o", c.out, c.copy},
	} {
		os.Remove(c.out)
		code, stdout, stderr := do(args...)
		_, err := os.Stat(c.out)
		switch {
		case sound && code != cli.ExitDone && code != cli.ExitBadInput && code != cli.ExitNegative && code != cli.ExitUsage:
			wrong(args, code, stdout, stderr, "the container is sound")
		case !sound && args[0] == "stats" && code == cli.ExitSkipped: // it continues unless --on-error stop is given
		case !sound && code != cli.ExitBadInput && code != cli.ExitUsage:
			wrong(args, code, stdout, stderr, "want exit code 4")
		case !sound && err == nil:
			wrong(args, code, stdout, stderr, "a file of records was written")
		}
	}

	// What reads some records, or continues after damage, gives none that was not written.
	for _, args := range [][]string{
		{"get", "--type", "raw", c.copy + "#-1"}, {"get", "--type", "raw", c.copy + "#2:5"}, {"tail", "--type", "raw", "-n", "3", c.copy},
		{"sample", "--type", "raw", "-n", "3", c.copy}, {"head", "--type", "raw", c.copy}, {"cat", "--type", "raw", "--on-error", "skip", c.copy},
	} {
		code, stdout, stderr := do(args...)
		for _, p := range rawRecords(c.t, stdout) {
			if !c.written[string(p)] {
				wrong(args, code, "", stderr, "record %.50q was never written", p)
			}
		}
		if args[0] == "cat" && code != cli.ExitDone && code != cli.ExitSkipped || sound && len(want) >= 5 && code != cli.ExitDone {
			wrong(args, code, "", stderr, "want sound %v", sound)
		}
	}
	os.Remove(c.out)
	args = []string{"recover", "-o", c.out, c.copy}
	code, stdout, stderr = do(args...)
	r, err := tfrecord.Open(c.out, nil)
	if errors.Is(err, fs.ErrNotExist) && len(want) == 0 && !sound && code == cli.ExitBadInput {
		return // there was nothing to write
	}
	if err != nil {
		wrong(args, code, stdout, stderr, "%v", err)
		return
	}
	defer r.Close()
	n = 0
	for p, err := range r.All() {
		if err != nil || !c.written[string(p)] || n < len(want) && !bytes.Equal(p, want[n]) {
			wrong(args, code, stdout, stderr, "record %d is %.50q (%v)", n, p, err)
			return
		}
		n++
	}
	if n < len(want) || (code == cli.ExitDone) != sound || !sound && code != cli.ExitSkipped {
		wrong(args, code, stdout, stderr, "want sound %v and at least %d records, got %d", sound, len(want), n)
	}
}

// rawRecords reads what --type raw prints.
func rawRecords(t *testing.T, stdout string) (records [][]byte) {
	for line := range strings.Lines(stdout) {
		var r struct{ B64 string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Errorf("%v: %.100q", err, line)
			return records
		}
		p, err := base64.StdEncoding.DecodeString(r.B64)
		if err != nil {
			t.Error(err)
		}
		records = append(records, p)
	}
	return records
}

// simpleRecords returns the records of a file in front of its first damage; sound is true if
// there is none. It is the obvious way, with the decoders of the standard library.
func simpleRecords(c tfrecord.Compression, data []byte) (records [][]byte, sound bool) {
	b, err := simpleDecode(c, data)
	masked := func(b []byte) uint32 {
		crc := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
		return (crc>>15 | crc<<17) + 0xa282ead8
	}
	for len(b) > 0 {
		if len(b) < 16 || binary.LittleEndian.Uint32(b[8:]) != masked(b[:8]) {
			return records, false
		}
		n := binary.LittleEndian.Uint64(b)
		if n > uint64(len(b)-16) || binary.LittleEndian.Uint32(b[12+n:]) != masked(b[12:12+n]) {
			return records, false
		}
		records = append(records, b[12:12+n])
		b = b[16+n:]
	}
	return records, err == nil
}

// simpleDecode returns what can be decoded.
func simpleDecode(c tfrecord.Compression, data []byte) (decoded []byte, err error) {
	var all bytes.Buffer
	src := bytes.NewReader(data)
	r := bufio.NewReader(src)
	for err == nil {
		if _, end := r.Peek(1); end != nil && c != tfrecord.None {
			return all.Bytes(), nil
		}
		switch c {
		case tfrecord.None:
			return data, nil
		case tfrecord.GZIP:
			if left := data[len(data)-src.Len()-r.Buffered():]; len(left) < len(data) && len(bytes.Trim(left, "\x00")) == 0 {
				return all.Bytes(), nil // padding
			}
			if head, _ := r.Peek(4); len(head) == 4 && head[3]&0xe0 != 0 {
				err = errors.New("reserved flags") // RFC 1952 and zlib refuse them, compress/gzip does not
				continue
			}
			var z *gzip.Reader
			if z, err = gzip.NewReader(r); err == nil {
				z.Multistream(false)
				_, err = io.Copy(&all, z)
			}
		case tfrecord.ZLIB:
			var z io.Reader
			if z, err = zlib.NewReader(r); err == nil {
				_, err = io.Copy(&all, z)
			}
		case tfrecord.SNAPPY:
			err = simpleBlock(&all, r)
		default:
			return nil, errors.New("no decoder")
		}
	}
	return all.Bytes(), err
}

// simpleBlock decodes one block of TensorFlow's snappy framing: its compressed size, then that.
func simpleBlock(all *bytes.Buffer, r io.Reader) error {
	var size uint32
	if err := binary.Read(r, binary.BigEndian, &size); err != nil {
		return err
	}
	block, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil || len(block) < int(size) {
		return io.ErrUnexpectedEOF
	}
	decoded, err := snappy.Decode(nil, block)
	all.Write(decoded)
	return err
}
