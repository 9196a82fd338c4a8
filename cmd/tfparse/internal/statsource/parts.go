package statsource

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/partial"
	"github.com/tfparse/tfparse/validate/stats"
)

// Verbs are the verbs whose parts have statistics.
var Verbs = []string{"stats", "validate"}

// ReadParts merges what others have read.
func (g *Gatherer) ReadParts(p *partial.Parts) error {
	if g.All == nil {
		g.All = g.newResult()
		g.All.Files = 0
	}
	g.File, g.only = g.newResult(), p.Only()
	err := p.Options(g.options())
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

// options returns a function that compares the options in parts with each other, and sets those of g.
func (g *Gatherer) options() func(b []byte) error {
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

// AppendOptions appends options of statistics as [partial.Header.Options].
func AppendOptions(dst []byte, o *stats.Options) ([]byte, error) {
	acc, err := stats.New(o)
	if err != nil {
		return dst, err
	}
	return acc.AppendBinary(dst)
}

// flagOf is the flag that sets an option of statistics.
var flagOf = map[string]string{
	"weight": "weight", "features": "select", "slices": "slice", "max_slices": "max-slices", "top_values": "top", "buckets": "buckets",
	"quantiles": "quantiles", "detect_domains": "domains", "sample_rate": "sample-rate", "max_features": "max-features", "schema": "schema",
}

// otherFlag says with which flags a part was written, and those before it.
func otherFlag(e *stats.OptionError) error {
	flag, ok := flagOf[e.Option]
	switch {
	case !ok: // of a program
		return e
	case e.Option == "schema":
		return errors.New("it was not written with the --schema of the parts before it")
	}
	with := func(value string) string {
		if value = flagText(e.Option, value); value == "" {
			return "without --" + flag
		}
		return "with --" + flag + value
	}
	return fmt.Errorf("it was written %s, and the parts before it %s", with(e.Got), with(e.Have))
}

// flagText is the value of an option, in JSON, as on a command line, with a space before
// it; "" is none.
func flagText(option, value string) string {
	switch option {
	case "detect_domains":
		if value == "" {
			return ""
		}
		return "=" + value
	case "features":
		var names []string
		if json.Unmarshal([]byte(value), &names) == nil {
			return " " + strings.Join(names, ",")
		}
	case "slices":
		var all []stats.Slice
		if json.Unmarshal([]byte(value), &all) == nil {
			return sliceText(all)
		}
	case "weight":
		var name string
		if json.Unmarshal([]byte(value), &name) == nil {
			return " " + name
		}
	}
	if value != "" {
		value = " " + value
	}
	return value
}

// sliceText is slices as values of --slice.
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
