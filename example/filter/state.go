package filter

import (
	"errors"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/example"
)

// A ref is a feature of an expression.
type ref struct {
	slot    int  // of its name
	list    bool // it is in a feature list
	stepped bool // it is one step of that
	step    int64
	indexed bool // one value of it is meant
	at      int64
}

// A state is what one call of Match knows of its message. A feature is decoded when it is first
// needed.
type state struct {
	f        *Filter
	typ      example.MessageType
	features []slot
	lists    []listSlot
	step     slot // of a feature list, the one that is looked at

	// Of an ExampleListWithContext, whose examples are the steps of its lists.
	examples int
	context  int // where it begins
	at, base int // the example that is looked at, and where it begins
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

// statePool keeps the states of calls that are over, with their memory.
type statePool struct{ sync.Pool }

// Match evaluates the expression for an Example. It does not keep msg, and allocates nothing once
// it has grown. The error, an *example.Error, is about the framing of the message, or about a
// feature in the expression.
func (f *Filter) Match(msg []byte) (bool, error) { return f.run(msg, example.TypeExample) }

// MatchSequence is Match for a SequenceExample.
func (f *Filter) MatchSequence(msg []byte) (bool, error) { return f.run(msg, example.TypeSequence) }

// MatchList is Match for an ExampleListWithContext.
func (f *Filter) MatchList(msg []byte) (bool, error) { return f.run(msg, example.TypeExampleList) }

func (f *Filter) run(msg []byte, typ example.MessageType) (bool, error) {
	st, ok := f.pool.Get().(*state)
	if !ok {
		st = &state{f: f, features: make([]slot, len(f.names[0])), lists: make([]listSlot, len(f.names[1]))}
	}
	defer f.pool.Put(st)
	if err := st.find(msg, typ); err != nil {
		return false, err
	}
	return f.root.eval(st)
}

// find finds the features and lists that the expression names.
func (st *state) find(msg []byte, typ example.MessageType) error {
	st.typ = typ
	for i := range st.features {
		st.features[i].found, st.features[i].decoded = false, false
	}
	for i := range st.lists {
		st.lists[i].found, st.lists[i].each = false, st.lists[i].each[:0]
	}
	switch typ {
	case example.TypeSequence:
		if err := st.findFeatures(example.ScanContext(msg)); err != nil || len(st.lists) == 0 {
			return err
		}
		return st.findLists(msg)
	case example.TypeExampleList:
		return st.findExamples(msg)
	}
	return st.findFeatures(example.Scan(msg))
}

// findFeatures finds the features of an Example, or of a context.
func (st *state) findFeatures(s example.Scanner) error {
	for s.Next() {
		i := indexOf(st.f.names[0], s.Name())
		if i < 0 {
			continue
		}
		f, x := s.Feature(), &st.features[i]
		if x.found {
			var err error
			if f, err = f.Replace(x.feature); err != nil {
				return st.in(err, ref{slot: i})
			}
		}
		x.found, x.feature = true, f
	}
	return s.Err()
}

func (st *state) findLists(msg []byte) error {
	ls := example.ScanFeatureLists(msg)
	for ls.Next() {
		i := indexOf(st.f.names[1], ls.Name())
		if i < 0 {
			continue
		}
		f, x := ls.List(), &st.lists[i]
		if x.found {
			var err error
			if f, err = f.Replace(x.steps); err != nil {
				return st.in(err, ref{slot: i, list: true})
			}
		}
		x.found, x.steps = true, f
	}
	return ls.Err()
}

// findExamples finds the features of the context, and of the examples those that are named as lists.
func (st *state) findExamples(msg []byte) error {
	st.examples = 0
	s := example.ScanExamples(msg)
	for s.Next() {
		st.examples++
		st.at, st.base = s.Index(), s.Offset()
		if len(st.lists) == 0 {
			continue
		}
		if err := st.findIn(s.Example()); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	context, _ := s.Context()
	st.context = s.ContextOffset()
	c := example.Scan(context)
	return moved(st.findFeatures(c), st.context, "context")
}

// findIn finds the features of the example that is looked at.
func (st *state) findIn(msg []byte) error {
	s := example.Scan(msg)
	for s.Next() {
		i := indexOf(st.f.names[1], s.Name())
		if i < 0 {
			continue
		}
		f, x := s.Feature(), &st.lists[i]
		if n := len(x.each) - 1; n >= 0 && x.each[n].example == st.at {
			var err error
			if f, err = f.Replace(x.each[n].feature); err != nil {
				return st.in(err, ref{slot: i, list: true})
			}
			x.each = x.each[:n]
		}
		x.found, x.each = true, append(x.each, listStep{st.at, st.base, f})
	}
	return moved(s.Err(), st.base, examplePart(st.at))
}

func examplePart(i int) string { return "examples[" + strconv.Itoa(i) + "]" }

// moved moves an error of an Example to its place in the list. One that has a part has been moved.
func moved(err error, base int, part string) error {
	if e, ok := err.(*example.Error); ok && e.Part == "" {
		e.Byte, e.Part = e.Byte.Plus(base), part
	}
	return err
}

// indexOf finds a name. An expression has few, and most differ in length.
func indexOf(names []string, name []byte) int {
	for i, n := range names {
		if n == string(name) {
			return i
		}
	}
	return -1
}

// decode returns the values of a slot.
func (x *slot) decode() (vector, error) {
	if x.decoded {
		return x.v, nil
	}
	v := vector{ints: x.v.ints[:0], floats: x.v.floats[:0], bytes: x.v.bytes[:0]}
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
	x.v, x.decoded = v, err == nil
	return v, err
}

// vector returns the values of a feature, or of one step of a list.
func (st *state) vector(x ref) (vector, error) {
	s := &st.step
	if !x.list {
		s = &st.features[x.slot]
	} else if ok, err := st.seek(x); !ok || err != nil {
		return vector{}, err
	}
	v, err := s.decode()
	if err != nil {
		return v, st.in(err, x)
	}
	if x.indexed {
		v = v.one(x.at)
	}
	return v, nil
}

// seek makes the step that x names the one that is looked at, if there is one.
func (st *state) seek(x ref) (ok bool, err error) {
	l := &st.lists[x.slot]
	if !l.found {
		return false, nil
	}
	at := x.step
	if st.typ == example.TypeExampleList {
		if at < 0 {
			at += int64(st.examples)
		}
		for _, step := range l.each {
			if int64(step.example) == at {
				st.lookAt(step)
				return true, nil
			}
		}
		return false, nil
	}
	if at < 0 {
		n, err := l.steps.Len()
		if err != nil {
			return false, st.in(err, x)
		}
		at += int64(n)
	}
	s := l.steps.Scan()
	for s.Next() {
		if int64(s.Index()) == at {
			st.look(s.Feature())
			ok = true
		}
	}
	if err := s.Err(); err != nil {
		return false, st.in(err, x)
	}
	return ok, nil
}

// look makes a feature the step that is looked at.
func (st *state) look(f example.Feature) {
	st.step.found, st.step.decoded, st.step.feature = true, false, f
}

// lookAt is look for the feature of an example.
func (st *state) lookAt(s listStep) {
	st.at, st.base = s.example, s.base
	st.look(s.feature)
}

// in adds the name of a feature to an error from its content.
func (st *state) in(err error, x ref) error {
	if e, ok := errors.AsType[*example.Error](err); ok {
		p := st.path(x)
		if e.Part == "" {
			e.Part = p.Part
			if st.typ == example.TypeExampleList {
				base := st.context
				if x.list {
					base = st.base
				}
				e.Byte = e.Byte.Plus(base)
			}
		}
		if e.Feature == "" {
			e.Feature = p.Feature
		}
	}
	return err
}

// path says where in the message a feature is.
func (st *state) path(x ref) example.Path {
	switch {
	case x.list && st.typ == example.TypeExampleList:
		return example.Path{Part: examplePart(st.at), Feature: st.f.names[1][x.slot]}
	case x.list:
		return example.Path{Part: "feature_lists", Feature: st.f.names[1][x.slot]}
	case st.typ != example.TypeExample:
		return example.Path{Part: "context", Feature: st.f.names[0][x.slot]}
	}
	return example.Path{Feature: st.f.names[0][x.slot]}
}
