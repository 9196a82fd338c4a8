package recordjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A source turns fuzzed bytes into choices. After the last byte every choice is 0.
type source struct{ data []byte }

func (s *source) byte() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

func (s *source) uint64() uint64 {
	var b [8]byte
	s.data = s.data[copy(b[:], s.data):]
	return binary.LittleEndian.Uint64(b[:])
}

// oddNames are names that could be misinterpreted in a line.
var oddNames = []string{"", "a", "context", "feature_lists", "examples", "b64", "hex", "nan", "int64", "float32", "string",
	"_file", "_record", "_offset", "b64:", "b64:YQ==", "\xff", "\x00\"\\", "é\u2028"}

var oddStrings = []string{"", "NaN", "Infinity", "-Infinity", "1", "-0", "b64", "\xff\xfe", "\ud7ff", "\x1f\"\\/", "日本語 with more than eight bytes\n"}

func (s *source) name() string {
	n := int(s.byte())
	if n < 2*len(oddNames) {
		return oddNames[n%len(oddNames)]
	}
	return s.string()
}

func (s *source) string() string {
	n := int(s.byte())
	if n < 2*len(oddStrings) {
		return oddStrings[n%len(oddStrings)]
	}
	n = min(n%20, len(s.data))
	text := string(s.data[:n])
	s.data = s.data[n:]
	return text
}

func (s *source) float() float32 {
	bits := uint32(s.uint64())
	switch bits >> 24 {
	case 0:
		return float32(bits & 0xffff)
	case 1:
		return nan
	case 2:
		return math.Float32frombits(0x7f800000 | bits<<31)
	}
	return math.Float32frombits(bits)
}

func (s *source) value() example.Value {
	kind, n := s.byte()%8, int(s.byte()%6)
	switch {
	case kind == 0:
		return example.Value{}
	case kind < 3:
		v := make([][]byte, n)
		for i := range v {
			v[i] = []byte(s.string())
		}
		return example.Value{Bytes: v}
	case kind < 6:
		v := make([]float32, n)
		for i := range v {
			v[i] = s.float()
		}
		return example.Value{Floats: v}
	}
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(s.uint64()) >> (s.byte() % 64)
	}
	return example.Value{Int64s: v}
}

func (s *source) features() example.Example {
	e := make(example.Example)
	for range s.byte() % 6 {
		e[s.name()] = s.value()
	}
	return e
}

func (s *source) lists() map[string][]example.Value {
	lists := make(map[string][]example.Value)
	for range s.byte() % 4 {
		steps := make([]example.Value, s.byte()%4)
		for i := range steps {
			steps[i] = s.value()
		}
		lists[s.name()] = steps
	}
	return lists
}

func (s *source) examples() example.ExampleList {
	l := example.ExampleList{HasContext: s.byte()%2 == 0}
	if l.HasContext {
		l.Context = s.features()
	}
	for range s.byte() % 4 {
		l.Examples = append(l.Examples, s.features())
	}
	return l
}

// survive checks that msg, a valid message of type typ, is unchanged after printing and reading, in both forms and
// without a given type. The plain form may be refused if steps have different kinds.
func survive(t *testing.T, typ example.MessageType, msg []byte, mixed bool) {
	t.Helper()
	for _, o := range []Options{
		{Typed: true}, {Typed: true, Bytes: BytesHex, Int64: Int64String, Position: true}, {}, {Position: true}, {Int64: Int64String},
	} {
		p := NewPrinter(typ, &o)
		line := print(t, p, msg)
		if !json.Valid([]byte(line)) || strings.Contains(line, "\n") {
			t.Fatalf("%x prints as %s", msg, line)
		}
		back, err := NewEncoder(example.TypeAuto, nil).Append(nil, []byte(line))
		if err != nil {
			if mixed && !o.Typed && strings.Contains(err.Error(), "different kinds") {
				continue
			}
			t.Fatalf("%x prints as\n%s\nwhich is not read: %v", msg, line, err)
		}
		want, got := line, print(t, p, back)
		if !o.Typed { // the line does not contain the kind of an empty list
			want, got = print(t, p, withoutEmpty(t, typ, msg)), print(t, p, withoutEmpty(t, typ, back))
		}
		if got != want {
			t.Fatalf("%x prints as\n%s\nand after reading it back\n%s", msg, line, got)
		}
		if o.Typed {
			sameRecord(t, typ, msg, back)
		}
	}
}

// withoutEmpty returns a message with the kinds of empty lists removed.
func withoutEmpty(t testing.TB, typ example.MessageType, msg []byte) []byte {
	t.Helper()
	features := func(e example.Example) {
		for name, v := range e {
			if v.Len() == 0 {
				e[name] = example.Value{}
			}
		}
	}
	switch typ {
	case example.TypeExample:
		e := owned[example.Example](t, msg)
		features(e)
		return encode(t, e)
	case example.TypeSequence:
		s := owned[example.Sequence](t, msg)
		features(s.Context)
		for _, steps := range s.Lists {
			for i, v := range steps {
				if v.Len() == 0 {
					steps[i] = example.Value{}
				}
			}
		}
		return encode(t, s)
	case example.TypeExampleList:
		l := owned[example.ExampleList](t, msg)
		features(l.Context)
		for _, e := range l.Examples {
			features(e)
		}
		return encode(t, l)
	}
	return msg
}

// hasMixedSteps reports whether a list has steps with values of different kinds.
func hasMixedSteps(lists map[string][]example.Value) bool {
	for _, steps := range lists {
		kinds := make(map[example.Kind]bool)
		for _, v := range steps {
			if v.Len() > 0 {
				kinds[v.Kind()] = true
			}
		}
		if len(kinds) > 1 {
			return true
		}
	}
	return false
}

// Random valid messages are unchanged after printing and reading, and so are arbitrary bytes that are valid.
func FuzzTypedRoundTrip(f *testing.F) {
	for i := range byte(40) {
		f.Add(bytes.Repeat([]byte{i, 5, i + 1, 1, 40 * i, i}, 9))
	}
	f.Add(encode(f, example.Example{"a": example.Floats(odd)}))
	f.Add(encode(f, example.ExampleList{Examples: []example.Example{{"examples": {}}}}))
	f.Add(encode(f, example.Sequence{Lists: map[string][]example.Value{"x": {{}, example.Int64s()}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		switch s.byte() % 4 {
		case 0:
			survive(t, example.TypeExample, encode(t, s.features()), false)
		case 1:
			seq := example.Sequence{Context: s.features(), Lists: s.lists()}
			survive(t, example.TypeSequence, encode(t, seq), hasMixedSteps(seq.Lists))
		case 2:
			survive(t, example.TypeExampleList, encode(t, s.examples()), false)
		default:
			survive(t, example.TypeRaw, data, false)
		}
		if example.TypeExample.Validate(data) == nil {
			survive(t, example.TypeExample, data, false)
		}
		if example.TypeSequence.Validate(data) == nil {
			survive(t, example.TypeSequence, data, true)
		}
		if example.TypeExampleList.Validate(data) == nil {
			survive(t, example.TypeExampleList, data, false)
		}
	})
}

// notFinite matches strings and the numbers that JSON does not have.
var notFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b`)

// Arbitrary text is read or refused. If it is read, the message is valid, and its printed line is read to the same
// message.
func FuzzReader(f *testing.F) {
	for _, line := range []string{
		`{"a":[1,-2],"b":[1.5,"NaN"],"c":["x",{"b64":"/w=="}],"d":null,"b64:/w==":[]}`,
		`{"a":{"int64":["1"]},"b":{"float32":[{"nan":"ffc00001"}]},"c":{"string":[{"hex":"00"}]}}`,
		`{"context":{"a":[1]},"feature_lists":{"b":[[1.0],[],["NaN"],null]}}`,
		`{"context":{},"examples":[{"a":["\ud83d\ude42\u0000"]},{}]}`,
		`{"_file":"x","_record":0,"_offset":1e3,"b64":"AAEC"}`,
		`{"context":{"int64":[1]},"feature_lists":{"int64":[]}}`,
		` { "a" : [ -0.0e-5 , 1E400 ] } `,
		`{"a":[NaN,-Infinity ,1],"NaN":[Infinity]}`,
		`{"a":"\ud800"}`, `{"a":["\ud800"]}`, `{"a":["\ufffd\\ud800"]}`,
		`{"a":[0.1,1e-45,16777217,1.0000001788139343261718749,-3.4028235e38]}`, `{"a":[9223372036854775807,-9223372036854775808]}`,
		`{"feature_lists":{"a":[[],[1],[]],"k":[[],[1]],"c":[[],["NaN"]],"d":[{"int64":[1]},[]]}}`,
		`[{"a":[[[[]]]]}]`,
	} {
		for t := range byte(5) {
			f.Add(t, line)
		}
	}
	f.Fuzz(func(t *testing.T, typ byte, text string) {
		given := kinds{"k": example.FloatList}
		e := NewEncoder(example.MessageType(typ%5), given)
		if e.typ != example.TypeAuto {
			// JSON has no NaN, so the slow encoder gets another float in its place, and the messages differ.
			finite := notFinite.ReplaceAllStringFunc(text, func(token string) string {
				if _, ok := jsonscan.NotFinite([]byte(token)); ok {
					return "7.5"
				}
				return token
			})
			want, refused := slowEncode(e.typ, given, []byte(finite))
			for range 2 { // the second time the names are known
				got, err := e.Append(nil, []byte(text))
				if (err == nil) != (refused == nil) || finite == text && !bytes.Equal(got, want) {
					t.Fatalf("%q, as %s:\ngot  %x, %v\nwant %x, %v", text, e.typ, got, err, want, refused)
				}
			}
		}
		msg, err := e.Append(nil, []byte(text))
		if err != nil {
			if len(msg) != 0 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q with %x", err, msg)
			}
			return
		}
		found := e.typ
		if found == example.TypeAuto {
			found = max(e.seen, example.TypeExample)
		}
		line := print(t, NewPrinter(found, &Options{Typed: true}), msg)
		again, err := NewEncoder(found, nil).Append(nil, []byte(line))
		if err != nil || !bytes.Equal(again, msg) {
			t.Fatalf("%q is read as %x, which prints as\n%s\nwhich is read as %x, %v", text, msg, line, again, err)
		}
	})
}
