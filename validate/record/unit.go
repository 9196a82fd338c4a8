package record

import (
	"errors"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/rules"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A unit checks one Example or SequenceExample: a record, or a part of an ExampleListWithContext. The features are
// found by a message.Finder; each is read once, and checked against its entry.
type unit struct {
	message         example.MessageType
	closed          bool // there is a schema: what it does not have is new
	features, lists part // lists has no entries for an Example
	groups          []group
	parser          *feature.Parser // of parsed; nil: it is empty
	parsed          feature.Spec    // what the message must parse with

	names   [2]*message.KnownNames // of features and lists
	scratch sync.Pool
}

// newUnit compiles the part of a schema and of options that is about one message. Its features are those of a group of
// the spec, and stand below a path in the schema.
func newUnit(schema *pb.Schema, o *Options, m example.MessageType, g feature.Group, above view.Path) (*unit, error) {
	u := &unit{message: m, closed: schema != nil, features: part{group: g, above: above}, lists: part{group: feature.InSequence, above: view.Path{view.SequenceStep}}}
	s := rules.NewSchema(schema)
	for _, f := range schema.GetFeature() {
		if f.GetName() != view.SequenceStep || m != example.TypeSequence {
			u.features.declare(s, f, o.Environment)
			continue
		}
		for _, child := range f.GetStructDomain().GetFeature() {
			u.lists.declare(s, child, o.Environment)
		}
	}
	u.declareGroups(schema)
	if err := errors.Join(u.declareTensors(schema), u.addSpec(o.Spec)); err != nil {
		return nil, err
	}
	u.addPairs(o.Pairs)
	if err := u.compileParser(o.Spec); err != nil {
		return nil, err
	}
	for i, p := range []*part{&u.features, &u.lists} {
		u.names[i] = p.knownNames()
	}
	u.scratch.New = func() any { return &scratch{finder: message.NewFinder(u.names[0], u.names[1])} }
	return u, nil
}

// part returns the part of a group of a spec; nil if the message has no such features.
func (u *unit) part(g feature.Group) *part {
	switch {
	case g == u.features.group:
		return &u.features
	case g == feature.InSequence && u.message == example.TypeSequence:
		return &u.lists
	}
	return nil
}

// scratch is the memory of one check.
type scratch struct {
	finder *message.Finder     // of the entries
	walked []byte              // the message, if a walk of the finder has read it; else nil
	batch  *feature.Batch      // of the parser; nil before the first message
	ints   []int64             // values of the feature at hand
	floats []float32           // likewise
	bytes  [][]byte            // likewise; they alias the message
	from   []int64             // the partition of the link at hand
	of     []int64             // what it partitions, if that is a partition
	names  map[string]struct{} // paths of the features of the message that the schema does not have

	out     *collector
	first   int // index in out.found of the first finding of this message
	example int // index of this message in an ExampleListWithContext; -1: it is not one of its examples
	base    int // offset of this message in the record
}

// add adds a finding about the message at hand.
func (s *scratch) add(f Finding) {
	if f.Example = s.example; f.Offset >= 0 {
		f.Offset += s.base
	}
	s.out.add(f)
}

// found are the findings about the message at hand.
func (s *scratch) found() []Finding { return s.out.found[s.first:] }

// check adds the findings about a message that begins at an offset of the record.
func (u *unit) check(out *collector, msg []byte, index, offset int) {
	s := u.scratch.Get().(*scratch)
	s.out, s.first, s.example, s.base = out, len(out.found), index, offset
	before, err := *out, error(nil)
	if s.walked = msg; !u.walk(s, msg) {
		*out, s.walked = before, nil
		err = u.scan(s, msg)
	}
	if err == nil {
		u.checkFeatures(s)
		u.parse(s, msg)
	} else {
		out.fail(err)
	}
	s.finder.Forget()
	clear(s.bytes[:cap(s.bytes)])
	s.out, s.walked = nil, nil
	u.scratch.Put(s)
}

// walk finds the features of a message in canonical encoding, and adds findings for names that the schema does not have.
func (u *unit) walk(s *scratch, msg []byte) bool {
	s.forgetNames()
	return s.finder.Walk(u.message, msg) &&
		(!u.closed || u.features.walked(u, s, &s.finder.Features.WalkedMap) && u.lists.walked(u, s, &s.finder.Lists.WalkedMap))
}

// scan does what walk does for a message of any encoding.
func (u *unit) scan(s *scratch, msg []byte) error {
	s.forgetNames()
	return s.finder.Scan(u.message, msg, func(where message.Part, slot int, name []byte, offset int) {
		p := &u.features
		if where == message.Lists {
			p = &u.lists
		}
		switch {
		case slot < 0:
			u.unknown(s, p, string(name), offset)
		case p.entries[slot].unknown:
			u.unknown(s, p, p.entries[slot].name, offset)
		}
	})
}

// forgetNames begins with the names of a message.
func (s *scratch) forgetNames() {
	if len(s.names) > maxFindings { // free the memory
		s.names = nil
	}
	clear(s.names)
}

// walked adds findings for the names that a walk has found and the schema does not have. It returns false if one is
// another name of an entry, which may have two features then.
func (p *part) walked(u *unit, s *scratch, m *message.WalkedMap) bool {
	for _, k := range m.Order {
		known := int(k) < len(p.entries)
		if known && !p.entries[k].unknown {
			continue
		}
		name := m.Name(k)
		if _, ok := p.index[name]; ok && !known {
			return false
		}
		lo, _, _ := m.Bounds(int(k))
		u.unknown(s, p, name, lo)
	}
	return true
}

// unknown adds a finding for a feature that the schema does not have.
func (u *unit) unknown(s *scratch, p *part, name string, offset int) {
	if !u.closed {
		return
	}
	path := p.path(view.Step(name))
	if _, ok := s.names[path]; ok {
		return
	}
	if s.names == nil {
		s.names = map[string]struct{}{}
	}
	s.names[path] = struct{}{}
	s.add(Finding{Rule: pb.AnomalyInfo_SCHEMA_NEW_COLUMN.String(), Feature: path, Step: -1, ValueIndex: -1, Count: 1, Offset: offset,
		Expected: "a feature of the schema", Observed: "another name"})
}

// checkFeatures checks the features that were found, and what belongs together.
func (u *unit) checkFeatures(s *scratch) {
	for i := range u.features.entries {
		u.features.entries[i].check(s, i)
	}
	for i := range u.lists.entries {
		l, ok := s.finder.Lists.Value(i)
		u.lists.entries[i].checkList(s, l, ok)
	}
	for i := range u.groups {
		u.checkGroup(s, &u.groups[i])
	}
	for _, l := range u.features.links {
		u.features.checkLink(s, l, s.feature(l.from), s.feature(l.of), -1)
	}
	for _, l := range u.lists.links {
		u.lists.checkSteps(s, l)
	}
	u.addRowPaths(s)
}

// raw returns the feature of an entry and its offset; without one the offset is -1.
func (s *scratch) raw(entry int) (b []byte, offset int) {
	if s.walked != nil { // it need not become an example.Feature, which is copied often
		if lo, hi, ok := s.finder.Features.Bounds(entry); ok {
			return s.walked[lo:hi], lo
		}
		return nil, -1
	}
	f, ok := s.finder.Features.Value(entry)
	if !ok {
		return nil, -1
	}
	return f.Raw(), f.Offset()
}

// feature returns the feature of an entry; without one it is empty.
func (s *scratch) feature(entry int) (f example.Feature) {
	if entry >= 0 {
		f, _ = s.finder.Features.Value(entry)
	}
	return f
}

// A group is features whose lists must be of one length, such as the parts of a sparse feature.
type group struct {
	path    string
	rule    string
	members []int // entries
}

// declareGroups adds the sparse and weighted features of a schema.
func (u *unit) declareGroups(schema *pb.Schema) {
	for _, f := range schema.GetSparseFeature() {
		names := []string{f.GetValueFeature().GetName()}
		for _, i := range f.GetIndexFeature() {
			names = append(names, i.GetName())
		}
		if !f.GetDeprecated() && !rules.IgnoredStage(f.GetLifecycleStage()) {
			u.addGroup(f.GetName(), pb.AnomalyInfo_SPARSE_FEATURE_LENGTH_MISMATCH, names)
		}
	}
	for _, f := range schema.GetWeightedFeature() {
		if len(f.GetFeature().GetStep()) == 1 && len(f.GetWeightFeature().GetStep()) == 1 && !rules.IgnoredStage(f.GetLifecycleStage()) {
			u.addGroup(f.GetName(), pb.AnomalyInfo_WEIGHTED_FEATURE_LENGTH_MISMATCH, []string{f.GetFeature().GetStep()[0], f.GetWeightFeature().GetStep()[0]})
		}
	}
}

func (u *unit) addGroup(name string, rule pb.AnomalyInfo_Type, members []string) {
	g := group{path: u.features.path(name), rule: rule.String()}
	for _, m := range members {
		i := u.features.declared(m)
		u.features.entries[i].linked = true
		g.members = append(g.members, i)
	}
	u.groups = append(u.groups, g)
}

// checkGroup checks that lists are of one length.
func (u *unit) checkGroup(s *scratch, g *group) {
	same, present, got := true, false, []byte(nil)
	lengths := make([]int, 0, 8)
	for _, i := range g.members {
		f := s.feature(i)
		n, _ := f.Len() // an error has a finding already
		lengths = append(lengths, n)
		same, present = same && n == lengths[0], present || f.Kind() != example.Unset
	}
	if same || !present {
		return
	}
	for k, n := range lengths {
		if k > 0 {
			got = append(got, ", "...)
		}
		got = strconv.AppendInt(append(strconv.AppendQuote(got, u.features.entries[g.members[k]].path), ' '), int64(n), 10)
	}
	s.add(Finding{Rule: g.rule, Feature: g.path, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Expected: "parts of one length", Observed: string(got)})
}
