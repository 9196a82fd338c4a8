package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A network is a store of one file. When the file is opened, some of its bytes are wrong, as often
// as flips has.
type network struct {
	storage.Store
	mu    sync.Mutex
	data  []byte
	flips map[int]int // number of further opens for which a byte is wrong, by its offset
	opens int
}

type networkFile struct {
	*bytes.Reader
	fs.File
}

func (f networkFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }

func (n *network) Lists() bool { return false }

func (n *network) Stat(context.Context, string) (fs.FileInfo, error) {
	return fs.Stat(fstest.MapFS{"x": {Data: n.data}}, "x")
}

func (n *network) Open(_ context.Context, name string) (storage.File, error) {
	if name != "net://x" {
		return nil, fs.ErrNotExist
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opens++
	data := bytes.Clone(n.data)
	for at := range n.flips {
		if n.flips[at]--; n.flips[at] >= 0 {
			data[at] ^= 0x10
		}
	}
	f, err := fstest.MapFS{"x": {Data: data}}.Open("x")
	return networkFile{bytes.NewReader(data), f}, err
}

// TestReadOnceMore checks that damaged bytes of a network are read once more before the file counts
// as damaged: at every offset, in every codec, with and without SkipErrors.
func TestReadOnceMore(t *testing.T) {
	for _, c := range tfrecord.Compressions() {
		var packed bytes.Buffer
		w := tfrecord.NewWriter(&packed, &tfrecord.WriterOptions{Compression: c})
		var want []string
		for i := range 20 {
			want = append(want, fmt.Sprintf("record %d %s", i, bytes.Repeat([]byte{byte(i)}, i*7)))
			if err := w.WriteRecord([]byte(want[i])); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		places := 60
		if testing.Short() {
			places = 12
		}
		step := max(1, packed.Len()/places)
		for _, skip := range []bool{false, true} {
			for at := 0; at < packed.Len(); at += step {
				n := &network{data: packed.Bytes(), flips: map[int]int{at: 1}}
				storage.Register("net", n)
				opts := &dataset.FilesOptions{SkipErrors: skip, Workers: 1, Reader: tfrecord.ReaderOptions{Compression: c}}
				records := dataset.NewFiles([]string{"net://x"}, opts).Records(t.Context())
				var got []string
				var err error
				for {
					var rec []byte
					if rec, err = records.Next(); err != nil {
						break
					}
					got = append(got, string(rec))
				}
				skipped := records.Stats().SkippedRanges
				records.Close()
				if err != io.EOF || !slices.Equal(got, want) || skipped > 0 {
					t.Fatalf("%v, skip %v, byte %d: %d records of %d, %d skipped, %v", c, skip, at, len(got), len(want), skipped, err)
				}
			}
		}
		// A damaged file is read exactly twice.
		n := &network{data: packed.Bytes(), flips: map[int]int{packed.Len() / 2: 1000}}
		storage.Register("net", n)
		_, err := last(dataset.NewFiles([]string{"net://x"}, &dataset.FilesOptions{Reader: tfrecord.ReaderOptions{Compression: c}}).Records(t.Context()))
		if e, ok := errors.AsType[*tfrecord.Error](err); !ok || e.Class == 0 || n.opens != 2 {
			t.Errorf("%v: %v, opened %d times", c, err, n.opens)
		}
	}
}

func last(records *dataset.Records) (n int, err error) {
	defer records.Close()
	for {
		if _, err := records.Next(); err != nil {
			return n, err
		}
		n++
	}
}
