package stats

import (
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/sketch"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A pair is a sparse or weighted feature of the Schema. It pairs a value feature with index features or a weight feature.
type pair struct {
	path   []string
	value  featureRef
	parts  []featureRef // index features, sorted by name, or the weight feature
	sparse bool         // the pair is a sparse feature, not a weighted feature
}

// A featureRef refers to a feature by name.
type featureRef struct {
	group    group
	name     string
	possible bool // records of this message type can have the feature
}

// pairsOf returns the sparse and the weighted features of a Schema. step is the name of the struct that contains childGroup.
func pairsOf(s *metadatapb.Schema, step string) (sparse, weighted []pair) {
	add := func(g group, parent []string, features []*metadatapb.SparseFeature) {
		for _, f := range features {
			p := pair{path: append(slices.Clone(parent), f.GetName()), value: featureRef{g, f.GetValueFeature().GetName(), true}, sparse: true}
			for _, i := range f.GetIndexFeature() {
				p.parts = append(p.parts, featureRef{g, i.GetName(), true})
			}
			slices.SortFunc(p.parts, func(a, b featureRef) int {
				switch {
				case a.name < b.name:
					return -1
				case a.name > b.name:
					return 1
				}
				return 0
			})
			p.parts = slices.Compact(p.parts)
			sparse = append(sparse, p)
		}
	}
	add(rootGroup, nil, s.GetSparseFeature())
	for _, f := range s.GetFeature() {
		if f.GetName() == step && step == view.SequenceStep { // lengths are not defined for the examples of a list
			add(childGroup, []string{step}, f.GetStructDomain().GetSparseFeature())
		}
	}
	refOf := func(p *metadatapb.Path) featureRef {
		switch steps := p.GetStep(); {
		case len(steps) == 1:
			return featureRef{rootGroup, steps[0], true}
		case len(steps) == 2 && steps[0] == step && step == view.SequenceStep:
			return featureRef{childGroup, steps[1], true}
		}
		return featureRef{}
	}
	for _, f := range s.GetWeightedFeature() {
		weighted = append(weighted, pair{path: []string{f.GetName()}, value: refOf(f.GetFeature()), parts: []featureRef{refOf(f.GetWeightFeature())}})
	}
	return sparse, weighted
}

// pairCounts counts the records in which the parts of a pair do not match.
type pairCounts struct {
	noValue uint64       // number of records without the value feature that have an index or weight feature
	parts   []partCounts // counts of each of pair.parts; nil before the first record
}

// partCounts counts the mismatches of one index or weight feature with the value.
type partCounts struct {
	missing     uint64 // number of records without this feature that have another feature of the pair
	observed    bool   // least and most are set
	least, most int64  // range of the length of this feature minus the length of the value feature
}

// addRecord adds the current record.
func (c *pairCounts) addRecord(a *Accumulator, p *pair) {
	if c.parts == nil {
		c.parts = make([]partCounts, len(p.parts))
	}
	value, hasValue := a.lengthAt(p.value)
	any := hasValue
	for _, o := range p.parts {
		_, ok := a.lengthAt(o)
		any = any || ok
	}
	if !any {
		return
	}
	if !hasValue {
		c.noValue++
	}
	for i, o := range p.parts {
		n, ok := a.lengthAt(o)
		to := &c.parts[i]
		if !ok {
			to.missing++
		}
		d := int64(n) - int64(value)
		if !to.observed || d < to.least {
			to.least = d
		}
		if !to.observed || d > to.most {
			to.most = d
		}
		to.observed = true
	}
}

// lengthAt returns the number of values, or steps of a feature list, of a feature in the current record. The result is false if
// the record lacks the feature.
func (a *Accumulator) lengthAt(p featureRef) (int, bool) {
	if !p.possible {
		return 0, false
	}
	e := a.neededEntry(p.group, p.name)
	switch {
	case e == nil || e.kind == example.Unset && !e.nested:
		return 0, false
	case e.nested:
		return e.last - e.first, true
	}
	return e.hi - e.lo, true
}

// mergePair adds the counts of o.
func (c *pairCounts) mergePair(o *pairCounts) {
	c.noValue += o.noValue
	if c.parts == nil {
		c.parts = o.parts
		return
	}
	for i, from := range o.parts {
		to := &c.parts[i]
		to.missing += from.missing
		if from.observed {
			if !to.observed || from.least < to.least {
				to.least = from.least
			}
			if !to.observed || from.most > to.most {
				to.most = from.most
			}
			to.observed = true
		}
	}
}

// statistics returns the statistics of a pair, which are custom statistics only.
func (c *pairCounts) statistics(p *pair) *metadatapb.FeatureNameStatistics {
	f := &metadatapb.FeatureNameStatistics{FieldId: pathOf(p.path...)}
	others := c.parts
	if others == nil {
		others = make([]partCounts, len(p.parts))
	}
	if !p.sparse {
		f.CustomStats = []*metadatapb.CustomStatistic{
			numberStat("missing_weight", float64(others[0].missing)),
			numberStat("missing_value", float64(c.noValue)),
			numberStat("min_weight_length_diff", float64(others[0].least)),
			numberStat("max_weight_length_diff", float64(others[0].most)),
		}
		return f
	}
	ranks := func(name string, value func(partCounts) float64) *metadatapb.CustomStatistic {
		var labels []sketch.Label
		for i, o := range others {
			labels = append(labels, sketch.Label{Key: p.parts[i].name, Count: value(o)})
		}
		return labelStat(name, labels)
	}
	f.CustomStats = []*metadatapb.CustomStatistic{
		numberStat("missing_value", float64(c.noValue)),
		ranks("missing_index", func(o partCounts) float64 { return float64(o.missing) }),
		ranks("max_length_diff", func(o partCounts) float64 { return float64(o.most) }),
		ranks("min_length_diff", func(o partCounts) float64 { return float64(o.least) }),
	}
	return f
}

// appendState appends the encoding of c.
func (c *pairCounts) appendState(b []byte) []byte {
	b = sketch.AppendUint(b, c.noValue)
	b = sketch.AppendUint(b, uint64(len(c.parts)))
	for _, o := range c.parts {
		b = sketch.AppendUint(b, o.missing)
		b = sketch.AppendBool(b, o.observed)
		b = sketch.AppendInt(sketch.AppendInt(b, o.least), o.most)
	}
	return b
}

// readPairCounts decodes pairCounts.
func readPairCounts(in *sketch.Decoder, p *pair) (c pairCounts) {
	c.noValue = in.Uint()
	n := in.Count(4)
	if n != 0 && n != len(p.parts) {
		in.Fail()
		return c
	}
	for range n {
		c.parts = append(c.parts, partCounts{in.Uint(), in.Bool(), in.Int(), in.Int()})
	}
	return c
}
