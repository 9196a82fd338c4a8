package record

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

const maxFindings = 100

// A Checker checks records against a schema. It is immutable and safe for all
// goroutines.
type Checker struct {
	message          example.MessageType
	max              int
	ignore           []string // rules
	closed           bool     // there is a schema: what it does not have is new
	features, lists  table
	groups           []group
	rules            *expr.Rules // nil: none
	links, listLinks []link

	fastFeatures, fastLists fastTable

	parsed feature.Spec    // Options.Spec
	parser *feature.Parser // of it; nil: it is empty

	elwc    *exampleList // of records of type example.TypeExampleList, and then nothing else is there
	scratch sync.Pool
}

// NewChecker compiles a schema; nil is none, and then only Options.Spec, ragged structure and
// Options.Rules are checked. It keeps nothing of its arguments. It fails if the environment is not in
// the schema, or the options are of another type of records.
func NewChecker(schema *pb.Schema, opts *Options) (*Checker, error) {
	c, err := newChecker(schema, opts, nil)
	if err == nil && opts != nil && opts.Rules != nil && len(opts.Rules.OfRecords()) > 0 && !slices.Contains(c.ignore, customValidation) {
		c.rules = opts.Rules
	}
	return c, err
}

// newChecker makes a checker of Examples that stand below the path above, or of records.
func newChecker(schema *pb.Schema, opts *Options, above view.Path) (*Checker, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	c := &Checker{message: o.Message, max: o.MaxFindings, ignore: slices.Clone(o.Ignore)}
	c.features.above, c.lists.above = above, view.Path{sequenceStep}
	if c.message == 0 {
		c.message = example.TypeExample
	}
	if c.max <= 0 {
		c.max = maxFindings
	}
	switch c.message {
	case example.TypeExample, example.TypeSequence:
	case example.TypeExampleList:
		var err error
		c.elwc, err = newExampleList(schema, o)
		return c, err
	default:
		return nil, fmt.Errorf("record: there is no checker for records of type %s", c.message)
	}
	if err := c.compile(schema, &o); err != nil {
		return nil, err
	}
	if err := c.compileParser(o.Spec); err != nil {
		return nil, err
	}
	c.features.finish(c.links)
	c.lists.finish(c.listLinks)
	c.fastFeatures, c.fastLists = c.features.compileFast(c.closed, 0), c.lists.compileFast(c.closed, 1)
	c.scratch.New = func() any { return c.newScratch() }
	return c, nil
}

// A slot is what a record has under a name.
type slot struct {
	seen    bool
	present bool // with a kind
	feature example.Feature
	steps   example.FeatureList
	n       int64
	kind    example.Kind // of values that links need as numbers, and that are none; else Unset
	lo, hi  int          // of its numbers, in scratch.kept; of a feature list, of its steps in scratch.cells
}

// scratch is the memory of one call of Check.
type scratch struct {
	features, lists []slot
	kept            []int64 // numbers that links need
	ints            []int64
	floats          []float32
	bytes           [][]byte
	max             int
	found           []Finding
	more            more                // findings beyond max
	ignore          []string            // rules
	unknown         map[string]struct{} // paths of the features of the record that the schema does not have
	batch           *feature.Batch      // of the parser of Options.Spec; nil before the first record
	finder          *message.Finder     // of the entries

	// Of the fast path.
	required int    // how many names were found, of those that must be
	newNames bool   // other names were found than those of the entries
	cells    []cell // of feature lists
}

func (c *Checker) newScratch() *scratch {
	return &scratch{
		features: make([]slot, len(c.features.entries)), lists: make([]slot, len(c.lists.entries)),
		finder: message.NewFinder(c.fastFeatures.names, c.fastLists.names),
	}
}

// forget lets go of the record.
func (s *scratch) forget() {
	clear(s.features)
	clear(s.lists)
	clear(s.bytes[:cap(s.bytes)])
}

func (s *scratch) add(f Finding) {
	f.Example = -1
	if f.Rule != BadRecord && slices.Contains(s.ignore, f.Rule) {
		return
	}
	if len(s.found) < s.max {
		s.found = append(s.found, f)
		return
	}
	s.more.count(f)
}

// more counts the findings of a record beyond Options.MaxFindings.
type more struct {
	findings int
	errors   bool // some are not warnings
}

func (m *more) count(f Finding) {
	n := 1
	if f.Rule == MoreFindings {
		n = f.Count
	}
	m.findings += n
	m.errors = m.errors || !f.Warning
}

// appendTo appends the finding that stands for the others.
func (m *more) appendTo(found []Finding) []Finding {
	if m.findings == 0 {
		return found
	}
	return append(found, Finding{Rule: MoreFindings, Example: -1, Step: -1, ValueIndex: -1, Count: m.findings, Offset: -1, Warning: !m.errors,
		Expected: "at most " + strconv.Itoa(len(found)) + " findings in a record", Observed: strconv.Itoa(m.findings) + " more"})
}

// start makes a scratch ready for a record.
func (s *scratch) start(c *Checker) {
	s.kept, s.found, s.max, s.more, s.ignore = s.kept[:0], nil, c.max, more{}, c.ignore
	if len(s.unknown) > maxFindings { // free the memory
		s.unknown = nil
	}
	clear(s.unknown)
}

// Check returns what is wrong with a record, in the order of the rules: nil if
// nothing is. Where there are more findings than Options.MaxFindings, the last one is
// MoreFindings, which counts the others. Check keeps nothing of the record, and the findings share nothing with it.
func (c *Checker) Check(record []byte) []Finding {
	found := c.checkSchema(record)
	if c.rules != nil {
		found = c.checkRules(record, found)
	}
	return found
}

// checkSchema is Check without rules.
func (c *Checker) checkSchema(record []byte) []Finding {
	if c.elwc != nil {
		return c.elwc.check(record, c.max)
	}
	s := c.scratch.Get().(*scratch)
	if walked := s.finder.Walk(c.message, record); !walked || !c.fast(s, record) {
		c.slow(s, record, walked)
	}
	c.parse(s, record)
	found := s.more.appendTo(s.found)
	s.found = nil
	s.finder.Forget()
	c.scratch.Put(s)
	return found
}

// slow checks a record of any encoding. walked says that a walk has read it.
func (c *Checker) slow(s *scratch, record []byte, walked bool) {
	s.forget()
	defer s.forget()
	s.start(c)
	if !walked || !c.addNewNames(s) {
		if err := c.scan(s, record); err != nil {
			s.found, s.more = []Finding{badRecord(err)}, more{}
			return
		}
	}
	for i := range s.features {
		at := &s.features[i]
		at.feature, at.seen = s.finder.Features.Value(i)
	}
	for i := range s.lists {
		at := &s.lists[i]
		at.steps, at.seen = s.finder.Lists.Value(i)
	}
	for i := range c.features.entries {
		c.features.entries[i].check(s, &s.features[i])
	}
	for i := range c.lists.entries {
		c.lists.entries[i].checkList(s, &s.lists[i])
	}
	for i := range c.groups {
		c.checkGroup(s, &c.groups[i])
	}
	c.checkLinks(s)
	c.addRowPaths(s)
	c.checkListLinks(s)
	c.addListRowPaths(s)
}

// scan finds the features of a record of any encoding, and adds findings for names that the schema does not have.
func (c *Checker) scan(s *scratch, record []byte) error {
	s.start(c)
	return s.finder.Scan(c.message, record, func(p message.Part, slot int, name []byte, offset int) {
		t := &c.features
		if p == message.Lists {
			t = &c.lists
		}
		switch {
		case slot < 0:
			c.unknown(s, t, string(name), offset)
		case t.entries[slot].unknown:
			c.unknown(s, t, t.entries[slot].name, offset)
		}
	})
}

// unknown adds a finding for a feature that the schema does not have.
func (c *Checker) unknown(s *scratch, t *table, name string, offset int) {
	if !c.closed {
		return
	}
	path := t.path(view.Step(name))
	if _, ok := s.unknown[path]; ok {
		return
	}
	if s.unknown == nil {
		s.unknown = map[string]struct{}{}
	}
	s.unknown[path] = struct{}{}
	s.add(Finding{Rule: pb.AnomalyInfo_SCHEMA_NEW_COLUMN.String(), Feature: path, Step: -1, ValueIndex: -1, Count: 1, Offset: offset,
		Expected: "a feature of the schema", Observed: "another name"})
}

// fits reports whether the lists of a group are of one length.
func (g *group) fits(s *scratch) bool {
	same, present := true, false
	for _, i := range g.members {
		same = same && s.features[i].n == s.features[g.members[0]].n
		present = present || s.features[i].present
	}
	return same || !present
}

// checkGroup checks that lists are of one length.
func (c *Checker) checkGroup(s *scratch, g *group) {
	if g.fits(s) {
		return
	}
	got := ""
	for k, i := range g.members {
		if k > 0 {
			got += ", "
		}
		got += strconv.Quote(c.features.entries[i].path) + " " + strconv.FormatInt(s.features[i].n, 10)
	}
	s.add(Finding{Rule: g.rule, Feature: g.path, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Expected: "parts of one length", Observed: got})
}

// numbers returns those of a feature.
func (s *scratch) numbers(i int) []int64 {
	if i < 0 {
		return nil
	}
	return s.kept[s.features[i].lo:s.features[i].hi]
}

func (c *Checker) checkLinks(s *scratch) {
	for _, l := range c.links {
		f := (*fault)(nil)
		switch {
		case l.from >= 0 && s.features[l.from].kind != example.Unset:
			f = l.notNumbers(s.features[l.from].kind)
		case l.rows != none && s.features[l.of].kind != example.Unset: // which has a finding of its own
		default:
			f = l.holds(s.numbers(l.from), s.features[l.of].n, s.numbers(l.of))
		}
		if f != nil {
			c.broken(s, &c.features, s.features, l, f, -1)
		}
	}
}

// notNumbers is the fault of a partition of another type.
func (l link) notNumbers(kind example.Kind) *fault {
	return &fault{-1, kindName(example.Int64List) + " for " + encodingNames[l.encoding], kindName(kind), true}
}

// broken adds a finding for a link that does not hold: at the partition, if it has numbers.
func (c *Checker) broken(s *scratch, t *table, slots []slot, l link, f *fault, step int) {
	where, want := l.of, f.want
	if l.from >= 0 {
		where = l.from
		want += " (of " + strconv.Quote(t.entries[l.of].path) + ")"
	}
	offset := -1
	if slots[where].seen {
		offset = slots[where].feature.Offset()
		if step >= 0 {
			offset = slots[where].steps.Offset()
		}
	}
	found := Finding{Rule: Ragged, Feature: t.entries[where].path, Step: step, ValueIndex: f.at, Count: 1, Offset: offset, Expected: want, Observed: f.got, Warning: l.guessed != nil, Pair: l.guessed}
	if l.guessed == nil || !f.own || !s.reported(found) {
		s.add(found)
	}
}

// checkListLinks checks links of feature lists step by step.
func (c *Checker) checkListLinks(s *scratch) {
	for _, l := range c.listLinks {
		of := s.lists[l.of].steps.Scan()
		var from example.StepScanner
		if l.from >= 0 {
			from = s.lists[l.from].steps.Scan()
		}
		for step := 0; ; step++ {
			more, moreFrom := s.lists[l.of].seen && of.Next(), l.from >= 0 && s.lists[l.from].seen && from.Next()
			if !more && !moreFrom || l.from < 0 && !more {
				break
			}
			if l.from >= 0 && more != moreFrom {
				c.broken(s, &c.lists, s.lists, l, &fault{-1, "the same number of steps", "another", false}, step)
				break
			}
			n, err := of.Feature().Len()
			if err != nil {
				break // there is a finding already
			}
			if l.from >= 0 && more {
				if kind := from.Feature().Kind(); kind != example.Int64List && kind != example.Unset && kind != example.Malformed {
					c.broken(s, &c.lists, s.lists, l, l.notNumbers(kind), step)
					break
				}
			}
			s.kept = s.kept[:0]
			if l.from >= 0 {
				if s.kept, err = from.Feature().AppendInt64s(s.kept); err != nil {
					break
				}
			}
			cutAt := len(s.kept)
			if l.rows != none {
				if s.kept, err = of.Feature().AppendInt64s(s.kept); err != nil {
					break
				}
			}
			if f := l.holds(s.kept[:cutAt], int64(n), s.kept[cutAt:]); f != nil {
				c.broken(s, &c.lists, s.lists, l, f, step)
				break
			}
		}
	}
}
