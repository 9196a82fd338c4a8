package tensor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// A tensorCase is a line of tensors.jsonl, which testdata/make/tensors.py made.
type tensorCase struct {
	Name  string
	Proto []byte
	CPP   *struct {
		DType   string
		Shape   tensor.Shape
		Content []byte
		Strings [][]byte
	}
	Canonical []byte
	Ours      string
}

// readCases reads a file of JSON lines in testdata.
func readCases[T any](t testing.TB, name string) (cases []T) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "models", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var c T
		if err := d.Decode(&c); err == io.EOF {
			return cases
		} else if err != nil {
			t.Fatalf("%s: case %d: %v", name, len(cases), err)
		}
		cases = append(cases, c)
	}
}

func tensorCases(t testing.TB) []tensorCase {
	t.Helper()
	cases := readCases[tensorCase](t, "tensors.jsonl")
	if len(cases) < 300 {
		t.Fatalf("%d cases", len(cases))
	}
	return cases
}

// TestDecode compares every encoding with TensorFlow Serving's decoder, except for values that it drops
// or wraps. TensorFlow must read the tensors that Append writes.
func TestDecode(t *testing.T) {
	for _, c := range tensorCases(t) {
		got, err := tensor.Decode(c.Proto)
		if c.CPP == nil || c.Ours != "" {
			var e *tensor.Error
			if !errors.As(err, &e) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, %v; want an error", c.Name, got, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var texts []string
		for _, s := range c.CPP.Strings {
			texts = append(texts, string(s))
		}
		if got.DType.String() != c.CPP.DType || !slices.Equal(got.Shape, c.CPP.Shape) || !bytes.Equal(got.Bytes, c.CPP.Content) || !slices.Equal(got.Strings, texts) {
			t.Errorf("%s: %v, want %v", c.Name, got, *c.CPP)
		}
		b, err := tensor.Append([]byte("x"), got)
		if err != nil || string(b[1:]) != string(c.Canonical) {
			t.Errorf("%s: written as %x, %v; want %x", c.Name, b, err, c.Canonical)
		}
		again, err := tensor.Decode(b[1:])
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: read again as %v, %v", c.Name, again, err)
		}
	}
}

// TestValues checks ValuesOf and New.
func TestValues(t *testing.T) {
	floats := []float32{1, -2.5, float32(math.NaN()), float32(math.Inf(1))}
	x, err := tensor.New(floats, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	back, err := tensor.ValuesOf[float32](x)
	if err != nil || len(back) != 4 || back[1] != -2.5 || back[2] == back[2] || !slices.Equal(x.Shape, tensor.Shape{2, 2}) {
		t.Errorf("%v, %v", back, err)
	}
	roundTrip(t, []int64{math.MinInt64, -1, 0, math.MaxInt64}, tensor.Int64)
	roundTrip(t, []int32{math.MinInt32, 7}, tensor.Int32)
	roundTrip(t, []int16{math.MinInt16, 7}, tensor.Int16)
	roundTrip(t, []int8{-128, 127}, tensor.Int8)
	roundTrip(t, []uint8{0, 255}, tensor.Uint8)
	roundTrip(t, []uint16{0, 65535}, tensor.Uint16)
	roundTrip(t, []uint32{0, math.MaxUint32}, tensor.Uint32)
	roundTrip(t, []uint64{0, math.MaxUint64}, tensor.Uint64)
	roundTrip(t, []float64{0.1, math.Inf(-1)}, tensor.Float64)
	roundTrip(t, []complex64{1 + 2i, -3i}, tensor.Complex64)
	roundTrip(t, []complex128{1 + 2i, -3i}, tensor.Complex128)
	roundTrip(t, []bool{true, false, true}, tensor.Bool)
	roundTrip(t, []string{"", "a\xff"}, tensor.String)
	roundTrip(t, []string{}, tensor.String)
	roundTrip(t, []int64{}, tensor.Int64)
	if _, err := tensor.ValuesOf[int32](x); !errors.Is(err, tensor.ErrDType) {
		t.Errorf("float32 as int32: %v", err)
	}
	if half, err := tensor.ValuesOf[uint16](tensor.Tensor{DType: tensor.Float16, Shape: tensor.Shape{1}, Bytes: []byte{0, 0x3c}}); err != nil || half[0] != 0x3c00 {
		t.Errorf("the bits of a float16: %v, %v", half, err)
	}
}

func roundTrip[T interface {
	tensor.Element
	comparable
}](t *testing.T, values []T, d tensor.DType) {
	t.Helper()
	x, err := tensor.New(values)
	if err != nil || x.DType != d || x.Len() != len(values) {
		t.Fatalf("%v: %v, %v", values, x, err)
	}
	b, err := tensor.Append(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	y, err := tensor.Decode(b)
	if err != nil || !reflect.DeepEqual(x, y) {
		t.Fatalf("%v, %v, want %v", y, err, x)
	}
	if got, err := tensor.ValuesOf[T](y); err != nil || !slices.Equal(got, values) {
		t.Errorf("%v, %v, want %v", got, err, values)
	}
}

// TestAppendFaults checks that tensors whose elements do not fit their shape are not written.
func TestAppendFaults(t *testing.T) {
	for name, x := range map[string]tensor.Tensor{
		"no dtype":            {Shape: tensor.Shape{}},
		"variant":             {DType: tensor.Variant, Shape: tensor.Shape{}},
		"unknown rank":        {DType: tensor.Int64},
		"unknown size":        {DType: tensor.Int64, Shape: tensor.Shape{-1}},
		"too few bytes":       {DType: tensor.Int64, Shape: tensor.Shape{1}, Bytes: make([]byte, 7)},
		"too many strings":    {DType: tensor.String, Shape: tensor.Shape{}, Strings: []string{"", ""}},
		"strings for numbers": {DType: tensor.Int64, Shape: tensor.Shape{0}, Strings: []string{}},
		"bytes for strings":   {DType: tensor.String, Shape: tensor.Shape{0}, Bytes: []byte{1}},
		"a size of 2^62":      {DType: tensor.Int64, Shape: tensor.Shape{1 << 62}},
	} {
		if b, err := tensor.Append([]byte("x"), x); err == nil || string(b) != "x" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := tensor.New([]int64{1, 2, 3}, 2); !errors.Is(err, tensor.ErrTensor) {
		t.Errorf("three values of shape [2]: %v", err)
	}
}

// TestStringsAllocate checks that the number of allocations does not grow with the number of strings, and that strings outlive the message.
func TestStringsAllocate(t *testing.T) {
	counts := []float64{}
	for _, n := range []int{1, 1000} {
		want, err := tensor.New(slices.Repeat([]string{"word"}, n))
		if err != nil {
			t.Fatal(err)
		}
		b, err := tensor.Append(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		var got tensor.Tensor
		counts = append(counts, testing.AllocsPerRun(10, func() {
			if got, err = tensor.Decode(b); err != nil {
				t.Fatal(err)
			}
		}))
		clear(b)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d strings changed with the message", n)
		}
	}
	if counts[0] != counts[1] {
		t.Errorf("%v allocations for 1 string, %v for 1000", counts[0], counts[1])
	}
}

func TestFillLimit(t *testing.T) {
	for _, c := range []struct {
		dtype uint64
		n     uint64
		ok    bool
	}{{9, tensor.MaxFill, true}, {9, tensor.MaxFill + 1, false}, {9, 1 << 59, false}, {7, 1 << 30, false}, {4, tensor.MaxFill, true}} {
		b := append(num(1, c.dtype), msg(2, msg(2, num(1, c.n)))...)
		x, err := tensor.Decode(b)
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, tensor.ErrLimit) && !errors.Is(err, tensor.ErrTensor) || c.ok && x.Len() != int(c.n) {
			t.Errorf("%d elements of dtype %d: %v", c.n, c.dtype, err)
		}
	}
}

// TestTensorDamage truncates messages and flips bits: the result is a tensor that fits its shape, or an error.
func TestTensorDamage(t *testing.T) {
	for _, c := range tensorCases(t) {
		for n := range c.Proto {
			checkTensor(t, c.Proto[:n])
		}
		if len(c.Proto) > 60 {
			continue
		}
		for i := range 8 * len(c.Proto) {
			b := bytes.Clone(c.Proto)
			b[i/8] ^= 1 << (i % 8)
			checkTensor(t, b)
		}
	}
}

func checkTensor(t *testing.T, b []byte) {
	t.Helper()
	x, err := tensor.Decode(b)
	if err != nil {
		var e *tensor.Error
		if !errors.As(err, &e) || e.Byte < 0 || e.Byte > len(b) || x.Shape != nil {
			t.Fatalf("%x: %v, %v", b, x, err)
		}
		return
	}
	written, err := tensor.Append(nil, x)
	if err != nil {
		t.Fatalf("%x: %v", b, err)
	}
	if again, err := tensor.Decode(written); err != nil || !reflect.DeepEqual(again, x) {
		t.Fatalf("%x: %v, %v", b, again, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range tensorCases(f) {
		f.Add(c.Proto)
	}
	f.Fuzz(checkTensor)
}

// msg returns a field of TypeBytes, num one of TypeVarint.
func msg(num int32, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(wire.AppendHeader(nil, num, int64(len(body))), body...)
}

func num(num int32, v uint64) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, num, wire.TypeVarint), v)
}
