package model

import (
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/wire"
)

const libraryPath = "meta_graphs.graph_def.library.function"

// eachDefinition calls f for the FunctionDef messages that have one of the names in want.
func (g *graph) eachDefinition(want func(name string) bool, f func(name string, e extent) error) error {
	for _, library := range g.libraries {
		err := g.eachField(library, libraryPath, func(def field) error {
			if def.num != 1 || def.typ != wire.TypeBytes {
				return nil
			}
			name, err := g.definitionName(def.body)
			if err != nil || !want(name) {
				return err
			}
			if err := g.countElement(def.offset, libraryPath); err != nil {
				return err
			}
			return f(name, def.body)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// definitionName reads the name of a FunctionDef: signature.name.
func (g *graph) definitionName(e extent) (name string, err error) {
	for e.lo < e.hi {
		f, err := g.nextField(&e, libraryPath)
		if err != nil {
			return "", err
		}
		if f.num != 1 || f.typ != wire.TypeBytes {
			continue
		}
		for sig := f.body; sig.lo < sig.hi; {
			f, err := g.nextField(&sig, libraryPath)
			if err != nil {
				return "", err
			}
			const most = 1 << 12 // length of a name; TensorFlow's are much shorter
			if f.num == 1 && f.body.hi-f.body.lo <= most {
				before := g.loaded
				name, err = g.loadText(f, libraryPath)
				g.loaded = before // the name is not kept
				return name, err
			}
		}
	}
	return "", nil
}

// readInputArgs reads the names of the arguments of an OpDef.
func (g *graph) readInputArgs(e extent) (names []string, err error) {
	const path = libraryPath + ".signature"
	err = g.eachField(e, path, func(f field) error {
		if f.num != 2 || f.typ != wire.TypeBytes {
			return nil
		}
		if err := g.countElement(f.offset, path); err != nil {
			return err
		}
		name := ""
		err := g.eachField(f.body, path, func(f field) (err error) {
			if f.num == 1 {
				name, err = g.loadText(f, path)
			}
			return err
		})
		names = append(names, name)
		return err
	})
	return names, err
}

// followCalls finds the function that each wrapper calls. If that function is a wrapper, it follows
// the call in it.
func (g *graph) followCalls(wrappers []*wrapper) error {
	const most = 8 // maximum number of times that a model was loaded and saved again
	for range most {
		if err := g.readCalls(wrappers); err != nil {
			return err
		}
		var outer []*wrapper
		for _, w := range wrappers {
			if strings.HasPrefix(w.callee, "__inference_signature_wrapper_") || strings.HasPrefix(w.callee, "__inference_restored_function_body_") {
				w.function, w.keys = w.callee, w.callKeys
				outer = append(outer, w)
			}
		}
		if wrappers = outer; wrappers == nil {
			return nil
		}
	}
	return nil
}

// readCalls finds the call in each wrapper, and which tensors of the signature are its arguments.
func (g *graph) readCalls(wrappers []*wrapper) error {
	byFunction := map[string][]*wrapper{}
	for _, w := range wrappers {
		if w.function != "" {
			byFunction[w.function] = append(byFunction[w.function], w)
		}
	}
	want := func(name string) bool { return byFunction[name] != nil }
	return g.eachDefinition(want, func(name string, e extent) error {
		var args []string
		var callee string
		var inputs []string
		calls := 0
		err := g.eachField(e, libraryPath, func(f field) (err error) {
			if f.typ != wire.TypeBytes {
				return nil
			}
			switch f.num {
			case 1:
				args, err = g.readInputArgs(f.body)
			case 3: // node_def
				var ok bool
				if ok, err = g.isCall(f.body); !ok || err != nil {
					return err
				}
				calls++
				var m message
				if m, err = g.loadMessage(f.body, libraryPath+".node_def"); err == nil {
					callee, inputs, err = m.readCall()
				}
			}
			return err
		})
		if err != nil || calls != 1 {
			return err
		}
		for _, w := range byFunction[name] {
			w.setCall(callee, args, inputs)
		}
		return nil
	})
}

// setCall sets the call of a wrapper. inputs are arguments of the wrapper, followed by captured tensors.
func (w *wrapper) setCall(callee string, args, inputs []string) {
	keys := map[string]string{} // keys of the signature, by argument of the wrapper
	seen := map[string]bool{}
	for i, arg := range args[:min(len(args), len(w.keys))] {
		if seen[w.keys[i]] {
			return // TensorFlow does not write a key twice
		}
		keys[arg], seen[w.keys[i]] = w.keys[i], true
	}
	w.callee, w.callKeys = callee, nil
	for i, in := range inputs {
		key, ok := keys[in]
		switch {
		case !ok:
			continue
		case len(w.callKeys) < i:
			w.callee, w.callKeys = "", nil // an argument follows a captured tensor
			return
		}
		delete(keys, in) // a second use of a tensor is not another argument
		w.callKeys = append(w.callKeys, key)
	}
}

// isCall reports whether a NodeDef calls a function.
func (g *graph) isCall(e extent) (ok bool, err error) {
	err = g.eachField(e, libraryPath+".node_def", func(f field) error {
		if f.num == 2 && f.body.hi-f.body.lo <= int64(len("StatefulPartitionedCall")) {
			op, err := g.loadText(f, libraryPath+".node_def")
			ok = op == "PartitionedCall" || op == "StatefulPartitionedCall"
			return err
		}
		return nil
	})
	return ok, err
}

// readCall reads a NodeDef: the function that it calls, and its inputs.
func (m message) readCall() (callee string, inputs []string, err error) {
	err = m.eachField(func(v fieldValue) error {
		switch v.num {
		case 3:
			if err := m.src.countElement(m.at, m.path); err != nil {
				return err
			}
			name, err := v.readText()
			inputs = append(inputs, name)
			return err
		case 5: // attr
			entry, err := v.message()
			if err != nil {
				return err
			}
			key, attr, err := entry.readEntry()
			if err != nil || key != "f" {
				return err
			}
			return attr.eachMessage(10, func(f message) error {
				return f.eachField(func(v fieldValue) (err error) {
					if v.num == 1 {
						callee, err = v.readText()
					}
					return err
				})
			})
		}
		return nil
	})
	return callee, inputs, err
}

// readUserNames reads the user's names of tensors, for functions whose structure is not in the file.
func (g *graph) readUserNames(functions map[string]*function) error {
	want := func(name string) bool { f := functions[name]; return f != nil && !f.hasStructure }
	return g.eachDefinition(want, func(name string, e extent) error {
		f := functions[name]
		var args []string
		users := map[string]string{} // user's names, by index of the argument
		err := g.eachField(e, libraryPath, func(field field) (err error) {
			if field.typ != wire.TypeBytes {
				return nil
			}
			switch field.num {
			case 1:
				args, err = g.readInputArgs(field.body)
			case 7: // arg_attr
				if err = g.countElement(field.offset, libraryPath); err != nil {
					return err
				}
				var m message
				if m, err = g.loadMessage(field.body, libraryPath+".arg_attr"); err == nil {
					err = m.readUserName(users)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		f.userNames = make([]string, len(args))
		for i := range args {
			user, ok := users[strconv.Itoa(i)]
			if !ok {
				f.userNames = nil
				return nil
			}
			f.userNames[i] = user
			if i+1 < len(args) && users[strconv.Itoa(i+1)] == "" {
				f.userNames = f.userNames[:i+1] // captured tensors have no names
				return nil
			}
		}
		return nil
	})
}

// readUserName reads an entry of FunctionDef.arg_attr.
func (m message) readUserName(users map[string]string) error {
	index, user := uint64(0), ""
	err := m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1:
			index, err = v.number()
		case 2:
			var attrs message
			if attrs, err = v.message(); err != nil {
				return err
			}
			return attrs.eachMessage(1, func(entry message) error {
				key, attr, err := entry.readEntry()
				if err != nil || key != "_user_specified_name" {
					return err
				}
				return attr.eachField(func(v fieldValue) (err error) {
					if v.num == 2 {
						user, err = v.readText()
					}
					return err
				})
			})
		}
		return err
	})
	users[strconv.FormatUint(index, 10)] = user
	return err
}
