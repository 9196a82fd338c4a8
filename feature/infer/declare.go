package infer

import (
	"slices"

	"github.com/tfparse/tfparse/feature"
)

// Declare returns a spec with one column: the column that the pair p of the report partitions, with the
// pairs that partition its other levels. A caller adds it to a spec to use the pair. Declare
// returns false if there is no such column: the values have no type, or the pair partitions rows whose
// contents are unknown.
func (r Report) Declare(p Pair) (feature.Spec, bool) {
	chain := []Pair{p} // innermost first
	for n := 0; chain[0].Rows != nil; n++ {
		inner := slices.IndexFunc(r.Pairs, func(q Pair) bool { return q.usable() && q.Group == p.Group && q.Partition == chain[0].Rows })
		if inner < 0 || n > len(r.Pairs) {
			return feature.Spec{}, false
		}
		chain = slices.Insert(chain, 0, r.Pairs[inner])
	}
	for len(chain) <= len(r.Pairs) {
		last := chain[len(chain)-1].Partition
		outer := slices.IndexFunc(r.Pairs, func(q Pair) bool { return q.usable() && q.Group == p.Group && q.Rows != nil && q.Rows == last })
		if outer < 0 {
			break
		}
		chain = append(chain, r.Pairs[outer])
	}
	column := feature.Ragged{}
	for _, q := range chain {
		if q.Block > 1 {
			column.Partitions = append(column.Partitions, feature.UniformRowLength(q.Block))
		}
		column.Partitions = append(column.Partitions, q.Partition)
	}
	slices.Reverse(column.Partitions)
	name := chain[0].Of
	for _, f := range r.Features {
		if f.Group == p.Group && f.Name == name {
			column.DType = f.DType
		}
	}
	spec := feature.Spec{}
	*spec.Group(p.Group) = feature.Features{name: column}
	return spec, column.DType != 0 && spec.Validate() == nil
}

// usable reports whether a pair holds, or would hold without damaged records.
func (p Pair) usable() bool { return p.Chosen || p.Against > 0 }
