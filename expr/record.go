package expr

import (
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/message"
)

// ErrLengths means that lists that are compared element by element have different lengths. It is wrapped in an
// [*example.Error].
var ErrLengths = errors.New("lists of different lengths")

// A program is what expressions about one record share: the names of their features, and memory for the values.
type program struct {
	names   [2][]string       // of features, and of feature lists
	slots   [2]map[string]int // the indexes in names
	cursors map[feature]int   // of lists that are evaluated element by element
	pool    sync.Pool         // of machines that no call uses

	known func() [2]*message.KnownNames // the names, once all expressions are compiled
}

func newProgram() *program {
	p := &program{slots: [2]map[string]int{{}, {}}, cursors: map[feature]int{}}
	p.known = sync.OnceValue(func() [2]*message.KnownNames {
		return [2]*message.KnownNames{message.NewKnownNames(p.names[0], p.slots[0]), message.NewKnownNames(p.names[1], p.slots[1])}
	})
	return p
}

// addName returns the index of the name of a feature, or of a feature list.
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

// addCursors gives each list a cursor, the same one to the same list. It returns each list once.
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

// A feature is one that an expression names, a feature list, or a part of these.
type feature struct {
	name    string
	slot    int  // of the name
	list    bool // a feature list
	stepped bool // one step of it
	step    int64
	indexed bool // one value
	at      int64
	word    string // any or all, around it
	cursor  int    // of the program, if the feature is evaluated element by element; else -1
}

// hasSteps reports whether it is a whole feature list.
func (x *feature) hasSteps() bool { return x.list && !x.stepped }

// String returns the feature as an expression has it.
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

// A machine evaluates expressions about one record, or about statistics. It belongs to one call. A feature is decoded when
// it is first needed.
type machine struct {
	program  *program
	typ      example.MessageType
	features []slot     // by the index of their names
	lists    []listSlot // the same
	scratch  cursor     // of what is looked at once
	cursors  []cursor   // of the lists that are evaluated element by element
	element  int        // the index in them of the element at hand; -1 where there is none, while a violation is described

	// Of an ExampleListWithContext, whose examples are the steps of its lists.
	examples int
	context  int // where it begins
	at, base int // the example that is looked at, and where it begins

	statistics Statistics // of expressions about these

	finder     *message.Finder // of the features and lists
	inExamples *message.Finder // of the lists among the features of an example
}

// A cursor is at the values of a list that are evaluated one by one.
type cursor struct {
	values *vector
	one    vector              // of a feature with an index
	step   slot                // of a feature list
	scan   example.StepScanner // of a feature list
	next   int                 // index in listSlot.each
}

type slot struct {
	found, decoded bool
	feature        example.Feature
	v              vector
}

type listSlot struct {
	found bool
	steps example.FeatureList
	each  []listStep // of examples that have the feature, in order
}

// A listStep is the feature of one example in an ExampleListWithContext.
type listStep struct {
	example int
	base    int // where it begins
	feature example.Feature
}

// machine returns a machine at a record, to be put back into the pool.
func (p *program) machine(t example.MessageType, msg []byte) (*machine, error) {
	m, ok := p.pool.Get().(*machine)
	if !ok {
		m = &machine{program: p, features: make([]slot, len(p.names[0])), lists: make([]listSlot, len(p.names[1])), cursors: make([]cursor, len(p.cursors))}
		k := p.known()
		m.finder, m.inExamples = message.NewFinder(k[0], k[1]), message.NewFinder(k[1], k[1])
	}
	return m, m.find(msg, t)
}

// find finds the features and lists that the expression names.
func (m *machine) find(msg []byte, typ example.MessageType) error {
	m.typ = typ
	if typ == example.TypeExampleList {
		return m.findInList(msg)
	}
	if err := find(m.finder, typ, msg); err != nil {
		return err
	}
	m.setFeatures()
	for i := range m.lists {
		x := &m.lists[i]
		x.steps, x.found = m.finder.Lists.Value(i)
	}
	return nil
}

// find finds the values in a message of any encoding.
func find(f *message.Finder, typ example.MessageType, msg []byte) error {
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

// findInList finds the features of the context, and of the examples those that are named as lists.
func (m *machine) findInList(msg []byte) error {
	m.examples = 0
	for i := range m.lists {
		m.lists[i].found, m.lists[i].each = false, m.lists[i].each[:0]
	}
	s := example.ScanExamples(msg)
	for s.Next() {
		m.examples++
		m.at, m.base = s.Index(), s.Offset()
		if len(m.lists) == 0 {
			continue
		}
		if err := find(m.inExamples, example.TypeExample, s.Example()); err != nil {
			return moved(err, m.base, examplePart(m.at))
		}
		for i := range m.lists {
			if f, ok := m.inExamples.Features.Value(i); ok {
				x := &m.lists[i]
				x.found, x.each = true, append(x.each, listStep{m.at, m.base, f})
			}
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	context, _ := s.Context()
	m.context = s.ContextOffset()
	if err := find(m.finder, example.TypeExample, context); err != nil {
		return moved(err, m.context, "context")
	}
	m.setFeatures()
	return nil
}

func examplePart(i int) string { return "examples[" + strconv.Itoa(i) + "]" }

// moved moves an error of an Example to its place in the list. One that has a part has been moved.
func moved(err error, base int, part string) error {
	if e, ok := err.(*example.Error); ok && e.Part == "" {
		e.Enclose(part, base)
	}
	return err
}

// decode returns the values of a slot, which are its own.
func (x *slot) decode() (*vector, error) {
	v := &x.v
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
	if v.len() == 0 {
		v.kind = kindNone
	}
	x.decoded = err == nil
	return v, err
}

// vector returns the values of a feature, or of one step of a list. Those that are not in m.features are in cur.
func (m *machine) vector(x *feature, cur *cursor) (*vector, error) {
	s := &cur.step
	if !x.list {
		s = &m.features[x.slot]
	} else if ok, err := m.seek(x, s); !ok || err != nil {
		return &noValues, err
	}
	v, err := s.decode()
	if err != nil {
		return v, m.in(err, x)
	}
	if x.indexed {
		cur.one = v.one(x.at)
		return &cur.one, nil
	}
	return v, nil
}

var noValues vector // is only read

// seek makes s the step that x names, if there is one.
func (m *machine) seek(x *feature, s *slot) (ok bool, err error) {
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
				m.at, m.base = step.example, step.base
				s.look(step.feature)
				return true, nil
			}
		}
		return false, nil
	}
	if at < 0 {
		n, err := l.steps.Len()
		if err != nil {
			return false, m.in(err, x)
		}
		at += int64(n)
	}
	steps := l.steps.Scan()
	for steps.Next() {
		if int64(steps.Index()) == at {
			s.look(steps.Feature())
			ok = true
		}
	}
	if err := steps.Err(); err != nil {
		return false, m.in(err, x)
	}
	return ok, nil
}

// look makes the slot that of a feature.
func (x *slot) look(f example.Feature) { x.found, x.decoded, x.feature = true, false, f }

// in adds the name of a feature to an error from its content.
func (m *machine) in(err error, x *feature) error {
	if e, ok := errors.AsType[*example.Error](err); ok {
		p := m.path(x)
		if e.Part == "" {
			base := 0
			switch {
			case m.typ == example.TypeExampleList && x.list:
				base = m.base
			case m.typ == example.TypeExampleList:
				base = m.context
			}
			e.Enclose(p.Part, base)
		}
		if e.Feature == "" {
			e.Feature = p.Feature
		}
	}
	return err
}

// path says where in the message a feature is.
func (m *machine) path(x *feature) example.Path {
	names := &m.program.names
	switch {
	case x.list && m.typ == example.TypeExampleList:
		at := m.at
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

// inStep adds the step of a feature list to an error.
func (m *machine) inStep(err error, step int) error {
	if e, ok := err.(*example.Error); ok && m.typ == example.TypeSequence && e.Step < 0 { // of a list of examples, the part says which
		e.Step = step
	}
	return err
}

// kindError is the error of values that are of another kind than what they are compared
// with.
func (m *machine) kindError(got valueKind, x *feature) error {
	numbers := example.Int64List.String() + " or " + example.FloatList.String()
	e := &example.Error{Path: m.path(x), Err: example.ErrKind, Want: numbers, Got: example.BytesList.String()}
	if got != kindBytes {
		e.Want = example.BytesList.String()
		if e.Got = example.Int64List.String(); got == kindFloat {
			e.Got = example.FloatList.String()
		}
	}
	return e
}

// lengthError is the error of a list x that is not as long as the list first.
func (m *machine) lengthError(first *feature, want int, x *feature, got int, what string) error {
	return &example.Error{Path: m.path(x), Err: ErrLengths, Want: plural(want, what) + ", as " + first.String(), Got: strconv.Itoa(got)}
}

// stepsDiffer is the error of feature lists that have different numbers of steps.
func (m *machine) stepsDiffer(lists []*feature) error {
	counts := make([]int, len(lists))
	for i, x := range lists {
		var err error
		if counts[i], err = m.count(x); err != nil {
			return err
		}
	}
	for i, n := range counts {
		if n != counts[0] {
			return m.lengthError(lists[0], counts[0], lists[i], n, "step")
		}
	}
	return nil // not reached: one ended before another
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
