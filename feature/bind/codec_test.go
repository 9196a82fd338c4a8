package bind_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/bind"
)

func newCodec[T any](tb testing.TB) *bind.Codec[T] {
	tb.Helper()
	c, err := bind.New[T](nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func marshal(tb testing.TB, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	tb.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestMissing has the meaning of a feature without values, for each Go type.
func TestMissing(t *testing.T) {
	missing, count, kind := feature.ErrMissing, feature.ErrCount, example.ErrKind
	inputs := []struct {
		what string
		m    example.Example
	}{
		{"absent", example.Example{}},
		{"no kind", example.Example{"k": {}}},
		{"empty list", example.Example{"k": example.Int64s()}},
		{"another kind", example.Example{"k": example.Floats()}},
		{"one value", example.Example{"k": example.Int64s(7)}},
		{"two values", example.Example{"k": example.Int64s(7, 8)}},
	}
	for _, c := range []struct {
		what   string
		decode func([]byte) (any, error)
		want   []any // the result for each input
	}{
		{"V", decode[struct {
			F int64 `tfparse:"k"`
		}], []any{missing, missing, count, kind, 7, count}},
		{"V with a default", decode[struct {
			F int64 `tfparse:"k,default=5"`
		}], []any{5, 5, count, kind, 7, count}},
		{"[2]V", decode[struct {
			F [2]int64 `tfparse:"k"`
		}], []any{missing, missing, count, kind, count, [2]int64{7, 8}}},
		{"[2]V with a default", decode[struct {
			F [2]int64 `tfparse:"k,default=5"`
		}], []any{[2]int64{5, 5}, [2]int64{5, 5}, count, kind, count, [2]int64{7, 8}}},
		{"*V", decode[struct {
			F *int64 `tfparse:"k"`
		}], []any{nil, nil, nil, kind, 7, count}},
		{"*[2]V", decode[struct {
			F *[2]int64 `tfparse:"k"`
		}], []any{nil, nil, nil, kind, feature.ErrPartition, [2]int64{7, 8}}},
		{"[]V", decode[struct {
			F []int64 `tfparse:"k"`
		}], []any{[]int64{}, []int64{}, []int64{}, kind, []int64{7}, []int64{7, 8}}},
		{"[][2]V", decode[struct {
			F [][2]int64 `tfparse:"k"`
		}], []any{[]int64{}, []int64{}, []int64{}, kind, feature.ErrPartition, [][2]int64{{7, 8}}}},
	} {
		for i, in := range inputs {
			got, err := c.decode(marshal(t, in.m))
			if want, fails := c.want[i].(error); fails {
				if !errors.Is(err, want) {
					t.Errorf("%s, %s: got %v, %v, want %v", c.what, in.what, got, err, want)
				}
				continue
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want[i]) {
				t.Errorf("%s, %s: got %v, %v, want %v", c.what, in.what, got, err, c.want[i])
			}
		}
	}
}

// decode decodes into a struct with one field, and returns the field or the value that it points to.
func decode[T any](record []byte) (any, error) {
	c, err := bind.New[T](nil)
	if err != nil {
		return nil, err
	}
	var v T
	err = c.Decode(record, &v)
	f := reflect.ValueOf(v).Field(0)
	if f.Kind() == reflect.Pointer {
		if f.IsNil() {
			return nil, err
		}
		f = f.Elem()
	}
	return f.Interface(), err
}

// numbers has types with a limited range.
type numbers struct {
	A int8      `tfparse:"a,default=0"`
	B []uint16  `tfparse:"b"`
	C [][]bool  `tfparse:"c,row_lengths=c/l"`
	D *uint64   `tfparse:"d"`
	E [2][2]int `tfparse:"e,default=0"`
	F []count   `tfparse:"f"`
	G *[2]yes   `tfparse:"g"`
}

// TestRange proves that a value outside the range of its type is an error with its place, and that no field is set
// then.
func TestRange(t *testing.T) {
	codec := newCodec[numbers](t)
	for _, c := range []struct {
		m    example.Example
		want string
	}{
		{example.Example{"a": example.Int64s(128)}, `field A: feature "a": value does not fit the type: want -128 to 127 for int8, got 128`},
		{example.Example{"a": example.Int64s(-129)}, `field A: feature "a": value does not fit the type: want -128 to 127 for int8, got -129`},
		{example.Example{"b": example.Int64s(0, 65535, 65536)}, `field B[2]: feature "b": value does not fit the type: want 0 to 65535 for uint16, got 65536`},
		{example.Example{"c": example.Int64s(0, 1, 1, 0, 2), "c/l": example.Int64s(2, 0, 3)}, `field C[2][2]: feature "c": value does not fit the type: want 0 to 1 for bool, got 2`},
		{example.Example{"d": example.Int64s(-1)}, `field D: feature "d": value does not fit the type: want 0 to 9223372036854775807 for uint64, got -1`},
		{example.Example{"d": example.Int64s(1, 2)}, `field D: feature "d": wrong number of values: want at most 1 value, got 2`},
		{example.Example{"f": example.Int64s(1, 1<<15)}, `field F[1]: feature "f": value does not fit the type: want -32768 to 32767 for bind_test.count, got 32768`},
		{example.Example{"g": example.Int64s(1, 3)}, `field G[1]: feature "g": value does not fit the type: want 0 to 1 for bind_test.yes, got 3`},
		{example.Example{"g": example.Int64s(1, 0, 1, 0)}, `field G: feature "g": wrong number of values: want at most 1 row of shape [2], got 2`},
	} {
		m := example.Example{"a": example.Int64s(1), "b": example.Int64s(2), "c": example.Int64s(1), "c/l": example.Int64s(1)}
		for k, v := range c.m {
			m[k] = v
		}
		v := numbers{A: 9}
		err := codec.Decode(marshal(t, m), &v)
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if d := cmp.Diff(numbers{A: 9}, v); d != "" {
			t.Errorf("%s: the struct was changed: %s", c.want, d)
		}
		var e *bind.Error
		var in *feature.Error
		if !errors.As(err, &e) || !errors.As(err, &in) || in.Key != in.Feature || !errors.Is(err, bind.ErrRange) && !errors.Is(err, feature.ErrCount) {
			t.Errorf("%v is %#v", err, err)
		}
	}
}

// TestInt32 proves that int has the range of this platform.
func TestInt32(t *testing.T) {
	codec := newCodec[struct {
		A int `tfparse:"a"`
	}](t)
	var v struct {
		A int `tfparse:"a"`
	}
	err := codec.Decode(marshal(t, example.Example{"a": example.Int64s(1 << 31)}), &v)
	if fits := math.MaxInt > math.MaxInt32; fits != (err == nil) || fits && int64(v.A) != 1<<31 {
		t.Errorf("got %d, %v", v.A, err)
	}
}

// session and query have every part of a record.
type session struct {
	Context struct {
		User string `tfparse:"user"`
		Age  int8   `tfparse:"age,default=0"`
	} `tfparse:",context"`
	Lists struct {
		Clicked []bool     `tfparse:"clicked,allow_missing"`
		Vectors [][2]int8  `tfparse:"vectors"`
		Words   [][][]int8 `tfparse:"words,value_row_ids=words/ids"`
	} `tfparse:",sequence"`
}

type query struct {
	Context inner `tfparse:",context"`
	Docs    []struct {
		Title  string    `tfparse:"title"`
		Scores []float64 `tfparse:"scores"`
		Spans  [][]int8  `tfparse:"spans,row_splits=spans/s"`
		Rank   *uint8    `tfparse:"rank"`
	} `tfparse:",examples"`
}

// path is the path to a feature. A step or partition of -1 means none.
func path(feature, key string, step, partition int) example.Path {
	p := example.PathTo("", feature)
	p.Key, p.Step, p.Partition = key, step, partition
	return p
}

// TestPlaces proves that an error has its place in the Go struct and in the record.
func TestPlaces(t *testing.T) {
	sessions, queries := newCodec[session](t), newCodec[query](t)
	user := example.Example{"user": example.Strings("ada")}
	vectors := []example.Value{example.Int64s(1, 2)}
	title := func(more example.Example) example.Example {
		e := example.Example{"title": example.Strings("x")}
		for k, v := range more {
			e[k] = v
		}
		return e
	}
	list := func(es ...example.Example) example.ExampleList {
		return example.ExampleList{Context: example.Example{"deep": example.Int64s(1)}, HasContext: true, Examples: es}
	}
	for _, c := range []struct {
		record []byte
		field  string
		want   feature.Error // without Byte, Want and Got
	}{
		{marshal(t, example.Sequence{}), "Context.User", feature.Error{Group: feature.InContext, Path: path("user", "user", -1, -1), Err: feature.ErrMissing}},
		{marshal(t, example.Sequence{Context: example.Example{"user": example.Strings(""), "age": example.Int64s(1000)}, Lists: map[string][]example.Value{"vectors": vectors}}),
			"Context.Age", feature.Error{Group: feature.InContext, Path: path("age", "age", -1, -1), Err: bind.ErrRange}},
		{marshal(t, example.Sequence{Context: user}), "Lists.Vectors", feature.Error{Group: feature.InSequence, Path: path("vectors", "vectors", -1, -1), Err: feature.ErrMissing}},
		{marshal(t, example.Sequence{Context: user, Lists: map[string][]example.Value{"vectors": {example.Int64s(1, 2), example.Int64s(3)}}}),
			"Lists.Vectors[1]", feature.Error{Group: feature.InSequence, Path: path("vectors", "vectors", 1, -1), Err: feature.ErrCount}},
		{marshal(t, example.Sequence{Context: user, Lists: map[string][]example.Value{"vectors": vectors, "words": {example.Int64s(1), example.Int64s(1, 2)}, "words/ids": {example.Int64s(0), example.Int64s(1, 0)}}}),
			"Lists.Words[1]", feature.Error{Group: feature.InSequence, Path: path("words", "words/ids", 1, 0), Err: feature.ErrPartition}},
		{marshal(t, example.Sequence{Context: user, Lists: map[string][]example.Value{"vectors": vectors, "words": {example.Int64s(1), example.Int64s(1, 2, 300)}, "words/ids": {example.Int64s(0), example.Int64s(0, 2, 2)}}}),
			"Lists.Words[1][2][1]", feature.Error{Group: feature.InSequence, Path: path("words", "words", 1, -1), Err: bind.ErrRange}},
		{marshal(t, example.Sequence{Context: user, Lists: map[string][]example.Value{"vectors": vectors, "clicked": {example.Int64s(1), example.Int64s(2)}}}),
			"Lists.Clicked[1]", feature.Error{Group: feature.InSequence, Path: path("clicked", "clicked", 1, -1), Err: bind.ErrRange}},
		{marshal(t, list(title(nil), example.Example{})), "Docs[1].Title", feature.Error{Group: feature.InExamples, Path: path("title", "title", 1, -1), Err: feature.ErrMissing}},
		{marshal(t, list(title(nil), title(example.Example{"spans": example.Int64s(1), "spans/s": example.Int64s(0, 2)}))),
			"Docs[1].Spans", feature.Error{Group: feature.InExamples, Path: path("spans", "spans/s", 1, 0), Err: feature.ErrPartition}},
		{marshal(t, list(title(nil), title(nil), title(example.Example{"spans": example.Int64s(1, 2, 300), "spans/s": example.Int64s(0, 1, 1, 3)}))),
			"Docs[2].Spans[2][1]", feature.Error{Group: feature.InExamples, Path: path("spans", "spans", 2, -1), Err: bind.ErrRange}},
		{marshal(t, list(title(nil), title(nil), title(example.Example{"rank": example.Int64s(256)}))),
			"Docs[2].Rank", feature.Error{Group: feature.InExamples, Path: path("rank", "rank", 2, -1), Err: bind.ErrRange}},
		{marshal(t, list(title(nil), title(example.Example{"rank": example.Int64s(1, 2)}))),
			"Docs[1].Rank", feature.Error{Group: feature.InExamples, Path: path("rank", "rank", 1, -1), Err: feature.ErrCount}},
		{marshal(t, example.ExampleList{Examples: []example.Example{title(nil)}}), "Context.Deep", feature.Error{Group: feature.InContext, Path: path("deep", "deep", -1, -1), Err: feature.ErrMissing}},
	} {
		err := sessions.Decode(c.record, new(session))
		if strings.HasPrefix(c.field, "Docs") || c.want.Feature == "deep" {
			err = queries.Decode(c.record, new(query))
		}
		e, ok := errors.AsType[*bind.Error](err)
		if !ok || e.Field != c.field {
			t.Errorf("got %v, want field %s", err, c.field)
			continue
		}
		in := *e.Err.(*feature.Error)
		if !errors.Is(in.Err, c.want.Err) || !strings.HasPrefix(err.Error(), "field "+c.field+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", c.field, err)
		}
		in.Err, in.Byte, in.Want, in.Got = c.want.Err, -1, "", ""
		if in != c.want {
			t.Errorf("%s: got %#v, want %#v", c.field, in, c.want)
		}
	}
	type outer struct {
		inner
		B int64 `tfparse:"b"`
	}
	err := newCodec[outer](t).Decode(nil, new(outer))
	if e, ok := errors.AsType[*bind.Error](err); !ok || e.Field != "B" {
		t.Errorf("got %v", err)
	}
	err = newCodec[outer](t).Decode(marshal(t, example.Example{"b": example.Int64s(1)}), new(outer))
	if e, ok := errors.AsType[*bind.Error](err); !ok || e.Field != "inner.Deep" {
		t.Errorf("got %v", err)
	}
	// The error for a record that is not a message has no field.
	err = queries.Decode([]byte{0x0a, 0x05, 0x00}, new(query))
	if e, ok := err.(*feature.Error); !ok || !e.Whole {
		t.Errorf("got %#v", err)
	}
}

// TestCannotEncode has values that a record cannot represent.
func TestCannotEncode(t *testing.T) {
	type values struct {
		A uint64    `tfparse:"a"`
		B []uint64  `tfparse:"b"`
		C float64   `tfparse:"c"`
		D []float64 `tfparse:"d"`
		E []ratio   `tfparse:"e"`
		F float64   `tfparse:"f,round"`
		G [][]int64 `tfparse:"g,uniform_row_length=2"`
		H [][]int64 `tfparse:"h,value_row_ids=h/r"`
		I [][]int64 `tfparse:"i,row_lengths=shared"`
		J [][]int64 `tfparse:"j,row_lengths=shared"`
	}
	codec := newCodec[values](t)
	for _, c := range []struct {
		v    values
		want string
	}{
		{values{A: 1 << 63}, `field A: feature "a": value does not fit the type: want at most 9223372036854775807, got 9223372036854775808`},
		{values{B: []uint64{1, 1 << 63}}, `field B[1]: feature "b": value does not fit the type: want at most 9223372036854775807, got 9223372036854775808`},
		{values{C: 0.1}, `field C: feature "c": value does not fit the type: want a number that is exactly a float32 (the option round allows others), got 0.1`},
		{values{D: []float64{1, 1e300}}, `field D[1]: feature "d": value does not fit the type: want a number that is exactly a float32 (the option round allows others), got 1e+300`},
		{values{E: []ratio{1, 1 << 25, 1<<25 + 1}}, `field E[2]: feature "e": value does not fit the type: want a number that is exactly a float32 (the option round allows others), got 3.3554433e+07`},
		{values{F: 1e39}, `field F: feature "f": value does not fit the type: want a number in the range of float32, got 1e+39`},
		{values{G: [][]int64{{1, 2}, {3}}}, `field G[1]: feature "g": invalid row partition: want rows of 2 for uniform_row_length, got 1`},
		{values{H: [][]int64{{1}, {}}}, `field H: feature "h" (key "h/r"): partition 0: invalid row partition: want items in the last row: value_row_ids cannot express an empty last row, got none`},
		{values{I: [][]int64{{1}}, J: [][]int64{{1, 2}}}, `field J: feature "j" (key "shared"): partition 0: column does not fit the spec: want the values of field I with the same key, got other values`},
	} {
		dst := []byte("before")
		got, err := codec.AppendRecord(dst, &c.v)
		if err == nil || err.Error() != c.want || string(got) != "before" {
			t.Errorf("got  %v, %q\nwant %s", err, got, c.want)
		}
		if _, ok := errors.AsType[*feature.Error](err); !ok {
			t.Errorf("%v is %T", err, err)
		}
	}
	type both struct {
		A [][]int64 `tfparse:"a,row_splits=shared"`
		B []int64   `tfparse:"b,value_key=shared"`
	}
	wantError(t, newCodec[both](t), &both{A: [][]int64{{}}}, `field A: feature "a" (key "shared"): partition 0: column does not fit the spec: want the values of field B with the same key, got other values`)
	wantError(t, newCodec[both](t), &both{B: []int64{1}}, `field A: feature "a" (key "shared"): partition 0: column does not fit the spec: want the values of field B with the same key, got other values`)

	v := values{A: math.MaxInt64, C: 0.5, D: []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1)}, F: 0.1, H: [][]int64{{}, {1}}, I: [][]int64{{}, {1, 2}}, J: [][]int64{nil, {3, 4}}}
	record, err := codec.AppendRecord([]byte("before"), &v)
	if err != nil || !bytes.HasPrefix(record, []byte("before")) {
		t.Fatal(err)
	}
	var w values
	if err := codec.Decode(record[len("before"):], &w); err != nil {
		t.Fatal(err)
	}
	v.F = float64(float32(0.1))
	if d := cmp.Diff(v, w, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}

	sessions, queries := newCodec[struct {
		Lists struct {
			A [][][]int64 `tfparse:"a,value_row_ids=ids"`
			B [][][]int64 `tfparse:"b,value_row_ids=ids"`
			C [][]uint    `tfparse:"c"`
		} `tfparse:",sequence"`
	}](t), newCodec[query](t)
	s := sessionOf(sessions)
	s.Lists.A = [][][]int64{{{1}}, {{1}, {}}}
	s.Lists.B = s.Lists.A
	wantError(t, sessions, s, `field Lists.A: sequence feature "a" (key "ids"): step 1: partition 0: invalid row partition: want items in the last row: value_row_ids cannot express an empty last row, got none`)
	s.Lists.A = [][][]int64{{{1}}, {{1}}}
	s.Lists.B = [][][]int64{{{1}}, {{1, 2}}}
	wantError(t, sessions, s, `field Lists.B: sequence feature "b" (key "ids"): step 1: partition 0: column does not fit the spec: want the values of field Lists.A with the same key, got other values`)
	s.Lists.B = [][][]int64{{{1}}}
	wantError(t, sessions, s, `field Lists.B: sequence feature "b" (key "ids"): partition 0: steps do not align: want 2, as in field Lists.A with the same key, got 1`)
	s.Lists.B = s.Lists.A
	if math.MaxUint > math.MaxUint32 {
		big := uint64(1 << 63)
		s.Lists.C = [][]uint{{}, {}, {1, uint(big)}}
		wantError(t, sessions, s, `field Lists.C[2][1]: sequence feature "c": step 2: value does not fit the type: want at most 9223372036854775807, got 9223372036854775808`)
	}
	var q query
	q.Docs = make([]struct {
		Title  string    `tfparse:"title"`
		Scores []float64 `tfparse:"scores"`
		Spans  [][]int8  `tfparse:"spans,row_splits=spans/s"`
		Rank   *uint8    `tfparse:"rank"`
	}, 3)
	q.Docs[2].Scores = []float64{0, 0.3}
	wantError(t, queries, &q, `field Docs[2].Scores[1]: examples feature "scores": example 2: value does not fit the type: want a number that is exactly a float32 (the option round allows others), got 0.3`)
}

func sessionOf[T any](*bind.Codec[T]) *T { return new(T) }

func wantError[T any](t *testing.T, codec *bind.Codec[T], v *T, want string) {
	t.Helper()
	record, err := codec.Encode(v)
	if err == nil || err.Error() != want || record != nil {
		t.Errorf("got  %v, %x\nwant %s", err, record, want)
	}
}

// TestNil proves that nil pointers are omitted, so that a reader uses its default for the feature, and that all
// other values are written.
func TestNil(t *testing.T) {
	type optional struct {
		A *int64     `tfparse:"a"`
		B *[2]string `tfparse:"b"`
		C []float64  `tfparse:"c"`
		D [][]int64  `tfparse:"d,row_splits=d/s"`
		E []byte     `tfparse:"e,default='x'"`
	}
	one := int64(1)
	for _, c := range []struct {
		v    optional
		want example.Example
	}{
		{optional{}, example.Example{"c": example.Floats(), "d": example.Int64s(), "d/s": example.Int64s(0), "e": example.Strings("")}},
		{optional{A: &one, B: &[2]string{"", "x"}}, example.Example{"a": example.Int64s(1), "b": example.Strings("", "x"), "c": example.Floats(), "d": example.Int64s(), "d/s": example.Int64s(0), "e": example.Strings("")}},
	} {
		got, err := newCodec[optional](t).Encode(&c.v)
		if want := marshal(t, c.want); err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %x, %v, want %x", got, err, want)
		}
	}
	type pointers struct {
		A *int64 `tfparse:"a"`
	}
	if got, err := newCodec[pointers](t).Encode(new(pointers)); err != nil || !bytes.Equal(got, []byte{0x0a, 0x00}) {
		t.Errorf("got %x, %v", got, err)
	}
}

// TestConcurrent uses one codec from many goroutines.
func TestConcurrent(t *testing.T) {
	codec := fortyCodec(t)
	records, _ := requests(t, codec, 16)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var r, s Forty
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			for range 50 {
				if err := codec.Decode(records[rnd.IntN(len(records))], &r); err != nil {
					t.Error(err)
					return
				}
				record, err := codec.Encode(&r)
				if err != nil {
					t.Error(err)
					return
				}
				if err := codec.Decode(record, &s); err != nil || !cmp.Equal(r, s, cmpopts.EquateEmpty()) {
					t.Errorf("%v: %s", err, cmp.Diff(r, s, cmpopts.EquateEmpty()))
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestAll proves that a stream ends at its first error, and that every struct is new.
func TestAll(t *testing.T) {
	codec := newCodec[inner](t)
	torn := errors.New("torn")
	stream := func(last error, records ...[]byte) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			buf := make([]byte, 64) // reused memory
			for _, r := range records {
				if !yield(buf[:copy(buf, r)], nil) {
					return
				}
			}
			if last != nil {
				yield(nil, last)
			}
		}
	}
	one := marshal(t, example.Example{"deep": example.Int64s(1)})
	two := marshal(t, example.Example{"deep": example.Int64s(2)})
	for _, c := range []struct {
		what   string
		stream iter.Seq2[[]byte, error]
		want   string
	}{
		{"all", stream(nil, one, two), "1 2"},
		{"none", stream(nil), ""},
		{"a bad record", stream(nil, one, nil, two), `1 record 1: field Deep: feature "deep": required feature is missing`},
		{"a torn stream", stream(torn, one, two), "1 2 torn"},
	} {
		var all []*inner
		var text []string
		for v, err := range codec.All(c.stream) {
			if err != nil {
				text = append(text, err.Error())
				continue
			}
			all = append(all, v)
		}
		var got []string
		for _, v := range all {
			got = append(got, fmt.Sprint(v.Deep))
		}
		if got := strings.Join(append(got, text...), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	for v, err := range codec.All(stream(nil, one, two)) {
		if err != nil || v.Deep != 1 {
			t.Errorf("got %v, %v", v, err)
		}
		break
	}
}

// TestLimits proves that the options of the parser are also applied by the codec.
func TestLimits(t *testing.T) {
	codec, err := bind.New[numbers2](&feature.ParserOptions{MaxRows: 3})
	if err != nil {
		t.Fatal(err)
	}
	var v numbers2
	good := marshal(t, example.Example{"v": example.Int64s(1), "r": example.Int64s(2)})
	if err := codec.Decode(good, &v); err != nil || len(v.V) != 3 {
		t.Errorf("got %v, %v", v, err)
	}
	for _, last := range []int64{3, 1 << 40, math.MaxInt64} {
		bad := marshal(t, example.Example{"v": example.Int64s(1), "r": example.Int64s(last)})
		if err := codec.Decode(bad, &v); !errors.Is(err, feature.ErrLimit) {
			t.Errorf("row %d: %v", last, err)
		}
	}
}

type numbers2 struct {
	V [][]int64 `tfparse:"v,value_row_ids=r"`
}
