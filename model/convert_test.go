package model_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// isConvertible reports whether an error contains an InputError with Convertible.
func isConvertible(err error) bool {
	bad, ok := errors.AsType[*model.InputError](err)
	return ok && bad.Convertible && errors.Is(err, model.ErrFit)
}

func convertSignature(to tensor.DType) *model.Signature {
	return &model.Signature{Inputs: []model.TensorSpec{{Path: []string{"x"}, DType: to, Shape: tensor.Shape{-1, -1},
		Components: []model.Component{{Name: "x", DType: to}}}}}
}

// elementBytes returns the elements of a feed as in tensor_content.
func elementBytes(f *model.Feed) []byte {
	b := append([]byte{}, f.Bytes...)
	for _, v := range f.Int32s {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	for _, v := range f.Floats {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// TestConvert checks that converted values equal those of tf.cast, and the errors of values that do not fit.
func TestConvert(t *testing.T) {
	dtypes := map[string]tensor.DType{}
	for d := tensor.Float32; d <= tensor.Uint64; d++ {
		dtypes[d.String()] = d
	}
	cases := readCases[struct {
		From   string
		Values []byte
		Casts  []struct {
			To, Fit string
			Bytes   []byte
		}
	}](t, "casts.jsonl")
	pairs := 0
	for _, c := range cases {
		from, size := feature.Int64, 8
		if c.From == "float32" {
			from, size = feature.Float32, 4
		}
		value := func(i int) (v example.Value, text string) {
			if size == 4 {
				x := math.Float32frombits(binary.LittleEndian.Uint32(c.Values[4*i:]))
				return floats(x), fmt.Sprint(x)
			}
			x := int64(binary.LittleEndian.Uint64(c.Values[8*i:]))
			return ints(x), fmt.Sprint(x)
		}
		features := spec(feature.Features{"x": feature.FixedLen{DType: from, Shape: []int{1}}})
		for _, cast := range c.Casts {
			pairs++
			to := dtypes[cast.To]
			if _, err := model.Bind(convertSignature(to), features, nil); !strings.HasSuffix(err.Error(), ", values can be converted to "+cast.To) || !isConvertible(err) {
				t.Errorf("%s to %s without a conversion: %v", c.From, cast.To, err)
			}
			for _, convert := range []model.Conversion{model.ExactValues, model.RoundFloats} {
				b, err := model.Bind(convertSignature(to), features, &model.BindOptions{Convert: convert})
				must(t, err)
				var fits []example.Example
				var want []byte
				width := len(cast.Bytes) / len(cast.Fit)
				for i, letter := range cast.Fit {
					v, text := value(i)
					row := example.Example{"x": v}
					if letter == 'e' || letter == 'r' && convert == model.RoundFloats {
						fits = append(fits, row)
						want = append(want, cast.Bytes[i*width:(i+1)*width]...)
						continue
					}
					_, err := b.Feeds(nil, parse(t, features, example.Example{"x": asKind(v, 1)}, row))
					if want := "got " + text + " in row 1, value 0"; !errors.Is(err, model.ErrFit) || !strings.HasSuffix(err.Error(), want) && size == 8 {
						t.Fatalf("%s to %s, %v: %s: %v", c.From, cast.To, convert, text, err)
					}
				}
				feeds, err := b.Feeds(nil, parse(t, features, fits...))
				must(t, err)
				got := elementBytes(&feeds[0])
				for i := range fits {
					g, w := got[i*width:(i+1)*width], want[i*width:(i+1)*width]
					if string(g) != string(w) && !(isNaN(t, to, g) && isNaN(t, to, w)) {
						t.Fatalf("%s to %s, %v: %v: %x, tf.cast %x", c.From, cast.To, convert, fits[i], g, w)
					}
				}
				// The request has a tensor of the input's type.
				request, err := model.AppendPredictRequest(nil, model.ModelSpec{}, feeds)
				must(t, err)
				if len(request) < len(got) {
					t.Errorf("a request of %d bytes for %d", len(request), len(got))
				}
			}
		}
	}
	if pairs != 15 {
		t.Errorf("%d pairs of types", pairs)
	}
}

// asKind returns a number of the kind of v.
func asKind(v example.Value, n int64) example.Value {
	if v.Floats != nil {
		return floats(float32(n))
	}
	return ints(n)
}

func isNaN(t *testing.T, d tensor.DType, b []byte) bool {
	switch d {
	case tensor.Float16, tensor.BFloat16, tensor.Float32:
		v, err := tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Bytes: b}.Float32s()
		must(t, err)
		return v[0] != v[0]
	case tensor.Float64:
		return math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return false
}

// TestShortFloats converts a grid of float32 values with all exponents, and compares with a search for the
// nearest float16 and bfloat16.
func TestShortFloats(t *testing.T) {
	for _, to := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		exponentBits, fractionBits := 5, 10
		if to == tensor.BFloat16 {
			exponentBits, fractionBits = 8, 7
		}
		features := spec(feature.Features{"x": feature.FixedLen{DType: feature.Float32, Shape: []int{1}}})
		b, err := model.Bind(convertSignature(to), features, &model.BindOptions{Convert: model.RoundFloats})
		must(t, err)
		for exponent := uint32(0); exponent < 255; exponent += 3 {
			for _, fraction := range []uint32{0, 1, 0x1000, 0x1001, 0xfff, 0x3000, 0x8000, 0x7fff, 0x8001, 0x18000, 0x7fffff, 0x400000, 0x123456} {
				x := math.Float32frombits(exponent<<23 | fraction)
				// The largest value that is not above x, and the next larger value.
				low, high := uint16(0), uint16(1<<(exponentBits+fractionBits)-1<<fractionBits)
				if float64(x) >= slowFloat(high-1, exponentBits, fractionBits, true) {
					continue
				}
				for high-low > 1 {
					if mid := low + (high-low)/2; slowFloat(mid, exponentBits, fractionBits, true) <= float64(x) {
						low = mid
					} else {
						high = mid
					}
				}
				want := low
				down, up := float64(x)-slowFloat(low, exponentBits, fractionBits, true), slowFloat(high, exponentBits, fractionBits, true)-float64(x)
				if up < down || up == down && low&1 != 0 {
					want = high
				}
				feeds, err := b.Feeds(nil, parse(t, features, example.Example{"x": floats(x)}))
				must(t, err)
				if got := binary.LittleEndian.Uint16(feeds[0].Bytes); got != want {
					t.Fatalf("%v of %x: %x, want %x", to, math.Float32bits(x), got, want)
				}
			}
		}
	}
}

// TestConvertPlaces checks the position of a value that does not fit, in every form of an input.
func TestConvertPlaces(t *testing.T) {
	component := func(names ...string) (all []model.Component) {
		for i, n := range names {
			c := model.Component{Name: n, DType: tensor.Int64, Part: model.RowSplits}
			if i == 0 {
				c.DType, c.Part = tensor.Int8, model.Values
			}
			all = append(all, c)
		}
		return all
	}
	sparse := component("x", "x_1", "x_2")
	sparse[0], sparse[1] = sparse[1], sparse[0]
	rows := []example.Example{{"x": ints(1, 2), "n": ints(1, 1)}, {"x": ints(), "n": ints()}, {"x": ints(3, 4, 128), "n": ints(2, 1)}, {"x": ints(5), "n": ints(1)}}
	for _, c := range []struct {
		name string
		in   model.TensorSpec
		x    feature.Feature
		want string
	}{
		{"ragged", model.TensorSpec{Form: feature.RaggedForm, RaggedRank: 1, SplitsDType: tensor.Int64, Components: component("x", "x_1")}, feature.VarLen{DType: feature.Int64}, "row 2, value 2"},
		{"ragged twice", model.TensorSpec{Form: feature.RaggedForm, RaggedRank: 2, SplitsDType: tensor.Int64, Components: component("x", "x_1", "x_2")}, lengths("n"), "row 2, value 2"},
		{"padded", model.TensorSpec{Components: component("x")}, feature.FixedLenSequence{DType: feature.Int64}, "row 2, value 2"},
		{"sparse", model.TensorSpec{Form: feature.SparseForm, Components: sparse}, feature.VarLen{DType: feature.Int64}, "row 2, value 2"},
	} {
		c.in.Path, c.in.DType = []string{"x"}, tensor.Int8
		features := spec(feature.Features{"x": c.x})
		b, err := model.Bind(&model.Signature{Inputs: []model.TensorSpec{c.in}}, features, &model.BindOptions{Convert: model.ExactValues})
		must(t, err)
		_, err = b.Feeds(nil, parse(t, features, rows...))
		if want := `model: input "x": want values of int8, got 128 in ` + c.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", c.name, err, want)
		}
		if c.name == "padded" {
			continue
		}
		feeds, err := b.Feeds(nil, parse(t, features, rows[0], rows[1], rows[3]))
		must(t, err)
		at := 0
		if c.name == "sparse" {
			at = 1
		}
		if f := feeds[at]; f.DType != tensor.Int8 || string(f.Bytes) != "\x01\x02\x05" || len(f.Shape) != 1 || f.Shape[0] != 3 {
			t.Errorf("%s: %v", c.name, f)
		}
	}
}

// TestConvertAllocations checks that conversions do not allocate for a batch of the same size as earlier ones.
func TestConvertAllocations(t *testing.T) {
	for _, to := range []tensor.DType{tensor.Int32, tensor.Uint8, tensor.Bool, tensor.Float32, tensor.Float64, tensor.Float16} {
		in := model.TensorSpec{Path: []string{"x"}, DType: to, Form: feature.RaggedForm, RaggedRank: 1, SplitsDType: tensor.Int64, Components: []model.Component{
			{Name: "x", DType: to, Part: model.Values}, {Name: "x_1", DType: tensor.Int64, Part: model.RowSplits}}}
		features := spec(feature.Features{"x": feature.VarLen{DType: feature.Int64}})
		b, err := model.Bind(&model.Signature{Inputs: []model.TensorSpec{in}}, features, &model.BindOptions{Convert: model.ExactValues})
		must(t, err)
		batch := parse(t, features, example.Example{"x": ints(0, 1, 1)}, example.Example{"x": ints(1)})
		var feeds []model.Feed
		if n := testing.AllocsPerRun(100, func() {
			if feeds, err = b.Feeds(feeds[:0], batch); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", to, n)
		}
	}
}

func TestConversionText(t *testing.T) {
	for c := model.NoConversion; c <= model.RoundFloats; c++ {
		text, err := c.MarshalText()
		var back model.Conversion
		if err != nil || back.UnmarshalText(text) != nil || back != c {
			t.Errorf("%s: %v", text, back)
		}
	}
	var c model.Conversion
	if err := c.UnmarshalText([]byte("all")); err == nil {
		t.Error(c)
	}
	if s := model.Conversion(9).String(); s != "Conversion(9)" {
		t.Error(s)
	}
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

// slowFloat returns the value of a short float by its definition. infinite means that the highest exponent
// encodes infinities and NaN.
func slowFloat(bits uint16, exponentBits, fractionBits int, infinite bool) float64 {
	fraction := float64(bits & (1<<fractionBits - 1))
	exponent := int(bits>>fractionBits) & (1<<exponentBits - 1)
	bias := 1<<(exponentBits-1) - 1
	v := math.Ldexp(fraction+math.Ldexp(1, fractionBits), exponent-bias-fractionBits)
	switch {
	case infinite && exponent == 1<<exponentBits-1 && fraction == 0:
		v = math.Inf(1)
	case infinite && exponent == 1<<exponentBits-1, !infinite && bits&(1<<(exponentBits+fractionBits)-1) == 1<<(exponentBits+fractionBits)-1:
		v = math.NaN()
	case exponent == 0:
		v = math.Ldexp(fraction, 1-bias-fractionBits)
	}
	if bits>>(exponentBits+fractionBits)&1 != 0 {
		return math.Copysign(v, -1)
	}
	return v
}
