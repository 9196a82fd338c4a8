package infer

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
)

// Options configure an Inferrer. The zero value is the default.
type Options struct {
	// Ragged makes every feature with a variable number of values, and every feature
	// list, Ragged instead of VarLen.
	Ragged bool
	// Schema restricts the spec to what a schema of TensorFlow Metadata can express:
	// row_lengths are the only partitions, and all feature lists are Ragged. Other
	// partitions stay columns. A schema cannot describe lists of examples.
	Schema bool
	// NoShape gives no column a fixed number of values, because other records may lack the feature or have another number.
	NoShape bool
	// MaxFeatures is the maximum number of names in all records. 0: 10,000.
	MaxFeatures int
	// Address returns the name of a record in the report, given the number of earlier calls of Add. nil: "record 5".
	Address func(record int64) string
}

// ErrLimit: the records have more names than the options allow.
var ErrLimit = errors.New("infer: too many features")

// Inferrer collects evidence from one record after another. It keeps no records, and its
// memory does not grow with their number. Not safe for concurrent use.
type Inferrer struct {
	message example.MessageType // type of all records
	opts    Options             // with the defaults filled in
	next    int64               // ordinal of the next record
	records int64               // records added without error
	empty   int64               // records without any feature
	names   int                 // names in all groups
	groups  [4]*groupStats      // by feature.Group, whose values equal those of message.Part; nil if the message type lacks the group
	reader  reader              // splits the current record into units
}

// New returns an Inferrer for records of a type. Nil options are the default.
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

// Add counts a record and does not keep it. If the record cannot be read or has too many
// new names, Add returns an error and changes only the ordinal of the next record.
// Ordinals start at 0.
func (in *Inferrer) Add(record []byte) error {
	ordinal := in.next
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
	if in.names+fresh > in.opts.MaxFeatures { // a new name may be counted once per unit
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
		g.addUnit(ordinal, u, in.reader.entries[u.lo:u.hi], &in.reader)
		in.names += len(g.stats) - before
	}
	for _, g := range in.groups {
		if g != nil {
			g.finder.endRecord()
		}
	}
	return nil
}

// countEmpty counts the current record if it has no features.
func (in *Inferrer) countEmpty() {
	if len(in.reader.entries) == 0 {
		in.empty++
	}
}

// countNames returns the number of new names in the current record.
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

// Spec returns a valid spec that parses every record so far. It is an error if no feature
// has values. Add may be called afterwards.
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
