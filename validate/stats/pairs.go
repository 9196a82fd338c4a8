package stats

import (
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/sketch"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A pair is a sparse or a weighted feature of the Schema: a value and what goes
// with it, the indices or the weight.
type pair struct {
	path   []string
	value  featureRef
	others []featureRef
	sparse bool
}

// A featureRef names a feature that a pair refers to.
type featureRef struct {
	group group
	name  string
	known bool // records of this type can have it
}

// pairsOf lists the sparse and the weighted features of a Schema.
func pairsOf(s *metadatapb.Schema, step string) (sparse, weighted []pair) {
	add := func(g group, parent []string, features []*metadatapb.SparseFeature) {
		for _, f := range features {
			p := pair{path: append(slices.Clone(parent), f.GetName()), value: featureRef{g, f.GetValueFeature().GetName(), true}, sparse: true}
			for _, i := range f.GetIndexFeature() {
				p.others = append(p.others, featureRef{g, i.GetName(), true})
			}
			slices.SortFunc(p.others, func(a, b featureRef) int {
				switch {
				case a.name < b.name:
					return -1
				case a.name > b.name:
					return 1
				}
				return 0
			})
			p.others = slices.Compact(p.others)
			sparse = append(sparse, p)
		}
	}
	add(rootGroup, nil, s.GetSparseFeature())
	for _, f := range s.GetFeature() {
		if f.GetName() == step && step == view.SequenceStep { // examples of a list have no one length
			add(childGroup, []string{step}, f.GetStructDomain().GetSparseFeature())
		}
	}
	at := func(p *metadatapb.Path) featureRef {
		switch steps := p.GetStep(); {
		case len(steps) == 1:
			return featureRef{rootGroup, steps[0], true}
		case len(steps) == 2 && steps[0] == step && step == view.SequenceStep:
			return featureRef{childGroup, steps[1], true}
		}
		return featureRef{}
	}
	for _, f := range s.GetWeightedFeature() {
		weighted = append(weighted, pair{path: []string{f.GetName()}, value: at(f.GetFeature()), others: []featureRef{at(f.GetWeightFeature())}})
	}
	return sparse, weighted
}

// pairCounts counts what does not go together.
type pairCounts struct {
	noValue uint64
	others  []otherCounts
}

type otherCounts struct {
	missing     uint64
	seen        bool
	least, most int64 // by how much it is longer than the value
}

func (c *pairCounts) add(a *Accumulator, p *pair) {
	if c.others == nil {
		c.others = make([]otherCounts, len(p.others))
	}
	value, hasValue := a.lengthAt(p.value)
	any := hasValue
	for _, o := range p.others {
		_, ok := a.lengthAt(o)
		any = any || ok
	}
	if !any {
		return
	}
	if !hasValue {
		c.noValue++
	}
	for i, o := range p.others {
		n, ok := a.lengthAt(o)
		to := &c.others[i]
		if !ok {
			to.missing++
		}
		d := int64(n) - int64(value)
		if !to.seen || d < to.least {
			to.least = d
		}
		if !to.seen || d > to.most {
			to.most = d
		}
		to.seen = true
	}
}

// lengthAt is how many values, or steps, the record has there, and whether it
// has the feature at all.
func (a *Accumulator) lengthAt(p featureRef) (int, bool) {
	if !p.known {
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

func (c *pairCounts) merge(o *pairCounts) {
	c.noValue += o.noValue
	if c.others == nil {
		c.others = o.others
		return
	}
	for i, from := range o.others {
		to := &c.others[i]
		to.missing += from.missing
		if from.seen {
			if !to.seen || from.least < to.least {
				to.least = from.least
			}
			if !to.seen || from.most > to.most {
				to.most = from.most
			}
			to.seen = true
		}
	}
}

// statistics describes a pair in the statistics of its own that the feature has.
func (c *pairCounts) statistics(p *pair) *metadatapb.FeatureNameStatistics {
	f := &metadatapb.FeatureNameStatistics{FieldId: pathOf(p.path...)}
	others := c.others
	if others == nil {
		others = make([]otherCounts, len(p.others))
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
	ranks := func(name string, value func(otherCounts) float64) *metadatapb.CustomStatistic {
		var labels []sketch.Label
		for i, o := range others {
			labels = append(labels, sketch.Label{Key: p.others[i].name, Count: value(o)})
		}
		return labelStat(name, labels)
	}
	f.CustomStats = []*metadatapb.CustomStatistic{
		numberStat("missing_value", float64(c.noValue)),
		ranks("missing_index", func(o otherCounts) float64 { return float64(o.missing) }),
		ranks("max_length_diff", func(o otherCounts) float64 { return float64(o.most) }),
		ranks("min_length_diff", func(o otherCounts) float64 { return float64(o.least) }),
	}
	return f
}

func (c *pairCounts) appendState(b []byte) []byte {
	b = sketch.AppendUint(b, c.noValue)
	b = sketch.AppendUint(b, uint64(len(c.others)))
	for _, o := range c.others {
		b = sketch.AppendUint(b, o.missing)
		b = sketch.AppendBool(b, o.seen)
		b = sketch.AppendInt(sketch.AppendInt(b, o.least), o.most)
	}
	return b
}

func readPairCounts(in *sketch.Decoder, p *pair) (c pairCounts) {
	c.noValue = in.Uint()
	n := in.Count(4)
	if n != 0 && n != len(p.others) {
		in.Fail()
		return c
	}
	for range n {
		c.others = append(c.others, otherCounts{in.Uint(), in.Bool(), in.Int(), in.Int()})
	}
	return c
}
