package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/sniff"
)

// A sizeFeature is a feature of the current message that may hold the size of an array in another feature.
type sizeFeature struct {
	name   string  // of the feature
	words  string  // the name without the word that says which size it is
	role   int     // position of the size in a shape, by sizeWords; -1: the feature is a whole shape
	values []int64 // positive; one unless the role is -1
}

// sizeWords are the last words of names of sizes, by their usual position in a shape: frames, height, width, channels.
var sizeWords = [...]string{
	"frames frame nframes time timesteps steps t length len n",
	"height h rows row nrows ny",
	"width w cols col columns ncols nx",
	"depth d channels channel nchannels chans c bands planes",
}

const (
	shapeWords    = "shape dims dim size"
	maxRank       = 6 // of a shape in a feature
	maxSizes      = 64
	wholeShape    = -1
	minSizedBytes = 4 // a product of sizes below this fits by chance
)

// newSizeFeature returns the sizeFeature with a name; ok is false for a name that is not one of a size.
func newSizeFeature(name string) (f sizeFeature, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return f, false
	}
	last := words[len(words)-1]
	words = slices.DeleteFunc(words[:len(words)-1], func(w string) bool { return w == "num" || w == "n" })
	f.name, f.words = name, strings.Join(words, " ")
	if f.role = slices.IndexFunc(sizeWords[:], func(all string) bool { return slices.Contains(strings.Fields(all), last) }); f.role < 0 {
		f.role = wholeShape
		return f, slices.Contains(strings.Fields(shapeWords), last)
	}
	return f, true
}

// readSizes sets t.sizes to the features of the message that may hold sizes. They are in the same map as the arrays, or in the
// context of a SequenceExample.
func (t *Table) readSizes() {
	t.sizes = t.sizes[:0]
	for _, m := range t.message.Maps {
		if m.Part != message.Features && m.Part != message.Context {
			continue
		}
		for _, e := range t.message.Entries[m.Lo:m.Hi] {
			f, ok := newSizeFeature(t.message.Name(m.Part, e.ID))
			if !ok || len(t.sizes) == maxSizes {
				continue
			}
			value := example.FeatureAt(t.message.Bytes, e.Lo, e.Hi)
			if value.Kind() != example.Int64List {
				continue
			}
			var err error
			f.values, err = value.AppendInt64s(nil)
			if n := len(f.values); err != nil || n == 0 || n > maxRank || n > 1 && f.role != wholeShape || slices.Min(f.values) <= 0 {
				continue
			}
			t.sizes = append(t.sizes, f)
		}
	}
}

// A sizeFit is a product of sizes in the message that divides the length of an array.
type sizeFit struct {
	dims  []feature.Dimension // the sizes
	text  string              // the same for people; also compares fits
	rest  int64               // bytes for each element of a tensor of these sizes
	whole bool                // the sizes are a whole shape
}

// fitSizes returns the products of sizes that divide the length of the array in a feature, in the order of preference.
func fitSizes(name string, length int, sizes []sizeFeature) (all []sizeFit) {
	scalars := map[string][]sizeFeature{} // by their other words
	for _, f := range sizes {
		if f.role == wholeShape {
			dims := []feature.Dimension{}
			for i := range f.values {
				dims = append(dims, feature.SizeAt{Feature: f.name, Index: i})
			}
			all = appendFit(all, dims, f.name, f.values, length)
			continue
		}
		scalars[f.words] = append(scalars[f.words], f)
	}
	for _, words := range slices.SortedFunc(maps.Keys(scalars), func(a, b string) int {
		return cmp.Or(cmp.Compare(commonPrefix(b, name), commonPrefix(a, name)), cmp.Compare(a, b))
	}) {
		group := scalars[words]
		slices.SortStableFunc(group, func(a, b sizeFeature) int { return cmp.Compare(a.role, b.role) })
		for _, leaveOut := range [...][]int{nil, {0}, {3}, {0, 3}, {1, 2, 3}} {
			var dims []feature.Dimension
			var names []string
			var values []int64
			for _, f := range group {
				if !slices.Contains(leaveOut, f.role) {
					dims, names, values = append(dims, feature.SizeOf(f.name)), append(names, f.name), append(values, f.values[0])
				}
			}
			if len(dims) > 0 && len(dims) <= maxRank {
				all = appendFit(all, dims, strings.Join(names, ","), values, length)
			}
		}
	}
	return all
}

// appendFit appends a sizeFit if the product of values divides the length.
func appendFit(all []sizeFit, dims []feature.Dimension, text string, values []int64, length int) []sizeFit {
	n := int64(1)
	for _, v := range values {
		if v > int64(length)/n {
			return all
		}
		n *= v
	}
	_, whole := dims[0].(feature.SizeAt)
	if n < minSizedBytes || int64(length)%n != 0 || slices.ContainsFunc(all, func(f sizeFit) bool { return f.text == text }) {
		return all
	}
	return append(all, sizeFit{dims, text, int64(length) / n, whole})
}

// commonPrefix returns the number of bytes in which words, separated by spaces, begin as a name does.
func commonPrefix(words, name string) (n int) {
	name = strings.ToLower(name)
	for n < len(words) && n < len(name) && (words[n] == name[n] || words[n] == ' ') {
		n++
	}
	return n
}

// commonFits returns the fits that are in both lists.
func commonFits(a, b []sizeFit) []sizeFit {
	return slices.DeleteFunc(slices.Clone(a), func(f sizeFit) bool {
		return !slices.ContainsFunc(b, func(g sizeFit) bool { return f.text == g.text && f.rest == g.rest })
	})
}

// raw guesses how byte strings of unknown format hold numbers. It returns nil without good evidence: sizes in other features
// that fit the length of all strings, or values that look like numbers of one dtype.
func (c Contents) raw() *feature.DecodeRaw {
	sum := c[sniff.Raw]
	if len(c) != 1 || sum.values < 2 {
		return nil
	}
	dtype, size := sum.numbers.DType()
	for _, f := range sum.fits {
		switch {
		case size > 0 && f.rest == int64(size):
			return newDecodeRaw(dtype, f.dims)
		case f.whole && f.rest != 1: // a shape has no further dimension: the rest is the size of an element
			if dtype := sum.numbers.DTypeOfSize(int(f.rest)); dtype != "" {
				return newDecodeRaw(dtype, f.dims)
			}
		case size > 0 && f.rest%int64(size) == 0:
			return newDecodeRaw(dtype, append(slices.Clone(f.dims), feature.Size(f.rest/int64(size))))
		case f.rest == 1 && len(f.dims) > 1:
			return newDecodeRaw("uint8", f.dims)
		case (f.rest == 3 || f.rest == 4) && len(f.dims) > 1: // colours
			return newDecodeRaw("uint8", append(slices.Clone(f.dims), feature.Size(f.rest)))
		}
	}
	if size == 0 {
		return nil
	}
	shape := feature.Size(-1)
	if n, ok := c.RawLength(); ok {
		shape = feature.Size(n / int64(size))
	}
	return newDecodeRaw(dtype, []feature.Dimension{shape})
}

func newDecodeRaw(dtype string, shape []feature.Dimension) *feature.DecodeRaw {
	d := &feature.DecodeRaw{Shape: shape}
	if err := d.DType.UnmarshalText([]byte(dtype)); err != nil {
		return nil // not reached: the names are those of package tensor
	}
	return d
}

// Decode returns how the byte strings hold numbers; nil if they do not, or if that is unclear. Tensors of several ranks have no
// Decode that every reader of specs takes. guess reports that the bytes
// do not say it themselves, as TensorProtos do.
func (c Contents) Decode() (d feature.Decode, guess bool) {
	if t, ok := c.Tensors(); ok {
		return t, false
	}
	if raw := c.raw(); raw != nil {
		return *raw, true
	}
	return nil, false
}

// rawText returns the dtype and shape of a guess: float32 [height,width,3].
func rawText(d *feature.DecodeRaw) string {
	var dims []string
	for _, dim := range d.Shape {
		switch dim := dim.(type) {
		case feature.Size:
			dims = append(dims, fmt.Sprint(int64(dim)))
		case feature.SizeOf:
			dims = append(dims, string(dim))
		case feature.SizeAt:
			dims = append(dims, fmt.Sprintf("%s[%d]", dim.Feature, dim.Index))
		}
	}
	return fmt.Sprintf("%s [%s]", d.DType, strings.Join(dims, ","))
}

// Column returns a column of a spec for the feature, by its numbers of values; nil if a spec has none with Decode.
func (f *Feature) Column() feature.Feature {
	n := int(f.Values.Min)
	switch {
	case f.Part == Lists && f.Values.Min == 1 && f.Values.Max == 1:
		return feature.FixedLenSequence{DType: feature.String, AllowMissing: f.Present < f.Of}
	case f.Part == Lists || f.Part == Examples:
		return nil
	case f.Present < f.Of || f.Unset > 0 || f.Values.Min != f.Values.Max || n == 0:
		return feature.VarLen{DType: feature.String}
	case n == 1:
		return feature.FixedLen{DType: feature.String}
	}
	return feature.FixedLen{DType: feature.String, Shape: []int{n}}
}

// WithDecode returns a column with Decode; nil for a column that cannot have it.
func WithDecode(column feature.Feature, d feature.Decode) feature.Feature {
	switch f := column.(type) {
	case feature.FixedLen:
		f.Decode = d
		return f
	case feature.FixedLenSequence:
		f.Decode = d
		return f
	case feature.VarLen:
		f.Decode = d
		return f
	case feature.Ragged:
		f.Decode = d
		return f
	}
	return nil
}
