package example_test

import (
	"testing"

	"github.com/tfparse/tfparse/example"
)

func TestPath(t *testing.T) {
	at := func(change func(p *example.Path)) example.Path {
		p := example.PathTo("", "")
		change(&p)
		return p
	}
	inner := at(func(p *example.Path) { p.Byte = 2 })
	inner.Enclose("examples[1]", 10)
	for _, c := range []struct {
		p    example.Path
		want string
	}{
		{example.PathTo("", ""), ""},
		{at(func(p *example.Path) { p.Byte = 0 }), "byte 0"},
		{at(func(p *example.Path) { p.Record = 3 }), "record 3"},
		{at(func(p *example.Path) { p.Feature, p.Key = "a", "a" }), `feature "a"`},
		{example.Path{Record: 3, Part: "context", Feature: "a", Key: "b", Step: 2, Partition: 0, Value: 7, Byte: 17},
			`record 3: context: feature "a" (key "b"): step 2: partition 0: value 7: byte 17`},
		{inner, "examples[1]: byte 12"},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	unknown := example.PathTo("context", "a")
	if unknown.Enclose("examples[0]", 5); unknown.Byte != -1 {
		t.Errorf("an unknown offset moved to %d", unknown.Byte)
	}
}
