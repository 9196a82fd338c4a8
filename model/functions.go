package model

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/wire"
)

// A function is a function of the graph that a signature calls, or another trace of it.
type function struct {
	saved      bool          // its structure is in the file
	nest       nest          // its arguments; if saved
	positional int           // number of leaves in positional arguments
	arguments  argumentNames // in Python
	userNames  []string      // names of its tensors in its definition: the same for components of one argument
}

// argumentNames are the names of positional arguments in Python, without self. Both are empty if
// they are unknown.
type argumentNames struct {
	args    []string
	varargs string // "rest" for *rest, whose values TensorFlow calls rest_0, rest_1 and so on
}

// functions are the functions that signatures call, and possible traces of them.
type functions struct {
	byName map[string]*function   // functions that are called
	traces map[string][]*function // by the Python names of functions that are called
}

func newFunctions() *functions {
	return &functions{map[string]*function{}, map[string][]*function{}}
}

// add adds a function that is called.
func (fs *functions) add(name string) {
	if name != "" && fs.byName[name] == nil {
		fs.byName[name] = &function{}
		if s := pythonName(name); s != "" && fs.traces[s] == nil {
			fs.traces[s] = []*function{}
		}
	}
}

// wants reports whether a function is called, or has the Python name of one that is called.
func (fs *functions) wants(name string) bool {
	return fs.byName[name] != nil || fs.traces[pythonName(name)] != nil
}

// get returns a function for which wants is true.
func (fs *functions) get(name string) *function {
	f := fs.byName[name]
	if f == nil {
		f = &function{}
		s := pythonName(name)
		fs.traces[s] = append(fs.traces[s], f)
	}
	return f
}

// pythonName returns the name of a function in Python: "f" for "__inference_f_87", and "" for other
// forms of names.
func pythonName(name string) string {
	s, ok := strings.CutPrefix(name, "__inference_")
	i := strings.LastIndexByte(s, '_')
	if !ok || i < 1 {
		return ""
	}
	if _, err := strconv.ParseUint(s[i+1:], 10, 64); err != nil {
		return ""
	}
	return s[:i]
}

// functions reads the arguments of the functions that signatures call, with their names.
func (g *graph) functions(wanted *functions) error {
	specs := map[string]extent{}   // FunctionSpec messages by name of the function
	read := map[string]*function{} // functions that are saved
	for _, e := range g.objects {
		err := g.each(e, objectsPath, func(f field) error {
			if f.typ != wire.TypeBytes {
				return nil
			}
			switch f.num {
			case 1:
				return g.functionSpec(f.body, wanted, specs)
			case 2:
				return g.concreteFunction(f.body, wanted, read)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for name, f := range read {
		if e, ok := specs[name]; ok {
			m, err := g.load(e, objectsPath+".nodes.function_spec")
			if err != nil {
				return err
			}
			if f.arguments, err = m.argumentNames(); err != nil {
				return err
			}
		}
		f.nameArguments()
	}
	return nil
}

// functionSpec records the FunctionSpec of a wanted function, if a node has one.
func (g *graph) functionSpec(node extent, wanted *functions, specs map[string]extent) error {
	const path = objectsPath + ".nodes.function"
	return g.each(node, path, func(f field) error {
		// SavedFunction has fields concrete_functions and function_spec, SavedBareConcreteFunction
		// a name and function_spec, in this order.
		if f.num != 6 && f.num != 8 || f.typ != wire.TypeBytes {
			return nil
		}
		nameField, specField := int32(1), int32(2)
		if f.num == 8 {
			specField = 4
		}
		var names []string
		return g.each(f.body, path, func(f field) error {
			switch f.num {
			case nameField:
				before := g.loaded
				name, err := g.text(f, path)
				if !wanted.wants(name) {
					g.loaded = before // the name is not kept
					return err
				}
				if err := g.element(f.at, path); err != nil {
					return err
				}
				names = append(names, name)
			case specField:
				for _, name := range names {
					if _, ok := specs[name]; !ok && f.typ == wire.TypeBytes {
						specs[name] = f.body
					}
				}
			}
			return nil
		})
	})
}

// concreteFunction reads an entry of SavedObjectGraph.concrete_functions, if it is wanted.
func (g *graph) concreteFunction(e extent, wanted *functions, read map[string]*function) error {
	const path = objectsPath + ".concrete_functions"
	var f *function
	var name string
	return g.each(e, path, func(part field) (err error) {
		switch part.num {
		case 1:
			before := g.loaded
			if name, err = g.text(part, path); err != nil {
				return err
			}
			switch {
			case !wanted.wants(name):
				f, g.loaded = nil, before // the name is not kept
			case read[name] != nil:
				return g.errorAt(part.at, path, ErrMessage, fmt.Sprintf("function %q occurs twice", name))
			default:
				f = wanted.get(name)
			}
			return g.element(part.at, path)
		case 2:
			if f == nil || part.typ != wire.TypeBytes {
				return nil
			}
			return g.each(part.body, path, func(part field) error {
				if part.num != 3 || part.typ != wire.TypeBytes { // canonicalized_input_signature
					return nil
				}
				m, err := g.load(part.body, path+".canonicalized_input_signature")
				if err != nil {
					return err
				}
				read[name] = f
				return f.read(m)
			})
		}
		return nil
	})
}

// argumentNames reads a FunctionSpec.
func (m message) argumentNames() (names argumentNames, err error) {
	method := false
	err = m.each(func(v value) (err error) {
		switch v.num {
		case 1: // fullargspec: a named tuple with args and varargs
			var m message
			if m, err = v.bytes(); err != nil {
				return err
			}
			names, err = m.fullArgSpec()
		case 2:
			var n uint64
			n, err = v.varint()
			method = n != 0
		}
		return err
	})
	if method && len(names.args) > 0 {
		names.args = names.args[1:]
	}
	return names, err
}

// fullArgSpec reads Python's FullArgSpec: args is a list of strings, varargs a string or None.
func (m message) fullArgSpec() (names argumentNames, err error) {
	err = m.messages(54, func(tuple message) error {
		return tuple.messages(2, func(pair message) error {
			key, body, err := pair.entry()
			switch {
			case err != nil:
				return err
			case key == "varargs":
				names.varargs, err = body.stringValue()
				return err
			case key != "args":
				return nil
			}
			members, err := body.list()
			if err != nil {
				return err
			}
			for _, m := range members {
				name, err := m.stringValue()
				if err != nil {
					return err
				}
				names.args = append(names.args, name)
			}
			return nil
		})
	})
	return names, err
}

// stringValue reads a StructuredValue that is a string; it returns "" for others.
func (m message) stringValue() (s string, err error) {
	err = m.each(func(v value) (err error) {
		if v.num == 13 {
			s, err = v.text()
		}
		return err
	})
	return s, err
}

// read reads a canonicalized_input_signature: a tuple of the positional arguments, and a dict of the
// others. The path of a positional argument begins with its index, which nameArguments replaces.
func (f *function) read(m message) error {
	f.saved, f.nest, f.positional = true, nest{}, 0
	members, err := m.list()
	if err != nil {
		return err
	}
	for i, member := range members {
		if err := f.nest.value(member, nil); err != nil {
			return err
		}
		if i == 0 {
			f.positional = len(f.nest.leaves)
		}
	}
	for _, l := range f.nest.leaves {
		if len(l.spec.Path) == 0 {
			return m.error(ErrMessage, "want a tuple and a dict of arguments")
		}
	}
	return nil
}

// nameArguments replaces the indices of positional arguments by their names.
func (f *function) nameArguments() {
	for _, l := range f.nest.leaves[:f.positional] {
		i, err := strconv.Atoi(l.spec.Path[0])
		switch n := len(f.arguments.args); {
		case err != nil:
		case i < n:
			l.spec.Path[0] = f.arguments.args[i]
		case f.arguments.varargs != "":
			l.spec.Path[0] = fmt.Sprintf("%s_%d", f.arguments.varargs, i-n)
		}
	}
}

// trace finds the structure of an exported concrete function, which is the usual kind without an
// input_signature. To save it TensorFlow traces the function again, under the same name with another
// number; but the signature calls the first trace, whose structure is not in the file.
//
// A function of the same name is another trace if it has the same number of tensors, of the same types
// and shapes, and the names of arguments agree: in the definition of the first trace all tensors of
// a ragged or sparse argument have the name of that argument. The result is nil if there is no such
// trace, or if several differ.
func (w *wrapper) trace(f *function, traces []*function) (match *function) {
	inputs := map[string]*Component{}
	for i := range w.sig.Inputs {
		for j := range w.sig.Inputs[i].Components {
			c := &w.sig.Inputs[i].Components[j]
			inputs[c.Name] = c
		}
	}
	var given []*Component
	for _, name := range w.given {
		if inputs[name] == nil {
			return nil
		}
		given = append(given, inputs[name])
	}
	if len(f.userNames) < len(given) {
		return nil
	}
	for _, t := range traces {
		switch {
		case !t.saved || !t.nest.agrees(given, f.userNames):
		case match != nil && !reflect.DeepEqual(match.nest.leaves, t.nest.leaves):
			return nil
		default:
			match = t
		}
	}
	return match
}

// agrees reports whether the arguments fit the given tensors and their user's names.
func (n *nest) agrees(given []*Component, users []string) bool {
	if n.lost != "" {
		return false
	}
	for _, l := range n.leaves {
		if l.count < 0 || l.count > len(given) || l.spec.Unknown != "" || l.spec.Form == feature.RaggedForm && l.spec.Shape == nil {
			return false
		}
		parts, names := given[:l.count], users[:l.count]
		given, users = given[l.count:], users[l.count:]
		t := &l.spec
		for i, c := range parts {
			dtype, shape := t.DType, t.Shape
			switch {
			case t.Form == feature.SparseForm && i != 1:
				dtype = Int64
			case t.Form == feature.RaggedForm && i > 0:
				dtype = t.SplitsDType
			}
			switch {
			case t.Form == feature.SparseForm:
				shape = [3]Shape{{-1, -1}, {-1}, {-1}}[i]
				if t.Shape != nil {
					shape = [3]Shape{{-1, int64(len(t.Shape))}, {-1}, {int64(len(t.Shape))}}[i]
				}
			case t.Form == feature.RaggedForm && i > 0:
				shape = Shape{-1}
				if i == 1 && t.Shape[0] >= 0 {
					shape = Shape{t.Shape[0] + 1}
				}
			case t.Form == feature.RaggedForm:
				shape = append(Shape{-1}, t.Shape[t.RaggedRank+1:]...)
			}
			if c.DType != dtype || (c.Shape == nil) != (shape == nil) || !slices.Equal(c.Shape, shape) {
				return false
			}
			if l.count > 1 && names[i] != t.Path[0] {
				return false
			}
		}
	}
	return len(given) == 0
}
