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

// An Accumulator makes statistics of the records that are added to it. It is
// made by New or filled by UnmarshalBinary.
type Accumulator struct {
	opts    *Options // resolved, without the Schema
	encoded []byte   // the options, as a state has them: accumulators with equal ones can be merged
	table   *fieldTable
	weights []string // features that have weights, each once; Options.Weight is the first
	pairs   []pair   // sparse features, then weighted ones
	slicers []slicer // one for each of Options.Slices

	all    *dataset            // all records
	slices map[string]*dataset // the records of each slice, by its name
	names  []string            // of the slices, in the order in which they were met

	bad      uint64 // records that were refused
	skipped  uint64 // records that are not in the sample
	places   uint64 // sum over the records of the number of slices that each is in, with those that are left out
	inSlices uint64 // records that are in any slice
	columns  int    // features with values, of all datasets together: at most Options.MaxFeatures
	tooMany  error  // ErrFeatures with the first feature beyond the limit
	failed   error  // what ended the run: ErrFeatures

	message    *message.Table
	shared     *message.Shared               // names that accumulators made by Fresh have learned from each other
	known      [message.NumParts][]knownName // by the ID of the name
	rec        record                        // the record at hand
	rowWeights []float64                     // of the record at hand, for each of weights
}

// New returns an empty Accumulator. The error is ErrOptions.
func New(opts *Options) (*Accumulator, error) {
	o, err := opts.resolve()
	if err != nil {
		return nil, err
	}
	return newAccumulator(o)
}

func newAccumulator(o *Options) (*Accumulator, error) {
	encoded, err := o.encode()
	if err != nil {
		return nil, err
	}
	known := featureSchemas(o.Schema, parentStep(o.Message), o)
	sparse, weighted := pairsOf(o.Schema, parentStep(o.Message))
	o.Schema = nil // all that is needed of it was taken, and it may be large
	return newWith(o, encoded, known, append(sparse, weighted...), &message.Shared{}), nil
}

// newWith returns an empty Accumulator. Nothing of what it is given changes.
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
		a.message.Wanted = func(p message.Part, name []byte) bool { return a.table.reads(groupOf(p), string(name)) }
	}
	a.all = a.newDataset("")
	return a
}

// Fresh returns an empty Accumulator with the options of a.
func (a *Accumulator) Fresh() *Accumulator {
	return newWith(a.opts, a.encoded, a.table.schema, a.pairs, a.shared)
}

// needFields makes the fields whose values are read even if they are not listed.
func (a *Accumulator) needFields() {
	for _, name := range a.weights {
		a.table.need(rootGroup, name)
	}
	for _, s := range a.slicers {
		for _, f := range s.features {
			a.table.need(rootGroup, f.name)
		}
	}
	for _, p := range a.pairs {
		for _, at := range append([]featureRef{p.value}, p.others...) {
			if at.known {
				a.table.need(at.group, at.name)
			}
		}
	}
}

// Add adds a record, which it neither changes nor keeps. On an error the record
// adds nothing but to Bad, and others can follow: an *example.Error says what
// is wrong with it, ErrWeight and ErrKind may be wrong too, and ErrSlices says that it is in too many slices.
// ErrFeatures ends the run: it is returned from then on, by Statistics too.
//
// A record that is not in the sample that Options.SampleRate asks for is not looked at.
func (a *Accumulator) Add(msg []byte) error {
	if a.failed != nil {
		return a.failed
	}
	if !a.chosen(msg) {
		return nil
	}
	err := a.add(msg)
	switch {
	case errors.Is(err, ErrFeatures):
		a.failed = err
	case err != nil:
		a.bad++
	}
	return err
}

func (a *Accumulator) add(msg []byte) error {
	if err := a.parse(msg); err != nil {
		return err
	}
	if err := a.weigh(); err != nil {
		return err
	}
	var keys []sliceKey
	places := uint64(0)
	if len(a.slicers) > 0 {
		var err error
		if keys, err = a.sliceKeys(); err != nil {
			return err
		}
		places = uint64(len(keys))
		keys = a.withinMax(a.kept(keys))
	}
	if err := a.meetFields(); err != nil {
		return err
	}
	a.describe(a.all)
	for _, k := range keys {
		a.describe(a.slice(k))
	}
	a.places += places
	a.inSlices += min(places, 1)
	return a.tooMany
}

// weigh reads the weights of the record.
func (a *Accumulator) weigh() error {
	for i, name := range a.weights {
		e := a.neededEntry(rootGroup, name)
		switch {
		case e == nil || e.hi-e.lo != 1 && e.kind != example.Unset || e.kind == example.Unset:
			return fmt.Errorf("%w: feature %q has %d values, wanted 1", ErrWeight, name, valuesOf(e))
		case e.kind == example.BytesList:
			return fmt.Errorf("%w: feature %q has bytes", ErrWeight, name)
		case e.kind == example.Int64List:
			a.rowWeights[i] = float64(a.rec.ints[e.lo])
		default:
			a.rowWeights[i] = float64(a.rec.floats[e.lo])
		}
		if w := a.rowWeights[i]; w-w != 0 {
			return fmt.Errorf("%w: feature %q is %v", ErrWeight, name, w)
		}
	}
	return nil
}

func valuesOf(e *entry) int {
	if e == nil {
		return 0
	}
	return e.hi - e.lo
}

// datasets are all there are, in a fixed order.
func (a *Accumulator) datasets() []*dataset {
	out := []*dataset{a.all}
	for _, name := range a.names {
		out = append(out, a.slices[name])
	}
	return out
}

// Options returns the options, with defaults filled in. They are the caller's.
func (a *Accumulator) Options() *Options {
	o, err := decodeOptions(a.encoded)
	if err != nil {
		panic("stats: options that were encoded do not decode: " + err.Error())
	}
	return o
}

// Examples is how many records have been added. Those that Skipped counts are not among them.
func (a *Accumulator) Examples() uint64 { return a.all.examples }

// Bad is how many records have been refused.
func (a *Accumulator) Bad() uint64 { return a.bad }

// Merge moves all that o has counted to a, as if its records had been added after
// those of a. Then o is empty, and further records can be added to it: it keeps names, and memory for columns, which saves time where there are
// thousands of features. A Slice is left out if its slices are too many. The error is an *OptionError if the two
// have other options, or what ended the run, ErrFeatures; then o must not be used any more.
func (a *Accumulator) Merge(o *Accumulator) error {
	if string(a.encoded) != string(o.encoded) {
		return differing(a.encoded, o.encoded)
	}
	if err := cmp.Or(a.failed, o.failed); err != nil {
		a.failed = err
		return err
	}
	before := a.met()
	keys := a.leaveOutSlices(o)
	fields, err := a.fieldsOf(o)
	if err != nil {
		a.failed = err
		return err
	}
	a.mergeDataset(a.all, o.all, fields, before)
	for _, k := range keys {
		a.mergeDataset(a.slice(k), o.slices[k.name], fields, before)
	}
	a.bad += o.bad
	a.skipped += o.skipped
	a.places += o.places
	a.inSlices += o.inSlices
	o.reset()
	a.failed = a.tooMany
	return a.failed
}

// reset makes a empty after its columns were merged.
func (a *Accumulator) reset() {
	for _, id := range a.table.met {
		a.table.fields[id].met = false
	}
	a.table.met = a.table.met[:0]
	for _, names := range a.known {
		for i := range names {
			names[i].met = false
		}
	}
	spare := a.all.spare
	a.all, a.slices, a.names, a.slicers = a.newDataset(""), map[string]*dataset{}, nil, slicersOf(a.opts)
	a.all.spare = spare
	a.bad, a.skipped, a.places, a.inSlices, a.columns, a.tooMany = 0, 0, 0, 0, 0, nil
}

// fieldsOf returns which of the fields of a are those that o has met, and makes those that are new. The error is ErrFeatures.
func (a *Accumulator) fieldsOf(o *Accumulator) ([]int32, error) {
	fields := make([]int32, len(o.table.fields))
	for _, from := range o.table.met { // in the order in which they were met, which the state has
		f := &o.table.fields[from]
		id := a.table.find(f.group, f.name)
		if id < 0 {
			id = a.table.add(f.group, f.name)
		}
		fields[from] = id
		if err := a.table.meet(id, len(a.slicers) > 0); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// Errors say how far statistics are from exact: all zero where they are exact, and more where a feature has many different
// values, each for the feature that is known least of.
type Errors struct {
	// Rank is by how much ranks of quantiles may be off, as a part of all values of their feature. Of a
	// thousand quantiles one may be off by more.
	Rank float64
	// Count is by how much counts of frequent values may be too large, as a part of all values.
	Count float64
	// Unique is the standard error of the numbers of different values, as a part of them.
	Unique float64
	// Long: some values were too long to be counted.
	Long bool
}

// Errors returns how far statistics are from exact.
func (a *Accumulator) Errors() (e Errors) {
	labels := func(l *sketch.Labels, values uint64) {
		e.Count = max(e.Count, ratio(l.MaxMissed(), float64(values)))
		e.Unique = max(e.Unique, l.UniqueError())
		e.Long = e.Long || l.OmitsLong()
	}
	for _, d := range a.datasets() {
		d.columns(func(c *column) {
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
				labels(c.tokens.ranks, c.tokens.inside)
			}
		})
	}
	return e
}

// A Conflict is a feature that was met with values of several kinds. The
// statistics describe the kind that most records have.
type Conflict struct {
	Path  []string
	Kinds map[example.Kind]uint64 // in how many records
	First map[example.Kind]uint64 // the first of them, counting all that were given to Add
}

// Conflicts lists the features that were met with several kinds, in byte order.
func (a *Accumulator) Conflicts() []Conflict {
	var out []Conflict
	for _, id := range a.table.ordered(true) {
		if int(id) >= len(a.all.features) {
			continue
		}
		f := &a.all.features[id]
		if _, kinds := f.majority(); kinds < 2 {
			continue
		}
		c := Conflict{Path: a.table.path(id), Kinds: map[example.Kind]uint64{}, First: map[example.Kind]uint64{}}
		for kind, col := range f.kinds {
			if col != nil && example.Kind(kind) != example.Unset {
				c.Kinds[example.Kind(kind)] = col.common.present()
				c.First[example.Kind(kind)] = col.first
			}
		}
		out = append(out, c)
	}
	return out
}

// Features returns the paths of all features that the records had so far, those of
// the general records before those of lists, each in byte order of their names, also of
// those that Options.Features leaves out. Records that were refused do not count.
func (a *Accumulator) Features() [][]string {
	ids := a.table.ordered(false)
	out := make([][]string, len(ids))
	for i, id := range ids {
		out[i] = a.table.path(id)
	}
	return out
}

// Statistics returns what has been counted so far; more can be added behind it.
// The list has one dataset, or if there are slices "All Examples" and one for
// each. Features are in the byte order of their names. The error is what ended the run.
func (a *Accumulator) Statistics() (*metadatapb.DatasetFeatureStatisticsList, error) {
	return a.StatisticsWith(1)
}

// StatisticsWith is Statistics with several goroutines, which describe several features at a
// time. The result does not depend on how many there are.
func (a *Accumulator) StatisticsWith(jobs int) (*metadatapb.DatasetFeatureStatisticsList, error) {
	return a.statistics(jobs, nil)
}

// finished returns the datasets in the order of the statistics. The error is what ended the run.
func (a *Accumulator) finished() ([]*dataset, error) {
	if a.failed != nil {
		return nil, a.failed
	}
	datasets := a.datasets()
	slices.SortFunc(datasets[1:], func(x, y *dataset) int { return cmp.Compare(x.name, y.name) })
	return datasets, nil
}

// statistics adds to details, if they are not nil.
func (a *Accumulator) statistics(jobs int, details *Details) (*metadatapb.DatasetFeatureStatisticsList, error) {
	datasets, err := a.finished()
	if err != nil {
		return nil, err
	}
	out := &metadatapb.DatasetFeatureStatisticsList{}
	for _, d := range datasets {
		s, err := a.finish(d, jobs, details)
		if err != nil {
			return nil, err
		}
		out.Datasets = append(out.Datasets, s)
	}
	return out, nil
}

// chosen reports whether a record is in the sample that Options.SampleRate asks for, and
// counts it if it is not.
func (a *Accumulator) chosen(msg []byte) bool {
	in := a.opts.SampleRate == 1 || fraction(msg) < a.opts.SampleRate
	if !in {
		a.skipped++
	}
	return in
}

// fraction spreads records evenly from 0 to 1, which it does not reach: the same one is
// always at the same place.
func fraction(msg []byte) float64 {
	const bits = 53 // of a float64
	return float64(sketch.Hash(msg)>>(64-bits)) / (1 << bits)
}

// Skipped is how many records Options.SampleRate has left out.
func (a *Accumulator) Skipped() uint64 { return a.skipped }

// met is how many records were given to Add: those that were added, bad ones, and those that
// are not in the sample.
func (a *Accumulator) met() uint64 { return a.all.examples + a.bad + a.skipped }
