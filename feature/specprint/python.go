package specprint

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// Python returns the spec as a Python module for TensorFlow. The module has the features
// as tf.io objects, in dicts FEATURES, CONTEXT, SEQUENCE or EXAMPLES, and a function
// parse that takes a vector of serialized records and returns
//
//	Example                  a dict of tensors by name
//	SequenceExample          dicts of the context, of the feature lists, and of lengths
//	ExampleListWithContext   dicts of the context and of the examples
//
// in the forms of feature.Column: dense, ragged with int64 row splits, or sparse. The
// lengths are those of tf.io.parse_sequence_example. TensorFlow validates ragged
// structure per batch only, so it accepts partitions that belong to another record (see
// the differences in package feature). If any name or key is not UTF-8, all are bytes
// instead of str. parse returns strings that are not decoded, which may not be possible for a whole batch; a comment beside the
// feature says what they hold.
func Python(spec feature.Spec) ([]byte, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	p := python{bytes: !allUTF8(spec)}
	message := spec.Message()
	p.b = append(p.b, pythonHead[message]...)
	for g, name := range pythonGroups {
		fs := *spec.Group(feature.Group(g))
		if len(fs) > 0 || slices.Contains(pythonDicts[message], feature.Group(g)) {
			p.features(name, feature.Group(g), fs)
		}
	}
	return append(p.b, pythonTail[message]...), nil
}

var pythonGroups = [...]string{
	feature.InFeatures: "FEATURES", feature.InContext: "CONTEXT", feature.InSequence: "SEQUENCE", feature.InExamples: "EXAMPLES",
}

// pythonDicts lists the dicts that parse needs for a message type, even if empty.
var pythonDicts = map[example.MessageType][]feature.Group{
	example.TypeExample:     {feature.InFeatures},
	example.TypeSequence:    {feature.InContext, feature.InSequence},
	example.TypeExampleList: {feature.InContext, feature.InExamples},
}

var pythonDTypes = map[feature.DType]string{feature.String: "tf.string", feature.Float32: "tf.float32", feature.Int64: "tf.int64"}

// python builds the text of a module.
type python struct {
	b     []byte
	bytes bool // print names as bytes
}

func (p *python) printf(format string, args ...any) { p.b = fmt.Appendf(p.b, format, args...) }

func (p *python) features(dict string, g feature.Group, fs feature.Features) {
	if len(fs) == 0 {
		p.printf("%s = {}\n", dict)
		return
	}
	p.printf("%s = {\n", dict)
	for _, name := range slices.Sorted(maps.Keys(fs)) {
		p.printf("    %s: ", p.name(name))
		p.feature(g, fs[name])
		p.printf(",")
		switch d := feature.DecodeOf(fs[name]).(type) {
		case feature.DecodeRaw:
			p.printf("  # strings for tf.io.decode_raw, dtype %s", d.DType)
		case feature.DecodeTensor:
			p.printf("  # strings for tf.io.parse_tensor")
		}
		p.printf("\n")
	}
	p.printf("}\n")
}

func (p *python) feature(g feature.Group, f feature.Feature) {
	dtype := pythonDTypes[feature.DTypeOf(f)]
	switch f := f.(type) {
	case feature.FixedLen:
		p.printf("tf.io.FixedLenFeature(%s, %s", pythonList(f.Shape), dtype)
		if f.Default.Len() > 0 {
			p.printf(", default_value=[")
			p.values(f.Default)
			p.printf("]")
		}
	case feature.FixedLenSequence:
		p.printf("tf.io.FixedLenSequenceFeature(%s, %s", pythonList(f.Shape), dtype)
		if f.AllowMissing || g != feature.InSequence {
			p.printf(", allow_missing=True")
		}
		if f.Default.Len() > 0 {
			p.printf(", default_value=")
			p.values(f.Default)
		}
	case feature.VarLen:
		p.printf("tf.io.VarLenFeature(%s", dtype)
	case feature.Sparse:
		p.printf("tf.io.SparseFeature([")
		for i, key := range f.IndexKeys {
			p.b = comma(p.b, i)
			p.printf("%s", p.name(key))
		}
		p.printf("], %s, %s, size=%s", p.name(f.ValueKey), dtype, pythonList(f.Size))
		if f.Sorted {
			p.printf(", already_sorted=True")
		}
	case feature.Ragged:
		p.printf("tf.io.RaggedFeature(%s", dtype)
		if f.ValueKey != "" && !p.bytes {
			p.printf(", value_key=%s", p.name(f.ValueKey))
		}
		if len(f.Partitions) > 0 {
			p.printf(", partitions=[")
			for i, part := range f.Partitions {
				p.b = comma(p.b, i)
				p.partition(part)
			}
			p.printf("]")
		}
		p.printf(", row_splits_dtype=tf.int64, validate=True")
		if f.ValueKey != "" && p.bytes { // its constructor rejects bytes for value_key
			p.printf(")._replace(value_key=%s", p.name(f.ValueKey))
		}
	}
	p.printf(")")
}

func (p *python) partition(part feature.Partition) {
	class := "tf.io.RaggedFeature."
	if n, ok := part.(feature.UniformRowLength); ok {
		p.printf(class+"UniformRowLength(%d)", int64(n))
		return
	}
	name, key := feature.PartitionKey(part)
	for word := range strings.SplitSeq(name, "_") { // row_splits is the class RowSplits
		class += strings.ToUpper(word[:1]) + word[1:]
	}
	p.printf("%s(%s)", class, p.name(key))
}

// values prints the values of a default.
func (p *python) values(v example.Value) {
	for i, n := range v.Int64s {
		p.b = strconv.AppendInt(comma(p.b, i), n, 10)
	}
	for i, f := range v.Floats {
		p.b = append(comma(p.b, i), pythonFloat(f)...)
	}
	for i, s := range v.Bytes {
		p.b = append(comma(p.b, i), pythonBytes(string(s))...)
	}
}

func (p *python) name(s string) string {
	if p.bytes {
		return pythonBytes(s)
	}
	return pythonString(s)
}

func pythonList[T int | int64](v []T) string {
	b := []byte("[")
	for i, n := range v {
		b = strconv.AppendInt(comma(b, i), int64(n), 10)
	}
	return string(append(b, ']'))
}

// pythonFloat returns a float64 literal that converts to f. The digits of the float32 are
// nearly always enough.
func pythonFloat(f float32) string {
	switch d := float64(f); {
	case math.IsNaN(d):
		return `float("nan")`
	case math.IsInf(d, 1):
		return `float("inf")`
	case math.IsInf(d, -1):
		return `float("-inf")`
	}
	s := strconv.FormatFloat(float64(f), 'g', -1, 32)
	if d, err := strconv.ParseFloat(s, 64); err != nil || float32(d) != f {
		s = strconv.FormatFloat(float64(f), 'g', -1, 64)
	}
	if s == "-0" {
		s = "-0.0"
	}
	return s
}

// pythonString returns a str literal. Characters that cannot be printed are escaped.
func pythonString(s string) string {
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r < 0x100:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(append(b, '"'))
}

// pythonBytes returns a bytes literal in ASCII.
func pythonBytes(s string) string {
	b := []byte(`b"`)
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ' && c < 0x7f:
			b = append(b, c)
		default:
			b = fmt.Appendf(b, `\x%02x`, c)
		}
	}
	return string(append(b, '"'))
}

// allUTF8 reports whether all names and keys are UTF-8.
func allUTF8(spec feature.Spec) bool {
	for _, fs := range spec.Groups() {
		for name, f := range fs {
			keys := []string{name}
			switch f := f.(type) {
			case feature.Sparse:
				keys = append(append(keys, f.ValueKey), f.IndexKeys...)
			case feature.Ragged:
				keys = append(keys, f.ValueKey)
				for _, p := range f.Partitions {
					keys = append(keys, fmt.Sprint(p))
				}
			}
			for _, k := range keys {
				if !utf8.ValidString(k) {
					return false
				}
			}
		}
	}
	return true
}
