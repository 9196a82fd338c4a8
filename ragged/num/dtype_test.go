package num_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/dtype"
	"github.com/tfparse/tfparse/ragged/num"
)

// edges are numbers of type T near the limits of all dtypes.
func edges[T num.Number]() []T {
	var out []T
	one := T(1)
	for k := range 65 {
		p := one
		for range k {
			p *= 2 // wraps to 0, or is exact
		}
		out = append(out, p-1, p, p+1, -p-1, -p, 1-p)
	}
	if half := one / 2; half != 0 {
		single, double := math.MaxFloat32, math.MaxFloat64
		out = append(out, half, -half, one+half, T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), T(single), -T(single))
		for _, k := range []float64{126, 127, -128, 255, 65535, 1<<31 - 1, -1 << 31} {
			out = append(out, T(k)+half, T(k)-half)
		}
		if T(double)-T(double) == 0 {
			out = append(out, T(double), -T(double), T(math.Nextafter(1<<31, 0)), T(math.Nextafter(1<<63, 0)))
		}
	}
	return out
}

// exact returns a number without rounding, or nil if it is not finite.
func exact[T num.Number](v T) *big.Float {
	if v-v != 0 {
		return nil
	}
	f := new(big.Float).SetPrec(2000)
	if half := T(1) / 2; half != 0 {
		return f.SetFloat64(float64(v))
	}
	if v < 0 {
		return f.SetInt64(int64(v))
	}
	return f.SetUint64(uint64(v))
}

// TestCasts converts numbers near the limits of some dtypes to every dtype. TestCastsOfEvery has the other dtypes: all 144 pairs
// take 20 seconds to compile.
func TestCasts(t *testing.T) {
	castsFrom[int8](t)
	castsFrom[int64](t)
	castsFrom[uint64](t)
	castsFrom[float32](t)
	castsFrom[float64](t)
}

func castsFrom[T num.Number](t *testing.T) {
	casts[int8, T](t, math.MinInt8, math.MaxInt8)
	casts[int16, T](t, math.MinInt16, math.MaxInt16)
	casts[int32, T](t, math.MinInt32, math.MaxInt32)
	casts[int64, T](t, math.MinInt64, math.MaxInt64)
	casts[int, T](t, math.MinInt, math.MaxInt)
	casts[uint8, T](t, 0, math.MaxUint8)
	casts[uint16, T](t, 0, math.MaxUint16)
	casts[uint32, T](t, 0, math.MaxUint32)
	casts[uint64, T](t, 0, math.MaxUint64)
	casts[uint, T](t, 0, math.MaxUint)
	castsToFloat[float32, T](t, math.MaxFloat32)
	castsToFloat[float64, T](t, math.MaxFloat64)
}

// casts checks casts to an integer type with the given limits.
func casts[U, T num.Number](t *testing.T, least int64, greatest uint64) {
	t.Helper()
	name := dtype.Name[T]() + " to " + dtype.Name[U]()
	isFloat := T(1)/T(2) != 0
	lo, hi := new(big.Float).SetPrec(2000).SetInt64(least), new(big.Float).SetPrec(2000).SetUint64(greatest)
	for _, v := range edges[T]() {
		x := exact(v)
		var whole *big.Int
		fits := false
		if x != nil {
			whole, _ = x.Int(nil)
			w := new(big.Float).SetPrec(2000).SetInt(whole)
			fits = w.Cmp(lo) >= 0 && w.Cmp(hi) <= 0
		}
		got, err := num.Cast[U](ragged.Scalar(v))
		switch {
		case isFloat && !fits:
			if ve, ok := errors.AsType[*ragged.ValueError](err); !ok || ve.Op != "cast" || ve.Got == nil || len(ve.At) != 0 {
				t.Errorf("%s: %v: got %v, %v", name, v, got, err)
			}
		case err != nil:
			t.Errorf("%s: %v: %v", name, v, err)
		case fits:
			if back := exact(got.Item()); back.Cmp(new(big.Float).SetPrec(2000).SetInt(whole)) != 0 {
				t.Errorf("%s: %v: got %v", name, v, got.Item())
			}
		default: // the lowest bits
			mask := new(big.Int).SetUint64(greatest - uint64(least))
			z := new(big.Int).And(whole, mask)
			if bits, _ := exact(got.Item()).Int(nil); new(big.Int).And(bits, mask).Cmp(z) != 0 {
				t.Errorf("%s: %v: got %v", name, v, got.Item())
			}
		}
		sat, err := num.SaturateCast[U](ragged.Scalar(v))
		switch {
		case v != v:
			if !errors.Is(err, ragged.ErrValue) {
				t.Errorf("saturate %s: %v: %v", name, v, err)
			}
		case err != nil:
			t.Errorf("saturate %s: %v: %v", name, v, err)
		case fits:
			if sat.Item() != got.Item() {
				t.Errorf("saturate %s: %v: got %v", name, v, sat.Item())
			}
		case !isFloat && v < 0 || v < 0 && least < 0:
			if s := exact(sat.Item()); s.Cmp(lo) != 0 {
				t.Errorf("saturate %s: %v: got %v, want %d", name, v, sat.Item(), least)
			}
		case v < 0:
			if sat.Item() != 0 {
				t.Errorf("saturate %s: %v: got %v", name, v, sat.Item())
			}
		default:
			// Converted to T it is the last number that fits: the next number does not fit.
			last := T(sat.Item())
			s := exact(last)
			if s.Cmp(hi) > 0 || isFloat && exact(after(last)).Cmp(hi) <= 0 || !isFloat && s.Cmp(hi) != 0 {
				t.Errorf("saturate %s: %v: got %v", name, v, sat.Item())
			}
		}
	}
}

// after returns the next float, or the next integer if that is nearer.
func after[T num.Number](v T) T {
	if one := float64(1<<24 + 1); float64(T(one)) != one {
		return max(v+1, T(math.Nextafter32(float32(v), math.MaxFloat32)))
	}
	return max(v+1, T(math.Nextafter(float64(v), math.MaxFloat64)))
}

// castsToFloat checks casts to floats.
func castsToFloat[U, T num.Number](t *testing.T, greatest float64) {
	t.Helper()
	name := dtype.Name[T]() + " to " + dtype.Name[U]()
	for _, v := range edges[T]() {
		got, err := num.Cast[U](ragged.Scalar(v))
		if err != nil || got.Item() != U(v) && v == v {
			t.Errorf("%s: %v: got %v, %v", name, v, got, err)
		}
		sat, err := num.SaturateCast[U](ragged.Scalar(v))
		if err != nil {
			t.Errorf("saturate %s: %v: %v", name, v, err)
			continue
		}
		s := float64(sat.Item())
		switch {
		case v != v:
			if s == s {
				t.Errorf("saturate %s: NaN: got %v", name, s)
			}
		case math.Abs(s) > greatest || s-s != 0:
			t.Errorf("saturate %s: %v: got %v", name, v, s)
		case got.Item()-got.Item() == 0 && s != float64(got.Item()):
			t.Errorf("saturate %s: %v: got %v", name, v, s)
		case (s < 0) != (v < 0) && v != 0:
			t.Errorf("saturate %s: %v: got %v", name, v, s)
		}
	}
}

// TestCastError checks that the error gives the value that does not fit.
func TestCastError(t *testing.T) {
	x := must(ragged.FromSlices[float64]([][][2]float64{{{1, 2}}, {}, {{3, 4}, {5, 1e10}}}))(t)
	_, err := num.Cast[int32](x)
	if err == nil || err.Error() != "ragged: value not accepted: cast: at [2 1 1]: want a number that fits int32, got 1e+10" {
		t.Errorf("got %v", err)
	}
	if ve, ok := errors.AsType[*ragged.ValueError](err); !ok || !slices.Equal(ve.At, []int{2, 1, 1}) {
		t.Errorf("got %v", err)
	}
}

// TestBitcast converts numbers to bytes and back.
func TestBitcast(t *testing.T) {
	rows := must(ragged.FromRowLengths([]int64{2, 0, 1}))(t)
	x := must(ragged.New([]uint64{0x0102030405060708, 1 << 63, math.Float64bits(-2.5)}, nil, rows))(t)
	bytes := must(num.Bitcast[uint8](x))(t)
	if !slices.Equal(bytes.Shape(), []int{3, -1, 8}) || !slices.Equal(bytes.Values()[:8], []uint8{8, 7, 6, 5, 4, 3, 2, 1}) {
		t.Fatalf("got %v of shape %v", bytes, bytes.Shape())
	}
	if back := must(num.Bitcast[uint64](bytes))(t); !ragged.Equal(back, x) {
		t.Errorf("got %v", back)
	}
	if f := must(num.Bitcast[float64](x))(t); f.Values()[2] != -2.5 {
		t.Errorf("got %v", f)
	}
	halves := must(num.Bitcast[int32](x))(t)
	if f := must(num.Bitcast[float64](halves))(t); f.Values()[2] != -2.5 {
		t.Errorf("got %v", f)
	}
	// Dense tensors, scalars, and tensors without values.
	one := must(num.Bitcast[int64](ragged.Vector[int32](1, 1)))(t)
	if one.Rank() != 0 || one.Item() != 1<<32+1 {
		t.Errorf("got %v of shape %v", one, one.Shape())
	}
	if parts := must(num.Bitcast[int16](one))(t); !slices.Equal(parts.Values(), []int16{1, 0, 1, 0}) {
		t.Errorf("got %v", parts)
	}
	none := must(num.Bitcast[int64](must(ragged.Dense([]int8{}, 0, 8))(t)))(t)
	if !slices.Equal(none.Shape(), []int{0}) {
		t.Errorf("got shape %v", none.Shape())
	}
	for _, bad := range []ragged.Tensor[int8]{
		ragged.Scalar[int8](1), ragged.Vector[int8](1, 2, 3), must(ragged.New(make([]int8, 3), nil, rows))(t),
		must(ragged.New(make([]int8, 8), nil, must(ragged.Uniform(8, 1))(t)))(t),
	} {
		if _, err := num.Bitcast[int64](bad); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("shape %v: %v", bad.Shape(), err)
		}
	}
}

// TestLike checks FilledLike.
func TestLike(t *testing.T) {
	x := must(ragged.FromSlices[string]([][][1]string{{{"a"}, {"b"}}, {}}))(t)
	got := num.FilledLike[float32](x, 7)
	if !ragged.SameShape(got, x) || !slices.Equal(got.Values(), []float32{7, 7}) {
		t.Errorf("got %v of shape %v", got, got.Shape())
	}
}
