//go:build !novectors

package ragged_test

import (
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text"
)

// raggedText are the operations of package ragged/text.
var raggedText = map[string]raggedOp{
	"tf.strings.substr":                      substrOp,
	"tf.strings.join":                        joinOp,
	"tf.strings.reduce_join":                 onText(reduceJoin),
	"tf.strings.split":                       onText(splitText),
	"tf.strings.bytes_split":                 onText(func(_ *call, t stringTensor) (testkit.Value, error) { return sound(text.SplitBytes(t), nil) }),
	"tf.strings.ngrams":                      onText(ngrams),
	"tf.strings.unicode_decode":              onText(unicodeDecode),
	"tf.strings.unicode_decode_with_offsets": onText(unicodeDecodeOffsets),
	"tf.strings.unicode_split":               onText(unicodeSplit),
	"tf.strings.unicode_split_with_offsets":  onText(unicodeSplitOffsets),
	"tf.strings.unicode_encode":              unicodeEncode,
	"tf.strings.unicode_transcode":           onText(unicodeTranscode),
	"tf.strings.unicode_script":              unicodeScript,
	"tf.strings.length": onText(func(c *call, t stringTensor) (testkit.Value, error) {
		unit, err := textUnit(c, 1)
		return sound(text.Length(t, unit), err)
	}),
	"tf.strings.lower": onText(textCase(text.Lower)),
	"tf.strings.upper": onText(textCase(text.Upper)),
	"tf.strings.strip": onText(func(_ *call, t stringTensor) (testkit.Value, error) { return sound(text.Strip(t), nil) }),
	"tf.strings.regex_replace": onText(func(c *call, t stringTensor) (testkit.Value, error) {
		return sound(text.RegexReplace(t, c.string(1, "pattern", ""), c.string(2, "rewrite", ""), !c.bool(3, "replace_global", true)))
	}),
	"tf.strings.regex_full_match": onText(func(c *call, t stringTensor) (testkit.Value, error) {
		return sound(text.RegexFullMatch(t, c.string(1, "pattern", "")))
	}),
	"tf.strings.to_number": onText(toNumber),
	"tf.strings.as_string": asString,
	"tf.io.encode_base64": onText(func(c *call, t stringTensor) (testkit.Value, error) {
		return sound(text.EncodeBase64(t, c.bool(1, "pad", false)), nil)
	}),
	"tf.io.decode_base64": onText(func(_ *call, t stringTensor) (testkit.Value, error) { return sound(text.DecodeBase64(t)) }),
	"tf.strings.to_hash_bucket_fast": onText(func(c *call, t stringTensor) (testkit.Value, error) {
		return sound(text.HashBucketFast(t, c.int64(1, "num_buckets", 0)))
	}),
	"tf.strings.to_hash_bucket": onText(func(c *call, t stringTensor) (testkit.Value, error) {
		return sound(text.HashBucket(t, c.int64(1, "num_buckets", 0)))
	}),
	"tf.strings.to_hash_bucket_strong": onText(hashStrong),
}

type stringTensor = ragged.Tensor[string]

// onText makes an operation of a function whose first argument is strings.
func onText(run func(*call, stringTensor) (testkit.Value, error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		v := c.value(0, "input")
		if d := dtypeOf(v); d != "string" {
			return refuse("an operation on strings of %s", d)
		}
		t, err := toTensor[string](v)
		if err != nil {
			return nil, err
		}
		return run(c, t)
	}
}

func textUnit(c *call, i int) (text.Unit, error) {
	switch name := c.string(i, "unit", "BYTE"); name {
	case text.Bytes.String():
		return text.Bytes, nil
	case text.Chars.String():
		return text.Chars, nil
	default:
		_, err := refuse("the unit %q", name)
		return 0, err
	}
}

func substrOp(c *call) (testkit.Value, error) {
	return onText(func(c *call, t stringTensor) (testkit.Value, error) {
		pos, length := c.value(1, "pos"), c.value(2, "len")
		unit, err := textUnit(c, -1)
		if err != nil {
			return nil, err
		}
		var each [2]ragged.Tensor[int64]
		for i, v := range []testkit.Value{pos, length} {
			if n, ok := v.(testkit.Int); ok {
				each[i] = ragged.Scalar(int64(n))
			} else if each[i], err = idsOf(v); err != nil {
				return nil, err
			}
		}
		return sound(text.Substr(t, each[0], each[1], unit))
	})(c)
}

func joinOp(c *call) (testkit.Value, error) {
	list, err := tensors(c, 0, "inputs")
	if err != nil {
		return nil, err
	}
	if d := dtypeOf(list[0]); d != "string" {
		return refuse("joining %s", d)
	}
	operands := make([]stringTensor, len(list))
	for i, v := range list {
		if operands[i], err = toTensor[string](v); err != nil {
			return nil, err
		}
	}
	return sound(text.Join(c.string(1, "separator", ""), operands...))
}

func reduceJoin(c *call, t stringTensor) (testkit.Value, error) {
	opts := &text.ReduceJoinOptions{KeepDims: c.bool(2, "keepdims", false)}
	if c.value(1, "axis") != nil {
		opts.Axes = axes(c, 1, "axis")
	}
	return sound(text.ReduceJoin(t, c.string(3, "separator", ""), opts))
}

func splitText(c *call, t stringTensor) (testkit.Value, error) {
	return sound(text.Split(t, c.string(1, "sep", ""), c.int(2, "maxsplit", -1)), nil)
}

func ngrams(c *call, t stringTensor) (testkit.Value, error) {
	opts := &text.NGramOptions{KeepShort: c.bool(5, "preserve_short_sequences", false)}
	switch pad := c.value(3, "pad_values").(type) {
	case nil:
	case testkit.String:
		opts.Pad, opts.Left, opts.Right = true, string(pad), string(pad)
	case testkit.List:
		if len(pad) != 2 {
			return refuse("%d paddings", len(pad))
		}
		left, okLeft := pad[0].(testkit.String)
		right, okRight := pad[1].(testkit.String)
		if !okLeft || !okRight {
			return refuse("padding that is no text")
		}
		opts.Pad, opts.Left, opts.Right = true, string(left), string(right)
	default:
		return refuse("padding that is no text")
	}
	if c.value(4, "padding_width") != nil {
		if opts.PadWidth = c.int(4, "padding_width", 0); opts.PadWidth == 0 {
			return refuse("a padding width of 0, which is the default")
		}
	}
	return sound(text.NGrams(t, c.string(2, "separator", " "), opts, axes(c, 1, "ngram_width")...))
}

// unicodeOptions reads the options that the operations on Unicode share.
func unicodeOptions(c *call, errors, replacement, controls int) (*text.UnicodeOptions, error) {
	o := &text.UnicodeOptions{Replacement: rune(c.int(replacement, "replacement_char", 0xfffd))}
	switch policy := c.string(errors, "errors", "replace"); policy {
	case "replace":
	case "ignore":
		o.Errors = text.Ignore
	case "strict":
		o.Errors = text.Strict
	default:
		_, err := refuse("the error policy %q", policy)
		return nil, err
	}
	if controls != 0 {
		o.ReplaceControls = c.bool(controls, "replace_control_characters", false)
	}
	return o, nil
}

func unicodeDecode(c *call, t stringTensor) (testkit.Value, error) {
	o, err := unicodeOptions(c, 2, 3, 4)
	if err != nil {
		return nil, err
	}
	return sound(text.Decode(t, text.Encoding(c.string(1, "input_encoding", "")), o))
}

func unicodeDecodeOffsets(c *call, t stringTensor) (testkit.Value, error) {
	o, err := unicodeOptions(c, 2, 3, 4)
	if err != nil {
		return nil, err
	}
	runes, offsets, err := text.DecodeOffsets(t, text.Encoding(c.string(1, "input_encoding", "")), o)
	if err != nil {
		return nil, err
	}
	return testkit.List{fromTensor(runes), fromTensor(offsets)}, nil
}

func unicodeSplit(c *call, t stringTensor) (testkit.Value, error) {
	o, err := unicodeOptions(c, 2, 3, 0)
	if err != nil {
		return nil, err
	}
	return sound(text.SplitUnicode(t, text.Encoding(c.string(1, "input_encoding", "")), o))
}

func unicodeSplitOffsets(c *call, t stringTensor) (testkit.Value, error) {
	o, err := unicodeOptions(c, 2, 3, 0)
	if err != nil {
		return nil, err
	}
	pieces, offsets, err := text.SplitUnicodeOffsets(t, text.Encoding(c.string(1, "input_encoding", "")), o)
	if err != nil {
		return nil, err
	}
	return testkit.List{fromTensor(pieces), fromTensor(offsets)}, nil
}

func unicodeTranscode(c *call, t stringTensor) (testkit.Value, error) {
	from, to := c.string(1, "input_encoding", ""), c.string(2, "output_encoding", "")
	o, err := unicodeOptions(c, 3, 4, 5)
	if err != nil {
		return nil, err
	}
	return sound(text.Transcode(t, text.Encoding(from), text.Encoding(to), o))
}

// codePoints reads a tensor of code points, which are int32.
func codePoints(v testkit.Value) (ragged.Tensor[int32], error) {
	if d := dtypeOf(v); d != "int32" {
		_, err := refuse("code points of %s", d)
		return ragged.Tensor[int32]{}, err
	}
	return toTensor[int32](v)
}

func unicodeEncode(c *call) (testkit.Value, error) {
	t, err := codePoints(c.value(0, "input"))
	if err != nil {
		return nil, err
	}
	o, err := unicodeOptions(c, 2, 3, 0)
	if err != nil {
		return nil, err
	}
	return sound(text.Encode(t, text.Encoding(c.string(1, "output_encoding", "")), o))
}

func unicodeScript(c *call) (testkit.Value, error) {
	t, err := codePoints(c.value(0, "input"))
	if err != nil {
		return nil, err
	}
	return sound(text.Script(t), nil)
}

func textCase(f func(stringTensor, text.Case) stringTensor) func(*call, stringTensor) (testkit.Value, error) {
	return func(c *call, t stringTensor) (testkit.Value, error) {
		switch encoding := c.string(1, "encoding", ""); encoding {
		case "":
			return sound(f(t, text.ASCIICase), nil)
		case "utf-8":
			return sound(f(t, text.UnicodeCase), nil)
		default:
			return refuse("the case of %q", encoding)
		}
	}
}

func toNumber(c *call, t stringTensor) (testkit.Value, error) {
	switch d := c.dtype(1, "out_type", "float32"); d {
	case "int32":
		return sound(text.ToNumber[int32](t))
	case "int64":
		return sound(text.ToNumber[int64](t))
	case "uint32":
		return sound(text.ToNumber[uint32](t))
	case "uint64":
		return sound(text.ToNumber[uint64](t))
	case "float32":
		return sound(text.ToNumber[float32](t))
	case "float64":
		return sound(text.ToNumber[float64](t))
	default:
		return refuse("numbers of %s", d)
	}
}

func hashStrong(c *call, t stringTensor) (testkit.Value, error) {
	buckets := c.int64(1, "num_buckets", 0)
	list, ok := c.value(2, "key").(testkit.List)
	if !ok || len(list) != 2 {
		return refuse("a key of other than two words")
	}
	var key [2]uint64
	for i, v := range list {
		n, ok := v.(testkit.Int)
		if !ok {
			return nil, testkit.Unknown("key %s", testkit.Format(v))
		}
		key[i] = uint64(n)
	}
	return sound(text.HashBucketStrong(t, buckets, key))
}

// formatOptions reads the options of as_string. Our zero values mean TensorFlow's defaults.
func formatOptions(c *call) (*text.FormatOptions, error) {
	o := &text.FormatOptions{}
	switch n := c.int(1, "precision", -1); {
	case n == 0:
		o.Precision = -1
	case n > 0:
		o.Precision = n
	}
	scientific, shortest := c.bool(2, "scientific", false), c.bool(3, "shortest", false)
	switch {
	case scientific && shortest:
		_, err := refuse("two notations")
		return nil, err
	case scientific:
		o.Notation = text.Scientific
	case shortest:
		o.Notation = text.Shortest
	}
	o.Width = max(c.int(4, "width", -1), 0)
	fill := c.string(5, "fill", "")
	if len(fill) > 1 {
		_, err := refuse("filling with %q", fill)
		return nil, err
	}
	if fill != "" {
		o.Fill = fill[0]
	}
	return o, nil
}

func asString(c *call) (testkit.Value, error) {
	o, err := formatOptions(c)
	if err != nil {
		return nil, err
	}
	v := c.value(0, "input")
	op, err := perDType(dtypeOf(v), formatOp[int64], formatOp[int32], formatOp[float64], formatOp[float32], formatOp[bool], formatOp[string])
	if err != nil {
		return nil, err
	}
	return op(v, o)
}

func formatOp[T interface {
	element
	text.Formatted
}](v testkit.Value, o *text.FormatOptions) (testkit.Value, error) {
	t, err := toTensor[T](v)
	if err != nil {
		return nil, err
	}
	return sound(text.AsString(t, o))
}
