package tfrecord_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// A flipping returns one wrong byte, in the first reads up to the number times.
type flipping struct {
	data  []byte
	at    int64
	times int
}

func (f *flipping) ReadAt(p []byte, off int64) (int, error) {
	n, err := bytes.NewReader(f.data).ReadAt(p, off)
	if f.at >= off && f.at < off+int64(n) && f.times > 0 {
		f.times--
		p[f.at-off] ^= 1
	}
	return n, err
}

// If the checksum of a record in a remote file is wrong, the record is read again before it is an error.
func TestIndexedOnceMore(t *testing.T) {
	storage.Register("net", struct{ storage.Store }{})
	for _, c := range tfrecord.Compressions() {
		var packed bytes.Buffer
		w := tfrecord.NewWriter(&packed, &tfrecord.WriterOptions{Compression: c})
		for i := range 10 {
			if err := w.WriteRecord(bytes.Repeat([]byte{byte(i)}, 1000)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"net://b/x", "x"} {
			for _, times := range []int{1, 1000} {
				f := &flipping{data: packed.Bytes()}
				x, err := tfrecord.OpenIndexed(f, int64(packed.Len()), &tfrecord.IndexedOptions{Name: name})
				if err != nil {
					t.Fatal(err)
				}
				f.at, f.times = int64(packed.Len()/2), times
				var fault error
				for i := range x.Len() {
					got, err := x.AppendAt(nil, i)
					if err != nil {
						fault = err
					} else if !bytes.Equal(got, bytes.Repeat([]byte{byte(i)}, 1000)) {
						t.Errorf("record %d is another", i)
					}
				}
				_, isFault := errors.AsType[*tfrecord.Error](fault)
				if want := times > 1 || name == "x"; isFault != want {
					t.Errorf("%v, %s, wrong %d times: %v", c, name, times, fault)
				}
			}
		}
	}
}
