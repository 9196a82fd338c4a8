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
			return arrayOf(400, func(i int) uint16 { return uint16(25000 + 7500*math.Sin(float64(i)/9)) })
		}},
		{"", func() []byte { // as float16, values between 0.0005 and 0.42
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

// TestNumbersNeverWrong makes arrays of every dtype with many distributions: a guess is the dtype, or the one of the other sign
// with the same values. Two small int16 in place of one int32, and two bfloat16 in place of one float32, are the hard ones.
func TestNumbersNeverWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	distributions := map[string]func(i int) float64{
		"zero": func(int) float64 { return 0 }, "one": func(int) float64 { return 1 }, "minus one": func(int) float64 { return -1 },
		"range": func(i int) float64 { return float64(i) }, "mask": func(int) float64 { return float64(r.IntN(2)) },
		"signs": func(int) float64 { return float64(r.IntN(3) - 1) }, "labels": func(int) float64 { return float64(r.IntN(10)) },
		"sparse": func(int) float64 { return float64(r.IntN(9) * (r.IntN(20) / 19)) },
		"small":  func(int) float64 { return float64(r.IntN(200) - 100) }, "negative": func(int) float64 { return -1 - float64(r.IntN(100)) },
		"tokens": func(int) float64 { return float64(r.IntN(30000)) }, "large": func(int) float64 { return float64(r.IntN(1 << 20)) },
		"huge":   func(int) float64 { return float64(r.Int64N(1 << 40)) },
		"normal": func(int) float64 { return r.NormFloat64() }, "uniform": func(int) float64 { return r.Float64() },
		"scaled": func(int) float64 { return 1000 * r.NormFloat64() }, "relu": func(int) float64 { return max(0, r.NormFloat64()) },
		"sine": func(i int) float64 { return math.Sin(float64(i) / 20) }, "signal": func(i int) float64 { return 9000 * math.Sin(float64(i)/9) },
		"image": func(i int) float64 { return 120 + 99*math.Sin(float64(i)/30) },
	}
	half := func(v float64) uint16 { // float16, rounded towards zero; small values are zero
		bits := math.Float64bits(v)
		e := int(bits>>52&0x7ff) - 1023 + 15
		return uint16(bits>>48&0x8000) | uint16(min(max(e, 0), 31)<<10) | uint16(bits>>42&0x3ff)*uint16(min(max(e, 0), 1))
	}
	makers := map[string]func(n int, f func(int) float64) []byte{
		"int8": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) int8 { return int8(int64(f(i))) })
		},
		"uint8": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) uint8 { return uint8(int64(f(i))) })
		},
		"int16": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) int16 { return int16(int64(f(i))) })
		},
		"uint16": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) uint16 { return uint16(int64(f(i))) })
		},
		"int32": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) int32 { return int32(int64(f(i))) })
		},
		"uint32": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) uint32 { return uint32(int64(f(i))) })
		},
		"int64": func(n int, f func(int) float64) []byte { return arrayOf(n, func(i int) int64 { return int64(f(i)) }) },
		"uint64": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) uint64 { return uint64(int64(f(i))) })
		},
		"float16": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) uint16 { return half(f(i)) })
		},
		"bfloat16": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) uint16 { return uint16(math.Float32bits(float32(f(i))) >> 16) })
		},
		"float32": func(n int, f func(int) float64) []byte {
			return arrayOf(n, func(i int) float32 { return float32(f(i)) })
		},
		"float64": func(n int, f func(int) float64) []byte { return arrayOf(n, f) },
	}
	same := map[string]string{"uint16": "int16", "uint32": "int32", "uint64": "int64", "int16": "uint16"} // values that are not negative
	negative := map[string]bool{"minus one": true, "signs": true, "small": true, "negative": true, "normal": true, "scaled": true, "sine": true, "signal": true}
	right := map[string]int{}
	for dtype, makeArray := range makers {
		for name, f := range distributions {
			if negative[name] && dtype[0] == 'u' {
				continue
			}
			for _, size := range []int{2, 3, 4, 6, 7, 8, 16, 20, 39, 100, 400} {
				for _, arrays := range []int{2, 3, 30} {
					n := Numbers{}
					for a := range arrays {
						n.Add(makeArray(size, func(i int) float64 { return f(i + a) }))
					}
					got, _ := n.DType()
					if got != "" && got != dtype && (got != same[dtype] || negative[name]) {
						t.Errorf("%d arrays of %d %s, %s: got %q", arrays, size, dtype, name, got)
					}
					if got == dtype {
						right[dtype]++
					}
				}
			}
		}
	}
	for _, dtype := range []string{"int16", "int32", "int64", "float32", "float64"} {
		if right[dtype] == 0 {
			t.Errorf("%s is never guessed", dtype)
		}
	}
}
