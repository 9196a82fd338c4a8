package sniff

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// arrayOf returns n values as raw bytes.
func arrayOf[T any](n int, value func(i int) T) []byte {
	var b bytes.Buffer
	for i := range n {
		if err := binary.Write(&b, binary.LittleEndian, value(i)); err != nil {
			panic(err) // not reached: all callers have numbers
		}
	}
	return b.Bytes()
}

// TestNumbers names the dtype of arrays, and none for single bytes and for zeros.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		want string
		make func() []byte
	}{
		{"float32", func() []byte { return arrayOf(16, func(int) float32 { return float32(r.NormFloat64()) }) }},
		{"float32", func() []byte { return arrayOf(16, func(i int) float32 { return float32(i%4) / 2 }) }},
		{"float32", func() []byte { return arrayOf(32, func(i int) float32 { return max(0, float32(r.NormFloat64())) }) }},
		{"float32", func() []byte { return arrayOf(5, func(int) float32 { return float32(r.IntN(9) + 1) }) }},
		{"float64", func() []byte { return arrayOf(16, func(int) float64 { return r.NormFloat64() }) }},
		{"float64", func() []byte { return arrayOf(16, func(int) float64 { return float64(r.IntN(9)) }) }},
		{"int64", func() []byte { return arrayOf(16, func(int) int64 { return r.Int64N(2000) - 1000 }) }},
		{"int32", func() []byte { return arrayOf(16, func(int) int32 { return r.Int32N(2000) - 1000 }) }},
		{"int16", func() []byte { return arrayOf(400, func(i int) int16 { return int16(9000 * math.Sin(float64(i)/9)) }) }},
		{"uint16", func() []byte {
			return arrayOf(400, func(i int) uint16 { return uint16(9000 + 5000*math.Sin(float64(i)/9)) })
		}},
		{"", func() []byte { return arrayOf(400, func(i int) uint8 { return uint8(60 + 9*math.Sin(float64(i)/9)) }) }}, // as float32, all are about 0.5
		{"", func() []byte { return arrayOf(400, func(i int) uint8 { return uint8(i / 99) }) }},
		{"", func() []byte { return arrayOf(400, func(int) uint8 { return uint8(r.IntN(256)) }) }},
		{"", func() []byte { return arrayOf(16, func(int) uint8 { return uint8(r.IntN(256)) }) }},
		{"", func() []byte { return make([]byte, 64) }},
	} {
		var whole, parts Numbers
		for range 20 {
			v := c.make()
			whole.Add(v)
			part := Numbers{}
			part.Add(v)
			parts.Merge(&part)
		}
		for _, n := range []*Numbers{&whole, &parts} {
			if got, _ := n.DType(); got != c.want {
				t.Errorf("%x…: got %q, want %q", c.make()[:16], got, c.want)
			}
		}
	}
	one := Numbers{}
	one.Add(arrayOf(16, func(i int) float32 { return float32(i) }))
	if got, _ := one.DType(); got != "" {
		t.Errorf("one array: got %q", got)
	}
}
