package quality

import (
	"encoding/json"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
)

// columns are those that would declare the ragged structure that is not declared, as
// far as something is wrong with it.
type columns struct {
	declared func(infer.Pair) (feature.Spec, bool)
	specs    map[infer.Pair]json.RawMessage // by pair; nil if there is none
	all      feature.Spec
	any      bool
}

// declare returns the spec that declares a pair, or nil, and adds it to all.
func (c *columns) declare(p *infer.Pair) json.RawMessage {
	if c == nil || p == nil {
		return nil
	}
	if text, ok := c.specs[*p]; ok {
		return text
	}
	var text json.RawMessage
	if spec, ok := c.declared(*p); ok {
		if b, err := spec.MarshalJSON(); err == nil {
			text = b
			c.add(spec)
		}
	}
	if c.specs == nil {
		c.specs = map[infer.Pair]json.RawMessage{}
	}
	c.specs[*p] = text
	return text
}

// add adds the columns of a spec, unless there is one of the same values.
func (c *columns) add(spec feature.Spec) {
	for g, fs := range spec.Groups() {
		to := c.all.Group(g)
		if *to == nil {
			*to = feature.Features{}
		}
		for name, f := range fs {
			if (*to)[name] == nil {
				(*to)[name] = f
				c.any = true
			}
		}
	}
}

// append adds the text of all, as tfparse schema prints a spec.
func (c *columns) append(dst []byte) []byte {
	if c == nil || !c.any {
		return dst
	}
	text, err := c.all.MarshalJSON()
	if err != nil {
		return dst // two columns that cannot be in one spec: their findings have them
	}
	return append(append(dst, "ragged structure that is not declared, as a spec:\n"...), scan.IndentSpec(text)...)
}
