package model

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// A function is a function of the graph that a signature calls, or another trace of it.
type function struct {
	hasStructure bool            // the file contains its arguments
	arguments    nestedArguments // if hasStructure
	positional   int             // number of leaves in positional arguments
	names        argumentNames   // names of positional arguments
	userNames    []string        // user's names of its tensors; components of one argument have the same name
}

// argumentNames are the names of positional arguments in Python, without self. Both fields are empty
// if the names are unknown.
type argumentNames struct {
	args    []string
	varargs string // "rest" for *rest, whose values TensorFlow calls rest_0, rest_1 and so on
}

// A functionSet contains the functions that signatures call, and other traces of these functions.
type functionSet struct {
	byName map[string]*function   // called functions
	traces map[string][]*function // other functions with the Python name of a called function, by that name
}

func newFunctionSet() *functionSet {
	return &functionSet{map[string]*function{}, map[string][]*function{}}
}

// addCalled adds a function that a signature calls.
func (fs *functionSet) addCalled(name string) {
	if name != "" && fs.byName[name] == nil {
		fs.byName[name] = &function{}
		if s := pythonName(name); s != "" && fs.traces[s] == nil {
			fs.traces[s] = []*function{}
		}
	}
}

// isWanted reports whether a function is called, or has the same Python name as a called function.
func (fs *functionSet) isWanted(name string) bool {
	return fs.byName[name] != nil || fs.traces[pythonName(name)] != nil
}

// functionFor returns the function with a wanted name. It adds a trace if the function is not called.
func (fs *functionSet) functionFor(name string) *function {
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

// readFunctions reads the arguments, and their names, of the functions in wanted.
func (g *graph) readFunctions(wanted *functionSet) error {
	specs := map[string]extent{}   // FunctionSpec messages, by name of the function
	read := map[string]*function{} // functions whose arguments were read
	for _, e := range g.objects {
		err := g.eachField(e, objectsPath, func(f field) error {
			if f.typ != wire.TypeBytes {
				return nil
			}
			switch f.num {
			case 1:
				return g.readFunctionSpec(f.body, wanted, specs)
			case 2:
				return g.readConcreteFunction(f.body, wanted, read)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for name, f := range read {
		if e, ok := specs[name]; ok {
			m, err := g.loadMessage(e, objectsPath+".nodes.function_spec")
			if err != nil {
				return err
			}
			if f.names, err = m.readArgumentNames(); err != nil {
				return err
			}
		}
		f.nameArguments()
	}
	return nil
}

// readFunctionSpec records the FunctionSpec of a node, if the node has a wanted function.
func (g *graph) readFunctionSpec(node extent, wanted *functionSet, specs map[string]extent) error {
	const path = objectsPath + ".nodes.function"
	return g.eachField(node, path, func(f field) error {
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
		return g.eachField(f.body, path, func(f field) error {
			switch f.num {
			case nameField:
				before := g.loaded
				name, err := g.loadText(f, path)
				if !wanted.isWanted(name) {
					g.loaded = before // the name is not retained
					return err
				}
				if err := g.countElement(f.offset, path); err != nil {
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

// readConcreteFunction reads an entry of SavedObjectGraph.concrete_functions, if its function is wanted.
func (g *graph) readConcreteFunction(e extent, wanted *functionSet, read map[string]*function) error {
	const path = objectsPath + ".concrete_functions"
	var f *function
	var name string
	return g.eachField(e, path, func(part field) (err error) {
		switch part.num {
		case 1:
			before := g.loaded
			if name, err = g.loadText(part, path); err != nil {
				return err
			}
			switch {
			case !wanted.isWanted(name):
				f, g.loaded = nil, before // the name is not retained
			case read[name] != nil:
				return g.errorAt(part.offset, path, ErrMessage, fmt.Sprintf("function %q occurs twice", name))
			default:
				f = wanted.functionFor(name)
			}
			return g.countElement(part.offset, path)
		case 2:
			if f == nil || part.typ != wire.TypeBytes {
				return nil
			}
			return g.eachField(part.body, path, func(part field) error {
				if part.num != 3 || part.typ != wire.TypeBytes { // canonicalized_input_signature
					return nil
				}
				m, err := g.loadMessage(part.body, path+".canonicalized_input_signature")
				if err != nil {
					return err
				}
				read[name] = f
				return f.readSignature(m)
			})
		}
		return nil
	})
}

// readArgumentNames reads a FunctionSpec.
func (m message) readArgumentNames() (names argumentNames, err error) {
	method := false
	err = m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1: // fullargspec: a named tuple with args and varargs
			var m message
			if m, err = v.message(); err != nil {
				return err
			}
			names, err = m.readFullArgSpec()
		case 2:
			var n uint64
			n, err = v.number()
			method = n != 0
		}
		return err
	})
	if method && len(names.args) > 0 {
		names.args = names.args[1:]
	}
	return names, err
}

// readFullArgSpec reads Python's FullArgSpec: args is a list of strings, varargs a string or None.
func (m message) readFullArgSpec() (names argumentNames, err error) {
	err = m.eachMessage(54, func(tuple message) error {
		return tuple.eachMessage(2, func(pair message) error {
			key, body, err := pair.readEntry()
			switch {
			case err != nil:
				return err
			case key == "varargs":
				names.varargs, err = body.readStringValue()
				return err
			case key != "args":
				return nil
			}
			members, err := body.readMembers()
			if err != nil {
				return err
			}
			for _, m := range members {
				name, err := m.readStringValue()
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

// readStringValue reads a StructuredValue that is a string; it returns "" for another value.
func (m message) readStringValue() (s string, err error) {
	err = m.eachField(func(v fieldValue) (err error) {
		if v.num == 13 {
			s, err = v.readText()
		}
		return err
	})
	return s, err
}

// readSignature reads a canonicalized_input_signature: a tuple of the positional arguments and a dict
// of the keyword arguments. The path of a positional argument begins with its index, which
// nameArguments replaces.
func (f *function) readSignature(m message) error {
	f.hasStructure, f.arguments, f.positional = true, nestedArguments{}, 0
	members, err := m.readMembers()
	if err != nil {
		return err
	}
	for i, member := range members {
		if err := f.arguments.readValue(member, nil); err != nil {
			return err
		}
		if i == 0 {
			f.positional = len(f.arguments.leaves)
		}
	}
	for _, l := range f.arguments.leaves {
		if len(l.tensor.Path) == 0 {
			return m.errorAt(ErrMessage, "want a tuple and a dict of arguments")
		}
	}
	return nil
}

// nameArguments replaces the indices of positional arguments by their names.
func (f *function) nameArguments() {
	for _, l := range f.arguments.leaves[:f.positional] {
		i, err := strconv.Atoi(l.tensor.Path[0])
		switch n := len(f.names.args); {
		case err != nil:
		case i < n:
			l.tensor.Path[0] = f.names.args[i]
		case f.names.varargs != "":
			l.tensor.Path[0] = fmt.Sprintf("%s_%d", f.names.varargs, i-n)
		}
	}
}

// findTrace returns the trace with the structure of an exported concrete function, which functions
// without an input_signature usually are. To save such a function, TensorFlow traces it again, under
// the same name with another number at the end. The signature still calls the first trace, whose
// structure is not in the file.
//
// A function with the same Python name is another trace if its tensors have the same number, types
// and shapes, and if the names of arguments match: in the definition of the first trace, all
// tensors of a ragged or sparse argument have the name of that argument. findTrace returns nil if no
// trace matches, or if several match and differ.
func (w *wrapper) findTrace(f *function, traces []*function) (match *function) {
	inputs := map[string]*Component{}
	for i := range w.sig.Inputs {
		for j := range w.sig.Inputs[i].Components {
			c := &w.sig.Inputs[i].Components[j]
			inputs[c.Name] = c
		}
	}
	var given []*Component
	for _, name := range w.callKeys {
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
		case !t.hasStructure || !t.arguments.matchesTensors(given, f.userNames):
		case match != nil && !reflect.DeepEqual(match.arguments.leaves, t.arguments.leaves):
			return nil
		default:
			match = t
		}
	}
	return match
}

// matchesTensors reports whether the arguments match the given tensors and their user's names.
func (n *nestedArguments) matchesTensors(given []*Component, users []string) bool {
	if n.unknownReason != "" {
		return false
	}
	for _, l := range n.leaves {
		if l.components < 0 || l.components > len(given) || l.tensor.Unknown != "" || l.tensor.Form == feature.RaggedForm && l.tensor.Shape == nil {
			return false
		}
		parts, names := given[:l.components], users[:l.components]
		given, users = given[l.components:], users[l.components:]
		t := &l.tensor
		for i, c := range parts {
			dtype, shape := t.DType, t.Shape
			switch {
			case t.Form == feature.SparseForm && i != 1:
				dtype = tensor.Int64
			case t.Form == feature.RaggedForm && i > 0:
				dtype = t.SplitsDType
			}
			switch {
			case t.Form == feature.SparseForm:
				shape = [3]tensor.Shape{{-1, -1}, {-1}, {-1}}[i]
				if t.Shape != nil {
					shape = [3]tensor.Shape{{-1, int64(len(t.Shape))}, {-1}, {int64(len(t.Shape))}}[i]
				}
			case t.Form == feature.RaggedForm && i > 0:
				shape = tensor.Shape{-1}
				if i == 1 && t.Shape[0] >= 0 {
					shape = tensor.Shape{t.Shape[0] + 1}
				}
			case t.Form == feature.RaggedForm:
				shape = append(tensor.Shape{-1}, t.Shape[t.RaggedRank+1:]...)
			}
			if c.DType != dtype || (c.Shape == nil) != (shape == nil) || !slices.Equal(c.Shape, shape) {
				return false
			}
			if l.components > 1 && names[i] != t.Path[0] {
				return false
			}
		}
	}
	return len(given) == 0
}
