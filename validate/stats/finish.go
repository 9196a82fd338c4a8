package stats

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/sketch"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// parentCounts are the totals of a feature's parent: of all records, or of the values of a struct. The missing count of a
// feature is values minus the count of the feature; likewise for the weights.
type parentCounts struct {
	values   uint64    // number of records, or of values of the struct
	weighted []float64 // weight of the values, for each of Accumulator.weights
	weight   float64   // weight of the values by Options.Weight
}

// structField is the pseudo ID of the struct that contains childGroup.
const structField = -1

// featureOrder returns the IDs of the fields in the order of the statistics, with structField before its children.
func (a *Accumulator) featureOrder() []int32 {
	order := a.table.sortedFields(true)
	i := slices.IndexFunc(order, func(id int32) bool { return a.table.fields[id].group == childGroup })
	if i >= 0 {
		order = slices.Insert(order, i, structField)
	}
	return order
}

// datasetHeader returns the statistics of a dataset without features, and the totals of its records.
func (a *Accumulator) datasetHeader(d *dataset) (*metadatapb.DatasetFeatureStatistics, parentCounts) {
	out := &metadatapb.DatasetFeatureStatistics{Name: view.Step(d.name), NumExamples: d.examples}
	root := parentCounts{values: d.examples}
	for _, w := range d.weights {
		root.weighted = append(root.weighted, w.Value())
	}
	if a.opts.Weight != "" {
		out.WeightedNumExamples = root.weighted[0]
		root.weight = root.weighted[0]
	}
	if d == a.all && len(a.slicers) > 0 {
		out.Name = view.AllExamples
	}
	return out, root
}

// eachFeature computes the statistics of the features of a dataset with several goroutines, a block of features at a
// time, and passes them to emit in order.
func (a *Accumulator) eachFeature(d *dataset, root parentCounts, jobs int, details *Details, emit func(*metadatapb.FeatureNameStatistics) error) error {
	var own []*metadatapb.FeatureNameStatistics // statistics of sparse and weighted features; added to the feature with the same path, if there is one
	for i := range a.pairs {
		own = joinPair(own, d.pairs[i].statistics(&a.pairs[i]))
	}
	var in parentCounts
	block := 32 * max(jobs, 1)
	for ids := range slices.Chunk(a.featureOrder(), block) {
		out := make([]*metadatapb.FeatureNameStatistics, len(ids))
		var tasks []descriptionTask
		for i, id := range ids {
			switch {
			case id == structField:
				out[i], in = a.describeParent(d, root)
			case a.table.fields[id].group == childGroup:
				tasks = append(tasks, descriptionTask{i, id, in})
			default:
				tasks = append(tasks, descriptionTask{i, id, root})
			}
		}
		if err := a.describeAll(d, tasks, jobs, out, details); err != nil {
			return err
		}
		for _, f := range out {
			own = slices.DeleteFunc(own, func(p *metadatapb.FeatureNameStatistics) bool {
				if !slices.Equal(p.GetPath().GetStep(), f.GetPath().GetStep()) {
					return false
				}
				f.CustomStats = append(f.CustomStats, p.CustomStats...)
				return true
			})
			if err := emit(f); err != nil {
				return err
			}
		}
	}
	for _, f := range own {
		if err := emit(f); err != nil {
			return err
		}
	}
	return nil
}

// finishDataset returns the statistics of a dataset.
func (a *Accumulator) finishDataset(d *dataset, jobs int, details *Details) (*metadatapb.DatasetFeatureStatistics, error) {
	out, root := a.datasetHeader(d)
	err := a.eachFeature(d, root, jobs, details, func(f *metadatapb.FeatureNameStatistics) error {
		out.Features = append(out.Features, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// AppendStatistics appends the deterministic encoding of the message that StatisticsWith returns. It encodes features one after the
// other, so that the messages of thousands of features are not in memory together.
func (a *Accumulator) AppendStatistics(dst []byte, jobs int) ([]byte, error) {
	datasets, err := a.sortedDatasets()
	if err != nil {
		return dst, err
	}
	deterministic := proto.MarshalOptions{Deterministic: true}
	for _, d := range datasets {
		head, root := a.datasetHeader(d)
		// Fields are encoded in order of their numbers: head, features, tail.
		tail := &metadatapb.DatasetFeatureStatistics{WeightedNumExamples: head.WeightedNumExamples}
		head.WeightedNumExamples = 0
		dst = protowire.AppendTag(dst, 1, protowire.BytesType)
		start := len(dst)
		if dst, err = deterministic.MarshalAppend(dst, head); err != nil {
			return dst, err
		}
		var one []byte
		err = a.eachFeature(d, root, jobs, nil, func(f *metadatapb.FeatureNameStatistics) (err error) {
			one, err = deterministic.MarshalAppend(one[:0], f)
			dst = protowire.AppendBytes(protowire.AppendTag(dst, 3, protowire.BytesType), one)
			return err
		})
		if err == nil {
			dst, err = deterministic.MarshalAppend(dst, tail)
		}
		if err != nil {
			return dst, err
		}
		dst = slices.Insert(dst, start, protowire.AppendVarint(nil, uint64(len(dst)-start))...)
	}
	return dst, nil
}

// joinPair appends the statistics of a pair to features. If a feature already has the path, it adds the custom statistics to that
// feature: a schema may have a sparse and a weighted feature with the same name.
func joinPair(features []*metadatapb.FeatureNameStatistics, f *metadatapb.FeatureNameStatistics) []*metadatapb.FeatureNameStatistics {
	for _, other := range features {
		if slices.Equal(other.GetPath().GetStep(), f.GetPath().GetStep()) {
			other.CustomStats = append(other.CustomStats, f.CustomStats...)
			return features
		}
	}
	return append(features, f)
}

// A descriptionTask is a feature whose statistics a goroutine computes.
type descriptionTask struct {
	index int          // index in the result
	id    int32        // ID of the field
	in    parentCounts // totals of the feature's parent
}

// describeAll computes the statistics of features into out. A goroutine changes only out[task.index]. The error is that of the
// first failed feature.
func (a *Accumulator) describeAll(d *dataset, tasks []descriptionTask, jobs int, out []*metadatapb.FeatureNameStatistics, details *Details) error {
	errs := make([]error, len(out))
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(tasks); i = int(next.Add(1)) - 1 {
			t := &tasks[i]
			out[t.index], errs[t.index] = a.describeFeature(d, t.id, t.in, details)
		}
	}
	var workers sync.WaitGroup
	for range min(jobs, len(tasks)) - 1 {
		workers.Go(work)
	}
	work()
	workers.Wait()
	return cmp.Or(errs...)
}

// describeParent returns the statistics of the struct that contains childGroup, and the totals of its values.
func (a *Accumulator) describeParent(d *dataset, root parentCounts) (*metadatapb.FeatureNameStatistics, parentCounts) {
	c, total := &d.exampleCounts, root.weight
	if a.opts.Message != example.TypeExampleList {
		c = &commonCounts{levels: make([]level, 1)}
		l := &c.levels[0]
		l.lengths.short = []uint64{0, d.examples}
		l.weighted.present.Add(root.weight)
		l.weighted.values.Add(root.weight)
	}
	in := parentCounts{values: c.values(), weighted: root.weighted, weight: total}
	if len(c.levels) > 0 && a.opts.Message == example.TypeExampleList {
		in.weight = c.levels[0].weighted.values.Value()
		in.weighted = make([]float64, len(root.weighted))
		for i := range in.weighted {
			in.weighted[i] = in.weight
		}
	}
	weight := -1
	if a.opts.Weight != "" {
		weight = 0
	}
	return &metadatapb.FeatureNameStatistics{
		FieldId: pathOf(parentStep(a.opts.Message)),
		Type:    metadatapb.FeatureNameStatistics_STRUCT,
		Stats:   &metadatapb.FeatureNameStatistics_StructStats{StructStats: &metadatapb.StructStatistics{CommonStats: a.commonStatistics(c, root, weight)}},
	}, in
}

// describeFeature returns the statistics of one feature. in has the totals of its parent.
func (a *Accumulator) describeFeature(d *dataset, id int32, in parentCounts, details *Details) (*metadatapb.FeatureNameStatistics, error) {
	f := &a.table.fields[id]
	out := &metadatapb.FeatureNameStatistics{FieldId: pathOf(a.table.fieldPath(id)...)}
	var own featureColumns
	if int(id) < len(d.features) {
		own = d.features[id]
	}
	c, kinds := own.majorityColumn()
	if kinds > 1 {
		out.CustomStats = append(out.CustomStats, labelStat(view.Kinds, own.recordsByKind()))
	}
	if c == nil && int(id) < len(a.all.features) { // a slice without values: use the type of all records
		if elsewhere, _ := a.all.features[id].majorityColumn(); elsewhere != nil {
			c = newColumn(elsewhere.kind, &f.featureSchema, f.weight >= 0, a.opts)
		}
	}
	var sum commonCounts
	if own.kinds[example.Unset] != nil {
		sum.mergeCommon(&own.kinds[example.Unset].common)
	}
	if c == nil {
		stats := &metadatapb.StringStatistics{CommonStats: a.commonStatistics(&sum, in, f.weight)}
		details.noteLengths(stats.CommonStats, &sum)
		if f.image {
			out.Type = metadatapb.FeatureNameStatistics_BYTES
			out.Stats = &metadatapb.FeatureNameStatistics_BytesStats{BytesStats: &metadatapb.BytesStatistics{CommonStats: stats.CommonStats}}
			return out, nil
		}
		out.Type = metadatapb.FeatureNameStatistics_STRING
		out.Stats = &metadatapb.FeatureNameStatistics_StringStats{StringStats: stats}
		return out, nil
	}
	sum.mergeCommon(&c.common)
	stats := a.commonStatistics(&sum, in, f.weight)
	details.noteLengths(stats, &sum)
	switch c.kind {
	case example.Int64List:
		out.Type = metadatapb.FeatureNameStatistics_INT
	case example.FloatList:
		out.Type = metadatapb.FeatureNameStatistics_FLOAT
	default:
		out.Type = metadatapb.FeatureNameStatistics_STRING
	}
	switch {
	case c.numbers != nil:
		out.Stats = &metadatapb.FeatureNameStatistics_NumStats{NumStats: a.numericStatistics(c, stats, details)}
	case c.blobs != nil:
		out.Type = metadatapb.FeatureNameStatistics_BYTES
		out.Stats = &metadatapb.FeatureNameStatistics_BytesStats{BytesStats: blobStatistics(c.blobs, stats)}
	default:
		out.Stats = &metadatapb.FeatureNameStatistics_StringStats{StringStats: a.stringStatistics(c, stats)}
	}
	for i := 1; i < len(sum.levels); i++ {
		out.CustomStats = append(out.CustomStats, a.lengthStats(i+1, &sum.levels[i])...)
	}
	if c.checkCounts != nil {
		s := c.checkCounts.Stat(f.check)
		out.CustomStats = append(out.CustomStats, labelStat(s.Name, s.Labels))
	}
	if c.domain != nil {
		for _, s := range c.domain.Stats() {
			switch {
			case c.checkCounts != nil && s.Name == f.check.Statistic(): // added above
			case s.Labels != nil:
				out.CustomStats = append(out.CustomStats, labelStat(s.Name, s.Labels))
			case s.Text != "":
				out.CustomStats = append(out.CustomStats, &metadatapb.CustomStatistic{Name: s.Name, Val: &metadatapb.CustomStatistic_Str{Str: s.Text}})
			default:
				out.CustomStats = append(out.CustomStats, numberStat(s.Name, s.Number))
			}
		}
	}
	if c.tokens != nil {
		s, err := c.tokens.statistic(a.opts)
		if err != nil {
			return nil, err
		}
		out.CustomStats = append(out.CustomStats, s)
	}
	return out, nil
}

// commonStatistics returns the presence and the numbers of values. weight is an index in Accumulator.weights, or -1.
func (a *Accumulator) commonStatistics(c *commonCounts, in parentCounts, weight int) *metadatapb.CommonStatistics {
	out := &metadatapb.CommonStatistics{NumMissing: in.values}
	total := in.weight
	if weight >= 0 {
		total = in.weighted[weight]
		out.WeightedCommonStats = &metadatapb.WeightedCommonStatistics{NumMissing: total}
	}
	if len(c.levels) == 0 || c.present() == 0 {
		if len(c.levels) > 1 {
			a.addLevels(out, c, in.values, total, weight)
		}
		return out
	}
	last, each, present, values := &c.levels[len(c.levels)-1], c.perRecord(), c.present(), c.values()
	out.NumNonMissing = present
	out.NumMissing = in.values - present
	extent := each.extent()
	out.MinNumValues, out.MaxNumValues = extent.least, extent.most
	out.TotNumValues = values
	out.AvgNumValues = float32(float64(values) / float64(present))
	out.NumValuesHistogram = a.lengthHistogram(&each.lengths)
	if weight >= 0 {
		out.WeightedCommonStats = weightedCommon(total, &c.levels[0], last)
	}
	if len(c.levels) > 1 {
		a.addLevels(out, c, in.values, total, weight)
	}
	return out
}

// addLevels adds the statistics of each level of nesting. values and total are the number and the weight of the
// parent's values.
func (a *Accumulator) addLevels(out *metadatapb.CommonStatistics, c *commonCounts, values uint64, total float64, weight int) {
	for i := range c.levels {
		l := &c.levels[i]
		e := l.extent()
		out.PresenceAndValencyStats = append(out.PresenceAndValencyStats, &metadatapb.PresenceAndValencyStatistics{
			NumNonMissing: e.present, NumMissing: values - e.present, MinNumValues: e.least, MaxNumValues: e.most, TotNumValues: e.values,
		})
		values = e.values
		if weight >= 0 {
			out.WeightedPresenceAndValencyStats = append(out.WeightedPresenceAndValencyStats, weightedCommon(total, l, l))
			total = l.weighted.values.Value()
		}
	}
}

// weightedCommon returns the weighted counts: of lists from the outer level, of values from the inner level.
func weightedCommon(total float64, outer, inner *level) *metadatapb.WeightedCommonStatistics {
	present, values := outer.weighted.present.Value(), inner.weighted.values.Value()
	return &metadatapb.WeightedCommonStatistics{NumNonMissing: present, NumMissing: total - present, AvgNumValues: ratio(values, present), TotNumValues: values}
}

// lengthHistogram returns the histogram of lengths.
func (a *Accumulator) lengthHistogram(l *lengthCounts) *metadatapb.Histogram {
	return toHistogram(metadatapb.Histogram_QUANTILES, equalWeightBuckets(l.summary(), a.opts.LengthBuckets))
}

// lengthStats returns the custom statistics of the lengths of lists at an inner level. number is the level, counted from 1.
func (a *Accumulator) lengthStats(number int, l *level) []*metadatapb.CustomStatistic {
	s := l.lengths.summary()
	name := fmt.Sprintf("level_%d_value_list_length_", number)
	n := a.opts.LengthBuckets
	stat := func(kind string, t metadatapb.Histogram_HistogramType, b []bucket) *metadatapb.CustomStatistic {
		return &metadatapb.CustomStatistic{Name: name + kind, Val: &metadatapb.CustomStatistic_Histogram{Histogram: toHistogram(t, b)}}
	}
	if len(s) == 0 {
		return nil
	}
	e := l.extent()
	least, most := float64(e.least), float64(e.most)
	return []*metadatapb.CustomStatistic{
		stat("quantiles", metadatapb.Histogram_QUANTILES, equalWeightBuckets(s, n)),
		stat("standard", metadatapb.Histogram_STANDARD, equalWidthBuckets(s, least, most, n)),
	}
}

// pathOf returns a path with the given steps.
func pathOf(steps ...string) *metadatapb.FeatureNameStatistics_Path {
	return &metadatapb.FeatureNameStatistics_Path{Path: &metadatapb.Path{Step: steps}}
}

// numberStat returns a custom statistic with a number.
func numberStat(name string, v float64) *metadatapb.CustomStatistic {
	return &metadatapb.CustomStatistic{Name: name, Val: &metadatapb.CustomStatistic_Num{Num: v}}
}

// labelStat returns a custom statistic with a rank histogram, whose buckets have no ranks.
func labelStat(name string, labels []sketch.Label) *metadatapb.CustomStatistic {
	h := &metadatapb.RankHistogram{}
	for _, l := range labels {
		h.Buckets = append(h.Buckets, &metadatapb.RankHistogram_Bucket{Label: l.Key, SampleCount: l.Count})
	}
	return &metadatapb.CustomStatistic{Name: name, Val: &metadatapb.CustomStatistic_RankHistogram{RankHistogram: h}}
}

// toHistogram returns a histogram message.
func toHistogram(t metadatapb.Histogram_HistogramType, buckets []bucket) *metadatapb.Histogram {
	h := &metadatapb.Histogram{Type: t, Buckets: make([]*metadatapb.Histogram_Bucket, len(buckets))}
	all := make([]metadatapb.Histogram_Bucket, len(buckets)) // one allocation
	for i, b := range buckets {
		h.Buckets[i] = &all[i]
		all[i].LowValue, all[i].HighValue, all[i].SampleCount = b.Low, b.High, b.Count
	}
	return h
}
