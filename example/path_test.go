package example_test

import (
	"testing"

	"github.com/tfparse/tfparse/example"
)

func TestPath(t *testing.T) {
	for _, c := range []struct {
		p    example.Path
		want string
	}{
		{example.Path{}, ""},
		{example.Path{Byte: example.At(0)}, "byte 0"},
		{example.Path{Record: example.At(3)}, "record 3"},
		{example.Path{Feature: "a", Key: "a", Step: example.At(-1)}, `feature "a"`},
		{example.Path{Record: example.At(3), Part: "context", Feature: "a", Key: "b", Step: example.At(2), Partition: example.At(0), Value: example.At(7), Byte: example.At(17)},
			`record 3: context: feature "a" (key "b"): step 2: partition 0: value 7: byte 17`},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	var none example.Index
	if i, ok := none.Plus(2).Get(); i != 0 || ok || none.Or(example.At(4)) != example.At(4) || none != example.At(-5) {
		t.Errorf("an absent index is %d, %t", i, ok)
	}
	if i, ok := example.At(0).Plus(2).Or(none).Get(); i != 2 || !ok {
		t.Errorf("got %d, %t", i, ok)
	}
}
