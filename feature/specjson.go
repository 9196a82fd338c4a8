package feature

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/nearest"
)

// UnmarshalJSON replaces the spec by the one in a JSON document:
//
//	{"features": {
//	   "label": {"fixed_len": {"dtype": "int64", "shape": [], "default": [0]}},
//	   "seq":   {"fixed_len_sequence": {"dtype": "float32", "shape": [2], "default": -1}},
//	   "tags":  {"var_len": {"dtype": "string"}},
//	   "bag":   {"sparse": {"index_key": ["ix"], "value_key": "val", "dtype": "float32", "size": [100]}},
//	   "doc":   {"ragged": {"dtype": "int64", "value_key": "tokens",
//	                        "partitions": [{"row_lengths": "para"}, {"uniform_row_length": 2}]}}},
//	 "context": {…}, "sequence": {…}, "examples": {…}}
//
// The partitions are row_splits, row_lengths, row_starts, row_limits,
// value_row_ids and uniform_row_length. A default is a number, "NaN",
// "Infinity", "-Infinity", a string, {"b64": …}, or a list of them, nested at
// will. fixed_len_sequence has allow_missing, sparse already_sorted; index_key and
// size are both lists, or a string and a number. All kinds but sparse may say how strings are decoded:
//
//	"decode": {"raw": {"dtype": "int16", "shape": [-1, "width", {"feature": "sizes", "index": 2}],
//	                   "big_endian": true, "zlib": true, "bitcast": "float16"}}
//	"decode": {"tensor_proto": {"dtype": "float32", "shape": [-1, 13]}}
//	"decode_raw": "int16"
//
// where all members but the dtype of raw may be left out, and the last form is short for the first.
//
// A name or key that is not UTF-8,
// or begins with "b64:", is written as "b64:" and its base64.
//
// A member that is unknown, missing, given twice or of another type is an error. The
// error joins all of them, and then also those that Validate finds in the rest. It does
// not call Validate otherwise; NewParser does.
func (s *Spec) UnmarshalJSON(b []byte) error {
	root, err := parseJSON(b)
	if err != nil {
		return fmt.Errorf("spec: %w", err)
	}
	r := specReader{}
	out := r.readSpec(root)
	if len(r.errs) > 0 {
		rest := checker{maxDepth: math.MaxInt}
		rest.checkSpec(out)
		for _, e := range rest.errs {
			if se := e.(*SpecError); !se.Whole { // a group may be empty because its members were refused
				r.errs = append(r.errs, e)
			}
		}
		return errors.Join(r.errs...)
	}
	*s = out
	return nil
}

// A specReader makes a spec of a JSON tree, and collects the errors in it.
type specReader struct {
	errs  []error // each a *SpecError
	group Group   // of the feature that is read
	name  string  // of the feature that is read
	whole bool    // no feature is being read
}

func (r *specReader) failf(format string, args ...any) {
	r.errs = append(r.errs, &SpecError{Group: r.group, Feature: r.name, Whole: r.whole, Err: fmt.Errorf(format, args...)})
}

func (r *specReader) readSpec(root *jsonNode) (s Spec) {
	r.whole = true
	for _, m := range r.readObject(root, "the document") {
		r.whole = true
		g := InFeatures
		for g <= InExamples && g.String() != m.name {
			g++
		}
		if g > InExamples {
			r.failf("unknown member %q: want features, context, sequence or examples", m.name)
			continue
		}
		fs := Features{}
		for _, f := range r.readObject(m.node, m.name) {
			r.group, r.whole = g, false
			name, err := jsonscan.ParseName(f.name)
			r.name = name
			if err != nil {
				r.failf("%v", err)
			} else if feature := r.readFeature(f.node); feature != nil {
				fs[name] = feature
			}
		}
		*s.Group(g) = fs
	}
	return s
}

// readObject returns the members of an object, the first of each name.
func (r *specReader) readObject(n *jsonNode, what string) []jsonMember {
	if n.kind != objectNode {
		r.failf("%s is %s, want an object", what, n.kind)
		return nil
	}
	out := make([]jsonMember, 0, len(n.members))
	seen := make(map[string]bool, len(n.members))
	for _, m := range n.members {
		if seen[m.name] {
			r.failf("%s has member %q twice", what, m.name)
			continue
		}
		seen[m.name] = true
		out = append(out, m)
	}
	return out
}

// readFeature reads {"kind": {…}}. It returns nil after an error.
func (r *specReader) readFeature(n *jsonNode) Feature {
	before := len(r.errs)
	ms := r.readObject(n, "the feature")
	if len(r.errs) > before {
		return nil
	}
	if len(ms) != 1 {
		r.failf("the feature has %d members, want one: its kind", len(ms))
		return nil
	}
	a := r.newArguments(ms[0].node, ms[0].name)
	var f Feature
	switch kind := ms[0].name; kind {
	case "fixed_len":
		d := a.dtype()
		f = FixedLen{DType: d, Shape: a.shape(), Default: a.value("default", d), Decode: a.decode()}
	case "fixed_len_sequence":
		d := a.dtype()
		q := FixedLenSequence{DType: d, Shape: a.shape(), Default: a.value("default", d), Decode: a.decode()}
		missing, given := a.boolean("allow_missing")
		if q.AllowMissing = missing; given && !missing && r.group != InSequence {
			r.failf("allow_missing is false: only in sequence a list may be required")
		}
		f = q
	case "var_len":
		f = VarLen{DType: a.dtype(), Decode: a.decode()}
	case "sparse":
		q := Sparse{DType: a.dtype(), ValueKey: a.key("value_key", true)}
		q.IndexKeys, q.Size = a.indices()
		q.Sorted, _ = a.boolean("already_sorted")
		f = q
	case "ragged":
		f = Ragged{DType: a.dtype(), ValueKey: a.key("value_key", false), Partitions: a.partitions(), Decode: a.decode()}
	default:
		kinds := []string{"fixed_len", "fixed_len_sequence", "var_len", "sparse", "ragged"}
		r.failf("unknown kind %q: want fixed_len, fixed_len_sequence, var_len, sparse or ragged%s", kind, nearest.Question(kind, kinds))
		return nil
	}
	a.refuseRest()
	if len(r.errs) > before {
		return nil
	}
	return f
}

// arguments holds the JSON members of one feature. Members that are not read are reported as unknown.
type arguments struct {
	r      *specReader
	kind   string       // the name of the kind
	unread []jsonMember // members not read yet
	known  []string     // names of all members that the kind has
}

func (r *specReader) newArguments(n *jsonNode, kind string) *arguments {
	return &arguments{r: r, kind: kind, unread: r.readObject(n, kind)}
}

// takeMember returns a member, nil if it is absent.
func (a *arguments) takeMember(name string) *jsonNode {
	a.known = append(a.known, name)
	for i, m := range a.unread {
		if m.name == name {
			a.unread = slices.Delete(a.unread, i, i+1)
			return m.node
		}
	}
	return nil
}

// needMember is takeMember for a member that is required.
func (a *arguments) needMember(name string) *jsonNode {
	n := a.takeMember(name)
	if n == nil {
		a.r.failf("%s without %s", a.kind, name)
	}
	return n
}

// refuseRest reports the members that were not asked for.
func (a *arguments) refuseRest() {
	for _, m := range a.unread {
		a.r.failf("%s has an unknown member %q%s", a.kind, m.name, nearest.Question(m.name, a.known))
	}
}

func (a *arguments) dtype() (d DType) {
	n := a.needMember("dtype")
	if n == nil {
		return 0
	}
	if n.kind != stringNode {
		a.r.failf("dtype is %s, want a string", n.kind)
	} else if d.UnmarshalText([]byte(n.text)) != nil {
		a.r.failf("dtype %q: want int64, float32 or string", n.text)
	}
	return d
}

func (a *arguments) shape() []int {
	n := a.needMember("shape")
	if n == nil {
		return nil
	}
	if n.kind != arrayNode {
		a.r.failf("shape is %s, want a list of numbers", n.kind)
		return nil
	}
	shape := make([]int, 0, len(n.items))
	for i, it := range n.items {
		d, err := it.integer()
		switch {
		case err != nil:
			a.r.failf("shape: dimension %d is %v, want a number: it must be known", i, err)
		case d < 0 || d > maxElements:
			a.r.failf("shape: dimension %d is %d, want 0 to %d", i, d, maxElements)
		default:
			shape = append(shape, int(d))
		}
	}
	return shape
}

func (a *arguments) boolean(name string) (v, given bool) {
	n := a.takeMember(name)
	if n != nil && n.kind != boolNode {
		a.r.failf("%s is %s, want true or false", name, n.kind)
		return false, false
	}
	return n != nil && n.truth, n != nil
}

// key reads a key of the message, which is not empty.
func (a *arguments) key(name string, required bool) string {
	n := a.takeMember(name)
	if n == nil {
		if required {
			a.r.failf("%s without %s", a.kind, name)
		}
		return ""
	}
	key := a.wireKey(name, n)
	if n.kind == stringNode && n.text == "" {
		a.r.failf("%s is empty", name)
	}
	return key
}

func (a *arguments) wireKey(name string, n *jsonNode) string {
	if n.kind != stringNode {
		a.r.failf("%s is %s, want a string", name, n.kind)
		return ""
	}
	key, err := jsonscan.ParseName(n.text)
	if err != nil {
		a.r.failf("%s: %v", name, err)
	}
	return key
}

func (a *arguments) indices() (keys []string, sizes []int64) {
	k, s := a.needMember("index_key"), a.needMember("size")
	if k == nil || s == nil {
		return nil, nil
	}
	if (k.kind == arrayNode) != (s.kind == arrayNode) {
		a.r.failf("index_key is %s, size is %s: want two lists, or string and number", k.kind, s.kind)
		return nil, nil
	}
	ks, ss := []*jsonNode{k}, []*jsonNode{s}
	if k.kind == arrayNode {
		ks, ss = k.items, s.items
	} else if k.kind == stringNode && k.text == "" {
		a.r.failf("index_key is empty")
	}
	for _, n := range ks {
		keys = append(keys, a.wireKey("index_key", n))
	}
	for _, n := range ss {
		v, err := n.integer()
		if err != nil {
			a.r.failf("size is %v, want a number", err)
		}
		sizes = append(sizes, v)
	}
	return keys, sizes
}

func (a *arguments) partitions() []Partition {
	n := a.takeMember("partitions")
	if n == nil {
		return nil
	}
	if n.kind != arrayNode {
		a.r.failf("partitions is %s, want a list", n.kind)
		return nil
	}
	var ps []Partition
	for i, it := range n.items {
		what := fmt.Sprintf("partition %d", i)
		ms := a.r.readObject(it, what)
		if it.kind == objectNode && len(ms) != 1 {
			a.r.failf("%s has %d members, want one", what, len(ms))
		}
		if len(ms) == 1 {
			ps = append(ps, a.partition(what, ms[0]))
		}
	}
	return ps
}

func (a *arguments) partition(what string, m jsonMember) Partition {
	if m.name == "uniform_row_length" {
		v, err := m.node.integer()
		if err != nil {
			a.r.failf("%s: %s is %v, want a number", what, m.name, err)
		}
		return UniformRowLength(v)
	}
	if PartitionOf(m.name, "") != nil {
		return PartitionOf(m.name, a.wireKey(what, m.node))
	}
	a.r.failf("%s: unknown member %q%s", what, m.name, nearest.Question(m.name, append(PartitionNames(), "uniform_row_length")))
	return UniformRowLength(1)
}

// value reads the values of a default; the zero Value if there is none.
func (a *arguments) value(name string, d DType) example.Value {
	n := a.takeMember(name)
	if n == nil {
		return example.Value{}
	}
	var v example.Value
	switch d {
	case Int64:
		v.Int64s = []int64{}
	case Float32:
		v.Floats = []float32{}
	case String:
		v.Bytes = [][]byte{}
	default:
		return v // the error of the dtype has been reported
	}
	if err := appendDefault(&v, n); err != nil {
		a.r.failf("%s is %v, want %s", name, err, map[DType]string{Int64: "int64 numbers", Float32: "float32 numbers", String: "strings"}[d])
	}
	return v
}

// appendDefault appends the leaves of n to the one list of v that is set.
func appendDefault(v *example.Value, n *jsonNode) error {
	if n.kind == arrayNode {
		for _, it := range n.items {
			if err := appendDefault(v, it); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case v.Int64s != nil:
		x, err := n.integer()
		v.Int64s = append(v.Int64s, x)
		return err
	case v.Floats != nil:
		x, err := n.float()
		v.Floats = append(v.Floats, x)
		return err
	}
	x, err := n.bytes()
	v.Bytes = append(v.Bytes, x)
	return err
}
