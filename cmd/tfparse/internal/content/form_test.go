package content

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/proto/examplepb"
	"github.com/tfparse/tfparse/tfrecord"
)

var types = []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList}

// slowForm is the form by protobuf-go: its deterministic encoding, without what is empty.
func slowForm(typ example.MessageType, rec []byte) ([]byte, error) {
	var m proto.Message
	var clean func()
	example1 := func(e *examplepb.Example) {
		if len(e.GetFeatures().GetFeature()) == 0 {
			e.Features = nil
		}
	}
	switch typ {
	case example.TypeExample:
		e := &examplepb.Example{}
		m, clean = e, func() { example1(e) }
	case example.TypeSequence:
		s := &examplepb.SequenceExample{}
		m, clean = s, func() {
			if len(s.GetContext().GetFeature()) == 0 {
				s.Context = nil
			}
			if len(s.GetFeatureLists().GetFeatureList()) == 0 {
				s.FeatureLists = nil
			}
		}
	default:
		l := &examplepb.ExampleListWithContext{}
		m, clean = l, func() {
			for _, e := range l.Examples {
				example1(e)
			}
			if l.Context != nil {
				example1(l.Context)
			}
		}
	}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(rec, m); err != nil {
		return nil, err
	}
	clean()
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// decodeAndEncode is the form by the owned messages of package example.
func decodeAndEncode(typ example.MessageType, dst, rec []byte) ([]byte, error) {
	var m interface {
		UnmarshalBinary([]byte) error
		AppendBinary([]byte) ([]byte, error)
	}
	switch typ {
	case example.TypeExample:
		m = new(example.Example)
	case example.TypeSequence:
		m = new(example.Sequence)
	default:
		m = new(example.ExampleList)
	}
	if err := m.UnmarshalBinary(rec); err != nil {
		return dst, err
	}
	return m.AppendBinary(dst)
}

// checkForm compares the form of a record, while its names are learned, with that by decoding and
// encoding, and by protobuf-go, and returns it.
func checkForm(t testing.TB, typ example.MessageType, rec []byte) ([]byte, error) {
	t.Helper()
	f := NewFormer(typ)
	slow, slowErr := decodeAndEncode(typ, []byte("x"), rec)
	valid := typ.Validate(rec)
	if (slowErr == nil) != (valid == nil) {
		t.Fatalf("%v % x: error %v, and Validate says %v", typ, rec, slowErr, valid)
	}
	for range 4 {
		got, err := f.Append([]byte("x"), rec)
		if !bytes.Equal(got, slow) || fmt.Sprint(err) != fmt.Sprint(valid) {
			t.Fatalf("%v % x: form\n% x, %v\nby decoding and encoding\n% x, %v", typ, rec, got, err, slow, valid)
		}
	}
	if slowErr != nil {
		return nil, slowErr
	}
	form := slow[1:]
	if want, err := slowForm(typ, rec); err == nil && !bytes.Equal(form, want) { // it refuses names that are not UTF-8
		t.Fatalf("%v % x: form\n% x\nprotobuf-go's\n% x", typ, rec, form, want)
	}
	if again, err := f.Append(nil, form); err != nil || !bytes.Equal(again, form) {
		t.Fatalf("%v: the form of % x is % x, %v", typ, form, again, err)
	}
	return form, nil
}

// TestFastPath compares the paths on records of the samples, and on each of their bits flipped.
func TestFastPath(t *testing.T) {
	files, err := filepath.Glob("../../../../testdata/*.tfrecord")
	if err != nil || len(files) < 3 {
		t.Fatalf("sample files: %v, %v", files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rec, err := range tfrecord.NewReader(bytes.NewReader(b), nil).All() {
			if err != nil {
				t.Fatal(err)
			}
			for _, typ := range types {
				checkForm(t, typ, rec)
			}
			if n++; n > 2 && !testkit.Long(t, "every record of the samples") {
				continue
			}
			typ, _ := detect.Detect([][]byte{rec})
			form, err := checkForm(t, typ, rec)
			if err != nil {
				t.Fatal(err)
			}
			same := 0
			for _, flipped := range testkit.Flips(rec) {
				got, err := checkForm(t, typ, flipped)
				if err == nil && bytes.Equal(got, form) {
					same++ // in a length of an unknown field, say: the slow form is the same then, too
				}
			}
			if same > 0 {
				t.Errorf("%s: %d flips do not change the content of a record that has content only", name, same)
			}
		}
	}
}

// A variant writes a message in another way that means the same.
type variant struct {
	r                                          *rand.Rand
	shuffle, unpack, pad, unknown, late, twice bool
}

func (v *variant) message(e example.Example) []byte {
	var b []byte
	names := make([]string, 0, len(e))
	for name := range e {
		names = append(names, name)
	}
	slices.Sort(names)
	if v.shuffle {
		v.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	for _, name := range names {
		key, value := v.field(1, []byte(name)), v.field(2, v.feature(e[name]))
		if v.late {
			key, value = value, key
		}
		b = append(b, v.field(1, append(key, value...))...)
		if v.twice { // what came first does not count
			b = append(v.field(1, append(v.field(1, []byte(name)), v.field(2, nil)...)), b...)
		}
		if v.unknown {
			b = append(b, v.field(7, []byte("unknown"))...)
		}
	}
	return v.field(1, b)
}

func (v *variant) feature(x example.Value) []byte {
	var b []byte
	switch x.Kind() {
	case example.BytesList:
		for _, s := range x.Bytes {
			b = append(b, v.field(1, s)...)
		}
	case example.FloatList:
		if packed := wire.AppendPackedFloats(nil, x.Floats); v.unpack {
			for ; len(packed) > 0; packed = packed[4:] {
				b = append(wire.AppendTag(b, 1, wire.TypeFixed32), packed[:4]...)
			}
		} else if len(packed) > 0 {
			b = v.field(1, packed)
		}
	case example.Int64List:
		var packed []byte
		for _, n := range x.Int64s {
			if v.unpack {
				b = wire.AppendTag(b, 1, wire.TypeVarint)
				b = v.varint(b, uint64(n))
			}
			packed = v.varint(packed, uint64(n))
		}
		if !v.unpack && len(packed) > 0 {
			b = v.field(1, packed)
		}
	default:
		return nil
	}
	return v.field(int32(x.Kind()), b)
}

func (v *variant) varint(b []byte, n uint64) []byte {
	b = wire.AppendVarint(b, n)
	if v.pad && n < 1<<56 && v.r.IntN(2) == 0 {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

func (v *variant) field(num int32, body []byte) []byte {
	return append(v.varint(wire.AppendTag(nil, num, wire.TypeBytes), uint64(len(body))), body...)
}

// TestVariants proves that the order of features, packing, padding, unknown fields and features
// that are replaced do not change the form, and that every value does.
func TestVariants(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	rounds := 300
	if testkit.Long(t, "3,000 rounds") {
		rounds = 3000
	}
	for range rounds {
		e := randomExample(r)
		want, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		flag := func() bool { return r.IntN(2) == 0 }
		v := variant{r: r, shuffle: flag(), unpack: flag(), pad: flag(), unknown: flag(), late: flag()}
		v.twice = r.IntN(4) == 0 && allHaveKinds(e)
		got, err := checkForm(t, example.TypeExample, v.message(e))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%+v of %v: form % x, %v\nwant % x", v, e, got, err, want)
		}
		if n := len(e); n > 0 {
			changed := change(r, e)
			if got, err := checkForm(t, example.TypeExample, v.message(changed)); err != nil || bytes.Equal(got, want) {
				t.Fatalf("%v and %v have one form: % x, %v", e, changed, got, err)
			}
		}
		s := example.Sequence{Context: e, Lists: map[string][]example.Value{}}
		for name := range e {
			for range r.IntN(4) {
				s.Lists[name] = append(s.Lists[name], randomValue(r))
			}
		}
		l := example.ExampleList{HasContext: flag(), Examples: []example.Example{e, randomExample(r), {}}}
		if l.HasContext {
			l.Context = randomExample(r)
		}
		for typ, m := range map[example.MessageType]interface{ MarshalBinary() ([]byte, error) }{example.TypeSequence: s, example.TypeExampleList: l} {
			want, err := m.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := checkForm(t, typ, want); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%v: form % x, %v\nwant % x", m, got, err, want)
			}
		}
	}
}

// allHaveKinds reports whether no feature is without a kind, which is ambiguous behind one that has one.
func allHaveKinds(e example.Example) bool {
	for _, v := range e {
		if v.Kind() == example.Unset {
			return false
		}
	}
	return true
}

func randomExample(r *rand.Rand) example.Example {
	e := example.Example{}
	for range r.IntN(12) {
		e[fmt.Sprintf("feature/%0*d", 1+r.IntN(30), r.IntN(20))] = randomValue(r)
	}
	return e
}

func randomValue(r *rand.Rand) example.Value {
	n := r.IntN(4) * r.IntN(30)
	switch r.IntN(4) {
	case 0:
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(r.Uint64() >> r.IntN(64))
		}
		return example.Int64s(v...)
	case 1:
		v := make([]float32, n)
		for i := range v {
			v[i] = r.Float32()
		}
		return example.Floats(v...)
	case 2:
		v := make([]string, n)
		for i := range v {
			v[i] = fmt.Sprintf("%0*d", r.IntN(200), i)
		}
		return example.Strings(v...)
	}
	return example.Value{}
}

// change returns a copy of e in which one thing is different.
func change(r *rand.Rand, e example.Example) example.Example {
	names := make([]string, 0, len(e))
	c := example.Example{}
	for name, v := range e {
		names = append(names, name)
		c[name] = v
	}
	slices.Sort(names)
	name := names[r.IntN(len(names))]
	v := c[name]
	switch {
	case v.Len() == 0 || r.IntN(4) == 0:
		delete(c, name)
	case v.Int64s != nil:
		v.Int64s = slices.Clone(v.Int64s)
		v.Int64s[r.IntN(len(v.Int64s))] ^= 1 << r.IntN(64)
		c[name] = v
	case v.Floats != nil:
		c[name] = example.Floats(v.Floats[1:]...)
	default:
		c[name] = example.Bytes(append(slices.Clone(v.Bytes), nil)...)
	}
	return c
}

// TestFastPathIsTaken proves that what every writer writes takes the fast path once the names are known.
func TestFastPathIsTaken(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2))
	for range 200 {
		e := randomExample(r)
		v := variant{r: r, shuffle: true}
		f := NewFormer(example.TypeExample)
		msg := v.message(e)
		for range 3 {
			if _, err := f.Append(nil, msg); err != nil {
				t.Fatal(err)
			}
		}
		if t1 := f.table; len(msg) > 0 && (len(t1.Bytes) != len(msg) || &t1.Bytes[0] != &msg[0]) {
			t.Fatalf("% x was copied, so it took the slow path", msg)
		}
	}
}

// TestManyNames has new names in each record: the walk is not made anew for each, and learning
// ends.
func TestManyNames(t *testing.T) {
	f := NewFormer(example.TypeExample)
	for i := range canonical.MaxNames / 20 {
		e := example.Example{}
		for k := range 30 {
			e[fmt.Sprint(i, "/", k)] = example.Int64s(1)
		}
		msg, _ := e.MarshalBinary()
		if got, err := f.Append(nil, msg); err != nil || !bytes.Equal(got, msg) {
			t.Fatalf("% x: form % x, %v", msg, got, err)
		}
	}
	if n := f.table.Names(message.Features); n != canonical.MaxNames {
		t.Errorf("%d names are known, want %d", n, canonical.MaxNames)
	}
}

func FuzzForm(f *testing.F) {
	r := rand.New(rand.NewPCG(17, 3))
	for range 20 {
		v := variant{r: r, shuffle: true, unpack: r.IntN(2) == 0, pad: r.IntN(2) == 0, twice: r.IntN(2) == 0}
		f.Add(v.message(randomExample(r)))
	}
	f.Fuzz(func(t *testing.T, rec []byte) {
		for _, typ := range types {
			checkForm(t, typ, rec)
		}
	})
}

func BenchmarkForm(b *testing.B) {
	r := rand.New(rand.NewPCG(17, 4))
	for _, shuffle := range []bool{false, true} {
		e := example.Example{}
		for i := range 40 {
			e[fmt.Sprintf("f_%02d", i)] = example.Int64s(int64(i)*1000, 5, 6)
		}
		v := variant{r: r, shuffle: shuffle}
		msg := v.message(e)
		b.Run(fmt.Sprintf("shuffled=%t", shuffle), func(b *testing.B) {
			f := NewFormer(example.TypeExample)
			var dst []byte
			b.SetBytes(int64(len(msg)))
			for b.Loop() {
				dst, _ = f.Append(dst[:0], msg)
			}
		})
	}
}
