package expr

import (
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
)

// ErrLengths means that lists compared element by element have different lengths. An
// [*example.Error] wraps it.
var ErrLengths = errors.New("lists of different lengths")

// A program has the names, cursors and machines that expressions about the same records share. It
// does not change after the last expression is compiled; then it is safe for concurrent use.
type program struct {
	names   [2][]string       // [0]: names of features; [1]: names of feature lists
	slots   [2]map[string]int // index of each name in names
	cursors map[feature]int   // for each list that is evaluated element by element, its index in machine.cursors
	pool    sync.Pool         // free *machine

	known func() [2]*message.KnownNames // names in the form that Finders need, made at the first call
}

func newProgram() *program {
	p := &program{slots: [2]map[string]int{{}, {}}, cursors: map[feature]int{}}
	p.known = sync.OnceValue(func() [2]*message.KnownNames {
		return [2]*message.KnownNames{message.NewKnownNames(p.names[0], p.slots[0]), message.NewKnownNames(p.names[1], p.slots[1])}
	})
	return p
}

// addName returns the index of the name of a feature, or of a feature list. It adds a new name.
func (p *program) addName(list bool, name string) int {
	part := 0
	if list {
		part = 1
	}
	slot, ok := p.slots[part][name]
	if !ok {
		slot = len(p.names[part])
		p.names[part] = append(p.names[part], name)
		p.slots[part][name] = slot
	}
	return slot
}

// addCursors gives each list a cursor; equal lists get the same cursor. It returns the lists without
// duplicates.
func (p *program) addCursors(lists []*feature) (once []*feature) {
	for _, x := range lists {
		key := *x
		key.word = ""
		i, ok := p.cursors[key]
		if !ok {
			i = len(p.cursors)
			p.cursors[key] = i
		}
		if !slices.ContainsFunc(once, func(o *feature) bool { return o.cursor == i }) {
			once = append(once, x)
		}
		x.cursor = i
	}
	return once
}

// A feature is a part of a record that an expression names: a feature, a feature list, one step of a
// list, or one value.
type feature struct {
	name    string // any bytes, without quotes
	slot    int    // index of the name in program.names
	list    bool   // the part is a feature list, or one step of a list
	stepped bool   // the part is in one step
	step    int64  // index of the step; negative: counted from the end
	indexed bool   // the part is one value
	at      int64  // index of the value; negative: counted from the end
	word    string // "any" or "all" if the expression has any(x) or all(x), else ""
	cursor  int    // index in machine.cursors; -1: the feature is not evaluated element by element
}

// hasSteps reports whether the feature is a whole feature list.
func (x *feature) hasSteps() bool { return x.list && !x.stepped }

// String returns the feature in the syntax of expressions.
func (x *feature) String() string {
	text := quotedName(x.name)
	if x.list {
		text = "list(" + text + ")"
	}
	if x.stepped {
		text += "[" + strconv.FormatInt(x.step, 10) + "]"
	}
	if x.indexed {
		text += "[" + strconv.FormatInt(x.at, 10) + "]"
	}
	if x.word != "" {
		text = x.word + "(" + text + ")"
	}
	return text
}

// A machine evaluates expressions about one record, or about statistics. One call at a time uses it.
// It decodes a feature at the first use of the feature.
type machine struct {
	program  *program            // compiled expression; nil for statistics and constants
	typ      example.MessageType // type of the record
	features []featureValues     // features, in the order of program.names[0]
	lists    []listValues        // feature lists, in the order of program.names[1]
	cursors  []cursor            // lists that are evaluated element by element
	scratch  cursor              // buffer for features without a cursor
	element  int                 // index of the current element; -1 while an explanation shows whole lists

	// These are set for an ExampleListWithContext, whose examples are the steps of lists.
	examples      int // number of examples
	contextOffset int // offset of the context
	exampleIndex  int // index of the current example
	exampleOffset int // offset of the current example

	statistics Statistics // statistics that rules name; nil for records

	finder     *message.Finder // finds the features and lists
	inExamples *message.Finder // finds the lists among the features of an example
}

// A cursor holds the current values of a list that is evaluated element by element.
type cursor struct {
	values *vector             // current values, stored in one, in step or in machine.features
	one    vector              // one value of a feature
	step   featureValues       // values of the current step
	scan   example.StepScanner // for a feature list: scans the next steps
	next   int                 // for an ExampleListWithContext: index of the next step in listValues.each
}

// featureValues are the values of a feature in the record.
type featureValues struct {
	found   bool // the record has the feature
	decoded bool // values is set
	feature example.Feature
	values  vector
}

// listValues are the steps of a feature list in the record.
type listValues struct {
	found bool // the record has the list, or an example has the feature
	steps example.FeatureList
	each  []listStep // for an ExampleListWithContext: the examples that have the feature, in order
}

// A listStep is the feature of one example in an ExampleListWithContext.
type listStep struct {
	example int // index of the example
	base    int // offset of the example in the record
	feature example.Feature
}

// newMachine returns a machine for a record. The caller puts it back into the pool.
func (p *program) newMachine(t example.MessageType, msg []byte) (*machine, error) {
	m, ok := p.pool.Get().(*machine)
	if !ok {
		m = &machine{program: p, features: make([]featureValues, len(p.names[0])), lists: make([]listValues, len(p.names[1])), cursors: make([]cursor, len(p.cursors))}
		k := p.known()
		m.finder, m.inExamples = message.NewFinder(k[0], k[1]), message.NewFinder(k[1], k[1])
	}
	return m, m.findFeatures(msg, t)
}

// findFeatures finds the features and lists that the expression names.
func (m *machine) findFeatures(msg []byte, typ example.MessageType) error {
	m.typ = typ
	if typ == example.TypeExampleList {
		return m.findInList(msg)
	}
	if err := findValues(m.finder, typ, msg); err != nil {
		return err
	}
	m.setFeatures()
	for i := range m.lists {
		x := &m.lists[i]
		x.steps, x.found = m.finder.Lists.Value(i)
	}
	return nil
}

// findValues finds the values in a message of any encoding.
func findValues(f *message.Finder, typ example.MessageType, msg []byte) error {
	if f.Walk(typ, msg) {
		return nil
	}
	return f.Scan(typ, msg, nil)
}

func (m *machine) setFeatures() {
	for i := range m.features {
		x := &m.features[i]
		x.feature, x.found = m.finder.Features.Value(i)
		x.decoded = false
	}
}

// findInList finds the features of the context of an ExampleListWithContext, and in each example the
// features that the expression names as lists.
func (m *machine) findInList(msg []byte) error {
	m.examples = 0
	for i := range m.lists {
		m.lists[i].found, m.lists[i].each = false, m.lists[i].each[:0]
	}
	s := example.ScanExamples(msg)
	for s.Next() {
		m.examples++
		m.exampleIndex, m.exampleOffset = s.Index(), s.Offset()
		if len(m.lists) == 0 {
			continue
		}
		if err := findValues(m.inExamples, example.TypeExample, s.Example()); err != nil {
			return encloseError(err, m.exampleOffset, examplePart(m.exampleIndex))
		}
		for i := range m.lists {
			if f, ok := m.inExamples.Features.Value(i); ok {
				x := &m.lists[i]
				x.found, x.each = true, append(x.each, listStep{m.exampleIndex, m.exampleOffset, f})
			}
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	context, _ := s.Context()
	m.contextOffset = s.ContextOffset()
	if err := findValues(m.finder, example.TypeExample, context); err != nil {
		return encloseError(err, m.contextOffset, "context")
	}
	m.setFeatures()
	return nil
}

func examplePart(i int) string { return "examples[" + strconv.Itoa(i) + "]" }

// encloseError adds the part of the record, and its offset, to an error that has no part.
func encloseError(err error, base int, part string) error {
	if e, ok := err.(*example.Error); ok && e.Part == "" {
		e.Enclose(part, base)
	}
	return err
}

// decode returns the values, which it decodes at the first call.
func (x *featureValues) decode() (*vector, error) {
	v := &x.values
	if x.decoded {
		return v, nil
	}
	v.kind, v.ints, v.floats, v.bytes = kindNone, v.ints[:0], v.floats[:0], v.bytes[:0]
	var err error
	if x.found {
		switch x.feature.Kind() {
		case example.Unset:
		case example.Int64List:
			v.kind = kindInt
			v.ints, err = x.feature.AppendInt64s(v.ints)
		case example.FloatList:
			v.kind = kindFloat
			v.floats, err = x.feature.AppendFloats(v.floats)
		case example.BytesList:
			v.kind = kindBytes
			v.bytes, err = x.feature.AppendBytes(v.bytes)
		default:
			err = x.feature.Validate()
		}
	}
	if v.length() == 0 {
		v.kind = kindNone
	}
	x.decoded = err == nil
	return v, err
}

// readVector returns the values of a feature or of one step of a list, or the value that an index
// selects. The result is stored in m.features or in cur.
func (m *machine) readVector(x *feature, cur *cursor) (*vector, error) {
	s := &cur.step
	if !x.list {
		s = &m.features[x.slot]
	} else if ok, err := m.seekStep(x, s); !ok || err != nil {
		return &noValues, err
	}
	v, err := s.decode()
	if err != nil {
		return v, m.addFeature(err, x)
	}
	if x.indexed {
		cur.one = v.oneValue(x.at)
		return &cur.one, nil
	}
	return v, nil
}

var noValues vector // read only

// seekStep stores the step that x names in s; ok is false if the record has no such step.
func (m *machine) seekStep(x *feature, s *featureValues) (ok bool, err error) {
	l := &m.lists[x.slot]
	if !l.found {
		return false, nil
	}
	at := x.step
	if m.typ == example.TypeExampleList {
		if at < 0 {
			at += int64(m.examples)
		}
		for _, step := range l.each {
			if int64(step.example) == at {
				m.exampleIndex, m.exampleOffset = step.example, step.base
				s.setFeature(step.feature)
				return true, nil
			}
		}
		return false, nil
	}
	if at < 0 {
		n, err := l.steps.Len()
		if err != nil {
			return false, m.addFeature(err, x)
		}
		at += int64(n)
	}
	steps := l.steps.Scan()
	for steps.Next() {
		if int64(steps.Index()) == at {
			s.setFeature(steps.Feature())
			ok = true
		}
	}
	if err := steps.Err(); err != nil {
		return false, m.addFeature(err, x)
	}
	return ok, nil
}

// setFeature sets a feature whose values are not decoded.
func (x *featureValues) setFeature(f example.Feature) { x.found, x.decoded, x.feature = true, false, f }

// addFeature adds the path of a feature to an error about its values.
func (m *machine) addFeature(err error, x *feature) error {
	if e, ok := errors.AsType[*example.Error](err); ok {
		p := m.featurePath(x)
		if e.Part == "" {
			base := 0
			switch {
			case m.typ == example.TypeExampleList && x.list:
				base = m.exampleOffset
			case m.typ == example.TypeExampleList:
				base = m.contextOffset
			}
			e.Enclose(p.Part, base)
		}
		if e.Feature == "" {
			e.Feature = p.Feature
		}
	}
	return err
}

// featurePath returns the path to a feature.
func (m *machine) featurePath(x *feature) example.Path {
	names := &m.program.names
	switch {
	case x.list && m.typ == example.TypeExampleList:
		at := m.exampleIndex
		if x.stepped {
			if at = int(x.step); at < 0 {
				at += m.examples
			}
		}
		return example.PathTo(examplePart(at), names[1][x.slot])
	case x.list:
		return example.PathTo("feature_lists", names[1][x.slot])
	case m.typ == example.TypeSequence || m.typ == example.TypeExampleList:
		return example.PathTo("context", names[0][x.slot])
	}
	return example.PathTo("", names[0][x.slot])
}

// addStep adds the step of a feature list to an error.
func (m *machine) addStep(err error, step int) error {
	if e, ok := err.(*example.Error); ok && m.typ == example.TypeSequence && e.Step < 0 { // for a list of examples, Part names the example
		e.Step = step
	}
	return err
}

// kindError returns the error of a feature whose values have another kind than the other side of
// the comparison.
func (m *machine) kindError(got valueKind, x *feature) error {
	numbers := example.Int64List.String() + " or " + example.FloatList.String()
	e := &example.Error{Path: m.featurePath(x), Err: example.ErrKind, Want: numbers, Got: example.BytesList.String()}
	if got != kindBytes {
		e.Want = example.BytesList.String()
		if e.Got = example.Int64List.String(); got == kindFloat {
			e.Got = example.FloatList.String()
		}
	}
	return e
}

// lengthError returns the error of a list x whose length differs from that of the list first.
func (m *machine) lengthError(first *feature, want int, x *feature, got int, what string) error {
	return &example.Error{Path: m.featurePath(x), Err: ErrLengths, Want: plural(want, what) + ", as " + first.String(), Got: strconv.Itoa(got)}
}

// stepsDiffer returns the error of feature lists with different numbers of steps.
func (m *machine) stepsDiffer(lists []*feature) error {
	counts := make([]int, len(lists))
	for i, x := range lists {
		var err error
		if counts[i], err = m.countValues(x); err != nil {
			return err
		}
	}
	for i, n := range counts {
		if n != counts[0] {
			return m.lengthError(lists[0], counts[0], lists[i], n, "step")
		}
	}
	return nil // not reached: some counts differ
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
