package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// interesting are bytes for which readers take different paths.
var interesting = []byte{0x00, 0x01, 0x02, 0x7f, 0x80, 0x81, 0xff}

// varints calls f with all strings of interesting bytes up to length 4, and with long ones with different ends.
func varints(f func(b []byte)) {
	var grow func(b []byte, n int)
	grow = func(b []byte, n int) {
		f(b)
		if n == 0 {
			return
		}
		for _, c := range interesting {
			grow(append(b[:len(b):len(b)], c), n-1)
		}
	}
	grow(nil, 4)
	for n := 5; n <= 12; n++ {
		for _, fill := range []byte{0x80, 0xff, 0xaa} {
			b := bytes.Repeat([]byte{fill}, n)
			f(b)
			for _, c := range interesting {
				for _, d := range interesting {
					f(append(b[:n:n], c, d))
				}
			}
		}
	}
}

func TestVarint(t *testing.T) {
	varints(func(b []byte) {
		want, n := protowire.ConsumeVarint(b)
		for _, before := range []int{0, 3} {
			padded := append(make([]byte, before), b...)
			got, next := Varint(padded, before)
			if n < 0 {
				if fault := map[bool]int{true: Truncated, false: Overflow}[errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF)]; next != fault {
					t.Fatalf("% x: fault %d, want %d", b, next, fault)
				}
			} else if got != want || next != before+n {
				t.Fatalf("% x: got %d, %d; want %d, %d", b, got, next-before, want, n)
			}
		}
	})
}

func TestVarintSizes(t *testing.T) {
	for shift := range 64 {
		for _, v := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1, math.MaxUint64 >> shift} {
			b := AppendVarint([]byte("x"), v)[1:]
			if want := protowire.AppendVarint(nil, v); !bytes.Equal(b, want) || SizeVarint(v) != len(want) {
				t.Fatalf("%d: % x of size %d, want % x", v, b, SizeVarint(v), want)
			}
			if got, next := Varint(b, 0); got != v || next != len(b) {
				t.Fatalf("%d: read back as %d, %d", v, got, next)
			}
		}
	}
}

func TestLength(t *testing.T) {
	for _, n := range []uint64{0, 1, 5, 6, 126, 127, 128, 300, 1<<31 - 1, 1 << 31, 1 << 32, 1<<32 + 5, 1 << 63, math.MaxUint64} {
		for _, left := range []int{0, 5, 127, 128, 300} {
			b := append(AppendVarint([]byte{0xee}, n), make([]byte, left)...)
			start := len(b) - left
			lo, hi := Length(b, 1)
			if n > uint64(left) {
				if lo != Truncated {
					t.Errorf("length %d with %d left: %d, %d", n, left, lo, hi)
				}
			} else if lo != start || hi != start+int(n) {
				t.Errorf("length %d with %d left: %d, %d; want %d, %d", n, left, lo, hi, start, start+int(n))
			}
		}
	}
	if lo, _ := Length(nil, 0); lo != Truncated {
		t.Error("a length in nothing")
	}
}

// checkNext compares Next with protowire at the start of b.
func checkNext(t *testing.T, b []byte) {
	t.Helper()
	f, next := Next(b, 0)
	num, typ, tag := protowire.ConsumeTag(b)
	if tag >= 0 && num > protowire.MaxValidNumber {
		if next != FieldNumber { // protowire does not check this
			t.Fatalf("% x: field number %d gives %d", b, num, next)
		}
		return
	}
	_, _, n := protowire.ConsumeField(b)
	if (n < 0) != (next < 0) {
		if next == FieldNumber { // the same, inside a group
			return
		}
		t.Fatalf("% x: next %d, protowire %d (%v)", b, next, n, protowire.ParseError(n))
	}
	if n < 0 {
		return
	}
	if next != n || f.Num != int32(num) || f.Type != Type(typ) || f.Hi != next {
		t.Fatalf("% x: %+v, %d; protowire %d %d %d", b, f, next, num, typ, n)
	}
	if f.Padded != (tag > protowire.SizeTag(num)) {
		t.Fatalf("% x: padded is %v", b, f.Padded)
	}
	lo := tag
	if typ == protowire.BytesType {
		body, m := protowire.ConsumeBytes(b[tag:])
		lo = tag + m - len(body)
	}
	if f.Lo != lo {
		t.Fatalf("% x: value at %d, want %d", b, f.Lo, lo)
	}
}

func TestNext(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range testkit.Rounds(200_000) {
		b := make([]byte, r.IntN(24))
		for i := range b {
			switch r.IntN(3) {
			case 0:
				b[i] = interesting[r.IntN(len(interesting))]
			case 1:
				b[i] = byte(r.IntN(256))
			default:
				b[i] = byte(1+r.IntN(3))<<3 | byte(r.IntN(8))
			}
		}
		checkNext(t, b)
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte{0x0a, 0x02, 'h', 'i'})
	f.Add([]byte{0x0b, 0x13, 0x08, 0x96, 0x01, 0x14, 0x0c})
	f.Add([]byte{0x8a, 0x80, 0x00, 0x80, 0x00})
	f.Fuzz(checkNext)
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		want int
		err  error
	}{
		{"nothing", nil, Truncated, io.ErrUnexpectedEOF},
		{"tag without value", []byte{0x08}, Truncated, io.ErrUnexpectedEOF},
		{"fixed32 cut", []byte{0x0d, 1, 2, 3}, Truncated, io.ErrUnexpectedEOF},
		{"fixed64 cut", []byte{0x09, 1, 2, 3, 4, 5, 6, 7}, Truncated, io.ErrUnexpectedEOF},
		{"length overruns", []byte{0x0a, 2, 1}, Truncated, io.ErrUnexpectedEOF},
		{"length of 2^64-1", append([]byte{0x0a}, AppendVarint(nil, math.MaxUint64)...), Truncated, io.ErrUnexpectedEOF},
		{"tag of 11 bytes", append(bytes.Repeat([]byte{0x8a}, 10), 0), Overflow, ErrOverflow},
		{"field number 0", []byte{0x02, 0}, FieldNumber, ErrFieldNumber},
		{"field number 2^29", AppendVarint(nil, 1<<32), FieldNumber, ErrFieldNumber},
		{"wire type 6", []byte{0x0e, 0}, WireType, ErrWireType},
		{"wire type 7", []byte{0x0f, 0}, WireType, ErrWireType},
		{"end of no group", []byte{0x0c}, Group, ErrGroup},
		{"group that another ends", []byte{0x0b, 0x14}, Group, ErrGroup},
		{"group that does not end", []byte{0x0b, 0x08, 1}, Truncated, io.ErrUnexpectedEOF},
		{"wire type 6 in a group", []byte{0x0b, 0x0e, 0x0c}, WireType, ErrWireType},
		{"groups nested too deep", bytes.Repeat([]byte{0x0b}, MaxDepth+1), Depth, ErrDepth},
	} {
		if _, got := Next(c.b, 0); got != c.want || Err(got) != c.err {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, got, Err(got), c.want, c.err)
		}
	}
	deep := append(bytes.Repeat([]byte{0x0b}, MaxDepth), bytes.Repeat([]byte{0x0c}, MaxDepth)...)
	if _, next := Next(deep, 0); next != len(deep) {
		t.Errorf("groups nested %d deep: %d", MaxDepth, next)
	}
}

// slowInt64s decodes one varint after another.
func slowInt64s(b []byte) (v []int64, at, next int) {
	for i := 0; i < len(b); {
		x, n := protowire.ConsumeVarint(b[i:])
		if n < 0 {
			_, next := Varint(b, i)
			return nil, i, next
		}
		v = append(v, int64(x))
		i += n
	}
	return v, 0, len(b)
}

func checkInt64s(t *testing.T, b []byte) {
	t.Helper()
	want, wantAt, wantNext := slowInt64s(b)
	room := make([]int64, 2, 2+len(b))
	room[0], room[1] = 7, 8
	spare := room[2:cap(room)]
	for i := range spare {
		spare[i] = -77
	}
	for _, dst := range [][]int64{nil, room, room[:2:2]} {
		got, at, next := AppendInt64s(dst, b)
		if !slices.Equal(got[:len(dst)], dst) || !slices.Equal(got[len(dst):], want) || at != wantAt || next != wantNext {
			t.Fatalf("% x: got %d, %d, %d; want %d, %d, %d", b, got, at, next, want, wantAt, wantNext)
		}
	}
	for _, dst := range [][]int64{nil, room[:1], room[:2:2]} {
		got, at, next := FillInt64s(slices.Clone(dst), b, 0)
		if !slices.Equal(got[:len(dst)], dst) || !slices.Equal(got[len(dst):], want) || at != wantAt || next != wantNext {
			t.Fatalf("% x: filled %d, %d, %d; want %d, %d, %d", b, got, at, next, want, wantAt, wantNext)
		}
		if got, at, next = FillInt64s(append(make([]int64, 0, len(b)+4), dst...), b, 0); !slices.Equal(got[len(dst):], want) || at != wantAt || next != wantNext {
			t.Fatalf("% x: filled %d, %d, %d; want %d, %d, %d", b, got, at, next, want, wantAt, wantNext)
		}
	}
	const before = 70 // bytes before the list, for the fast path
	got, at, next := FillInt64s(nil, append(make([]byte, before), b...), before)
	if wantNext < 0 {
		at -= before
	} else {
		next -= before
	}
	if !slices.Equal(got, want) || at != wantAt || next != wantNext {
		t.Fatalf("% x: filled %d, %d, %d; want %d, %d, %d", b, got, at, next, want, wantAt, wantNext)
	}
	for _, v := range spare[min(CountVarints(b), len(spare)):] {
		if v != -77 {
			t.Fatalf("% x: wrote behind the values", b)
		}
	}
	if at, next := CheckVarints(b); at != wantAt || next != wantNext {
		t.Fatalf("% x: checked %d, %d; want %d, %d", b, at, next, wantAt, wantNext)
	}
	ten := false
	for i := 0; wantNext >= 0 && i < len(b); {
		_, next := Varint(b, i)
		ten = ten || next-i == 10
		i = next
	}
	for _, i := range []int{0, 1, 70} {
		n, ok := CountSound(append(bytes.Repeat([]byte{0xff}, i), b...), i)
		if ok && (wantNext < 0 || n != len(want)) || !ok && wantNext >= 0 && !ten {
			t.Fatalf("% x: counted %d, %t; want %d, %d", b, n, ok, len(want), wantNext)
		}
	}
	if wantNext >= 0 && CountVarints(b) != len(want) {
		t.Fatalf("% x: counted %d, want %d", b, CountVarints(b), len(want))
	}
}

func TestInt64s(t *testing.T) {
	varints(func(b []byte) {
		checkInt64s(t, b)
		checkInt64s(t, append(b[:len(b):len(b)], 1, 2, 3, 4, 5, 6, 7, 8, 9))
		checkInt64s(t, append([]byte{0, 1, 2, 3, 4, 5, 6, 0x80}, b...))
	})
	r := rand.New(rand.NewPCG(2, 1))
	for range testkit.Rounds(20_000) {
		v := make([]int64, r.IntN(40))
		for i := range v {
			v[i] = int64(r.Uint64() >> r.IntN(64))
		}
		var b []byte
		for _, x := range v {
			b = AppendVarint(b, uint64(x))
		}
		checkInt64s(t, b)
		if got, _, _ := AppendInt64s(nil, b); !slices.Equal(got, v) {
			t.Fatalf("%d came back as %d", v, got)
		}
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 0x80
			checkInt64s(t, b)
			checkInt64s(t, b[:r.IntN(len(b))])
		}
	}
}

func FuzzInt64s(f *testing.F) {
	f.Add([]byte{1, 0x80, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add(append(bytes.Repeat([]byte{0xff}, 9), 0x02))
	f.Fuzz(checkInt64s)
}

func TestFloats(t *testing.T) {
	var bits []uint32
	var b []byte
	for i := range uint32(40) {
		x := 0x7f800001 + i*0x01234567 // signalling NaNs among them
		bits = append(bits, x)
		b = binary.LittleEndian.AppendUint32(b, x)
		got := AppendFloats([]float32{1, 2}, b)
		if len(got) != 2+len(bits) || got[0] != 1 || got[1] != 2 {
			t.Fatalf("%d floats came back as %d", len(bits), len(got)-2)
		}
		for j, v := range got[2:] {
			if math.Float32bits(v) != bits[j] {
				t.Fatalf("float %d of %d: %08x, want %08x", j, len(bits), math.Float32bits(v), bits[j])
			}
		}
		if back := AppendPackedFloats([]byte("x"), got[2:]); !bytes.Equal(back[1:], b) {
			t.Fatalf("% x came back as % x", b, back[1:])
		}
	}
}

func TestGrowsByWhatIsThere(t *testing.T) {
	b := bytes.Repeat([]byte{0x80}, 1000) // no byte ends a varint
	dst, _, next := AppendInt64s(nil, b)
	if next != Overflow || cap(dst) != 0 {
		t.Errorf("next %d, capacity %d", next, cap(dst))
	}
	b = bytes.Repeat([]byte{1}, 1000)
	if dst, _, _ = AppendInt64s(nil, b); len(dst) != 1000 || cap(dst) > 1100 {
		t.Errorf("length %d, capacity %d", len(dst), cap(dst))
	}
}
