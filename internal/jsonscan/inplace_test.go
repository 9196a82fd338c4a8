package jsonscan

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Numbers that are read in place equal those of strconv in every bit: random decimals, all numbers of digits, and
// decimals near the midpoint of two float32s, for which rounding twice would be wrong.
func TestFloat32InPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	check := func(text string) {
		t.Helper()
		d, ok := ScanNumber([]byte(text), 0)
		if !ok || d.End != len(text) {
			t.Fatalf("%s is taken for no number", text)
		}
		want, err := strconv.ParseFloat(text, 32)
		if got, ok := d.float32(); ok && (err != nil || math.Float32bits(got) != math.Float32bits(float32(want))) {
			t.Fatalf("%s: got %x, want %x", text, math.Float32bits(got), math.Float32bits(float32(want)))
		}
	}
	for range 100_000 {
		v := math.Float32frombits(rng.Uint32() &^ (1 << 30)) // below 2
		if IsNaN(math.Float32bits(v)) {
			continue
		}
		check(strconv.FormatFloat(float64(v), 'g', 1+rng.IntN(18), 64))
		check(strconv.FormatFloat(float64(v), 'f', rng.IntN(12), 64))
		next := math.Nextafter32(v, 4)
		middle := (float64(v) + float64(next)) / 2
		check(strconv.FormatFloat(middle, 'e', 12+rng.IntN(6), 64))
		check(strconv.FormatFloat(rng.NormFloat64()*math.Pow(10, float64(rng.IntN(80)-40)), 'e', rng.IntN(18), 64))
		check(strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10))
	}
	for _, text := range []string{"0", "-0", "0.0", "-0e5", "16777217", "16777217.0", "1.0000001788139343261718749", "9007199254740993",
		"1e22", "1e23", "3.4028235e38", "3.4028236e38", "1.17549435e-38", "1e-45", "0.000000000000000000000000000000000000001"} {
		check(text)
	}
}

// Lists of integers are read exactly to their last digit.
func TestInt64List(t *testing.T) {
	for text, want := range map[string]int{
		`[]`: 0, `[ ]`: 0, `[1]`: 1, ` [ 1 , -2,3 ] `: 3, `[9223372036854775807,-9223372036854775807]`: 2, `[0]`: 1,
		`[1,]`: -1, `[,1]`: -1, `[01]`: -1, `[-0]`: -1, `[-]`: -1, `[1 2]`: -1, `[1.0]`: -1, `[1e2]`: -1, `[1`: -1, `[`: -1, `[1}`: -1, `1`: -1, ``: -1,
		`[9223372036854775808]`: -1, `[18446744073709551617]`: -1, `["1"]`: -1, `[[1]]`: -1,
	} {
		c := NewCursor([]byte(text))
		before := c
		v, ok := c.Int64List([]int64{7})
		if ok != (want >= 0) || ok && (len(v) != want+1 || !c.Done()) || !ok && (len(v) != 1 || c.Pos != before.Pos) {
			t.Errorf("%s: got %d, %v, at %d", text, v, ok, c.Pos)
		}
	}
}

// Digits that are read eight at a time have the same value and the same end as digits that are read one by one, for
// any bytes after them.
func TestScanDigits(t *testing.T) {
	check := func(text []byte, i int, m uint64) {
		t.Helper()
		want, end := m, i
		for ; end < len(text) && '0' <= text[end] && text[end] <= '9'; end++ {
			want = want*10 + uint64(text[end]-'0')
		}
		if got, n := scanDigits(text, i, m); got != want || n != end {
			t.Fatalf("%q from %d: got %d to %d, want %d to %d", text, i, got, n, want, end)
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for behind := range 256 {
		for digits := range 20 {
			text := strconv.AppendUint(make([]byte, 0, 64), rng.Uint64(), 10)
			for len(text) < 20 {
				text = append(text, '0')
			}
			text = append(text[:digits], byte(behind))
			for range rng.IntN(9) {
				text = append(text, byte(rng.Uint32()>>rng.IntN(8)))
			}
			check(text, 0, 0)
			check(text, rng.IntN(digits+1), rng.Uint64())
		}
	}
}
