package view

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// Limits of one feature in an answer. Counts say how much more there is.
const (
	maxNumbers  = 10_000 // numbers
	maxStrings  = 200    // byte strings
	maxText     = 4_000  // characters of a byte string that is text
	maxHex      = 512    // bytes of another byte string
	maxElements = 1_000  // elements of a TensorProto
)

// A quota is how many bytes of JSON an answer may still have, in all of its features together. The sizes below are
// estimates of what one of each takes, beside its names and texts.
type quota int

const (
	answerSize  = 6 << 20 // quota of one answer
	featureSize = 150
	stringSize  = 300
	numberSize  = 20
)

// newQuota returns the quota of one answer.
func newQuota() *quota {
	q := quota(answerSize)
	return &q
}

// spend takes bytes from the quota.
func (q *quota) spend(n int) { *q -= quota(n) }

// isSpent reports whether the answer may hold no more features.
func (q *quota) isSpent() bool { return *q <= 0 }

// numbers returns how many numbers the answer may still hold.
func (q *quota) numbers() int { return max(0, int(*q)/numberSize) }

// The groups of features in IDs.
const (
	groupFeatures = "features"      // of an Example
	groupContext  = "context"       // of a SequenceExample or an ExampleListWithContext
	groupLists    = "feature_lists" // of a SequenceExample
	groupExamples = "examples"      // of an ExampleListWithContext
)

// featureID returns the ID of a feature, from which parseFeatureID returns the name again, whatever its bytes are.
func featureID(group, name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, "b64:") {
		return group + ":" + name
	}
	encoded := jsonscan.AppendEncodedName(nil, []byte(name))
	return group + ":" + string(encoded[1:len(encoded)-1])
}

// parseFeatureID returns the group and the name in an ID.
func parseFeatureID(id string) (group, name string, err error) {
	group, printed, ok := strings.Cut(id, ":")
	switch group {
	case groupFeatures, groupContext, groupLists, groupExamples:
	default:
		ok = false
	}
	if !ok {
		return "", "", fmt.Errorf("want a feature as GROUP:NAME, got %q", shortText(id, 60))
	}
	name, err = jsonscan.ParseName(printed)
	return group, name, err
}

// visibleText returns bytes as text in which what a reader could not see is an escape as Go writes it: a byte that is not
// UTF-8, a control character, and a character that changes the direction of the text after it.
func visibleText[T string | []byte](v T) string {
	s := string(v)
	var b strings.Builder
	for len(s) > 0 {
		switch r, n := utf8.DecodeRuneInString(s); {
		case r == utf8.RuneError && n == 1, r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, s[0])
			s = s[1:]
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f:
			fmt.Fprintf(&b, `\u%04x`, r)
			s = s[n:]
		default:
			b.WriteString(s[:n])
			s = s[n:]
		}
	}
	return b.String()
}

// shortText returns the first n characters of visible text, and an ellipsis if there are more.
func shortText(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return visibleText(s[:i]) + "…"
		}
	}
	return visibleText(s)
}

// A valuePlace is the place of a value in the data set.
type valuePlace struct {
	file        int
	record      int64
	group, name string // of the feature
	step        int    // step of a feature list; -1: the feature is not in one
	example     int    // index of the example; -1: the feature is not in one
	value       int    // index in the feature
}

// href returns the link to the value under api, such as api/bytes.
func (p valuePlace) href(api string) string {
	s := fmt.Sprintf("%s?file=%d&record=%d&feature=%s", api, p.file, p.record, url.QueryEscape(featureID(p.group, p.name)))
	if p.step >= 0 {
		s += fmt.Sprintf("&step=%d", p.step)
	}
	if p.example >= 0 {
		s += fmt.Sprintf("&example=%d", p.example)
	}
	return fmt.Sprintf("%s&value=%d", s, p.value)
}

// A bytesContent says what a byte string holds, by its first bytes and its structure.
type bytesContent struct {
	Bytes   int     `json:"bytes"`
	Content string  `json:"content"` // such as "JPEG 96x96x3", "WAV 16000 Hz", "text", "raw"
	Image   bool    `json:"image"`   // a browser can draw it
	Audio   bool    `json:"audio"`   // a browser can play it
	Width   int     `json:"width,omitempty"`
	Height  int     `json:"height,omitempty"`
	Seconds float64 `json:"seconds,omitempty"` // of audio
	format  sniff.Format
}

// maxImagePixels is the size of the largest image that browsers get as an image: they need four bytes for each pixel.
const maxImagePixels = 100_000_000

// describeBytes describes a byte string.
func describeBytes(v []byte) bytesContent {
	c := sniff.Detect(v)
	d := bytesContent{Bytes: len(v), Content: c.String(), format: c.Format}
	if rate, seconds, ok := detectWAV(v); ok {
		d.Content, d.Audio, d.Seconds = fmt.Sprintf("WAV %d Hz", rate), true, seconds
	} else if n := c.Image.Height * c.Image.Width; n > 0 && n <= maxImagePixels {
		d.Image, d.Width, d.Height = true, c.Image.Width, c.Image.Height
	}
	return d
}

// isText reports whether the byte string is text, or empty.
func (d *bytesContent) isText() bool {
	return !d.Audio && (d.format == sniff.Text || d.format == sniff.Empty)
}

// cellText returns a short description, such as "JPEG 96x96, 1.8 kB".
func (d *bytesContent) cellText() string {
	text := d.Content
	if d.Image {
		text = fmt.Sprintf("%s %dx%d", d.format, d.Width, d.Height)
	}
	if d.Seconds > 0 {
		text += fmt.Sprintf(" %.1f s", d.Seconds)
	}
	return text + ", " + sizeText(int64(d.Bytes))
}

// sizeText returns a number of bytes with three digits: 812 B, 1.8 kB, 51 kB.
func sizeText(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/1000, 0
	for size >= 999.5 && unit < 3 {
		size, unit = size/1000, unit+1
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %cB", size, "kMGT"[unit])
	}
	return fmt.Sprintf("%.0f %cB", size, "kMGT"[unit])
}

// detectWAV returns the sample rate and the length of a WAV file whose first chunk is its format, as every writer has it.
func detectWAV(v []byte) (rate uint32, seconds float64, ok bool) {
	if len(v) < 36 || string(v[:4]) != "RIFF" || string(v[8:16]) != "WAVEfmt " {
		return 0, 0, false
	}
	if perSecond := binary.LittleEndian.Uint32(v[28:]); perSecond > 0 {
		seconds = math.Round(float64(len(v)-36)/float64(perSecond)*1000) / 1000
	}
	return binary.LittleEndian.Uint32(v[24:]), seconds, true
}

// A featureAnswer is a feature of a record as JSON.
type featureAnswer struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	N      int      `json:"n"`      // number of values
	Shown  int      `json:"shown"`  // number of values in this answer
	Values any      `json:"values"` // []string of numbers, or []bytesAnswer
	Names  []string `json:"names"`  // class names of the values, "" without one; nil: the feature has no classes
	Error  string   `json:"error,omitempty"`
}

// A bytesAnswer is a byte string as JSON.
type bytesAnswer struct {
	bytesContent
	Href    string        `json:"href"`
	Picture string        `json:"picture,omitempty"` // link to a picture of raw numbers
	Tensor  *tensorAnswer `json:"tensor,omitempty"`
	Text    *string       `json:"text"`
	Hex     *string       `json:"hex"`
	Cut     bool          `json:"cut"` // Text or Hex has only the beginning
}

// A tensorAnswer is a TensorProto as JSON.
type tensorAnswer struct {
	DType  string   `json:"dtype"`
	Shape  []int64  `json:"shape"`
	Shown  int      `json:"shown"`
	Values []string `json:"values"`
}

// kindName returns the kind as answers have it.
func kindName(k example.Kind) string {
	switch k {
	case example.BytesList:
		return "bytes"
	case example.FloatList:
		return "float"
	case example.Int64List:
		return "int64"
	case example.Unset:
		return "unset"
	}
	return "malformed"
}

// unpackedTypes are the wire types of a value outside of a packed list, by kind.
var unpackedTypes = [...]wire.Type{example.BytesList: wire.TypeBytes, example.FloatList: wire.TypeFixed32, example.Int64List: wire.TypeVarint}

// featureValues returns each value in the Feature message with its offset: the bytes, the four bytes of a float, or the
// varint. The feature must be valid. It decodes nothing, so it allocates nothing.
func featureValues(f example.Feature) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		kind, b := f.Kind(), f.Raw()
		if kind == example.Unset || kind == example.Malformed {
			return
		}
		first := 0 // the end of the last list of another kind: lists before it do not count
		for i := 0; i < len(b); {
			field, next := wire.Next(b, i)
			if next < 0 {
				return
			}
			if i = next; field.Type == wire.TypeBytes && field.Num <= int32(example.Int64List) && field.Num != int32(kind) {
				first = next
			}
		}
		for i := first; i < len(b); {
			list, next := wire.Next(b, i)
			if i = next; list.Type != wire.TypeBytes || list.Num != int32(kind) {
				continue
			}
			for j := list.Lo; j < list.Hi; {
				v, next := wire.Next(b[:list.Hi], j)
				if next < 0 {
					return
				}
				switch j = next; {
				case v.Num != 1:
				case v.Type == unpackedTypes[kind]:
					if !yield(v.Lo, b[v.Lo:v.Hi]) {
						return
					}
				case v.Type == wire.TypeBytes: // packed
					for lo := v.Lo; lo < v.Hi; {
						hi := lo + 4
						if kind == example.Int64List {
							_, hi = wire.Varint(b[:v.Hi], lo)
						}
						if hi < 0 || hi > v.Hi || !yield(lo, b[lo:hi]) {
							return
						}
						lo = hi
					}
				}
			}
		}
	}
}

// firstValue returns the first value in the Feature message; nil if there is none.
func firstValue(f example.Feature) []byte {
	for _, v := range featureValues(f) {
		return v
	}
	return nil
}

// numberText returns the number in the bytes of a value, so that no digit is lost on the way through JavaScript.
func numberText(k example.Kind, v []byte) string {
	if k == example.FloatList {
		return floatText(wire.Float(v))
	}
	n, _ := wire.Varint(v, 0)
	return strconv.FormatInt(int64(n), 10)
}

func floatText(v float32) string {
	b, _ := recordjson.AppendFloat32(nil, v, recordjson.NaNString)
	return strings.Trim(string(b), `"`)
}

// describeFeature describes the feature at p and its first values. classes are the names of its classes, or nil.
func describeFeature(f example.Feature, p valuePlace, classes []string, q *quota) featureAnswer {
	kind := f.Kind()
	a := featureAnswer{ID: featureID(p.group, p.name), Name: visibleText(p.name), Kind: kindName(kind), Values: []string{}}
	q.spend(featureSize + len(a.ID) + len(a.Name))
	n, err := f.Len()
	if err != nil {
		a.Kind, a.Error = kindName(example.Malformed), err.Error()
		return a
	}
	a.N = n
	if kind == example.BytesList {
		values := []bytesAnswer{}
		for _, v := range featureValues(f) {
			if len(values) == maxStrings || q.isSpent() {
				break
			}
			p.value = len(values)
			values = append(values, describeString(v, p, q))
		}
		a.Shown, a.Values = len(values), values
		return a
	}
	limit := min(n, maxNumbers, q.numbers())
	values := make([]string, 0, limit)
	if kind == example.Int64List && classes != nil {
		a.Names = make([]string, 0, limit)
	}
	for _, v := range featureValues(f) {
		if len(values) == limit {
			break
		}
		values = append(values, numberText(kind, v))
		if a.Names != nil {
			a.Names = append(a.Names, className(classes, kind, v))
		}
	}
	q.spend(len(values) * numberSize)
	a.Shown, a.Values = len(values), values
	return a
}

// className returns the name of the class that an int64 value is the number of, or "".
func className(classes []string, kind example.Kind, v []byte) string {
	n, _ := wire.Varint(v, 0)
	if kind != example.Int64List || n >= uint64(len(classes)) {
		return ""
	}
	return classes[n]
}

// describeString describes the byte string at p.
func describeString(v []byte, p valuePlace, q *quota) bytesAnswer {
	a := bytesAnswer{bytesContent: describeBytes(v), Href: p.href("api/bytes")}
	q.spend(stringSize + 2*len(a.Href)) // there may be a link to a picture
	switch {
	case a.isText():
		text := cutText(v, min(maxText, int(*q)))
		a.Text, a.Cut = &text, len(text) < len(v)
		q.spend(len(text))
	case a.Image || a.Audio:
	default:
		b := v[:min(len(v), maxHex, max(int(*q)/2, 0))]
		dump := hex.EncodeToString(b)
		a.Hex, a.Cut = &dump, len(b) < len(v)
		q.spend(len(dump))
	}
	if a.format == sniff.TensorProto {
		if t, ok := decodeTensor(v); ok {
			values := elementTexts(&t, min(t.Len(), maxElements, q.numbers()))
			q.spend(len(values) * numberSize)
			a.Tensor = &tensorAnswer{DType: t.DType.String(), Shape: append([]int64{}, t.Shape...), Shown: len(values), Values: values}
			if isPicture(&t) {
				a.Picture = p.href("api/picture")
			}
		}
	}
	return a
}

// cutText returns the first n characters of text.
func cutText(v []byte, n int) string {
	s := string(v[:min(len(v), max(n, 0)*utf8.UTFMax)])
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	if len(s) < len(v) { // the last character may be cut
		s = strings.ToValidUTF8(s, "")
	}
	return s
}

// decodeTensor decodes a TensorProto. A few bytes may declare many equal elements: one that declares many more than it has
// bytes is not decoded.
func decodeTensor(v []byte) (tensor.Tensor, bool) {
	d, ok := sniff.DetectTensor(v)
	if !ok {
		return tensor.Tensor{}, false
	}
	n, limit := int64(1), int64(len(v))+1<<16
	for _, size := range d.Shape {
		if size > limit || n*size > limit {
			return tensor.Tensor{}, false
		}
		n *= size
	}
	t, err := tensor.Decode(v)
	return t, err == nil
}

// elementTexts returns the first n elements of a tensor as text.
func elementTexts(t *tensor.Tensor, n int) []string {
	values := make([]string, n)
	for i := range values {
		if t.DType == tensor.String {
			values[i] = shortText(t.Strings[i], maxColumnText)
			continue
		}
		b, _ := raggedjson.AppendElement(nil, t, i, &recordjson.Options{})
		values[i] = strings.Trim(string(b), `"`)
	}
	return values
}
