package text

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// A Unit is the unit of positions and lengths.
type Unit uint8

// The units are bytes and characters of UTF-8. A byte that cannot begin a character belongs
// to the preceding character; every string is accepted.
const (
	Bytes Unit = iota
	Chars
)

// String returns TensorFlow's name of the unit.
func (u Unit) String() string {
	switch u {
	case Bytes:
		return "BYTE"
	case Chars:
		return "UTF8_CHAR"
	}
	return fmt.Sprintf("Unit(%d)", uint8(u))
}

// Length returns the length of every string. TensorFlow calls it strings.length.
func Length(t ragged.Tensor[string], unit Unit) ragged.Tensor[int32] {
	if unit == Chars {
		return ragged.Map(t, func(s string) int32 { return int32(chars(s)) })
	}
	return ragged.Map(t, func(s string) int32 { return int32(len(s)) })
}

func inside(c byte) bool { return c&0xc0 == 0x80 }

// chars counts characters: the bytes that begin a character.
func chars(s string) int {
	n := 0
	for i := range len(s) {
		if !inside(s[i]) {
			n++
		}
	}
	return n
}

// Substr returns a part of every string, by position and length. Positions and lengths
// are dense, have the same shape (scalars for the same part of all strings), and
// broadcast against the flat values of t; only if t is dense may they have more axes.
//
// A negative position counts from the end; the position after the last byte is allowed. A
// length beyond the end is cut. As in TensorFlow a negative length takes all bytes up to
// the end, or no characters; it is refused for characters with a negative position. The
// results are views. A position outside its string is a ragged.ValueError, and so is a
// refused length. TensorFlow calls it strings.substr.
func Substr(t ragged.Tensor[string], pos, length ragged.Tensor[int64], unit Unit) (ragged.Tensor[string], error) {
	const op = "substr"
	var none ragged.Tensor[string]
	if pos.RaggedRank() > 0 || length.RaggedRank() > 0 {
		return none, operand.Shapef(op, "positions and lengths must be dense")
	}
	if !ragged.SameShape(pos, length) {
		return none, operand.Shapef(op, "positions have shape %v, lengths have shape %v", pos.Shape(), length.Shape())
	}
	type span struct{ pos, length int64 }
	spans, err := ragged.Zip(pos, length, func(p, n int64) span { return span{p, n} })
	if err != nil {
		return none, operand.Within(op, err)
	}
	flat, done := t.Flat(), 0
	out, err := ragged.ZipSlices(flat, spans, func(dst, x []string, y []span) error {
		for i, s := range x {
			var ok bool
			if dst[i], ok = part(s, y[i].pos, y[i].length, unit); !ok {
				return noPosition(done+i, s, y[i].pos, y[i].length, unit)
			}
		}
		done += len(dst)
		return nil
	})
	switch {
	case errors.Is(err, ragged.ErrValue):
		return none, err
	case err != nil:
		return none, operand.Within(op, err)
	case t.RaggedRank() == 0:
		return out, nil
	case !ragged.SameShape(out, flat):
		return none, operand.Shapef(op, "positions of shape %v do not broadcast to flat values of shape %v", pos.Shape(), flat.Shape())
	}
	return operand.Like(t, out.Values())
}

func noPosition(i int, s string, pos, length int64, unit Unit) error {
	if unit == Chars && pos < 0 && length < 0 {
		return &ragged.ValueError{Err: ragged.ErrValue, Op: "substr", At: []int{i}, Want: "a length of at least 0 for characters from the end", Got: strconv.FormatInt(length, 10)}
	}
	return &ragged.ValueError{Err: ragged.ErrValue, Op: "substr", At: []int{i}, Want: fmt.Sprintf("a string with position %d", pos), Got: quoted(s)}
}

// part returns a part of a string, and false if the position does not exist.
func part(s string, pos, length int64, unit Unit) (string, bool) {
	if unit == Chars {
		return charPart(s, pos, length)
	}
	n := int64(len(s))
	if pos < -n || pos > n {
		return "", false
	}
	if pos < 0 {
		pos += n
	}
	if length < 0 || length > n-pos {
		length = n - pos
	}
	return s[pos : pos+length], true
}

func charPart(s string, pos, length int64) (string, bool) {
	var at int
	var ok bool
	switch {
	case pos >= 0:
		at, ok = forward(s, 0, pos)
	case length >= 0:
		at, ok = back(s, pos)
	}
	if !ok {
		return "", false
	}
	end, _ := forward(s, at, length)
	return s[at:end], true
}

// forward skips n characters, and returns false if there are fewer.
func forward(s string, at int, n int64) (int, bool) {
	for ; n > 0; n-- {
		if at == len(s) {
			return at, false
		}
		for at++; at < len(s) && inside(s[at]); at++ {
		}
	}
	return at, true
}

// back skips -n characters from the end, and returns false if there are fewer.
func back(s string, n int64) (int, bool) {
	at := len(s)
	for ; n < 0; n++ {
		if at == 0 {
			return 0, false
		}
		for at--; at > 0 && inside(s[at]); at-- {
		}
	}
	return at, true
}
