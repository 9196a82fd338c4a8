package example_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/examplepb"
)

// checkMessage reads b with the package, the slow implementation, protobuf-go, and the model of TensorFlow, and
// compares the results. It returns whether b was accepted as an Example.
func checkMessage(t testing.TB, b []byte) bool {
	t.Helper()
	for _, sequence := range []bool{false, true} {
		m := slowRead(b, sequence)
		names := append(slices.Sorted(maps.Keys(m.features)), "no such name")
		for _, name := range names {
			slow, ok1, err1 := m.feature(name)
			fast, ok2, err2 := fastFeature(b, sequence, name)
			if ok1 != ok2 || class(err1) != class(err2) || err1 == nil && !slow.equal(fast) {
				t.Fatalf("% x: feature %q, sequence %v: got %v, %v, %v; slow %v, %v, %v", b, name, sequence, fast, ok2, err2, slow, ok1, err1)
			}
		}
		for _, name := range append(slices.Sorted(maps.Keys(m.lists)), "no such name") {
			slow, ok1, err1 := slowListOf(b, name)
			fast, ok2, err2 := fastList(b, name)
			if ok1 != ok2 || class(err1) != class(err2) || err1 == nil && !slices.EqualFunc(fast, slow, tensorflowValue.equal) {
				t.Fatalf("% x: list %q: got %v, %v, %v; slow %v, %v, %v", b, name, fast, ok2, err2, slow, ok1, err1)
			}
		}
		checkProtobuf(t, b, m)
		if m.fault == nil {
			checkRules(t, b, m)
		}
	}
	checkOwned(t, b)
	return example.TypeExample.Validate(b) == nil
}

// checkProtobuf compares the slow implementation with protobuf-go. Both are conforming decoders, so they agree on
// valid bytes.
func checkProtobuf(t testing.TB, b []byte, m slowMessage) {
	t.Helper()
	var ex examplepb.Example
	var seq examplepb.SequenceExample
	var err error
	var features map[string]*examplepb.Feature
	lists := map[string]*examplepb.FeatureList{}
	if m.sequence {
		err = proto.Unmarshal(b, &seq)
		features, lists = seq.GetContext().GetFeature(), seq.GetFeatureLists().GetFeatureList()
	} else {
		err = proto.Unmarshal(b, &ex)
		features = ex.GetFeatures().GetFeature()
	}
	switch m.fault {
	case nil:
	case io.ErrUnexpectedEOF, example.ErrOverflow:
		if err == nil {
			t.Fatalf("% x: protobuf-go accepts what is not sound: %v", b, m.fault)
		}
		return
	default:
		return // the dialect refuses the message for other reasons
	}
	sound := true
	for name, seen := range m.features {
		sound = sound && utf8.ValidString(name)
		for i, f := range seen {
			r, _, err1 := slowConforming(f)
			if sound = sound && err1 == nil; sound && err == nil && i == len(seen)-1 {
				if got := protoReading(features[name]); !got.equal(r) {
					t.Fatalf("% x: feature %q: protobuf-go %v, slow %v", b, name, got, r)
				}
			}
		}
	}
	for name, seen := range m.lists {
		sound = sound && utf8.ValidString(name)
		for i, l := range seen {
			fields, err1 := slowFields(l)
			sound = sound && err1 == nil
			var steps []tensorflowValue
			for _, f := range fields {
				if f.num == 1 && f.wire == 2 {
					r, _, err1 := slowConforming(f.body)
					sound = sound && err1 == nil
					steps = append(steps, r)
				}
			}
			if sound && err == nil && i == len(seen)-1 {
				var got []tensorflowValue
				for _, f := range lists[name].GetFeature() {
					got = append(got, protoReading(f))
				}
				if !slices.EqualFunc(got, steps, tensorflowValue.equal) {
					t.Fatalf("% x: list %q: protobuf-go %v, slow %v", b, name, got, steps)
				}
			}
		}
	}
	if sound != (err == nil) {
		t.Fatalf("% x: sound is %v, protobuf-go says %v", b, sound, err)
	}
}

func protoReading(f *examplepb.Feature) tensorflowValue {
	var r tensorflowValue
	switch k := f.GetKind().(type) {
	case *examplepb.Feature_BytesList:
		r.kind = example.BytesList
		for _, v := range k.BytesList.GetValue() {
			r.values = append(r.values, string(v))
		}
	case *examplepb.Feature_FloatList:
		r.kind = example.FloatList
		for _, v := range k.FloatList.GetValue() {
			r.values = append(r.values, fmt.Sprintf("%08x", math.Float32bits(v)))
		}
	case *examplepb.Feature_Int64List:
		r.kind = example.Int64List
		for _, v := range k.Int64List.GetValue() {
			r.values = append(r.values, strconv.FormatInt(v, 10))
		}
	}
	return r
}

// checkRules applies the three rules of the dialect to a message whose framing the package accepts. For each name
// it compares a conforming decoder with the model of TensorFlow.
func checkRules(t testing.TB, b []byte, m slowMessage) {
	t.Helper()
	for name, seen := range m.features {
		got, _, err := fastFeature(b, m.sequence, name)
		ours, lost, oursErr := slowConforming(seen[len(seen)-1])
		for _, f := range seen[:len(seen)-1] {
			r, _, err := slowConforming(f)
			oursErr = errors.Join(oursErr, err)
			if !m.sequence && err == nil && r.kind != example.Unset && ours.kind == example.Unset && oursErr == nil {
				// Here TensorFlow's parsers disagree with each other.
				oursErr = example.ErrAmbiguous
			}
		}
		read := func(m tfMessage, k example.Kind) ([][]string, error) {
			v, err := m.feature(name, k)
			return [][]string{v}, err
		}
		theirs, accepted := tfReadings(b, m.sequence, read)
		if !accepted { // possibly because of the framing, or of an earlier duplicate
			theirs, accepted = tfReadings(messageOf(1, name, seen[len(seen)-1]), false, read)
		}
		checkRule(t, fmt.Sprintf("% x: feature %q, sequence %v", b, name, m.sequence), []tensorflowValue{ours}, lost, oursErr, theirs, accepted, []tensorflowValue{got}, err)
	}
	if !m.sequence {
		return
	}
	// A step is checked like any Feature. The bytes after its first list are also checked, because TensorFlow reads
	// them like another step.
	for name, seen := range m.lists {
		fields, _ := slowFields(seen[len(seen)-1])
		for _, f := range fields {
			if f.num != 1 || f.wire != 2 {
				continue
			}
			what := fmt.Sprintf("% x: step % x", b, f.body)
			single := messageOf(2, name, field(1, f.body))
			got, _, err := fastList(single, name)
			ours, lost, oursErr := slowConforming(f.body)
			if oursErr == nil {
				if _, rest, ok := slowTensorFlow(f.body); ok && len(rest) > 0 && (rest[0] == 0x0a || lost != nil) {
					oursErr = example.ErrAmbiguous
				}
			}
			theirs, accepted := tfReadings(messageOf(1, name, f.body), false, func(m tfMessage, k example.Kind) ([][]string, error) {
				v, err := m.feature(name, k)
				return [][]string{v}, err
			})
			checkRule(t, what, []tensorflowValue{ours}, lost, oursErr, theirs, accepted, got, err)
			theirs, accepted = tfReadings(single, true, func(m tfMessage, k example.Kind) ([][]string, error) { return m.steps(name, k) })
			if err == nil && accepted && !slices.EqualFunc(theirs, got, tensorflowValue.equal) {
				t.Fatalf("%s: got %v, TensorFlow %v", what, got, theirs)
			}
		}
	}
}

// messageOf returns a message with one entry in the map in field num.
func messageOf(num byte, name string, value []byte) []byte {
	return field(num, field(1, append(field(1, []byte(name)), field(2, value)...)))
}

func field(num byte, body []byte) []byte {
	return append(appendUvarint([]byte{num<<3 | 2}, uint64(len(body))), body...)
}

func appendUvarint(b []byte, v uint64) []byte {
	for ; v >= 128; v >>= 7 {
		b = append(b, byte(v)|128)
	}
	return append(b, byte(v))
}

// tfReadings reads with the model as every kind. TensorFlow accepts at most one kind. But if the feature has no
// kind, TensorFlow accepts it as every kind, without values.
func tfReadings(b []byte, sequence bool, read func(tfMessage, example.Kind) ([][]string, error)) (readings []tensorflowValue, accepted bool) {
	m, err := tfRead(b, sequence)
	if err != nil {
		return nil, false
	}
	kinds := 0
	for k := example.BytesList; k <= example.Int64List; k++ {
		rows, err := read(m, k)
		if err != nil {
			continue
		}
		kinds++
		readings = nil
		for _, v := range rows {
			readings = append(readings, tensorflowValue{k, v})
		}
	}
	if kinds > 1 {
		for i := range readings {
			readings[i].kind = example.Unset
		}
	}
	return readings, kinds > 0
}

// checkRule applies the three rules to one value.
func checkRule(t testing.TB, what string, ours []tensorflowValue, lost, oursErr error, theirs []tensorflowValue, accepted bool, got []tensorflowValue, err error) {
	t.Helper()
	same := slices.EqualFunc(ours, theirs, tensorflowValue.equal)
	switch {
	case oursErr != nil: // refused by the conforming decoder: clamped, truncated, wrapped, invalid
		if err == nil {
			t.Fatalf("%s: accepted %v although %v", what, got, oursErr)
		}
	case accepted && same, !accepted && lost == nil: // rules 1 and 2
		if err != nil || !slices.EqualFunc(got, ours, tensorflowValue.equal) {
			t.Fatalf("%s: got %v, %v; want %v (TensorFlow accepts: %v)", what, got, err, ours, accepted)
		}
	case accepted: // rule 3
		if !errors.Is(err, example.ErrAmbiguous) {
			t.Fatalf("%s: got %v, %v; decoders read %v and %v", what, got, err, ours, theirs)
		}
	default: // rule 2: something was dropped
		if err == nil {
			t.Fatalf("%s: accepted %v although %v and TensorFlow refuses", what, got, lost)
		}
	}
}

// checkOwned compares the owned messages with Lookup, and writes them. Written messages must be read to the same
// values, by this package and by protobuf-go, and written to the same bytes again.
func checkOwned(t testing.TB, b []byte) {
	t.Helper()
	input := bytes.Clone(b)
	var e example.Example
	err := e.UnmarshalBinary(input)
	errE := err
	if v := example.TypeExample.Validate(b); class(v) != class(err) {
		t.Fatalf("% x: UnmarshalBinary says %v, Validate %v", b, err, v)
	}
	scribble(input)
	if err == nil {
		for name, v := range e {
			if r, ok, err := slowFeature(b, false, name); err != nil || !ok || !r.equal(valueReading(v)) {
				t.Fatalf("% x: %q is %v; slow %v, %v", b, name, v, r, err)
			}
		}
		checkRoundTrip(t, e, &example.Example{}, &examplepb.Example{}, func(x *example.Example) bool { return equalExamples(e, *x) })
	}
	input = bytes.Clone(b)
	var s example.Sequence
	err = s.UnmarshalBinary(input)
	errS := err
	if v := example.TypeSequence.Validate(b); class(v) != class(err) {
		t.Fatalf("% x: sequence: UnmarshalBinary says %v, Validate %v", b, err, v)
	}
	scribble(input)
	if err == nil {
		for name, v := range s.Lists {
			steps, ok, err := slowListOf(b, name)
			if err != nil || !ok || !slices.EqualFunc(v, steps, func(v example.Value, r tensorflowValue) bool { return r.equal(valueReading(v)) }) {
				t.Fatalf("% x: list %q is %v; slow %v, %v", b, name, v, steps, err)
			}
		}
		checkRoundTrip(t, s, &example.Sequence{}, &examplepb.SequenceExample{}, func(x *example.Sequence) bool { return equalSequences(s, *x) })
	}
	var l example.ExampleList
	err = l.UnmarshalBinary(b)
	if v := example.TypeExampleList.Validate(b); class(v) != class(err) {
		t.Fatalf("% x: list: UnmarshalBinary says %v, Validate %v", b, err, v)
	}
	if ok := slowListWithContext(b); ok != (err == nil) {
		t.Fatalf("% x: list: UnmarshalBinary says %v, accepted by the slow implementation: %v", b, err, ok)
	}
	if err == nil {
		checkRoundTrip(t, l, &example.ExampleList{}, &examplepb.ExampleListWithContext{}, func(x *example.ExampleList) bool { return equalLists(l, *x) })
	}
	checkFastPath(t, b, errE, errS, err)
}

// slowListWithContext reports whether an ExampleListWithContext is acceptable.
func slowListWithContext(b []byte) bool {
	fields, err := slowFields(b)
	ok, contexts := err == nil, 0
	for _, n := range fields {
		if n.wire == 2 && n.num <= 2 {
			ok = ok && example.TypeExample.Validate(n.body) == nil
			contexts += n.num - 1
		}
	}
	return ok && contexts <= 1
}

// scribble overwrites input that results must not refer to.
func scribble(b []byte) {
	for i := range b {
		b[i] = 0xa5
	}
}

func equalExamples(x, y example.Example) bool { return maps.EqualFunc(x, y, example.Value.Equal) }

func equalSequences(x, y example.Sequence) bool {
	return equalExamples(x.Context, y.Context) && maps.EqualFunc(x.Lists, y.Lists, func(v, w []example.Value) bool {
		return slices.EqualFunc(v, w, example.Value.Equal)
	})
}

func equalLists(x, y example.ExampleList) bool {
	return equalExamples(x.Context, y.Context) && x.HasContext == y.HasContext && slices.EqualFunc(x.Examples, y.Examples, equalExamples)
}

type decoder[T any] interface {
	*T
	UnmarshalBinary([]byte) error
}

// checkRoundTrip writes x, and reads it with this package and with protobuf-go. protobuf-go must write the same
// bytes.
func checkRoundTrip[T any, P decoder[T]](t testing.TB, x interface {
	MarshalBinary() ([]byte, error)
}, back P, pb proto.Message, same func(P) bool) {
	t.Helper()
	b, err := x.MarshalBinary()
	if err != nil {
		t.Fatalf("%v: %v", x, err)
	}
	if err := back.UnmarshalBinary(b); err != nil || !same(back) {
		t.Fatalf("% x: read back as %v, %v; wrote %v", b, back, err, x)
	}
	if err := proto.Unmarshal(b, pb); err != nil {
		if allUTF8(x) {
			t.Fatalf("% x: protobuf-go: %v", b, err)
		}
		return
	}
	theirs, err := proto.MarshalOptions{Deterministic: true}.Marshal(pb)
	if err != nil || !bytes.Equal(b, theirs) {
		t.Fatalf("we write\n% x, protobuf-go\n% x, %v", b, theirs, err)
	}
}

// allUTF8 reports whether all names are UTF-8. protobuf-go refuses other names.
func allUTF8(x any) bool {
	names := func(e example.Example) bool {
		for name := range e {
			if !utf8.ValidString(name) {
				return false
			}
		}
		return true
	}
	switch x := x.(type) {
	case example.Example:
		return names(x)
	case example.Sequence:
		for name := range x.Lists {
			if !utf8.ValidString(name) {
				return false
			}
		}
		return names(x.Context)
	case example.ExampleList:
		for _, e := range x.Examples {
			if !names(e) {
				return false
			}
		}
		return names(x.Context)
	}
	panic("unknown type")
}

func TestRules(t *testing.T) {
	n := testkit.Rounds(6_000)
	if testkit.Long(t, "30,000 messages") {
		n = 30_000
	}
	accepted := 0
	for seed := range n {
		w := newOddWriter(uint64(seed), []float64{0, 0.02, 0.06, 0.15}[seed%4])
		if checkMessage(t, w.message(seed%2 == 0)) {
			accepted++
		}
	}
	t.Logf("%d messages, %d accepted as Examples", n, accepted)
	if accepted < n/4 || accepted > n*9/10 {
		t.Error("the messages are not a mixture of good and bad")
	}
}
