package tfrecord_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// FuzzIndex makes an index file of any content, with a correct checksum. It is an error, or an index that only
// reads records of the data.
func FuzzIndex(f *testing.F) {
	payloads := somePayloads(30, 40)
	var streams [][]byte
	for i, c := range codecs {
		data := pack(f, c, payloads...)
		streams = append(streams, data)
		x, err := tfrecord.BuildIndex(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			f.Fatal(err)
		}
		form, err := x.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), form[:len(form)-4])
	}
	f.Fuzz(func(t *testing.T, codec byte, form []byte) {
		data := streams[int(codec)%len(streams)]
		form = binary.LittleEndian.AppendUint32(slices.Clip(form), crc32.Checksum(form, crc32.MakeTable(crc32.Castagnoli)))
		x, err := tfrecord.ReadIndex(bytes.NewReader(form))
		if err != nil {
			if !errors.Is(err, tfrecord.ErrIndex) {
				t.Fatal(err)
			}
			return
		}
		if n := x.Len(); n > 0 {
			if off, size := x.Entry(n - 1); off+size != x.StreamSize() || x.Find(off) != n-1 {
				t.Fatalf("the last record is %d bytes at %d of %d", size, off, x.StreamSize())
			}
		}
		in, err := tfrecord.OpenIndexed(bytes.NewReader(data), int64(len(data)), &tfrecord.IndexedOptions{Index: x})
		if err != nil {
			return
		}
		for i := range min(in.Len(), 50) {
			if p, err := in.AppendAt(nil, i); err == nil && !slices.ContainsFunc(payloads, func(q []byte) bool { return bytes.Equal(p, q) }) {
				t.Fatalf("record %d is %q, which was not written", i, p)
			}
		}
	})
}
