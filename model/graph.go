package model

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

const objectsPath = "meta_graphs.object_graph_def"

// A graph is the parts of a MetaGraphDef with the structure of its signatures:
//
//	object_graph_def.nodes[0].children["signatures"] -> the node of the signatures
//	        .children["serving_default"]             -> its bare_concrete_function: the wrapper
//	graph_def.library.function[wrapper]              -> its one call: the callee, and its arguments in order
//	object_graph_def.concrete_functions[callee]      -> the nested arguments
//	object_graph_def.nodes[…].function               -> the names of the arguments
//
// Two kinds of models differ. A model that was loaded and saved again has wrappers that call the
// wrapper, see follow. The structure of an exported concrete function may be saved under another
// name, since TensorFlow traced it again, see trace.
type graph struct {
	*source
	libraries []extent // FunctionDefLibrary messages
	objects   []extent // SavedObjectGraph messages

	nodes int      // number of nodes in all objects
	marks []extent // of every node whose index divides by markDistance: from its field to the end of its object graph
}

// markDistance is the number of nodes from one mark to the next. To find a node, fewer are skipped.
const markDistance = 64

// A wrapper is the wrapper function of a signature, and the call in it.
type wrapper struct {
	sig      *Signature
	function string   // its name; empty if it is not in the file
	keys     []string // the signature's keys of its arguments, in order

	callee string   // name of the called function; empty if there is not exactly one call
	given  []string // keys of the arguments of the call, in order
}

// resolve replaces the tensors of signatures by the arguments of the functions that they call.
func (g *graph) resolve(signatures []Signature) error {
	if len(g.objects) == 0 || len(signatures) == 0 {
		return nil // a model of TensorFlow 1: the signature has the structure
	}
	wrappers, err := g.wrappers(signatures)
	if err != nil {
		return err
	}
	if err := g.follow(wrappers); err != nil {
		return err
	}
	wanted := newFunctions()
	for _, w := range wrappers {
		wanted.add(w.callee)
	}
	if err := g.functions(wanted); err != nil {
		return err
	}
	if err := g.userNames(wanted.byName); err != nil {
		return err
	}
	for _, w := range wrappers {
		f := wanted.byName[w.callee] // nil if there is no callee
		if f != nil && !f.saved {
			if trace := w.trace(f, wanted.traces[pythonName(w.callee)]); trace != nil {
				f = trace
			}
		}
		w.resolve(f)
	}
	return nil
}

// index counts the nodes of the object graph and records the marks.
func (g *graph) index() error {
	for _, e := range g.objects {
		for e.lo < e.hi {
			rest := e
			f, err := g.next(&e, objectsPath)
			if err != nil {
				return err
			}
			if f.num != 1 {
				continue
			}
			if f.typ != wire.TypeBytes {
				return g.errorAt(f.at, objectsPath, ErrMessage, "want a node")
			}
			if g.nodes%markDistance == 0 {
				g.marks = append(g.marks, rest)
			}
			g.nodes++
		}
	}
	return nil
}

// node finds a node. ok is false if there is none.
func (g *graph) node(id uint64) (e extent, ok bool, err error) {
	if id >= uint64(g.nodes) {
		return e, false, nil
	}
	rest, skip := g.marks[id/markDistance], int(id%markDistance)
	for i := slices.IndexFunc(g.objects, func(o extent) bool { return o.hi == rest.hi }); ; {
		for rest.lo < rest.hi {
			f, err := g.next(&rest, objectsPath)
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

// children calls f for each child of a node.
func (g *graph) children(e extent, f func(name string, id uint64) error) error {
	const path = objectsPath + ".nodes.children"
	return g.each(e, path, func(child field) error {
		if child.num != 1 || child.typ != wire.TypeBytes {
			return nil
		}
		if err := g.element(child.at, path); err != nil {
			return err
		}
		var name string
		var id uint64
		err := g.each(child.body, path, func(f field) (err error) {
			switch {
			case f.num == 1 && f.typ == wire.TypeVarint:
				id = f.v
			case f.num == 2:
				name, err = g.text(f, path)
			}
			return err
		})
		if err != nil {
			return err
		}
		return f(name, id)
	})
}

// wrappers finds the wrapper functions of the signatures, in their order.
func (g *graph) wrappers(signatures []Signature) (all []*wrapper, err error) {
	byName := map[string]*wrapper{}
	for i := range signatures {
		w := &wrapper{sig: &signatures[i]}
		all = append(all, w)
		byName[signatures[i].Name] = w
	}
	if err := g.index(); err != nil {
		return all, err
	}
	root, ok, err := g.node(0)
	if !ok || err != nil {
		return all, err
	}
	var signaturesNode uint64
	err = g.children(root, func(name string, id uint64) error {
		if name == "signatures" {
			signaturesNode = id
		}
		return nil
	})
	if err != nil || signaturesNode == 0 {
		return all, err
	}
	node, ok, err := g.node(signaturesNode)
	if !ok || err != nil {
		return all, err
	}
	err = g.children(node, func(name string, id uint64) error {
		w := byName[name]
		if w == nil {
			return nil
		}
		delete(byName, name) // the first child counts
		node, ok, err := g.node(id)
		if !ok || err != nil {
			return err
		}
		const path = objectsPath + ".nodes.bare_concrete_function"
		return g.each(node, path, func(f field) error {
			if f.num != 8 || f.typ != wire.TypeBytes {
				return nil
			}
			m, err := g.load(f.body, path)
			if err != nil {
				return err
			}
			return m.each(func(v value) (err error) {
				switch v.num {
				case 1:
					w.function, err = v.text()
				case 2:
					var key string
					if err = g.element(f.at, path); err == nil {
						key, err = v.text()
					}
					w.keys = append(w.keys, key)
				}
				return err
			})
		})
	})
	return all, err
}

// resolve sets the inputs of a signature.
func (w *wrapper) resolve(f *function) {
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
	given, reason := w.given, "the function of the signature is not in the file"
	for _, name := range given {
		if _, ok := flat[name]; !ok {
			f, reason = nil, fmt.Sprintf("its function takes %q, which the signature does not have", name)
			break
		}
	}
	switch {
	case f == nil:
	case !f.saved:
		reason = "its structure was not saved: save the function as an attribute, with an input_signature"
		inputs = f.inputsByUserName(given, take, reason)
	default:
		reason = f.nest.lost
		for _, l := range f.nest.leaves {
			if l.count > len(given) {
				reason = fmt.Sprintf("the signature has too few tensors for argument %q of %d", l.spec.Name(), l.count)
				break
			}
			l.spec.Components = take(given[:l.count])
			given = given[l.count:]
			l.spec.setParts()
			l.spec.check()
			inputs = append(inputs, l.spec)
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

// inputsByUserName makes inputs from the user's names of tensors: the name of one tensor is a dense
// input, the name of several tensors is an input of unknown structure.
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

// check compares the types of the components with those of the tensor.
func (t *TensorSpec) check() {
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
			want = Int64
		}
		if c.DType != want {
			t.Unknown = fmt.Sprintf("the signature has %v for %q, its function %v", c.DType, c.Name, want)
		}
	}
	t.setParts()
}
