package text

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// An arena collects the strings of a result in one block of memory. Each string is written in
// parts; then end is called.
type arena struct {
	b    strings.Builder // the bytes of all strings
	ends []int           // offset in b of the end of each string
}

// newArena allocates memory for n strings with the given number of bytes.
func newArena(n, bytes int) *arena {
	a := &arena{ends: make([]int, 0, n)}
	a.b.Grow(bytes)
	return a
}

func (a *arena) write(s string) { a.b.WriteString(s) }

func (a *arena) writeBytes(b []byte) { a.b.Write(b) }

// end ends a string.
func (a *arena) end() { a.ends = append(a.ends, a.b.Len()) }

// strings returns the strings, which share one block.
func (a *arena) strings() []string {
	out, all, lo := make([]string, len(a.ends)), a.b.String(), 0
	for i, hi := range a.ends {
		out[i], lo = all[lo:hi], hi
	}
	return out
}

// bytesIn returns the number of bytes of strings.
func bytesIn(values []string) int {
	n := 0
	for _, s := range values {
		n += len(s)
	}
	return n
}

// mapStrings returns t with every string replaced by the bytes that f appends for it.
func mapStrings(t ragged.Tensor[string], f func(dst []byte, s string) []byte) (ragged.Tensor[string], error) {
	values := t.Values()
	a := newArena(len(values), bytesIn(values))
	var scratch []byte
	for _, s := range values {
		scratch = f(scratch[:0], s)
		a.writeBytes(scratch)
		a.end()
	}
	return operand.Like(t, a.strings())
}

// must panics on an error about parts that are known to fit.
func must[T any](t ragged.Tensor[T], err error) ragged.Tensor[T] {
	if err != nil {
		panic("text: " + err.Error())
	}
	return t
}

// withRows replaces every value of t by a row of values; limits are the row limits. The
// result has one axis more, the last, and a partition for every axis except the first. For a
// scalar t the result is a vector.
func withRows[T, U any](t ragged.Tensor[T], values []U, limits []int64) ragged.Tensor[U] {
	if t.Rank() == 0 {
		return ragged.Vector(values...)
	}
	parts := t.Partitions()
	n := int64(t.Len())
	if len(parts) > 0 {
		n = int64(parts[len(parts)-1].NumValues())
	}
	for _, size := range t.InnerShape() {
		p, err := ragged.Uniform(int64(size), n)
		if err != nil {
			panic("text: " + err.Error())
		}
		parts = append(parts, p)
		n *= int64(size)
	}
	last, err := ragged.FromRowLimits(limits)
	if err != nil {
		panic("text: " + err.Error())
	}
	return must(ragged.New(values, nil, append(parts, last)...))
}

// ErrArgument is wrapped by every error about an argument that is not a tensor, such as a
// number of buckets or a pattern.
var ErrArgument = errors.New("text: argument not accepted")

// quoted returns the beginning of a string for an error.
func quoted(s string) string {
	const most = 64
	if len(s) > most {
		return fmt.Sprintf("%q... (%d bytes)", s[:most], len(s))
	}
	return fmt.Sprintf("%q", s)
}

func argumentErrorf(op, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrArgument, op, fmt.Sprintf(format, args...))
}
