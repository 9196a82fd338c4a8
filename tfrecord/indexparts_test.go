package tfrecord_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// manyRecords writes a file of records of 0 to 300 bytes, and an index that is too large to be read at once.
func manyRecords(t *testing.T) (name string, payloads [][]byte, index *tfrecord.Index) {
	r := rand.New(rand.NewPCG(1, 2))
	name = filepath.Join(t.TempDir(), "x")
	w, err := tfrecord.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 60_001 {
		p := make([]byte, r.IntN(300))
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		payloads = append(payloads, p)
		if err := w.WriteRecord(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	x, err := tfrecord.OpenIndexedFile(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	return name, payloads, x.Index()
}

func putIndex(t *testing.T, name string, form []byte) {
	t.Helper()
	if err := os.WriteFile(name+tfrecord.IndexExtension, form, 0o666); err != nil {
		t.Fatal(err)
	}
}

// An index that is read in parts has the same entries as one that is read at once.
func TestIndexParts(t *testing.T) {
	name, payloads, index := manyRecords(t)
	form, err := index.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	putIndex(t, name, form)
	x, err := tfrecord.OpenIndexedFile(name, &tfrecord.IndexedOptions{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Index().MarshalBinary(); err == nil {
		t.Error("a part of an index is written")
	}
	n := int64(len(payloads))
	for _, i := range []int64{0, n - 1, 127, 128, 40_000, 129, 12_345} {
		if got, err := x.AppendAt(nil, i); err != nil || !bytes.Equal(got, payloads[i]) {
			t.Fatalf("record %d: %d bytes, %v", i, len(got), err)
		}
	}
	if err := x.Index().Load(100, n); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		wantOff, wantSize := index.Entry(i)
		if off, size := x.Index().Entry(i); off != wantOff || size != wantSize {
			t.Fatalf("record %d: %d bytes at %d, want %d at %d", i, size, off, wantSize, wantOff)
		}
	}
}

// Damage of an index that is read in parts is an error, unless it is in a part that is not read.
func TestIndexPartsDamage(t *testing.T) {
	name, payloads, index := manyRecords(t)
	form, err := index.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	table := crc32.MakeTable(crc32.Castagnoli)
	refused := 0
	rounds := testkit.Rounds(600)
	for round := range rounds {
		bad := bytes.Clone(form)
		switch at := r.IntN(4); {
		case round == 0:
			bad = bad[:len(bad)-1000]
		case at == 0:
			bad[r.IntN(72)] ^= 1 << r.IntN(8)
		case at == 1: // a header whose checksum is correct
			binary.LittleEndian.PutUint64(bad[[]int{16, 40, 48, 56}[r.IntN(4)]:], r.Uint64()>>r.IntN(64))
			binary.LittleEndian.PutUint32(bad[68:], crc32.Checksum(bad[:68], table))
		default:
			bad[72+r.IntN(len(bad)-72)] ^= 1 << r.IntN(8)
		}
		putIndex(t, name, bad)
		x, err := tfrecord.OpenIndexedFile(name, &tfrecord.IndexedOptions{Partial: true})
		if err != nil {
			refused++
			if !errors.Is(err, tfrecord.ErrIndex) {
				t.Fatalf("round %d: %v", round, err)
			}
			continue
		}
		for range 20 {
			i := r.Int64N(min(x.Len(), int64(len(payloads))))
			if got, err := x.AppendAt(nil, i); err != nil {
				refused++
				if !errors.Is(err, tfrecord.ErrIndex) {
					t.Fatalf("round %d: %v", round, err)
				}
			} else if !bytes.Equal(got, payloads[i]) {
				t.Fatalf("round %d: record %d is another", round, i)
			}
		}
		x.Close()
	}
	if refused < rounds/3 {
		t.Errorf("%d of %d are refused", refused, rounds)
	}
}
