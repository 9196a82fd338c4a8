package recordjson

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// The texts were made by numpy and Python: testdata/make_float32.py.
func TestAppendFloat32AsPython(t *testing.T) {
	file, err := os.Open("testdata/float32.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cases := 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		hexBits, want, _ := strings.Cut(lines.Text(), " ")
		bits, err := strconv.ParseUint(hexBits, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendFloat32(nil, math.Float32frombits(uint32(bits)), NaNString)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s (%v), want %s", hexBits, got, err, want)
		}
		cases++
	}
	if lines.Err() != nil || cases < 1000 {
		t.Fatalf("read %d cases, %v", cases, lines.Err())
	}
}

// For all bits the text is a JSON number in the form of a float, and is read to the same bits. No text with fewer
// digits is (according to strconv).
func TestAppendFloat32ReadsBack(t *testing.T) {
	check := func(bits uint32) {
		v := math.Float32frombits(bits)
		text, err := AppendFloat32(nil, v, NaNError)
		if jsonscan.IsNaN(bits) || math.IsInf(float64(v), 0) {
			if !errors.Is(err, ErrNotFinite) || len(text) != 0 {
				t.Fatalf("%08x: got %s, %v", bits, text, err)
			}
			return
		}
		if err != nil || !json.Valid(text) || !strings.ContainsAny(string(text), ".e") {
			t.Fatalf("%08x: got %s, %v", bits, text, err)
		}
		back, err := jsonscan.ParseFloat32(text)
		if err != nil || math.Float32bits(back) != bits {
			t.Fatalf("%08x prints %s, which reads back as %08x, %v", bits, text, math.Float32bits(back), err)
		}
		shortest := strconv.FormatFloat(float64(v), 'e', -1, 32)
		got, _ := strconv.ParseFloat(string(text), 64)
		if digits := strconv.FormatFloat(got, 'e', -1, 64); digits != shortest && !halfway(v, digits, shortest) {
			t.Fatalf("%08x prints %s, the shortest digits are %s", bits, text, shortest)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		check(rng.Uint32())
	}
	for exponent := range uint32(256) {
		for _, fraction := range []uint32{0, 1, 2, 0x3fffff, 0x400000, 0x7ffffe, 0x7fffff} {
			check(exponent<<23 | fraction)
			check(1<<31 | exponent<<23 | fraction)
		}
	}
}

// halfway reports whether two decimals of equal length have the same distance from v, so both are shortest. Then
// strconv uses the upper one; numpy and this package use the even one. The only such float32 is 2^-12.
func halfway(v float32, x, y string) bool {
	a, _ := new(big.Rat).SetString(x)
	b, _ := new(big.Rat).SetString(y)
	twice := new(big.Rat).SetFloat64(2 * float64(v))
	return len(x) == len(y) && a.Add(a, b).Cmp(twice) == 0
}

// The table of powers is right.
func TestPow10(t *testing.T) {
	two, low := big.NewRat(2, 1), new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 63))
	high := new(big.Rat).Mul(low, two)
	for i, got := range pow10 {
		power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(i+minPow10, -i-minPow10))), nil))
		if i+minPow10 < 0 {
			power.Inv(power)
		}
		for power.Cmp(low) < 0 {
			power.Mul(power, two)
		}
		for power.Cmp(high) >= 0 {
			power.Quo(power, two)
		}
		want := new(big.Int).Add(power.Num(), new(big.Int).Sub(power.Denom(), big.NewInt(1)))
		want.Quo(want, power.Denom()) // rounded up
		if new(big.Int).SetUint64(got).Cmp(want) != 0 {
			t.Errorf("10^%d: got %#x, want %#x", i+minPow10, got, want)
		}
	}
}

func TestAppendFloat32NotFinite(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		v    float32
		mode NaNMode
		want string
	}{
		{float32(math.NaN()), NaNString, `"NaN"`},
		{-float32(math.NaN()), NaNString, `"NaN"`},
		{inf, NaNString, `"Infinity"`},
		{-inf, NaNString, `"-Infinity"`},
		{float32(math.NaN()), NaNNull, `null`},
		{-inf, NaNNull, `null`},
	} {
		got, err := AppendFloat32([]byte("x"), c.v, c.mode)
		if err != nil || string(got) != "x"+c.want {
			t.Errorf("%v under %v: got %s, %v", c.v, c.mode, got, err)
		}
	}
}

func TestAppendInt64(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 9, 10, -10, math.MaxInt64, math.MinInt64} {
		want := strconv.FormatInt(v, 10)
		if got := AppendInt64(nil, v, Int64Number); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := AppendInt64(nil, v, Int64String); string(got) != `"`+want+`"` {
			t.Errorf("got %s, want %q", got, want)
		}
		if back, err := jsonscan.ParseInt64String([]byte(want)); err != nil || back != v {
			t.Errorf("%s reads back as %d, %v", want, back, err)
		}
	}
}

// Python's repr of doubles.
func TestAppendFloat64(t *testing.T) {
	for want, v := range map[string]float64{
		"0.1": 0.1, "0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "1e+16": 1e16, "9007199254740992.0": 1 << 53, "0.0001": 1e-4, "1e-05": 1e-5,
		"1.7976931348623157e+308": math.MaxFloat64, "5e-324": 5e-324, `"NaN"`: math.NaN(), `"-Infinity"`: math.Inf(-1),
	} {
		if got, err := AppendFloat64([]byte("x"), v, NaNString); err != nil || string(got) != "x"+want {
			t.Errorf("%v: %s, %v, want %s", v, got, err, want)
		}
	}
	if got, err := AppendFloat64([]byte("x"), math.Inf(1), NaNError); err == nil || string(got) != "x" {
		t.Errorf("%s, %v", got, err)
	}
}
