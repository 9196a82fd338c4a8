package detect

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/tfparse/tfparse/example"
)

// records returns the records of an uncompressed TFRecord in testdata.
func records(t *testing.T, name string) (all [][]byte) {
	t.Helper()
	b, err := os.ReadFile("../../testdata/" + name + ".tfrecord")
	if err != nil {
		t.Fatal(err)
	}
	for len(b) > 0 {
		n := binary.LittleEndian.Uint64(b)
		all = append(all, b[12:12+n])
		b = b[12+n+4:]
	}
	return all
}

// TestIdentify reads what TensorFlow, and others, write.
func TestIdentify(t *testing.T) {
	for name, want := range map[string]string{
		"messages/events":    "tensorboard-event",
		"messages/snapshot":  "tensor",
		"messages/warmup":    "prediction-log",
		"messages/classify":  "prediction-log",
		"messages/frames":    "waymo-frame",
		"messages/scenarios": "waymo-scenario",
		"messages/variants":  "",
		"recipes":            "",
		"ranking":            "",
	} {
		all := records(t, name)
		if got := Identify(append(all, nil)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		for i, rec := range all {
			if got := Identify([][]byte{rec}); got != want {
				t.Errorf("%s: record %d: %q, want %q", name, i, got, want)
			}
		}
		if got := Identify(append(all, []byte("\x9a\x01\x00"))); got != "" { // field 19
			t.Errorf("%s: with a record of something else: %q", name, got)
		}
	}
	if got := Identify([][]byte{nil, {}}); got != "" {
		t.Errorf("nothing looks like %q", got)
	}
}

// What is not exactly like one of those messages is not taken for one.
func TestIdentifyNot(t *testing.T) {
	number := func(num, n byte) []byte { return []byte{num << 3, n} }
	join := func(parts ...[]byte) (msg []byte) {
		for _, p := range parts {
			msg = append(msg, p...)
		}
		return msg
	}
	unset := messageOf(1, "a", nil)
	for _, c := range []struct {
		name string
		msg  []byte
	}{
		{"a list with a context of one feature without kind", field(2, unset)},
		{"a list with an example and a context", join(field(1, unset), field(2, unset))},
		{"feature lists without steps", messageOf(2, "a", nil)},
		{"feature lists", messageOf(2, "a", field(1, nil))},
		{"an Example with fields of its writer", join(unset, number(2, 1), field(3, nil), field(6, field(1, nil)))},
		{"a message that begins like a Frame", join(field(1, field(1, []byte("name"))), number(2, 1))},
		{"a message that begins like a TensorProto", join(number(1, 1), field(2, []byte("text")))},
		{"damage", join(number(1, 1), field(2, nil), []byte{0x22, 0x05})},
		{"text", []byte("hello, world")},
	} {
		if got := Identify([][]byte{c.msg}); got != "" {
			t.Errorf("%s looks like %q", c.name, got)
		}
	}
}

// TestForeign reads other messages, all of which TensorFlow and protocol buffers
// take for empty Examples, or refuse.
func TestForeign(t *testing.T) {
	types := []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList}
	for _, name := range []string{"events", "snapshot", "warmup", "classify", "frames", "scenarios", "variants"} {
		all := records(t, "messages/"+name)
		if got, ok := Detect(all); ok {
			t.Errorf("%s: taken for %v", name, got)
		}
		for i, rec := range all {
			for _, typ := range types {
				if !Foreign(typ, rec) && typ.Validate(rec) == nil && (name != "variants" || typ == example.TypeExample) {
					t.Errorf("%s: record %d passes for %v", name, i, typ)
				}
			}
		}
	}

	unknown := []byte{0x1a, 0x01, 'x'}
	unset := messageOf(1, "a", nil)
	kind := messageOf(1, "a", []byte{0x1a, 0x00})
	for _, c := range []struct {
		name  string
		msg   []byte
		shows string // of the types example, sequence, elwc; . or x for each
		other string // the types that it is another message than
	}{
		{"empty", nil, "...", "..."},
		{"without features", []byte{0x0a, 0x00}, "...", "..."},
		{"without features, with an unknown field", append([]byte{0x0a, 0x00}, unknown...), "...", "..."},
		{"unknown fields", unknown, "...", "xxx"},
		{"unknown fields inside", field(1, unknown), "...", "xxx"},
		{"a field of another wire type", []byte{0x08, 0x01}, "...", "xxx"},
		{"a feature without kind", unset, "xx.", "..x"},
		{"a feature", kind, "xx.", "..x"},
		{"a feature with an unknown field", append(kind[:len(kind):len(kind)], unknown...), "xx.", "..x"},
		{"a feature of no kind that there is", messageOf(1, "a", []byte{0x08, 0x01}), "...", "..."},
		{"a feature list", messageOf(2, "a", field(1, []byte{0x1a, 0x00})), ".x.", "x.x"},
		{"an example in a list", field(1, kind), "..x", "xx."},
		{"a context in a list", field(2, kind), "..x", "xx."},
		{"an entry without a value", field(1, field(1, field(1, []byte("a")))), "...", "..."},
		{"a feature, and what follows is cut off", join2(kind, []byte{0x0a, 0x20, 0x0a}), "xx.", "..."},
		{"features that are cut off", []byte("\x0a\x20\x0a\x07\x0a\x01a\x12\x02\x1a\x00\x0a"), "xx.", "..."},
		{"cut off in the first feature", []byte("\x0a\x20\x0a\x07\x0a\x01a\x12"), "...", "..."},
		{"damage", []byte("\x1f\x8b\x08\x00"), "...", "..."},
	} {
		for i, typ := range types {
			if got := Shows(typ, c.msg); got != (c.shows[i] == 'x') {
				t.Errorf("%s: shows %v: %v", c.name, typ, got)
			}
			if got := Foreign(typ, c.msg); got != (c.other[i] == 'x') {
				t.Errorf("%s: another message than %v: %v", c.name, typ, got)
			}
		}
	}
}

func join2(a, b []byte) []byte { return append(a[:len(a):len(a)], b...) }
