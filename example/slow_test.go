package example_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// This file is a second implementation of the dialect: slow and simple, with its own decoder of the wire format. It
// first reads a message into trees of fields, and then interprets them. The package must agree with it on values
// and on the class of errors.

// A tree holds the fields of one message.
type tree []node

type node struct {
	num    int
	wire   int
	value  uint64 // wire 0
	body   []byte // wire 1, 2, 5
	padded bool
	start  int // where the field begins in its message
}

func slowVarint(b []byte) (v uint64, rest []byte, err error) {
	for n := range 10 {
		if n == len(b) {
			return 0, nil, io.ErrUnexpectedEOF
		}
		if n == 9 && b[n] > 1 {
			return 0, nil, example.ErrOverflow
		}
		v |= uint64(b[n]&127) << (7 * n)
		if b[n] < 128 {
			return v, b[n+1:], nil
		}
	}
	panic("the tenth byte is above 1 or ends the varint")
}

// slowTag reads a tag.
func slowTag(b []byte) (n node, rest []byte, err error) {
	t, rest, err := slowVarint(b)
	if err != nil {
		return n, nil, err
	}
	if t>>3 == 0 || t>>3 >= 1<<29 {
		return n, nil, example.ErrWireType
	}
	n.num, n.wire = int(t>>3), int(t&7)
	n.padded = len(b)-len(rest) > len(binary.AppendUvarint(nil, t))
	return n, rest, nil
}

// slowField reads one field, or a whole group.
func slowField(b []byte) (n node, rest []byte, err error) {
	n, rest, err = slowTag(b)
	if err != nil {
		return n, nil, err
	}
	size := uint64(0)
	switch n.wire {
	case 0:
		n.value, rest, err = slowVarint(rest)
		return n, rest, err
	case 1:
		size = 8
	case 2:
		if size, rest, err = slowVarint(rest); err != nil {
			return n, nil, err
		}
	case 3:
		for {
			inner, after, err := slowTag(rest)
			if err != nil {
				return n, nil, err
			}
			if inner.wire == 4 {
				if inner.num != n.num {
					return n, nil, example.ErrWireType
				}
				return n, after, nil
			}
			if _, rest, err = slowField(rest); err != nil {
				return n, nil, err
			}
		}
	case 5:
		size = 4
	default:
		return n, nil, example.ErrWireType
	}
	if size > uint64(len(rest)) {
		return n, nil, io.ErrUnexpectedEOF
	}
	n.body = rest[:size]
	return n, rest[size:], nil
}

func slowFields(b []byte) (tree, error) {
	var t tree
	for rest := b; len(rest) > 0; {
		n, after, err := slowField(rest)
		if err != nil {
			return t, err // also the fields before the error: errors of an entry are reported in order
		}
		n.start = len(b) - len(rest)
		t = append(t, n)
		rest = after
	}
	return t, nil
}

// A reading is a decoder's result for one Feature. Values are text: "5", "3f800000" (the bits of a float), or the
// bytes of a string.
type tensorflowValue struct {
	kind   example.Kind
	values []string
}

func (r tensorflowValue) String() string { return fmt.Sprintf("%v %q", r.kind, r.values) }

func (r tensorflowValue) equal(s tensorflowValue) bool {
	return r.kind == s.kind && slices.Equal(r.values, s.values)
}

// slowList reads a list. lost reports that one of its fields 1 was not a value.
func slowList(kind example.Kind, b []byte) (values []string, lost bool, err error) {
	t, err := slowFields(b)
	for _, n := range t { // errors are reported in order: those before err first
		switch {
		case n.num != 1:
		case kind == example.BytesList && n.wire == 2:
			values = append(values, string(n.body))
		case kind == example.FloatList && (n.wire == 2 || n.wire == 5):
			if len(n.body)%4 != 0 {
				return nil, false, example.ErrPacked
			}
			for v := range slices.Chunk(n.body, 4) {
				values = append(values, fmt.Sprintf("%08x", binary.LittleEndian.Uint32(v)))
			}
		case kind == example.Int64List && n.wire == 2:
			for rest := n.body; len(rest) > 0; {
				var v uint64
				var err error
				if v, rest, err = slowVarint(rest); err != nil {
					return nil, false, err
				}
				values = append(values, strconv.FormatInt(int64(v), 10))
			}
		case kind == example.Int64List && n.wire == 0:
			values = append(values, strconv.FormatInt(int64(n.value), 10))
		default:
			lost = true
		}
	}
	return values, lost, err
}

// slowConforming reads a Feature like a conforming decoder. lost is the class of the last known field that it
// dropped.
func slowConforming(b []byte) (r tensorflowValue, lost, err error) {
	t, err := slowFields(b)
	for _, n := range t {
		if n.num > 3 {
			continue
		}
		if n.wire != 2 {
			lost = example.ErrWireType
			continue
		}
		kind := example.Kind(n.num)
		values, l, err := slowList(kind, n.body)
		if err != nil {
			return r, nil, err
		}
		if l {
			lost = example.ErrWireType
		}
		if r.kind != kind {
			if r.kind != example.Unset {
				lost = example.ErrAmbiguous
			}
			r = tensorflowValue{kind: kind}
		}
		r.values = append(r.values, values...)
	}
	return r, lost, err
}

// slowTensorFlow reads a valid Feature like TensorFlow's Example parser, and returns the fields that it ignored. It
// returns false if it refuses the Feature.
func slowTensorFlow(b []byte) (r tensorflowValue, rest []byte, ok bool) {
	t, _ := slowFields(b)
	if len(t) == 0 {
		return r, nil, true
	}
	n := t[0]
	if n.num > 3 || n.wire != 2 || n.padded {
		return r, nil, false
	}
	kind := example.Kind(n.num)
	after := b
	if len(t) > 1 {
		after = b[t[1].start:]
	} else {
		after = nil
	}
	list, _ := slowFields(n.body)
	if len(list) > 0 && kind != example.BytesList && list[0].num == 1 && list[0].wire == 2 && !list[0].padded {
		chunk := n.body
		if len(list) > 1 {
			chunk, after = n.body[:list[1].start], append(slices.Clone(n.body[list[1].start:]), after...)
		}
		values, _, _ := slowList(kind, chunk)
		return tensorflowValue{kind, values}, after, true
	}
	want := map[example.Kind]int{example.BytesList: 2, example.FloatList: 5, example.Int64List: 0}[kind]
	for _, v := range list {
		if v.num != 1 || v.wire != want || v.padded {
			return r, nil, false
		}
	}
	values, _, _ := slowList(kind, n.body)
	return tensorflowValue{kind, values}, after, true
}

// slowResolve applies the three rules to one Feature.
func slowResolve(b []byte, step bool) (tensorflowValue, error) {
	ours, lost, err := slowConforming(b)
	if err != nil {
		return ours, err
	}
	theirs, rest, ok := slowTensorFlow(b)
	switch {
	case !ok && lost != nil:
		return ours, lost
	case !ok:
		return ours, nil
	case !ours.equal(theirs):
		return ours, example.ErrAmbiguous
	case step && len(rest) > 0 && rest[0] == 0x0a:
		return ours, example.ErrAmbiguous
	case step && len(rest) > 0 && lost != nil:
		return ours, lost
	}
	return ours, nil
}

// slowMap reads the entries of a Features or FeatureLists message.
func slowMap(b []byte, into map[string][][]byte) error {
	t, err := slowFields(b)
	for _, n := range t {
		if n.num != 1 {
			continue
		}
		if n.wire != 2 {
			return example.ErrWireType
		}
		var keys, values [][]byte
		e, err := slowFields(n.body)
		for _, f := range e {
			switch {
			case f.num > 2:
			case f.wire != 2:
				return example.ErrWireType
			case f.num == 1:
				keys = append(keys, f.body)
			default:
				values = append(values, f.body)
			}
		}
		if err != nil {
			return err
		}
		if len(keys) != 1 || len(values) != 1 {
			return example.ErrEntry
		}
		into[string(keys[0])] = append(into[string(keys[0])], values[0])
	}
	return err
}

// A slowMessage has every occurrence of every name, in wire order, up to the first error of the framing.
type slowMessage struct {
	sequence        bool
	features, lists map[string][][]byte
	fault           error
}

func slowRead(b []byte, sequence bool) slowMessage {
	m := slowMessage{sequence: sequence, features: map[string][][]byte{}, lists: map[string][][]byte{}}
	m.fault = m.read(b)
	return m
}

func (m slowMessage) read(b []byte) error {
	t, err := slowFields(b)
	for _, n := range t {
		into := m.features
		if n.num == 2 && m.sequence {
			into = m.lists
		} else if n.num != 1 {
			continue
		}
		if n.wire != 2 {
			continue
		}
		if n.padded {
			return example.ErrAmbiguous
		}
		if err := slowMap(n.body, into); err != nil {
			return err
		}
	}
	return err
}

// feature returns the value of a name, and whether it exists. An earlier duplicate is checked when the later one is
// read, the value at the end.
func (m slowMessage) feature(name string) (r tensorflowValue, ok bool, err error) {
	seen := m.features[name]
	if len(seen) == 0 {
		return r, false, m.fault
	}
	kinds := 0
	for _, b := range seen[:len(seen)-1] {
		r, _, err := slowConforming(b)
		if err != nil {
			return r, false, err
		}
		if r.kind != example.Unset {
			kinds++
		}
	}
	if m.fault != nil {
		return r, false, m.fault
	}
	last := seen[len(seen)-1]
	if !m.sequence && kinds > 0 {
		if r, _, err := slowConforming(last); err == nil && r.kind == example.Unset {
			return r, false, example.ErrAmbiguous
		}
	}
	r, err = slowResolve(last, false)
	return r, err == nil, err
}

// list returns the steps of a name, and whether the list exists.
func (m slowMessage) list(name string) (steps []tensorflowValue, ok bool, err error) {
	seen := m.lists[name]
	if len(seen) == 0 {
		return nil, false, m.fault
	}
	for i, b := range seen {
		if i == len(seen)-1 && m.fault != nil {
			return nil, false, m.fault
		}
		t, err := slowFields(b)
		for _, n := range t {
			if n.num != 1 {
				continue
			}
			if n.wire != 2 {
				return nil, false, example.ErrWireType
			}
			if i < len(seen)-1 {
				if _, _, err := slowConforming(n.body); err != nil {
					return nil, false, err
				}
				continue
			}
			r, err := slowResolve(n.body, true)
			if err != nil {
				return nil, false, err
			}
			steps = append(steps, r)
		}
		if err != nil {
			return nil, false, err
		}
	}
	return steps, true, nil
}

// classes are the errors that errors.Is distinguishes.
var classes = []error{io.ErrUnexpectedEOF, example.ErrOverflow, example.ErrWireType, example.ErrEntry, example.ErrAmbiguous, example.ErrPacked, example.ErrKind}

// class returns the class of err, or nil if err is nil. Every error must have exactly one class.
func class(err error) error {
	if err == nil {
		return nil
	}
	var found error
	for _, c := range classes {
		if errors.Is(err, c) {
			if found != nil {
				panic(fmt.Sprintf("%v is of two classes", err))
			}
			found = c
		}
	}
	if found == nil {
		panic(fmt.Sprintf("%v is of no class", err))
	}
	return found
}
