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

// A unit checks one Example or SequenceExample: a record, or a part of an ExampleListWithContext.
// A message.Finder finds the features. Each feature is read once and checked against its entry.
type unit struct {
	message         example.MessageType // TypeExample or TypeSequence
	hasSchema       bool                // features that are not in the schema are findings
	features, lists entryTable          // lists has no entries for an Example
	groups          []lengthGroup       // sparse and weighted features and sparse tensors; members are in features
	parser          *feature.Parser     // parser for parserSpec; nil: parserSpec has no columns
	parserSpec      feature.Spec        // the groups of Options.Spec that apply to message

	names   [2]*message.KnownNames // names in features and in lists
	scratch sync.Pool              // free *scratch
}

// newUnit compiles the schema and the options for messages of type m. g is the group of their features
// in the spec, above is the path of the struct around their features in the schema.
func newUnit(schema *pb.Schema, o *Options, m example.MessageType, g feature.Group, above view.Path) (*unit, error) {
	u := &unit{message: m, hasSchema: schema != nil, features: entryTable{group: g, parent: above}, lists: entryTable{group: feature.InSequence, parent: view.Path{view.SequenceStep}}}
	s := rules.NewSchema(schema)
	for _, f := range schema.GetFeature() {
		if f.GetName() != view.SequenceStep || m != example.TypeSequence {
			u.features.declareFeature(s, f, o.Environment)
			continue
		}
		for _, child := range f.GetStructDomain().GetFeature() {
			u.lists.declareFeature(s, child, o.Environment)
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
	for i, p := range []*entryTable{&u.features, &u.lists} {
		u.names[i] = p.knownNames()
	}
	u.scratch.New = func() any { return &scratch{finder: message.NewFinder(u.names[0], u.names[1])} }
	return u, nil
}

// tableOf returns the table for a group of a spec, nil if the message has no such group.
func (u *unit) tableOf(g feature.Group) *entryTable {
	switch {
	case g == u.features.group:
		return &u.features
	case g == feature.InSequence && u.message == example.TypeSequence:
		return &u.lists
	}
	return nil
}

// scratch is the working memory for one message. A unit reuses it for later messages.
type scratch struct {
	finder     *message.Finder     // finds the unit's names
	walked     []byte              // the message, if finder has walked it; nil if finder has scanned it
	batch      *feature.Batch      // batch of the parser; nil before the first message
	ints       []int64             // values of the current feature
	floats     []float32           // values of the current feature
	bytes      [][]byte            // values of the current feature; they alias the message
	from       []int64             // numbers of the current link's partition
	target     []int64             // numbers of the link's target, if the target is a partition
	undeclared map[string]struct{} // paths of the message's features that are not in the schema

	out          *collector // findings about the record; nil between messages
	firstFinding int        // index in out.findings of the first finding about this message
	example      int        // index of the message in the ExampleListWithContext; -1: the message is not one of the examples
	base         int        // offset of the message in the record
}

// addFinding adds a finding about the current message.
func (s *scratch) addFinding(f Finding) {
	if f.Example = s.example; f.Offset >= 0 {
		f.Offset += s.base
	}
	s.out.addFinding(f)
}

// messageFindings returns the findings about the current message.
func (s *scratch) messageFindings() []Finding { return s.out.findings[s.firstFinding:] }

// checkMessage adds the findings about a message that begins at an offset of the record. index is
// the index of the message in an ExampleListWithContext, else -1.
func (u *unit) checkMessage(out *collector, msg []byte, index, offset int) {
	s := u.scratch.Get().(*scratch)
	s.out, s.firstFinding, s.example, s.base = out, len(out.findings), index, offset
	before, err := *out, error(nil)
	if s.walked = msg; !u.walk(s, msg) {
		*out, s.walked = before, nil
		err = u.scan(s, msg)
	}
	if err == nil {
		u.checkFeatures(s)
		u.checkParse(s, msg)
	} else {
		out.setBadRecord(err)
	}
	s.finder.Forget()
	clear(s.bytes[:cap(s.bytes)])
	s.out, s.walked = nil, nil
	u.scratch.Put(s)
}

// walk finds the features of a message in canonical encoding, and adds findings for names that are
// not in the schema. It returns false for any other encoding.
func (u *unit) walk(s *scratch, msg []byte) bool {
	s.forgetNames()
	return s.finder.Walk(u.message, msg) &&
		(!u.hasSchema || u.features.addWalked(u, s, &s.finder.Features.WalkedMap) && u.lists.addWalked(u, s, &s.finder.Lists.WalkedMap))
}

// scan is walk for any encoding.
func (u *unit) scan(s *scratch, msg []byte) error {
	s.forgetNames()
	return s.finder.Scan(u.message, msg, func(where message.Part, slot int, name []byte, offset int) {
		p := &u.features
		if where == message.Lists {
			p = &u.lists
		}
		switch {
		case slot < 0:
			u.addUndeclared(s, p, string(name), offset)
		case p.entries[slot].undeclared:
			u.addUndeclared(s, p, p.entries[slot].name, offset)
		}
	})
}

// forgetNames clears s.undeclared for the next message.
func (s *scratch) forgetNames() {
	if len(s.undeclared) > maxFindings { // free the memory
		s.undeclared = nil
	}
	clear(s.undeclared)
}

// addWalked adds findings for the names in m that are not in the schema. It returns false if a name
// is the second name of an entry, which may then have two features.
func (p *entryTable) addWalked(u *unit, s *scratch, m *message.WalkedMap) bool {
	for _, k := range m.Order {
		known := int(k) < len(p.entries)
		if known && !p.entries[k].undeclared {
			continue
		}
		name := m.Name(k)
		if _, ok := p.index[name]; ok && !known {
			return false
		}
		lo, _, _ := m.Bounds(int(k))
		u.addUndeclared(s, p, name, lo)
	}
	return true
}

// addUndeclared adds a finding for a feature that is not in the schema, once per message.
func (u *unit) addUndeclared(s *scratch, p *entryTable, name string, offset int) {
	if !u.hasSchema {
		return
	}
	path := p.stepPath(view.Step(name))
	if _, ok := s.undeclared[path]; ok {
		return
	}
	if s.undeclared == nil {
		s.undeclared = map[string]struct{}{}
	}
	s.undeclared[path] = struct{}{}
	s.addFinding(Finding{Rule: pb.AnomalyInfo_SCHEMA_NEW_COLUMN.String(), Feature: path, Step: -1, ValueIndex: -1, Count: 1, Offset: offset,
		Expected: "a feature of the schema", Observed: "another name"})
}

// checkFeatures checks each feature that the finder found, then groups and links of features.
func (u *unit) checkFeatures(s *scratch) {
	for i := range u.features.entries {
		u.features.entries[i].checkFeature(s, i)
	}
	for i := range u.lists.entries {
		l, ok := s.finder.Lists.Value(i)
		u.lists.entries[i].checkList(s, l, ok)
	}
	for i := range u.groups {
		u.checkGroup(s, &u.groups[i])
	}
	for _, l := range u.features.links {
		u.features.checkLink(s, l, s.feature(l.from), s.feature(l.target), -1)
	}
	for _, l := range u.lists.links {
		u.lists.checkSteps(s, l)
	}
	u.addRowPaths(s)
}

// rawFeature returns the encoded feature of an entry and its offset. The offset is -1 if the feature
// is missing.
func (s *scratch) rawFeature(entry int) (b []byte, offset int) {
	if s.walked != nil { // avoid an example.Feature: it would be copied several times
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

// feature returns the feature of an entry, empty if it is missing.
func (s *scratch) feature(entry int) (f example.Feature) {
	if entry >= 0 {
		f, _ = s.finder.Features.Value(entry)
	}
	return f
}

// A lengthGroup is a group of features whose lists must have the same length, such as the parts of
// a sparse feature.
type lengthGroup struct {
	path    string // path of the group, in findings
	rule    string // rule of a finding
	members []int  // indexes of entries
}

// declareGroups adds a group for each sparse or weighted feature of a schema.
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
	g := lengthGroup{path: u.features.stepPath(name), rule: rule.String()}
	for _, m := range members {
		i := u.features.entryForStep(m)
		u.features.entries[i].linked = true
		g.members = append(g.members, i)
	}
	u.groups = append(u.groups, g)
}

// checkGroup checks that the lists of a group have the same length.
func (u *unit) checkGroup(s *scratch, g *lengthGroup) {
	same, present, got := true, false, []byte(nil)
	lengths := make([]int, 0, 8)
	for _, i := range g.members {
		f := s.feature(i)
		n, _ := f.Len() // checkFeature has reported an error
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
	s.addFinding(Finding{Rule: g.rule, Feature: g.path, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Expected: "parts of one length", Observed: string(got)})
}
