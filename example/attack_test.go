package example_test

import (
	"errors"
	"io"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// samples are small messages that use all parts of the format.
func samples(t testing.TB) map[example.MessageType][]byte {
	ex := example.Example{
		"i": example.Int64s(1, 300, -1), "f": example.Floats(1.5, -2), "b": example.Strings("xy", ""),
		"n": {}, "e": example.Int64s(), "": example.Floats(),
	}
	seq := example.Sequence{
		Context: example.Example{"c": example.Int64s(7)},
		Lists:   map[string][]example.Value{"l": {example.Int64s(1), {}, example.Int64s(2, 3)}, "s": {example.Strings("q")}, "z": {}},
	}
	list := example.ExampleList{Context: example.Example{"q": example.Strings("w")}, HasContext: true, Examples: []example.Example{{"d": example.Floats(0.5)}, {}}}
	return map[example.MessageType][]byte{
		example.TypeExample:     marshal(t, ex),
		example.TypeSequence:    marshal(t, seq),
		example.TypeExampleList: marshal(t, list),
	}
}

// A truncated message is an error, unless it ends between two top-level fields. Only the container format, with its
// lengths, detects that.
func TestCutAtEveryByte(t *testing.T) {
	for typ, msg := range samples(t) {
		boundaries := map[int]bool{}
		for rest := msg; len(rest) > 0; {
			boundaries[len(msg)-len(rest)] = true
			_, after, err := slowField(rest)
			if err != nil {
				t.Fatal(err)
			}
			rest = after
		}
		for n, cut := range testkit.Cuts(msg) {
			checkMessage(t, cut)
			err := typ.Validate(cut)
			if boundaries[n] && err != nil || !boundaries[n] && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v cut at byte %d of %d: %v", typ, n, len(msg), err)
			}
		}
	}
}

// The result of a flipped bit depends on the bit, but all readers must agree on it.
func TestFlipEveryBit(t *testing.T) {
	for typ, msg := range samples(t) {
		refused := 0
		for i, flipped := range testkit.Flips(msg) {
			checkMessage(t, flipped)
			err := typ.Validate(flipped)
			if err != nil {
				refused++
				var e *example.Error
				if !errors.As(err, &e) {
					t.Errorf("%v, bit %d: got %v", typ, i, err)
				} else if e.Byte < 0 || e.Byte > len(msg) {
					t.Errorf("%v, bit %d: %v has no place in the message", typ, i, err)
				}
			}
		}
		t.Logf("%v: %d of %d flips refused; the others change a value or a name, or make a field unknown", typ, refused, 8*len(msg))
		if refused == 0 || refused == 8*len(msg) {
			t.Errorf("%v: %d of %d flips refused", typ, refused, 8*len(msg))
		}
	}
}

// Every run of four bytes is overwritten with a false length, or with a tag that begins a group.
func TestOverwriteEveryPlace(t *testing.T) {
	for _, msg := range samples(t) {
		for _, with := range [][]byte{{0xff, 0xff, 0xff, 0x7f}, {0x0b}, {0x0a, 0xff, 0x01}, {0x80}, {0x00}} {
			for _, b := range testkit.Overwrites(msg, with) {
				checkMessage(t, b)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, msg := range samples(f) {
		f.Add(msg)
	}
	for seed := range uint64(40) {
		f.Add(newOddWriter(seed, 0.1).message(seed%2 == 0))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkMessage(t, b) })
}

// FuzzFeature fuzzes the content of one Feature, so that mutations do not change the framing around it.
func FuzzFeature(f *testing.F) {
	for seed := range uint64(40) {
		w := newOddWriter(seed, 0.2)
		f.Add(w.feature(), w.feature())
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		checkMessage(t, messageOf(1, "a", second))
		checkMessage(t, append(messageOf(1, "a", first), messageOf(1, "a", second)...))
		checkMessage(t, append(messageOf(2, "a", field(1, first)), messageOf(2, "a", append(field(1, second), field(1, first)...))...))
	})
}
