package record_test

import (
	"fmt"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/record"
)

// BenchmarkCheck checks a record of 40 features: valid, with a missing feature, and with a value
// outside its domain.
func BenchmarkCheck(b *testing.B) {
	schema, e := "", example.Example{}
	for f := range 40 {
		name := fmt.Sprintf("feature_%02d", f)
		ask := ""
		switch f % 5 {
		case 0:
			ask, e[name] = "type: INT int_domain { min: 0 max: 99 } value_count { min: 1 max: 1 }", example.Int64s(int64(f))
		case 1:
			ask, e[name] = "type: FLOAT float_domain { disallow_nan: true }", example.Floats(1.5)
		case 2:
			ask, e[name] = "type: BYTES string_domain { value: ['red', 'green', 'blue'] }", example.Strings("green")
		case 3:
			ask, e[name] = "type: INT", example.Int64s(1, 200, 30000, 4000000, 500000000)
		case 4:
			ask, e[name] = "type: FLOAT float_domain { min: 0 max: 10 }", example.Floats(1, 2, 3, 4, 5, 6, 7, 8)
		}
		schema += fmt.Sprintf("feature { name: %q presence { min_fraction: 1 } %s }\n", name, ask)
	}
	c := checker(b, schema, nil)
	run := func(name string, c *record.Checker, findings int) {
		msg := encode(b, e)
		b.Run("record="+name, func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				if found := c.Check(msg); len(found) != findings {
					b.Fatal(texts(found))
				}
			}
		})
	}
	run("sound", c, 0)
	e["feature_00"] = example.Int64s(-1)
	run("value", c, 1)
	delete(e, "feature_00")
	run("missing", c, 1)
}
