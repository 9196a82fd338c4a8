package view

import (
	"math"

	"github.com/tfparse/tfparse/example"
)

// TestCopyGo compares this file with copies of records. UPDATE=1 writes it.

var copiedExample = example.Example{
	"":              example.Int64s(1),
	"bytes":         example.Strings("\x00\xff\x7f"),
	"floats":        example.Floats(1.0, -0.1, 1e-45, 3.4028235e+38, float32(math.NaN()), float32(math.Inf(+1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))),
	"ints":          example.Int64s(0, -1, 9223372036854775807, -9223372036854775808),
	"no floats":     example.Floats(),
	"no ints":       example.Int64s(),
	"no strings":    example.Strings(),
	"none":          {},
	"text":          example.Strings("it's \"quoted\"\n\\", "é\u2028", "", "</script>"),
	"é\"\\\t\u2028": example.Int64s(2),
}

var copiedSequence = example.Sequence{
	Context: example.Example{
		"id": example.Strings("a"),
	},
	Lists: map[string][]example.Value{
		"empty": {},
		"steps": {
			example.Int64s(1, 2),
			{},
			example.Int64s(),
		},
		"words": {
			example.Strings("x"),
		},
	},
}

var copiedList = example.ExampleList{
	Context: example.Example{
		"q": example.Strings("a"),
	},
	HasContext: true,
	Examples: []example.Example{
		{
			"score": example.Floats(0.5),
		},
		{},
	},
}
