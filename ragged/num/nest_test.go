package num_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// A nest is the naive form of a tensor: a value, or a list of nests. Its functions get the uniform
// axes below the last partition, for the items of an empty row.
type nest struct {
	kids  []nest
	value int8
	leaf  bool
}

func (n nest) String() string {
	if n.leaf {
		return fmt.Sprint(n.value)
	}
	kids := make([]string, len(n.kids))
	for i, k := range n.kids {
		kids[i] = k.String()
	}
	return "[" + strings.Join(kids, " ") + "]"
}

// nestOf walks a tensor row by row.
func nestOf(t ragged.Tensor[int8]) nest {
	if t.Rank() == 0 {
		return nest{leaf: true, value: t.Item()}
	}
	n := nest{}
	for _, row := range t.Rows() {
		n.kids = append(n.kids, nestOf(row))
	}
	return n
}

// nestOfSize makes a nest of a dense shape, all of one value.
func nestOfSize(shape []int, v int8) nest {
	if len(shape) == 0 {
		return nest{leaf: true, value: v}
	}
	return nest{kids: slices.Repeat([]nest{nestOfSize(shape[1:], v)}, shape[0])}
}

// A fold combines values by their definition.
type fold struct {
	empty int8
	f     func(a, b int8) int8
}

// along combines the values along an axis. The last axes of the nest are uniform, with the sizes of
// inner; depth is the number of all axes.
func (o fold) along(n nest, axis, depth int, inner []int) nest {
	if axis > 0 {
		out := nest{}
		for _, k := range n.kids {
			out.kids = append(out.kids, o.along(k, axis-1, depth-1, inner))
		}
		return out
	}
	return o.over(n.kids, depth-1, inner)
}

// over combines nests position by position.
func (o fold) over(rows []nest, depth int, inner []int) nest {
	switch {
	case len(rows) == 0 && depth <= len(inner):
		return nestOfSize(inner[len(inner)-depth:], o.empty)
	case depth == 0:
		v := rows[0].value
		for _, r := range rows[1:] {
			v = o.f(v, r.value)
		}
		return nest{leaf: true, value: v}
	}
	out := nest{}
	for i := 0; ; i++ {
		var at []nest
		for _, r := range rows {
			if i < len(r.kids) {
				at = append(at, r.kids[i])
			}
		}
		if len(at) == 0 {
			return out
		}
		out.kids = append(out.kids, o.over(at, depth-1, inner))
	}
}

// sameNest fails the test if a tensor is not valid or differs from the nest.
func sameNest(t testing.TB, got ragged.Tensor[int8], want nest, what string, args ...any) {
	t.Helper()
	if err := got.Validate(); err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(what, args...), err)
	}
	if g, w := nestOf(got).String(), want.String(); g != w {
		t.Fatalf("%s:\ngot  %s\nwant %s", fmt.Sprintf(what, args...), g, w)
	}
}
