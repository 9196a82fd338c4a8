package model_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/model"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(models, name, model.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(b []byte) (*model.Model, error) { return model.Read(bytes.NewReader(b), int64(len(b))) }

// checkModel checks the documented invariants of a model that was read from any bytes.
func checkModel(t *testing.T, m *model.Model, err error) {
	t.Helper()
	if err != nil {
		var e *model.Error
		if m != nil || !errors.As(err, &e) || e.Offset < 0 || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%v and %v", m, err)
		}
		return
	}
	for _, g := range m.MetaGraphs {
		for _, sig := range g.Signatures {
			seen := map[string]bool{}
			for _, in := range sig.Inputs {
				if len(in.Path) == 0 || len(in.Components) == 0 && in.Unknown == "" {
					t.Fatalf("%s: %v", sig.Name, in)
				}
				for _, c := range in.Components {
					if c.Name != "" && seen[c.Name] {
						t.Fatalf("%s: %q twice", sig.Name, c.Name)
					}
					seen[c.Name] = true
					if c.Part == model.UnknownPart != (in.Unknown != "") {
						t.Fatalf("%s: %v: %v of %q", sig.Name, in, c.Part, in.Unknown)
					}
				}
			}
			_ = sig.CheckServing()
		}
	}
}

// someModels returns some models, or all of them in long runs.
func someModels(t *testing.T, some ...string) []string {
	if !testkit.Long(t, "the other models") {
		return some
	}
	files, err := filepath.Glob(filepath.Join(models, "*", model.FileName))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d models, %v", len(files), err)
	}
	var all []string
	for _, f := range files {
		all = append(all, filepath.Base(filepath.Dir(f)))
	}
	return all
}

// TestCut truncates files: the result is an error or, between two fields, a model with fewer signatures.
func TestCut(t *testing.T) {
	for _, name := range someModels(t, "nested_dict", "tf1_ragged", "tf1_sparse") {
		b := file(t, name)
		errs := map[string]int{}
		for n := range b {
			m, err := read(b[:n])
			checkModel(t, m, err)
			switch {
			case errors.Is(err, io.ErrUnexpectedEOF):
				errs["truncated"]++
			case errors.Is(err, model.ErrNotModel):
				errs["no model"]++
			default:
				t.Fatalf("%s: %d of %d bytes: %v", name, n, len(b), err)
			}
		}
		if errs["no model"] != 2 && errs["no model"] != 3 { // an empty file, or only the schema version
			t.Errorf("%s: %v", name, errs)
		}
	}
}

// TestFlip flips bits, in a short file all of them: the result is an error or a model without duplicate names, never a panic.
func TestFlip(t *testing.T) {
	for _, name := range someModels(t, "tf1_ragged", "taken_name") {
		b := file(t, name)
		for i := 0; i < len(b)*8; i += 1 + len(b)/2000 {
			b[i/8] ^= 1 << (i % 8)
			m, err := read(b)
			checkModel(t, m, err)
			b[i/8] ^= 1 << (i % 8)
		}
	}
}

// repeated is a file with head, then repetitions of unit.
type repeated struct {
	head, unit []byte
	size       int64
}

func (r repeated) ReadAt(p []byte, at int64) (n int, err error) {
	for ; n < len(p); n++ {
		switch i := at + int64(n); {
		case i >= r.size:
			return n, io.EOF
		case i < int64(len(r.head)):
			p[n] = r.head[i]
		default:
			k := (i - int64(len(r.head))) % int64(len(r.unit))
			if m := copy(p[n:], r.unit[k:]); m > 0 {
				n += m - 1
			}
		}
	}
	return n, nil
}

// nested returns the headers of nested messages. The body of the innermost message has size bytes.
func nested(size int64, numbers ...int32) (head []byte) {
	for i := len(numbers) - 1; i >= 0; i-- {
		head = append(wire.AppendHeader(nil, numbers[i], size+int64(len(head))), head...)
	}
	return head
}

// TestLarge reads files of 300 MB with one large part. Each takes less than 64 MiB of memory and a second. Parts that are
// large in real files are skipped; other large parts are an error.
func TestLarge(t *testing.T) {
	const size = 300 << 20
	tiny, entry := []byte{0x0a, 0}, []byte{0x0a, 5, 0x0a, 1, 'a', 0x12, 0}
	for _, c := range []struct {
		name    string
		path    []int32
		unit    []byte
		refused bool
	}{
		{"one constant", []int32{2, 2, 1}, []byte{1}, false},
		{"constants of 3 KB", []int32{2, 2}, append(nested(3000, 1), make([]byte, 3000)...), false},
		{"empty nodes", []int32{2, 2}, tiny, true},
		{"one function", []int32{2, 2, 2, 1, 3}, []byte{1}, false},
		{"empty functions", []int32{2, 2, 2}, tiny, true},
		{"ops", []int32{2, 1, 2}, []byte{1}, false},
		{"tags", []int32{2, 1}, []byte{0x22, 0}, true},
		{"one tag", []int32{2, 1, 4}, []byte{'a'}, true},
		{"one signature", []int32{2, 5}, tiny, true},
		{"signatures", []int32{2}, []byte{0x2a, 0}, true},
		{"meta graphs", nil, []byte{0x12, 0}, true},
		{"inputs", []int32{2, 5, 2}, entry, true},
		{"objects", []int32{2, 7}, tiny, true},
		{"children", []int32{2, 7, 1}, tiny, true},
		{"collections", []int32{2, 4}, []byte{1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := int64(size / len(c.unit) * len(c.unit))
			head := nested(body, c.path...)
			if len(c.path) > 1 { // beside the parts of a small model
				small := withArguments(tuple(tuple(int64s), msg(53)))
				lo, _ := wire.Length(small, 1)
				head = nested(body, c.path[1:]...)
				head = slices.Concat(nested(int64(len(small[lo:])+len(head))+body, 2), small[lo:], head)
			}
			r := repeated{head, c.unit, int64(len(head)) + body}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			m, err := model.Read(r, r.size)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			checkModel(t, m, err)
			if c.refused != (err != nil) || err != nil && !errors.Is(err, model.ErrLimit) && !errors.Is(err, model.ErrMessage) {
				t.Errorf("error %v", err)
			}
			if total := after.TotalAlloc - before.TotalAlloc; total > 64<<20 {
				t.Errorf("%d MiB allocated", total>>20)
			}
			if took > time.Second && testkit.Timing(t, "the time") {
				for i := 0; i < 3 && took > time.Second; i++ { // the shortest time of some runs
					start = time.Now()
					_, _ = model.Read(r, r.size)
					took = min(took, time.Since(start))
				}
				if took > time.Second {
					t.Errorf("it took %v", took)
				}
			}
			t.Logf("%v, %d KiB allocated: %v", took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>10, err)
		})
	}
}

// msg returns a message field with a body of parts.
func msg(num int32, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(wire.AppendHeader(nil, num, int64(len(body))), body...)
}

func str(num int32, s string) []byte { return msg(num, []byte(s)) }

func num(num int32, v uint64) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, num, wire.TypeVarint), v)
}

// tuple and int64s return StructuredValues.
func tuple(values ...[]byte) []byte {
	var fields [][]byte
	for _, v := range values {
		fields = append(fields, msg(1, v))
	}
	return msg(52, fields...)
}

var int64s = msg(33, num(3, 9))

// withArguments returns a model with the signature "s" of the input "x", whose function "c" has the given
// canonicalized_input_signature.
func withArguments(value []byte) []byte {
	return msg(2,
		msg(2, msg(2, msg(1,
			msg(1, str(1, "w"), msg(2, str(1, "x"))),
			msg(3, str(2, "PartitionedCall"), str(3, "x"), msg(5, str(1, "f"), msg(2, msg(10, str(1, "c")))))))),
		msg(5, str(1, "s"), msg(2, msg(1, str(1, "x"), msg(2, str(1, "x:0"), num(2, 9))))),
		msg(7,
			msg(1, msg(1, num(1, 1), str(2, "signatures"))),
			msg(1, msg(1, num(1, 2), str(2, "s"))),
			msg(1, msg(8, str(1, "w"), str(2, "x"))),
			msg(2, str(1, "c"), msg(2, msg(3, value)))))
}

// TestArguments checks the inputs of a signature for all kinds of function arguments.
func TestArguments(t *testing.T) {
	spec := func(class uint64, parts ...[]byte) []byte {
		return msg(34, append([][]byte{num(1, class)}, parts...)...)
	}
	ragged := func(rank uint64, dims int, dtype uint64, more ...[]byte) []byte {
		shape := []byte{}
		for range dims {
			shape = append(shape, msg(2, num(1, ^uint64(0)))...)
		}
		return spec(3, msg(2, tuple(append([][]byte{msg(31, shape), num(32, dtype), num(12, rank<<1), num(32, 9)}, more...)...)))
	}
	for _, c := range []struct {
		name  string
		value []byte
		want  string // text of the inputs, or of the error
	}{
		{"a tensor", tuple(tuple(int64s), msg(53)), "0: dense int64 [] = x"},
		{"a ragged tensor of ragged rank 0", tuple(tuple(ragged(0, 2, 9)), msg(53)), "0: dense int64 [?, ?] = x"},
		{"by keyword", tuple(tuple(), msg(53, msg(1, str(1, "k"), msg(2, int64s)))), "k: dense int64 [] = x"},
		{"None and numbers", tuple(tuple(msg(1), num(12, 8), str(13, "s"), num(14, 1), int64s), msg(53)), "4: dense int64 [] = x"},
		{"no argument", tuple(tuple(), msg(53)), "x: unknown = x (the function has no argument for it)"},
		{"too many tensors", tuple(tuple(int64s, int64s), msg(53)), "0: dense int64 [] = x"},
		{"components that are not there", tuple(tuple(ragged(1, 2, 9)), msg(53)),
			`x: unknown = x (argument "0" needs 2 tensors, the signature has only 1 left)`},
		{"another dtype", tuple(tuple(ragged(0, 2, 1)), msg(53)), `0: unknown = x (the signature has dtype int64 for "x", its function has float32)`},
		{"a class of one component", tuple(tuple(spec(12, str(3, "My.Spec"), num(4, 1))), msg(53)),
			"0: unknown = x (it is of type My.Spec, not a dense, ragged or sparse tensor)"},
		{"a class of no count", tuple(tuple(spec(12, str(3, "My.Spec")), int64s), msg(53)),
			"x: unknown = x (it is of type My.Spec, not a dense, ragged or sparse tensor)"},
		{"composite flat values", tuple(tuple(ragged(1, 2, 9, msg(34, num(1, 3)))), msg(53)),
			"x: unknown = x (it is a RaggedTensorSpec whose flat values are a composite tensor)"},
		{"a ragged rank beyond the shape", tuple(tuple(ragged(2, 2, 9)), msg(53)), "RaggedTensorSpec of shape [?, ?] with ragged rank 2"},
		{"too few members", tuple(tuple(spec(3, msg(2, tuple(num(12, 2))))), msg(53)), "a RaggedTensorSpec with 1 members, want at least 4"},
		{"a key twice", tuple(tuple(msg(53, msg(1, str(1, "k")), msg(1, str(1, "k")))), msg(53)), `key "k" occurs twice`},
		{"no tuple", tuple(int64s, msg(53)), "want a tuple and a dict of arguments"},
		{"a number for a message", tuple(num(52, 1)), "want a message, got VARINT"},
		{"a name that is not UTF-8", tuple(tuple(msg(53, msg(1, str(1, "\xff")))), msg(53)), "a string is not UTF-8"},
	} {
		m, err := read(withArguments(c.value))
		checkModel(t, m, err)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		got := ""
		for _, in := range m.Signatures()[0].Inputs {
			got += in.String()
			if in.Unknown != "" {
				got += " (" + in.Unknown + ")"
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestWrappers checks wrappers that no known writer produces: the inputs are unknown, and each occurs once.
func TestWrappers(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"as it is", "", "", "0: dense int64 [] = x"},
		{"another op", "PartitionedCall", "PartitionedCurl", "x: unknown = x"},
		{"another argument", "\x1a\x01x", "\x1a\x01y", "x: unknown = x"},
		{"another name of the tensor", "\x12\x01x\x12", "\x12\x01y\x12", "x: unknown = x"},
		{"another function", "\x0a\x01c", "\x0a\x01d", "x: unknown = x"},
		{"another wrapper", "\x0a\x01w\x12\x01x", "\x0a\x01v\x12\x01x", "x: unknown = x"},
		{"no node of signatures", "signatures", "Signatures", "x: unknown = x"},
		{"a node that is not there", "\x08\x02\x12\x01s", "\x08\x07\x12\x01s", "x: unknown = x"},
	} {
		b := bytes.Replace(withArguments(tuple(tuple(int64s), msg(53))), []byte(c.old), []byte(c.new), 1)
		m, err := read(b)
		checkModel(t, m, err)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := m.Signatures()[0].Inputs; len(got) != 1 || got[0].String() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// TestDeep checks a deeply nested dict as the argument of a function.
func TestDeep(t *testing.T) {
	for _, depth := range []int{10, 63, 100, 10_000} {
		value := []byte{}
		for range depth { // StructuredValue.list_value.values
			value = append(nested(int64(len(value)), 51, 1), value...)
		}
		value = append(nested(int64(len(value)), 52, 1, 52, 1), value...)
		m, err := read(withArguments(value))
		checkModel(t, m, err)
		if errors.Is(err, model.ErrLimit) != (depth > 63) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// TestReadAgain checks that Read does not change its input, and that reading again gives the same model.
func TestReadAgain(t *testing.T) {
	b := file(t, "nests")
	first, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	second, err := read(bytes.Clone(b))
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("%v, and then %v, %v", first, second, err)
	}
	clear(b)
	if !reflect.DeepEqual(first, second) {
		t.Error("the model refers to the memory that it was read from")
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"nested_dict", "tf1_ragged", "tf1_sparse", "tf1_dense"} {
		f.Add(file(f, name))
	}
	f.Add(withArguments(tuple(tuple(int64s), msg(53))))
	f.Add(withArguments(tuple(tuple(), msg(53, msg(1, str(1, "k"), msg(2, int64s))))))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := read(b)
		checkModel(t, m, err)
	})
}
