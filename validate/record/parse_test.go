package record_test

import (
	"slices"
	"testing"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
	"github.com/tfparse/tfparse/validate/record"
)

// TestSpecIsTheParsers checks that without a schema a record has an error if and only if the parser rejects it.
func TestSpecIsTheParsers(t *testing.T) {
	refused, accepted := 0, 0
	for seed := range uint64(300) {
		g := random.New(nil, seed)
		spec := g.Spec()
		parser, err := feature.NewParser(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := record.NewChecker(nil, &record.Options{Message: spec.Message(), Spec: spec})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			msg := g.Record(spec, true)
			_, err := parser.Parse(msg)
			found := c.Check(msg)
			if (err != nil) != slices.ContainsFunc(found, func(f record.Finding) bool { return !f.Warning }) {
				t.Errorf("seed %d: %x: the parser says %v, and the findings are %v", seed, msg, err, found)
			}
			if err != nil {
				refused++
			} else {
				accepted++
			}
		}
	}
	if refused < 500 || accepted < 500 {
		t.Errorf("%d records are refused, and %d are not", refused, accepted)
	}
}
