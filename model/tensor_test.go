package model_test

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

	"github.com/tfparse/tfparse/model"
)

// A tensorCase is a line of tensors.jsonl, which testdata/make/tensors.py made.
type tensorCase struct {
	Name  string
	Proto []byte
	CPP   *struct {
		DType   string
		Shape   model.Shape
		Content []byte
		Strings [][]byte
	}
	Canonical []byte
	Ours      string
}

// readCases reads a file of JSON lines in testdata.
func readCases[T any](t testing.TB, name string) (cases []T) {
	t.Helper()
	f, err := os.Open(filepath.Join(models, name))
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

// TestDecodeTensor compares every encoding with TensorFlow Serving's decoder, except for values that it drops
// or wraps. TensorFlow must read the tensors that AppendTensor writes.
func TestDecodeTensor(t *testing.T) {
	for _, c := range tensorCases(t) {
		got, err := model.DecodeTensor(c.Proto)
		if c.CPP == nil || c.Ours != "" {
			var e *model.Error
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
		b, err := model.AppendTensor([]byte("x"), got)
		if err != nil || string(b[1:]) != string(c.Canonical) {
			t.Errorf("%s: written as %x, %v; want %x", c.Name, b, err, c.Canonical)
		}
		again, err := model.DecodeTensor(b[1:])
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: read again as %v, %v", c.Name, again, err)
		}
	}
}

// TestValues checks ValuesOf and NewTensor.
func TestValues(t *testing.T) {
	floats := []float32{1, -2.5, float32(math.NaN()), float32(math.Inf(1))}
	x, err := model.NewTensor(floats, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	back, err := model.ValuesOf[float32](x)
	if err != nil || len(back) != 4 || back[1] != -2.5 || back[2] == back[2] || !slices.Equal(x.Shape, model.Shape{2, 2}) {
		t.Errorf("%v, %v", back, err)
	}
	roundTrip(t, []int64{math.MinInt64, -1, 0, math.MaxInt64}, model.Int64)
	roundTrip(t, []int32{math.MinInt32, 7}, model.Int32)
	roundTrip(t, []int16{math.MinInt16, 7}, model.Int16)
	roundTrip(t, []int8{-128, 127}, model.Int8)
	roundTrip(t, []uint8{0, 255}, model.Uint8)
	roundTrip(t, []uint16{0, 65535}, model.Uint16)
	roundTrip(t, []uint32{0, math.MaxUint32}, model.Uint32)
	roundTrip(t, []uint64{0, math.MaxUint64}, model.Uint64)
	roundTrip(t, []float64{0.1, math.Inf(-1)}, model.Float64)
	roundTrip(t, []complex64{1 + 2i, -3i}, model.Complex64)
	roundTrip(t, []complex128{1 + 2i, -3i}, model.Complex128)
	roundTrip(t, []bool{true, false, true}, model.Bool)
	roundTrip(t, []string{"", "a\xff"}, model.String)
	roundTrip(t, []string{}, model.String)
	roundTrip(t, []int64{}, model.Int64)
	if _, err := model.ValuesOf[int32](x); !errors.Is(err, model.ErrDType) {
		t.Errorf("float32 as int32: %v", err)
	}
	if half, err := model.ValuesOf[uint16](model.Tensor{DType: model.Float16, Shape: model.Shape{1}, Bytes: []byte{0, 0x3c}}); err != nil || half[0] != 0x3c00 {
		t.Errorf("the bits of a float16: %v, %v", half, err)
	}
}

func roundTrip[T interface {
	model.Element
	comparable
}](t *testing.T, values []T, d model.DType) {
	t.Helper()
	x, err := model.NewTensor(values)
	if err != nil || x.DType != d || x.Len() != len(values) {
		t.Fatalf("%v: %v, %v", values, x, err)
	}
	b, err := model.AppendTensor(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	y, err := model.DecodeTensor(b)
	if err != nil || !reflect.DeepEqual(x, y) {
		t.Fatalf("%v, %v, want %v", y, err, x)
	}
	if got, err := model.ValuesOf[T](y); err != nil || !slices.Equal(got, values) {
		t.Errorf("%v, %v, want %v", got, err, values)
	}
}

// TestAppendTensorFaults checks that tensors whose elements do not fit their shape are not written.
func TestAppendTensorFaults(t *testing.T) {
	for name, x := range map[string]model.Tensor{
		"no dtype":            {Shape: model.Shape{}},
		"variant":             {DType: model.Variant, Shape: model.Shape{}},
		"unknown rank":        {DType: model.Int64},
		"unknown size":        {DType: model.Int64, Shape: model.Shape{-1}},
		"too few bytes":       {DType: model.Int64, Shape: model.Shape{1}, Bytes: make([]byte, 7)},
		"too many strings":    {DType: model.String, Shape: model.Shape{}, Strings: []string{"", ""}},
		"strings for numbers": {DType: model.Int64, Shape: model.Shape{0}, Strings: []string{}},
		"bytes for strings":   {DType: model.String, Shape: model.Shape{0}, Bytes: []byte{1}},
		"a size of 2^62":      {DType: model.Int64, Shape: model.Shape{1 << 62}},
	} {
		if b, err := model.AppendTensor([]byte("x"), x); err == nil || string(b) != "x" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := model.NewTensor([]int64{1, 2, 3}, 2); !errors.Is(err, model.ErrTensor) {
		t.Errorf("three values of shape [2]: %v", err)
	}
}

// TestStringsAllocate checks that many strings take as few allocations as one, and that strings outlive the message.
func TestStringsAllocate(t *testing.T) {
	counts := []float64{}
	for _, n := range []int{1, 1000} {
		tensor, err := model.NewTensor(slices.Repeat([]string{"word"}, n))
		if err != nil {
			t.Fatal(err)
		}
		b, err := model.AppendTensor(nil, tensor)
		if err != nil {
			t.Fatal(err)
		}
		var got model.Tensor
		counts = append(counts, testing.AllocsPerRun(10, func() {
			if got, err = model.DecodeTensor(b); err != nil {
				t.Fatal(err)
			}
		}))
		clear(b)
		if !reflect.DeepEqual(got, tensor) {
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
	}{{9, model.MaxFill / 8, true}, {9, model.MaxFill/8 + 1, false}, {9, 1 << 59, false}, {7, 1 << 30, false}, {4, model.MaxFill, true}} {
		b := append(num(1, c.dtype), msg(2, msg(2, num(1, c.n)))...)
		x, err := model.DecodeTensor(b)
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, model.ErrLimit) && !errors.Is(err, model.ErrTensor) || c.ok && x.Len() != int(c.n) {
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
	x, err := model.DecodeTensor(b)
	if err != nil {
		var e *model.Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(b)) || x.Shape != nil {
			t.Fatalf("%x: %v, %v", b, x, err)
		}
		return
	}
	written, err := model.AppendTensor(nil, x)
	if err != nil {
		t.Fatalf("%x: %v", b, err)
	}
	if again, err := model.DecodeTensor(written); err != nil || !reflect.DeepEqual(again, x) {
		t.Fatalf("%x: %v, %v", b, again, err)
	}
}

func FuzzDecodeTensor(f *testing.F) {
	for _, c := range tensorCases(f) {
		f.Add(c.Proto)
	}
	f.Fuzz(checkTensor)
}
