package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/wire"
)

// A function is one that a signature calls.
type function struct {
	saved      bool // its structure is in the file
	nest       nest // of its arguments
	positional int  // how many leaves are in positional arguments
	arguments  argumentNames
	userNames  []string // of the tensors that it takes, from its definition: equal for components of one argument
}

// argumentNames are the names of positional arguments in Python, without self. Both are empty if they are not known.
type argumentNames struct {
	args    []string
	varargs string // "rest" for *rest, whose values TensorFlow calls rest_0, rest_1 and so on
}

// functions are those that signatures call, and others that may be traces of the same.
type functions struct {
	byName map[string]*function
	traces map[string][]*function // by the stem of their names
}

func newFunctions() *functions {
	return &functions{map[string]*function{}, map[string][]*function{}}
}

// add makes a function one that is called.
func (fs *functions) add(name string) {
	if name != "" && fs.byName[name] == nil {
		fs.byName[name] = &function{}
		if s := stem(name); s != "" && fs.traces[s] == nil {
			fs.traces[s] = []*function{}
		}
	}
}

// wants reports whether a function is called, or has the name of one that is but for its number.
func (fs *functions) wants(name string) bool {
	return fs.byName[name] != nil || fs.traces[stem(name)] != nil
}

// get returns a function that is wanted.
func (fs *functions) get(name string) *function {
	f := fs.byName[name]
	if f == nil {
		f = &function{}
		s := stem(name)
		fs.traces[s] = append(fs.traces[s], f)
	}
	return f
}

// stem is the name that a function has in Python: "f" for "__inference_f_87". It is empty for other names.
func stem(name string) string {
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

// functions reads the nested arguments of the functions that signatures call, and the names of the
// arguments.
func (g *graph) functions(wanted *functions) error {
	specs := map[string]extent{}   // of their FunctionSpec
	read := map[string]*function{} // those that are saved
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
		f.named()
	}
	return nil
}

// functionSpec notes where the FunctionSpec of a wanted function is, if a node has it.
func (g *graph) functionSpec(node extent, wanted *functions, specs map[string]extent) error {
	const path = objectsPath + ".nodes.function"
	return g.each(node, path, func(f field) error {
		// SavedFunction has concrete_functions and then a function_spec, SavedBareConcreteFunction a name
		// and further down the same.
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
					g.loaded = before // it is not kept
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
				f, g.loaded = nil, before // it is not kept
			case read[name] != nil:
				return g.errorAt(part.at, path, ErrMessage, fmt.Sprintf("function %q is there twice", name))
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
// others. The path of a positional argument begins with its index, until named.
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
			return m.error(ErrMessage, "arguments that are no tuple and no dict")
		}
	}
	return nil
}

// named puts the names of arguments in the place of their indices.
func (f *function) named() {
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
