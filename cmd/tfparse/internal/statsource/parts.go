package statsource

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/validate/stats"
)

// Verbs are the verbs whose --partial outputs have statistics.
var Verbs = []string{"stats", "validate"}

// ReadParts merges the outputs of --partial.
func (g *Gatherer) ReadParts(p *partial.Parts) error {
	if g.All == nil {
		g.All = g.newResult()
		g.All.Files = 0
	}
	g.File, g.onlyInput = g.newResult(), p.Only()
	err := p.Options(g.mergeOptions())
	if err != nil {
		return err
	}
	err = p.Each(func(r *partial.Result) error {
		if err := g.Reading.Report(g.Env, &r.Faults); err != nil {
			return err
		}
		return g.Merge(r)
	})
	g.Result = g.All.Statistics
	return err
}

// mergeOptions returns a function that decodes the options of a part. It returns an error if they differ from those of
// the parts before it, and sets the options of g.
func (g *Gatherer) mergeOptions() func(b []byte) error {
	var all *stats.Accumulator
	return func(b []byte) error {
		var one stats.Accumulator
		if err := one.UnmarshalBinary(b); err != nil {
			return err
		}
		if all == nil {
			all, g.Options = one.Fresh(), *one.Options()
		}
		err := all.Merge(&one)
		if other, ok := errors.AsType[*stats.OptionError](err); ok {
			return otherFlag(other)
		}
		return err
	}
}

// AppendOptions appends the binary form of o for [partial.Header.Options].
func AppendOptions(dst []byte, o *stats.Options) ([]byte, error) {
	acc, err := stats.New(o)
	if err != nil {
		return dst, err
	}
	return acc.AppendBinary(dst)
}

// flagOf maps options of statistics to the flags that set them.
var flagOf = map[string]string{
	"weight": "weight", "features": "select", "slices": "slice", "max_slices": "max-slices", "top_values": "top", "buckets": "buckets",
	"quantiles": "quantiles", "detect_domains": "domains", "sample_rate": "sample-rate", "max_features": "max-features", "schema": "schema",
}

// otherFlag turns an error about different options into one about the flags of the parts.
func otherFlag(e *stats.OptionError) error {
	flag, ok := flagOf[e.Option]
	switch {
	case !ok: // of a program
		return e
	case e.Option == "schema":
		return partial.DifferentFile("schema", "the parts before it")
	}
	return partial.DifferentFlag(flag, flagText(e.Option, e.Got), "the parts before it", flagText(e.Option, e.Have))
}

// flagText returns an option, in JSON, as the value of its flag; "" for an option that is not set.
func flagText(option, value string) string {
	switch option {
	case "features":
		var names []string
		if json.Unmarshal([]byte(value), &names) == nil {
			return strings.Join(names, ",")
		}
	case "slices":
		var all []stats.Slice
		if json.Unmarshal([]byte(value), &all) == nil {
			return strings.TrimPrefix(sliceText(all), " ")
		}
	case "weight":
		var name string
		if json.Unmarshal([]byte(value), &name) == nil {
			return name
		}
	}
	return value
}

// sliceText returns slices as the values of --slice, after a space.
func sliceText(all []stats.Slice) (out string) {
	for i, s := range all {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(s)) {
			if s[name] == nil {
				parts = append(parts, name)
			}
			for _, v := range s[name] {
				parts = append(parts, name+"="+v)
			}
		}
		if i > 0 {
			out += " --slice"
		}
		out += " " + strings.Join(parts, ",")
	}
	return out
}
