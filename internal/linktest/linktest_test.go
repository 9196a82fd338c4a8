package linktest

import (
	"bytes"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/tfparse/tfparse/example"
	theirs "github.com/tfparse/tfparse/internal/linktest/tensorflow/core/example"
	serving "github.com/tfparse/tfparse/internal/linktest/tensorflow_serving/apis"
	ours "github.com/tfparse/tfparse/proto/examplepb"
)

// want is an Example with every kind, the limits of all numbers, an empty list of each kind and a feature without a
// list.
var want = example.Example{
	"bytes":       example.Bytes(nil, []byte("\xff\x00"), []byte("é")),
	"floats":      example.Floats(0, float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(-1))),
	"int64s":      example.Int64s(0, -1, math.MinInt64, math.MaxInt64, 127, 128),
	"no bytes":    example.Bytes(),
	"no floats":   example.Floats(),
	"no int64s":   example.Int64s(),
	"no kind":     {},
	"":            example.Strings("the empty name"),
	"naïve/名前 \n": example.Int64s(1),
}

var sequence = example.Sequence{
	Context: want,
	Lists: map[string][]example.Value{
		"steps":    {example.Int64s(1, 2), example.Int64s(), {}, example.Int64s(3)},
		"no steps": {},
	},
}

var list = example.ExampleList{Context: example.Example{"query": example.Strings("q")}, HasContext: true, Examples: []example.Example{want, {}, want}}

// binary has the common methods of the owned messages of package example.
type binary interface {
	MarshalBinary() ([]byte, error)
}

// TestRoundTrip passes a message of each type from package example to TensorFlow's generated code and to ours, and
// back.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name         string
		from         binary
		theirs, ours func() proto.Message
		back         func([]byte) ([]byte, error) // through package example
	}{
		{"Example", want,
			func() proto.Message { return new(theirs.Example) }, func() proto.Message { return new(ours.Example) },
			func(b []byte) ([]byte, error) {
				var e example.Example
				err := e.UnmarshalBinary(b)
				return again(e, err)
			}},
		{"SequenceExample", sequence,
			func() proto.Message { return new(theirs.SequenceExample) }, func() proto.Message { return new(ours.SequenceExample) },
			func(b []byte) ([]byte, error) {
				var s example.Sequence
				err := s.UnmarshalBinary(b)
				return again(s, err)
			}},
		{"ExampleListWithContext", list,
			func() proto.Message { return new(serving.ExampleListWithContext) }, func() proto.Message { return new(ours.ExampleListWithContext) },
			func(b []byte) ([]byte, error) {
				var l example.ExampleList
				err := l.UnmarshalBinary(b)
				return again(l, err)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, err := c.from.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			b := first
			for _, m := range []proto.Message{c.theirs(), c.ours(), c.theirs()} {
				if err := proto.Unmarshal(b, m); err != nil {
					t.Fatalf("%T: %v", m, err)
				}
				if n := unknown(m.ProtoReflect()); n > 0 {
					t.Errorf("%T: %d bytes are unknown fields", m, n)
				}
				if b, err = proto.Marshal(m); err != nil { // in any order, because of maps
					t.Fatalf("%T: %v", m, err)
				}
				back, err := c.back(b)
				if err != nil {
					t.Fatalf("after %T: %v", m, err)
				}
				if !bytes.Equal(back, first) {
					t.Errorf("after %T: the bytes differ:\ngot  %x\nwant %x", m, back, first)
				}
			}
		})
	}
}

func again(m binary, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return m.MarshalBinary()
}

// unknown counts the bytes of unknown fields in m and in all nested messages.
func unknown(m protoreflect.Message) int {
	n := len(m.GetUnknown())
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				n += unknown(v.Message())
				return true
			})
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				n += unknown(v.List().Get(i).Message())
			}
		case !f.IsList() && !f.IsMap() && f.Message() != nil:
			n += unknown(v.Message())
		}
		return true
	})
	return n
}

// TestRegistered proves that both sides are in the registry, under different names and paths.
func TestRegistered(t *testing.T) {
	for path, pkg := range map[string]protoreflect.FullName{
		"tensorflow/core/example/example.proto": "tensorflow",
		"tensorflow/core/example/feature.proto": "tensorflow",
		"tensorflow_serving/apis/input.proto":   "tensorflow.serving",
		"tfparse/examplepb/example.proto":       "tfparse.example.v1",
	} {
		f, err := protoregistry.GlobalFiles.FindFileByPath(path)
		if err != nil || f.Package() != pkg {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if strings.HasPrefix(string(f.Package()), "tfparse") != strings.HasPrefix(f.Path(), "tfparse/") {
			t.Errorf("%s has the package %s", f.Path(), f.Package())
		}
		return true
	})
}

// TestSchemas proves that our messages have the same fields as TensorFlow's, with the same name, number, type and
// shape, including nested messages.
func TestSchemas(t *testing.T) {
	seen := map[protoreflect.FullName]bool{}
	for _, pair := range [][2]proto.Message{
		{new(theirs.SequenceExample), new(ours.SequenceExample)},
		{new(serving.ExampleListWithContext), new(ours.ExampleListWithContext)},
	} {
		sameFields(t, pair[0].ProtoReflect().Descriptor(), pair[1].ProtoReflect().Descriptor(), seen)
	}
	if len(seen) < 10 {
		t.Errorf("only %d messages were compared", len(seen))
	}
}

func sameFields(t *testing.T, a, b protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) {
	if seen[a.FullName()] {
		return
	}
	seen[a.FullName()] = true
	if a.Name() != b.Name() || a.Fields().Len() != b.Fields().Len() {
		t.Errorf("%s and %s differ", a.FullName(), b.FullName())
		return
	}
	for i := range a.Fields().Len() {
		f := a.Fields().Get(i)
		g := b.Fields().ByNumber(f.Number())
		if g == nil || f.Name() != g.Name() || f.Kind() != g.Kind() || f.Cardinality() != g.Cardinality() || f.IsPacked() != g.IsPacked() ||
			f.IsMap() != g.IsMap() || (f.ContainingOneof() == nil) != (g.ContainingOneof() == nil) {
			t.Errorf("%s and %v differ", f.FullName(), g)
			continue
		}
		if f.Message() != nil {
			sameFields(t, f.Message(), g.Message(), seen)
		}
	}
}

// TestEitherOrder builds these tests twice: in one build our messages register first, in the other TensorFlow's. It
// checks the order, and runs both.
func TestEitherOrder(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("skipped: it needs the go command: %v", err)
	}
	const a, b = "github.com/tfparse/tfparse/proto/examplepb", "github.com/tfparse/tfparse/internal/linktest/tensorflow/core/example"
	for _, c := range []struct{ name, tags, first, second string }{
		{"ours first", "oursfirst", a, b},
		{"theirs first", "", b, a},
	} {
		t.Run(c.name, func(t *testing.T) {
			binary := filepath.Join(t.TempDir(), "linked.exe")
			if out, err := exec.Command(tool, "test", "-c", "-tags", c.tags, "-o", binary, ".").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			run := exec.Command(binary, "-test.run=^(TestRoundTrip|TestRegistered|TestSchemas)$", "-test.v")
			run.Env = append(run.Environ(), "GODEBUG=inittrace=1")
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var order []string
			for line := range strings.Lines(string(out)) { // init PACKAGE @0.1 ms, …
				if f := strings.Fields(line); len(f) > 1 && f[0] == "init" && (f[1] == a || f[1] == b) {
					order = append(order, f[1])
				}
			}
			if !slices.Equal(order, []string{c.first, c.second}) {
				t.Errorf("registered in the order %q", order)
			}
			if got := strings.Count("\n"+string(out), "\n--- PASS: Test"); got != 3 {
				t.Errorf("%d tests passed, wanted 3:\n%s", got, out)
			}
		})
	}
}

// TestConflict proves that the registry detects conflicts: it panics if one of these paths is registered twice.
func TestConflict(t *testing.T) {
	for _, path := range []string{"tfparse/examplepb/example.proto", "tensorflow/core/example/example.proto"} {
		f, err := protoregistry.GlobalFiles.FindFileByPath(path)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was registered twice", path)
				}
			}()
			_ = protoregistry.GlobalFiles.RegisterFile(f)
		}()
	}
}
