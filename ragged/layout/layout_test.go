package layout

import (
	"errors"
	"strings"
	"testing"
)

// must parses a shape that a test knows to be valid.
func must(t testing.TB, text string) Shape {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
		kind error
	}{
		{"f32[3", 5, ErrSyntax},
		{"f32[3,5]{1,0} x", 14, ErrSyntax},
		{"(f32[2], g32[])", 9, ErrSyntax},
		{"(f32[2], f32[2]{1})", 9, ErrInvalid},
		{"f32[3] /* open", 7, ErrSyntax},
		{"f32[2]{0:T(8,128}", 16, ErrSyntax},
		{strings.Repeat("(", 65), 64, ErrSyntax},
		{strings.Repeat("(", 1e6), 64, ErrSyntax},
		{"f32[" + strings.Repeat("2,", 64) + "2]", 0, ErrInvalid},
		{"f32[" + strings.Repeat("1,", 1e5) + "1]", 0, ErrInvalid},
		{"f32[4294967296,4294967296,0]", 0, ErrInvalid},
		{"f32[8]{0:T(9223372036854775807)}", 0, ErrInvalid},
		{"f32[8]{0:L(9223372036854775807)}", 0, ErrInvalid},
		{"f32[16]{0:E(9223372036854775807)}", 0, ErrInvalid},
		{"f32[8]{0:T(" + strings.Repeat("1,", 300) + "1)}", 0, ErrInvalid},
	} {
		_, err := Parse(c.text)
		var e *Error
		if !errors.As(err, &e) || e.Offset != c.at || !errors.Is(err, c.kind) {
			t.Errorf("Parse(%.40q) = %v, want %v at byte %d", c.text, err, c.kind, c.at)
		}
	}
}

// TestParseCuts cuts texts at every byte. The beginning of a text is not a shape, except an array
// without its layout.
func TestParseCuts(t *testing.T) {
	for _, text := range []string{"bf16[3,<=5,?]{2,1,0:T(8,128)(2,1)L(16)E(8)S(5)}", "(f32[2]{0}, (s32[], pred[4]{0}))"} {
		must(t, text)
		for n := range text {
			s, err := Parse(text[:n])
			if whole := err == nil; whole && !(!s.IsTuple() && strings.HasSuffix(text[:n], "]")) {
				t.Errorf("Parse(%q) = %v", text[:n], s)
			}
		}
	}
}

func TestZeroShape(t *testing.T) {
	var s Shape
	if got := s.String(); got != "invalid" {
		t.Errorf("String() = %q", got)
	}
	if _, err := s.Linear(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("Linear: %v", err)
	}
	if _, err := s.WithLayout(Default(0)); !errors.Is(err, ErrInvalid) {
		t.Errorf("WithLayout: %v", err)
	}
	if _, err := Tuple(s); !errors.Is(err, ErrInvalid) {
		t.Errorf("Tuple: %v", err)
	}
}

func TestPaddingAndTile(t *testing.T) {
	s, err := must(t, "f32[2,3]{0,1}").WithPadding(3, 5)
	if err != nil {
		t.Fatal(err)
	}
	tiled, err := s.paddingAsTile()
	if err != nil || tiled.String() != "f32[2,3]{0,1:T(5,3)}" || s.String() != tiled.String() {
		t.Fatalf("as a tile: %v, %v", tiled, err)
	}
	empty, err := must(t, "f32[0,3]").WithPadding(2, 4)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := empty.paddingAsTile(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("text of a padded empty array: %v", err)
	}
	if n, err := empty.BufferElements(); n != 8 || err != nil {
		t.Errorf("buffer of a padded empty array: %d, %v", n, err)
	}
}

func TestRelayoutRefuses(t *testing.T) {
	a, b := must(t, "s32[2,3]"), must(t, "s32[2,3]{0,1}")
	buf := make([]int32, 9)
	if err := Relayout(buf[3:], b, buf[:6], a, 0); !errors.Is(err, ErrMismatch) {
		t.Errorf("buffers that overlap: %v", err)
	}
	if err := Relayout(make([]int32, 7), b, buf[:6], a, 0); !errors.Is(err, ErrMismatch) {
		t.Errorf("a buffer that is too long: %v", err)
	}
	packed := must(t, "s4[6]{0:E(4)}")
	if err := RelayoutBytes(make([]byte, 3), packed, make([]byte, 3), packed, nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("packed elements: %v", err)
	}
}

// TestHugeBitcast compares arrays that have too many elements to visit.
func TestHugeBitcast(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"s8[1099511627776,4]{1,0}", "s8[4398046511104]{0}", true},
		{"s8[1099511627776,4]{0,1}", "s8[4398046511104]{0}", false},
		{"s8[1099511627776,4]{0,1:T(4,128)}", "s8[1099511627776,4]{0,1:T(4,128)}", true},
		{"s8[1099511627777,4]{0,1:T(8,128)}", "s8[1099511627777,4]{0,1:T(8,128)}", false},
	} {
		got, err := IsReshapeBitcast(must(t, c.a), must(t, c.b))
		if c.a == c.b && !c.want { // tiles that do not divide the dimensions: too many elements to compare
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s to itself: %v, %v", c.a, got, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s to %s: %v, %v", c.a, c.b, got, err)
		}
	}
}

// TestIndexerAllocations checks that hot loops do not allocate.
func TestIndexerAllocations(t *testing.T) {
	for _, text := range []string{"f32[30,50]{0,1}", "f32[30,50]{1,0:T(8,128)(2,1)}"} {
		x, err := must(t, text).indexer()
		if err != nil {
			t.Fatal(err)
		}
		index := []int64{3, 5}
		if n := testing.AllocsPerRun(100, func() { x.multiIndex(x.linear(index), index) }); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"f32[3,5]{1,0:T(2,2)}", "(f32[2]{0}, (s32[], token[]))", "s4[<=9,?]{0,1:E(4)S(1)}", "pred[]{:L(8)}", "/*x*/u8[03]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || !again.Equal(s) || again.String() != s.String() {
			t.Fatalf("%q is %v, which reads as %v, %v", text, s, again, err)
		}
		if n, err := s.BufferElements(); err == nil && n > 0 {
			if at, err := s.Linear(make([]int64, s.Rank())...); err == nil && at != 0 {
				t.Fatalf("%v: the first element is at %d", s, at)
			}
		}
	})
}
