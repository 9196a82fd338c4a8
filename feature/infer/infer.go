package infer

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
)

// Options say what to look for. The zero value is the default.
type Options struct {
	// Ragged makes features of any number of values Ragged and not VarLen, and all
	// feature lists too.
	Ragged bool
	// Schema makes only what a schema of TensorFlow Metadata can say: row_lengths are
	// the only partitions, and all feature lists are Ragged. Other partitions stay
	// columns. It has no lists of examples.
	Schema bool
	// NoShape makes no column of a fixed number of values: other records may lack the feature, or have another number of values.
	NoShape bool
	// MaxFeatures is how many names the records may have. 0: 10,000.
	MaxFeatures int
	// Address names a record in the report, by how many were given to Add before it. nil: as "record 5".
	Address func(record int64) string
}

// ErrLimit: the records have more names than the options allow.
var ErrLimit = errors.New("infer: too many features")

// An Inferrer looks at records one by one. It keeps none of them, and its memory
// does not grow with their number. It is for one goroutine.
type Inferrer struct {
	message example.MessageType
	opts    Options
	next    int64 // the number of the next record
	records int64
	empty   int64 // records without any feature
	names   int
	groups  [4]*groupStats // by feature.Group, as parts of a message.Table; nil if the message has none such
	reader  reader
}

// New returns an Inferrer of records of a type. nil options are the default.
func New(typ example.MessageType, opts *Options) *Inferrer {
	in := &Inferrer{message: typ}
	if opts != nil {
		in.opts = *opts
	}
	if in.opts.MaxFeatures <= 0 {
		in.opts.MaxFeatures = 10_000
	}
	if in.opts.Address == nil {
		in.opts.Address = func(record int64) string { return fmt.Sprintf("record %d", record) }
	}
	var groups []feature.Group
	switch typ {
	case example.TypeExample:
		groups = []feature.Group{feature.InFeatures}
	case example.TypeSequence:
		groups = []feature.Group{feature.InContext, feature.InSequence}
	case example.TypeExampleList:
		groups = []feature.Group{feature.InContext, feature.InExamples}
	}
	for _, g := range groups {
		in.groups[g] = newGroup(g)
	}
	if len(groups) > 0 {
		in.reader.table = message.NewTable(typ, new(message.Shared))
	}
	return in
}

// Add looks at a record and keeps nothing of it. One that cannot be read, or that
// brings too many names, is an error and changes nothing but the number of the next
// record. Records count from 0.
func (in *Inferrer) Add(record []byte) error {
	number := in.next
	in.next++
	if err := in.readRecord(record); err != nil {
		return err
	}
	fresh := 0
	for i := range in.reader.entries {
		if in.reader.entries[i].stat < 0 {
			fresh++
		}
	}
	if in.names+fresh > in.opts.MaxFeatures { // a name may have been counted once for every unit
		fresh = in.countNames()
		if in.names+fresh > in.opts.MaxFeatures {
			return fmt.Errorf("%w: more than %d", ErrLimit, in.opts.MaxFeatures)
		}
	}
	in.records++
	in.countEmpty()
	for _, u := range in.reader.units {
		g := in.groups[u.group]
		before := len(g.stats)
		g.addUnit(number, u, in.reader.entries[u.lo:u.hi], &in.reader)
		in.names += len(g.stats) - before
	}
	for _, g := range in.groups {
		if g != nil {
			g.finder.endRecord()
		}
	}
	return nil
}

// countEmpty counts the record at hand if it has no features.
func (in *Inferrer) countEmpty() {
	if len(in.reader.entries) == 0 {
		in.empty++
	}
}

// countNames counts the names of the record at hand that are new.
func (in *Inferrer) countNames() int {
	fresh := map[feature.Group]map[string]bool{}
	n := 0
	for _, u := range in.reader.units {
		for _, e := range in.reader.entries[u.lo:u.hi] {
			name := in.reader.table.Name(message.Part(u.group), e.id)
			if e.stat >= 0 || fresh[u.group][name] {
				continue
			}
			if fresh[u.group] == nil {
				fresh[u.group] = map[string]bool{}
			}
			fresh[u.group][name] = true
			n++
		}
	}
	return n
}

// Spec returns a spec that parses every record so far. It is sound. Without any
// feature that has values it is an error. Add may be called afterwards.
func (in *Inferrer) Spec() (feature.Spec, error) {
	spec := feature.Spec{}
	columns := 0
	for _, g := range in.groups {
		if g == nil {
			continue
		}
		fs := feature.Features{}
		for i, c := range g.chooseColumns(in.opts).columns {
			if c != nil {
				fs[g.stats[i].name] = c
			}
		}
		columns += len(fs)
		if len(fs) == 0 && g.id != feature.InExamples {
			continue
		}
		*spec.Group(g.id) = fs
	}
	if columns == 0 {
		return feature.Spec{}, fmt.Errorf("infer: no feature has values in %d records", in.records)
	}
	return spec, spec.Validate()
}
