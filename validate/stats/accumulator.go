package stats

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// An Accumulator computes the statistics of the records that are added to it. Create it with New, or fill it with
// UnmarshalBinary.
type Accumulator struct {
	opts    *Options    // resolved, without the Schema
	encoded []byte      // encoded options; only accumulators with equal encoded options can be merged
	table   *fieldTable // all fields so far; their IDs index dataset.features
	weights []string    // names of the features that contain weights, without duplicates; Options.Weight is the first
	pairs   []pair      // sparse features, then weighted features
	slicers []slicer    // one for each element of Options.Slices, in the same order

	all        *dataset            // all records
	slices     map[string]*dataset // the records of each slice, by its name
	sliceNames []string            // the keys of slices, in the order in which the slices were created

	bad              uint64 // number of rejected records
	skipped          uint64 // number of records outside the sample
	sliceMemberships uint64 // sum of the number of slices of each record, including the slices of dropped slicers
	slicedRecords    uint64 // number of records with at least one slice
	columnCount      int    // number of columns in all datasets; at most Options.MaxFeatures
	limitError       error  // ErrFeatures once columnCount exceeds the limit, with the first feature beyond it
	runError         error  // ErrFeatures once Add or Merge returned it

	message    *message.Table                // reads the records
	shared     *message.Shared               // names shared by all accumulators made by Fresh
	nameCache  [message.NumParts][]knownName // caches the fields of names, by part and ID of the name
	rec        record                        // the current record
	rowWeights []float64                     // the weights in the current record, in the order of weights
}

// New returns an empty Accumulator. The error is ErrOptions.
func New(opts *Options) (*Accumulator, error) {
	o, err := opts.resolve()
	if err != nil {
		return nil, err
	}
	return newAccumulator(o)
}

// newAccumulator returns an empty Accumulator with resolved options.
func newAccumulator(o *Options) (*Accumulator, error) {
	encoded, err := o.encode()
	if err != nil {
		return nil, err
	}
	known := featureSchemas(o.Schema, parentStep(o.Message), o)
	sparse, weighted := pairsOf(o.Schema, parentStep(o.Message))
	o.Schema = nil // it may be large, and is not needed any more
	return newWith(o, encoded, known, append(sparse, weighted...), &message.Shared{}), nil
}

// newWith returns an empty Accumulator. It does not change its arguments, which other accumulators may share.
func newWith(o *Options, encoded []byte, known [groups]map[string]featureSchema, pairs []pair, shared *message.Shared) *Accumulator {
	a := &Accumulator{opts: o, pairs: pairs, slices: map[string]*dataset{}, shared: shared, message: message.NewTable(o.Message, shared)}
	if o.Weight != "" {
		a.weights = append(a.weights, o.Weight)
	}
	for _, name := range slices.Sorted(maps.Keys(o.WeightOf)) {
		if w := o.WeightOf[name]; !slices.Contains(a.weights, w) {
			a.weights = append(a.weights, w)
		}
	}
	a.rowWeights = make([]float64, len(a.weights))
	a.encoded = encoded
	a.table = newFieldTable(o, a.weights, known)
	a.slicers = slicersOf(o)
	a.needFields()
	a.rec.needed = make([]int32, a.table.needed)
	if len(a.opts.Features) > 0 {
		a.message.Wanted = func(p message.Part, name []byte) bool { return a.table.isRead(groupOf(p), string(name)) }
	}
	a.all = a.newDataset("")
	return a
}

// Fresh returns an empty Accumulator with the options of a.
func (a *Accumulator) Fresh() *Accumulator {
	return newWith(a.opts, a.encoded, a.table.schema, a.pairs, a.shared)
}

// needFields adds the fields whose values are read even if they are not listed: weights, and the features of slices and
// pairs.
func (a *Accumulator) needFields() {
	for _, name := range a.weights {
		a.table.needField(rootGroup, name)
	}
	for _, s := range a.slicers {
		for _, f := range s.features {
			a.table.needField(rootGroup, f.name)
		}
	}
	for _, p := range a.pairs {
		for _, ref := range append([]featureRef{p.value}, p.parts...) {
			if ref.possible {
				a.table.needField(ref.group, ref.name)
			}
		}
	}
}

// Add adds a record, which it neither changes nor retains. A record that causes an error is rejected: it only counts in
// Bad, and more records can be added. The error is an *example.Error if the record cannot be decoded; ErrWeight if a
// weight is not exactly one finite number; ErrKind if a feature list has values of two types; or ErrSlices if the record
// is in too many slices. ErrFeatures ends the run: all later calls of Add, Merge and Statistics return ErrFeatures too.
//
// A record outside the sample of Options.SampleRate is not decoded.
func (a *Accumulator) Add(msg []byte) error {
	if a.runError != nil {
		return a.runError
	}
	if !a.inSample(msg) {
		return nil
	}
	err := a.addRecord(msg)
	switch {
	case errors.Is(err, ErrFeatures):
		a.runError = err
	case err != nil:
		a.bad++
	}
	return err
}

// addRecord adds a record of the sample to all datasets.
func (a *Accumulator) addRecord(msg []byte) error {
	if err := a.parseRecord(msg); err != nil {
		return err
	}
	if err := a.readWeights(); err != nil {
		return err
	}
	var keys []sliceKey
	memberships := uint64(0)
	if len(a.slicers) > 0 {
		var err error
		if keys, err = a.sliceKeys(); err != nil {
			return err
		}
		memberships = uint64(len(keys))
		keys = a.limitSlices(a.withoutDropped(keys))
	}
	if err := a.markFields(); err != nil {
		return err
	}
	a.addToDataset(a.all)
	for _, k := range keys {
		a.addToDataset(a.sliceDataset(k))
	}
	a.sliceMemberships += memberships
	a.slicedRecords += min(memberships, 1)
	return a.limitError
}

// readWeights reads the weights of the current record.
func (a *Accumulator) readWeights() error {
	for i, name := range a.weights {
		e := a.neededEntry(rootGroup, name)
		switch {
		case e == nil || e.hi-e.lo != 1 && e.kind != example.Unset || e.kind == example.Unset:
			return fmt.Errorf("%w: feature %q has %d values, wanted 1", ErrWeight, name, valuesOf(e))
		case e.kind == example.BytesList:
			return fmt.Errorf("%w: feature %q has byte strings, wanted a number", ErrWeight, name)
		case e.kind == example.Int64List:
			a.rowWeights[i] = float64(a.rec.ints[e.lo])
		default:
			a.rowWeights[i] = float64(a.rec.floats[e.lo])
		}
		if w := a.rowWeights[i]; w-w != 0 {
			return fmt.Errorf("%w: feature %q is %v, wanted a finite number", ErrWeight, name, w)
		}
	}
	return nil
}

// valuesOf returns the number of values of an entry, which may be nil.
func valuesOf(e *entry) int {
	if e == nil {
		return 0
	}
	return e.hi - e.lo
}

// datasets returns the dataset of all records, then the datasets of slices in order of creation.
func (a *Accumulator) datasets() []*dataset {
	out := []*dataset{a.all}
	for _, name := range a.sliceNames {
		out = append(out, a.slices[name])
	}
	return out
}

// Options returns a copy of the options, with defaults filled in.
func (a *Accumulator) Options() *Options {
	o, err := decodeOptions(a.encoded)
	if err != nil {
		panic("stats: options that were encoded do not decode: " + err.Error())
	}
	return o
}

// Examples returns the number of records added, without bad and skipped records.
func (a *Accumulator) Examples() uint64 { return a.all.examples }

// Bad returns the number of rejected records.
func (a *Accumulator) Bad() uint64 { return a.bad }

// Merge moves the statistics of o to a, as if its records had been added after those of a. Then o is empty and can be
// used again; it keeps names and memory for columns, which saves time with thousands of features. If a Slice has more than
// Options.MaxSlices slices in both together, all its slices are left out. The error is an *OptionError if the options differ.
// It is ErrFeatures if either run ended with that error, or both have too many features; then o must not be used any more.
func (a *Accumulator) Merge(o *Accumulator) error {
	if string(a.encoded) != string(o.encoded) {
		return differingOption(a.encoded, o.encoded)
	}
	if err := cmp.Or(a.runError, o.runError); err != nil {
		a.runError = err
		return err
	}
	before := a.offeredRecords()
	keys := a.mergeSlicers(o)
	fields, err := a.mergeFields(o)
	if err != nil {
		a.runError = err
		return err
	}
	a.mergeDataset(a.all, o.all, fields, before)
	for _, k := range keys {
		a.mergeDataset(a.sliceDataset(k), o.slices[k.name], fields, before)
	}
	a.bad += o.bad
	a.skipped += o.skipped
	a.sliceMemberships += o.sliceMemberships
	a.slicedRecords += o.slicedRecords
	o.resetCounts()
	a.runError = a.limitError
	return a.runError
}

// resetCounts makes a empty after its columns were merged into another Accumulator.
func (a *Accumulator) resetCounts() {
	for _, id := range a.table.present {
		a.table.fields[id].present = false
	}
	a.table.present = a.table.present[:0]
	for _, names := range a.nameCache {
		for i := range names {
			names[i].fieldPresent = false
		}
	}
	spare := a.all.spare
	a.all, a.slices, a.sliceNames, a.slicers = a.newDataset(""), map[string]*dataset{}, nil, slicersOf(a.opts)
	a.all.spare = spare
	a.bad, a.skipped, a.sliceMemberships, a.slicedRecords, a.columnCount, a.limitError = 0, 0, 0, 0, 0, nil
}

// mergeFields adds the fields of o to a. The result maps the ID in o of each present field to its ID in a. The error is
// ErrFeatures.
func (a *Accumulator) mergeFields(o *Accumulator) ([]int32, error) {
	fields := make([]int32, len(o.table.fields))
	for _, from := range o.table.present { // in order of appearance, which the state preserves
		f := &o.table.fields[from]
		id := a.table.findField(f.group, f.name)
		if id < 0 {
			id = a.table.addField(f.group, f.name)
		}
		fields[from] = id
		if err := a.table.markPresent(id, len(a.slicers) > 0); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// Errors are the maximum errors of approximate statistics over all features. They are 0 if the statistics are exact; features with
// many distinct values are approximate.
type Errors struct {
	// Rank is the maximum rank error of quantiles, as a fraction of all values of the feature. One quantile in a thousand
	// may exceed it.
	Rank float64
	// Count is the maximum excess in the counts of frequent values, as a fraction of all values.
	Count float64
	// Unique is the relative standard error of the numbers of distinct values.
	Unique float64
	// Long means that some values were too long to be counted.
	Long bool
}

// Errors returns the errors of the statistics.
func (a *Accumulator) Errors() (e Errors) {
	labels := func(l *sketch.Labels, values uint64) {
		e.Count = max(e.Count, ratio(l.MaxMissed(), float64(values)))
		e.Unique = max(e.Unique, l.UniqueError())
		e.Long = e.Long || l.OmitsLong()
	}
	for _, d := range a.datasets() {
		d.eachColumn(func(c *column) {
			if n := c.numbers; n != nil {
				e.Rank = max(e.Rank, n.values.RankError())
				if n.weighted != nil {
					e.Rank = max(e.Rank, n.weighted.ranks.RankError())
				}
			}
			if c.labels != nil {
				labels(&c.labels.counts, c.common.values())
			}
			if c.tokens != nil {
				labels(c.tokens.labels, c.tokens.inVocabulary)
			}
		})
	}
	return e
}

// A Conflict is a feature with values of several kinds. Its statistics describe the most frequent kind.
type Conflict struct {
	Path  []string
	Kinds map[example.Kind]uint64 // number of records with each kind
	First map[example.Kind]uint64 // ordinal of the first record with each kind, among all records passed to Add
}

// Conflicts returns the features with values of several kinds, in the order of Features.
func (a *Accumulator) Conflicts() []Conflict {
	var out []Conflict
	for _, id := range a.table.sortedFields(true) {
		if int(id) >= len(a.all.features) {
			continue
		}
		f := &a.all.features[id]
		if _, kinds := f.majorityColumn(); kinds < 2 {
			continue
		}
		c := Conflict{Path: a.table.fieldPath(id), Kinds: map[example.Kind]uint64{}, First: map[example.Kind]uint64{}}
		for kind, col := range f.kinds {
			if col != nil && example.Kind(kind) != example.Unset {
				c.Kinds[example.Kind(kind)] = col.common.present()
				c.First[example.Kind(kind)] = col.firstRecord
			}
		}
		out = append(out, c)
	}
	return out
}

// Features returns the paths of all features of the accepted records, including those that Options.Features leaves out:
// features of the root before those of feature lists and of the examples of lists, each in byte order.
func (a *Accumulator) Features() [][]string {
	ids := a.table.sortedFields(false)
	out := make([][]string, len(ids))
	for i, id := range ids {
		out[i] = a.table.fieldPath(id)
	}
	return out
}

// Statistics returns the statistics of the records so far. More records can be added afterwards. The list has one data
// set or, with slices, "All Examples" and one data set for each slice. Features are in byte order of their names. The error
// is ErrFeatures if Add or Merge returned it.
func (a *Accumulator) Statistics() (*metadatapb.DatasetFeatureStatisticsList, error) {
	return a.StatisticsWith(1)
}

// StatisticsWith is Statistics with several goroutines. Their number does not change the result.
func (a *Accumulator) StatisticsWith(jobs int) (*metadatapb.DatasetFeatureStatisticsList, error) {
	return a.collectStatistics(jobs, nil)
}

// sortedDatasets returns the datasets in the order of the statistics. The error is ErrFeatures if Add or Merge returned it.
func (a *Accumulator) sortedDatasets() ([]*dataset, error) {
	if a.runError != nil {
		return nil, a.runError
	}
	datasets := a.datasets()
	slices.SortFunc(datasets[1:], func(x, y *dataset) int { return cmp.Compare(x.name, y.name) })
	return datasets, nil
}

// collectStatistics is StatisticsWith. It adds to details, which may be nil.
func (a *Accumulator) collectStatistics(jobs int, details *Details) (*metadatapb.DatasetFeatureStatisticsList, error) {
	datasets, err := a.sortedDatasets()
	if err != nil {
		return nil, err
	}
	out := &metadatapb.DatasetFeatureStatisticsList{}
	for _, d := range datasets {
		s, err := a.finishDataset(d, jobs, details)
		if err != nil {
			return nil, err
		}
		out.Datasets = append(out.Datasets, s)
	}
	return out, nil
}

// inSample reports whether a record is in the sample of Options.SampleRate. It counts records outside the sample.
func (a *Accumulator) inSample(msg []byte) bool {
	in := a.opts.SampleRate == 1 || hashFraction(msg) < a.opts.SampleRate
	if !in {
		a.skipped++
	}
	return in
}

// hashFraction maps a record to [0, 1) by a uniform hash of its bytes.
func hashFraction(msg []byte) float64 {
	const bits = 53 // precision of a float64
	return float64(sketch.Hash(msg)>>(64-bits)) / (1 << bits)
}

// Skipped returns the number of records outside the sample of Options.SampleRate.
func (a *Accumulator) Skipped() uint64 { return a.skipped }

// offeredRecords returns the number of records passed to Add: added, bad and skipped records.
func (a *Accumulator) offeredRecords() uint64 { return a.all.examples + a.bad + a.skipped }
