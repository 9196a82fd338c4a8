package encode

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// The same messages, written from front to back by the protobuf library.

func field(num protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), body)
}

func int64sFeature(v []int64) []byte {
	var packed []byte
	for _, x := range v {
		packed = protowire.AppendVarint(packed, uint64(x))
	}
	if len(v) > 0 {
		packed = field(1, packed)
	}
	return field(3, packed)
}

func floatsFeature(v []float32) []byte {
	var packed []byte
	for _, x := range v {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
	}
	if len(v) > 0 {
		packed = field(1, packed)
	}
	return field(2, packed)
}

func bytesFeature(v []string) []byte {
	var list []byte
	for _, s := range v {
		list = append(list, field(1, []byte(s))...)
	}
	return field(1, list)
}

// TestFeatures writes features of every kind, with sizes around those at which lengths get another byte, into
// several buffers in turn.
func TestFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b Buffer
	for n := range 300 {
		ints, floats, texts := make([]int64, n), make([]float32, n), make([]string, n%20)
		for i := range n {
			ints[i], floats[i] = int64(r.Uint64()>>r.IntN(64)), math.Float32frombits(r.Uint32())
		}
		for i := range texts {
			texts[i] = strings.Repeat("x", r.IntN(n+1))
		}
		name := strings.Repeat("k", n*7%130)
		for _, c := range []struct {
			write func()
			want  []byte
		}{
			{func() { b.Int64s(ints) }, int64sFeature(ints)},
			{func() { b.Floats(floats) }, floatsFeature(floats)},
			{func() { Bytes(&b, texts) }, bytesFeature(texts)},
			{func() {}, nil},
		} {
			before := append([]byte(nil), b.Bytes()...)
			mark := b.Len()
			c.write()
			b.Entry(name, mark)
			b.Field(2, mark)
			want := field(2, field(1, append(field(1, []byte(name)), field(2, c.want)...)))
			if got := b.Since(mark); !bytes.Equal(got, want) {
				t.Fatalf("%d values: got %x, want %x", n, got, want)
			}
			if got := b.Bytes(); b.Len() != len(want)+len(before) || !bytes.Equal(got[len(want):], before) {
				t.Fatalf("%d values: what stood behind has changed", n)
			}
		}
		if n%10 == 0 {
			b.Reset()
		}
	}
}

// checkPack compares packInt64s with Varint, in a buffer that already has other bytes.
func checkPack(t *testing.T, v []int64) {
	t.Helper()
	var fast, slow Buffer
	for _, b := range []*Buffer{&fast, &slow} {
		write(b, "behind")
	}
	fast.packInt64s(v)
	for i := len(v) - 1; i >= 0; i-- {
		slow.Varint(uint64(v[i]))
	}
	if !bytes.Equal(fast.Bytes(), slow.Bytes()) {
		t.Fatalf("%x: got %x, want %x", v, fast.Bytes(), slow.Bytes())
	}
}

func TestPack(t *testing.T) {
	for size := range 64 { // every size, alone and between other sizes
		for _, x := range []uint64{1 << size, 1<<size - 1, 1<<size | 1} {
			checkPack(t, []int64{int64(x)})
			checkPack(t, []int64{1, int64(x), 300, int64(x), -1})
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(r.Uint64() >> r.IntN(64))
		}
		checkPack(t, v)
		for i := range v {
			v[i] &= 0x7f
		}
		checkPack(t, v)
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v []int64
		for ; len(data) >= 8; data = data[8:] {
			v = append(v, int64(binary.LittleEndian.Uint64(data)))
		}
		checkPack(t, v)
	})
}
