package statsource

import (
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
	var all *stats.Accumulator // of all parts, without records
	err := p.Options(func(b []byte) error {
		var one stats.Accumulator
		if err := one.UnmarshalBinary(b); err != nil {
			return err
		}
		if all == nil {
			all, g.Options = one.Fresh(), *one.Options()
		}
		return all.Merge(&one)
	})
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

// AppendOptions appends the binary form of o for [partial.Header.Options].
func AppendOptions(dst []byte, o *stats.Options) ([]byte, error) {
	acc, err := stats.New(o)
	if err != nil {
		return dst, err
	}
	return acc.AppendBinary(dst)
}

// SliceText returns slices as the values of --slice, after a space.
func SliceText(all []stats.Slice) (out string) {
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
