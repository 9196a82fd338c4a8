package model

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

const objectsPath = "meta_graphs.object_graph_def"

// A graph reads the structure of signatures from these parts of a MetaGraphDef:
//
//	object_graph_def.nodes[0].children["signatures"] -> the node of the signatures
//	        .children["serving_default"]             -> its bare_concrete_function: the wrapper
//	graph_def.library.function[wrapper]              -> its one call: the callee, and its arguments in order
//	object_graph_def.concrete_functions[callee]      -> the nested arguments
//	object_graph_def.nodes[…].function               -> the names of the arguments
//
// Two kinds of models differ. In a model that was loaded and saved again, wrappers call the original
// wrapper: see followCalls. The structure of an exported concrete function may be saved under another
// name, because TensorFlow traced it again: see findTrace.
type graph struct {
	*source
	libraries []extent // FunctionDefLibrary messages
	objects   []extent // SavedObjectGraph messages

	nodes int      // number of nodes in all objects
	marks []extent // for every markDistance-th node: the extent from its field to the end of its object graph
}

// markDistance is the number of nodes between marks. findNode skips fewer nodes than that.
const markDistance = 64

// A wrapper is the wrapper function of a signature, and the call in it.
type wrapper struct {
	sig      *Signature
	function string   // name of the wrapper function; empty if it is not in the file
	keys     []string // for each argument of the wrapper function, its key in the signature, in order

	callee   string   // name of the called function; empty unless there is exactly one call
	callKeys []string // keys of the signature for the arguments of the call, in order
}

// resolveSignatures replaces the inputs of signatures, which are tensors, by the arguments of the
// functions that the signatures call.
func (g *graph) resolveSignatures(signatures []Signature) error {
	if len(g.objects) == 0 || len(signatures) == 0 {
		return nil // a model of TensorFlow 1: the signature has the structure
	}
	wrappers, err := g.findWrappers(signatures)
	if err != nil {
		return err
	}
	if err := g.followCalls(wrappers); err != nil {
		return err
	}
	wanted := newFunctionSet()
	for _, w := range wrappers {
		wanted.addCalled(w.callee)
	}
	if err := g.readFunctions(wanted); err != nil {
		return err
	}
	if err := g.readUserNames(wanted.byName); err != nil {
		return err
	}
	for _, w := range wrappers {
		f := wanted.byName[w.callee] // nil if there is no callee
		if f != nil && !f.hasStructure {
			if trace := w.findTrace(f, wanted.traces[pythonName(w.callee)]); trace != nil {
				f = trace
			}
		}
		w.setInputs(f)
	}
	return nil
}

// indexNodes counts the nodes of the object graph and sets the marks.
func (g *graph) indexNodes() error {
	for _, e := range g.objects {
		for e.lo < e.hi {
			rest := e
			f, err := g.nextField(&e, objectsPath)
			if err != nil {
				return err
			}
			if f.num != 1 {
				continue
			}
			if f.typ != wire.TypeBytes {
				return g.errorAt(f.offset, objectsPath, ErrMessage, "want a node")
			}
			if g.nodes%markDistance == 0 {
				g.marks = append(g.marks, rest)
			}
			g.nodes++
		}
	}
	return nil
}

// findNode returns the node with an ID.
func (g *graph) findNode(id uint64) (e extent, ok bool, err error) {
	if id >= uint64(g.nodes) {
		return e, false, nil
	}
	rest, skip := g.marks[id/markDistance], int(id%markDistance)
	for i := slices.IndexFunc(g.objects, func(o extent) bool { return o.hi == rest.hi }); ; {
		for rest.lo < rest.hi {
			f, err := g.nextField(&rest, objectsPath)
			if err != nil {
				return e, false, err
			}
			if f.num != 1 {
				continue
			}
			if skip == 0 {
				return f.body, true, nil
			}
			skip--
		}
		i++
		rest = g.objects[i]
	}
}

// eachChild calls f for each child of a node.
func (g *graph) eachChild(e extent, f func(name string, id uint64) error) error {
	const path = objectsPath + ".nodes.children"
	return g.eachField(e, path, func(child field) error {
		if child.num != 1 || child.typ != wire.TypeBytes {
			return nil
		}
		if err := g.countElement(child.offset, path); err != nil {
			return err
		}
		var name string
		var id uint64
		err := g.eachField(child.body, path, func(f field) (err error) {
			switch {
			case f.num == 1 && f.typ == wire.TypeVarint:
				id = f.varint
			case f.num == 2:
				name, err = g.loadText(f, path)
			}
			return err
		})
		if err != nil {
			return err
		}
		return f(name, id)
	})
}

// findWrappers finds the wrapper functions of the signatures, in their order.
func (g *graph) findWrappers(signatures []Signature) (all []*wrapper, err error) {
	byName := map[string]*wrapper{}
	for i := range signatures {
		w := &wrapper{sig: &signatures[i]}
		all = append(all, w)
		byName[signatures[i].Name] = w
	}
	if err := g.indexNodes(); err != nil {
		return all, err
	}
	root, ok, err := g.findNode(0)
	if !ok || err != nil {
		return all, err
	}
	var signaturesNode uint64
	err = g.eachChild(root, func(name string, id uint64) error {
		if name == "signatures" {
			signaturesNode = id
		}
		return nil
	})
	if err != nil || signaturesNode == 0 {
		return all, err
	}
	node, ok, err := g.findNode(signaturesNode)
	if !ok || err != nil {
		return all, err
	}
	err = g.eachChild(node, func(name string, id uint64) error {
		w := byName[name]
		if w == nil {
			return nil
		}
		delete(byName, name) // the first child counts
		node, ok, err := g.findNode(id)
		if !ok || err != nil {
			return err
		}
		const path = objectsPath + ".nodes.bare_concrete_function"
		return g.eachField(node, path, func(f field) error {
			if f.num != 8 || f.typ != wire.TypeBytes {
				return nil
			}
			m, err := g.loadMessage(f.body, path)
			if err != nil {
				return err
			}
			return m.eachField(func(v fieldValue) (err error) {
				switch v.num {
				case 1:
					w.function, err = v.readText()
				case 2:
					var key string
					if err = g.countElement(f.offset, path); err == nil {
						key, err = v.readText()
					}
					w.keys = append(w.keys, key)
				}
				return err
			})
		})
	})
	return all, err
}

// setInputs sets the inputs of the wrapper's signature to the arguments of f, which may be nil.
func (w *wrapper) setInputs(f *function) {
	flat := map[string]TensorSpec{}
	for _, t := range w.sig.Inputs {
		if t.composite() {
			return // a signature of TensorFlow 1 that was loaded and saved again
		}
		flat[t.Components[0].Name] = t
	}
	take := func(names []string) (parts []Component) {
		for _, name := range names {
			parts = append(parts, flat[name].Components[0])
			delete(flat, name)
		}
		return parts
	}
	var inputs []TensorSpec
	given, reason := w.callKeys, "the function of the signature is not in the file"
	for _, name := range given {
		if _, ok := flat[name]; !ok {
			f, reason = nil, fmt.Sprintf("its function takes %q, which the signature does not have", name)
			break
		}
	}
	switch {
	case f == nil:
	case !f.hasStructure:
		reason = "its structure was not saved: save the function as an attribute, with an input_signature"
		inputs = f.inputsByUserName(given, take, reason)
	default:
		reason = f.arguments.unknownReason
		for _, l := range f.arguments.leaves {
			if l.components > len(given) {
				reason = fmt.Sprintf("argument %q needs %d tensors, the signature has only %d left", l.tensor.Name(), l.components, len(given))
				break
			}
			l.tensor.Components = take(given[:l.components])
			given = given[l.components:]
			l.tensor.setParts()
			l.tensor.checkComponents()
			inputs = append(inputs, l.tensor)
		}
		if reason == "" {
			reason = "the function has no argument for it"
		}
	}
	for _, t := range w.sig.Inputs { // other tensors, in the order of names
		if _, ok := flat[t.Path[0]]; ok {
			t.Unknown = reason
			t.setParts()
			inputs = append(inputs, t)
		}
	}
	w.sig.Inputs = inputs
}

// inputsByUserName makes an input from each of the user's names. The input of a name with one
// tensor is dense; the structure of an input with several tensors is unknown.
func (f *function) inputsByUserName(given []string, take func([]string) []Component, reason string) (inputs []TensorSpec) {
	if len(f.userNames) < len(given) {
		return nil
	}
	users := f.userNames[:len(given)]
	count := map[string]int{}
	for _, name := range users {
		count[name]++
	}
	for i, n := 0, 1; i < len(users); i, n = i+n, 1 {
		for i+n < len(users) && users[i+n] == users[i] {
			n++
		}
		t := TensorSpec{Path: []string{users[i]}, Components: take(given[i : i+n])}
		if count[users[i]] == 1 {
			t.DType, t.Shape = t.Components[0].DType, t.Components[0].Shape
		} else {
			t.Unknown = reason
		}
		t.setParts()
		inputs = append(inputs, t)
	}
	return inputs
}

// checkComponents compares the dtypes of the components with the dtype of the tensor.
func (t *TensorSpec) checkComponents() {
	if t.Unknown != "" {
		return
	}
	for i := range t.Components {
		c := &t.Components[i]
		want := t.DType
		switch c.Part {
		case RowSplits:
			want = t.SplitsDType
		case Indices, DenseShape:
			want = tensor.Int64
		}
		if c.DType != want {
			t.Unknown = fmt.Sprintf("the signature has dtype %v for %q, its function has %v", c.DType, c.Name, want)
		}
	}
	t.setParts()
}
