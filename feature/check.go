package feature

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// maxElements is the maximum number of values of one shape, so that their number fits an int of 32 bits.
const maxElements = math.MaxInt32

// maxEmpty is the maximum number of rows of a shape without values, such as [n 0], which prints as n empty
// lists.
const maxEmpty = 1 << 20

// Validate checks a spec. The result is nil, or joins a *SpecError for each error.
func (s Spec) Validate() error { return s.validate(math.MaxInt) }

// validate is Validate with the limit ParserOptions.MaxDepth.
func (s Spec) validate(maxDepth int) error {
	c := checker{maxDepth: maxDepth}
	c.checkSpec(s)
	return errors.Join(c.errs...)
}

// A checker collects the errors of a spec.
type checker struct {
	maxDepth int     // ParserOptions.MaxDepth
	errs     []error // each a *SpecError
	group    Group   // group of the feature that is checked
	name     string  // name of the feature that is checked
}

func (c *checker) failf(format string, args ...any) {
	c.errs = append(c.errs, &SpecError{Group: c.group, Feature: c.name, Err: fmt.Errorf(format, args...)})
}

func (c *checker) checkSpec(s Spec) {
	groups := 0
	for range s.Groups() {
		groups++
	}
	whole := func(text string) {
		c.errs = append(c.errs, &SpecError{Whole: true, Err: errors.New(text)})
	}
	switch {
	case groups == 0:
		whole("no features")
	case len(s.Features) > 0 && groups > 1:
		whole("features cannot be combined with context, sequence or examples")
	case len(s.Sequence) > 0 && s.Examples != nil:
		whole("sequence cannot be combined with examples")
	}
	for g, fs := range s.Groups() {
		c.checkFeatures(g, fs, s.Message(), *s.Group(sizeGroup(g)))
	}
}

// allowed reports whether a group may have a kind of feature.
func allowed(g Group, f Feature, m example.MessageType) bool {
	switch f.(type) {
	case FixedLen:
		return g != InSequence
	case FixedLenSequence:
		return g != InContext || m == example.TypeExampleList
	case Sparse:
		return g != InSequence && (g != InContext || m == example.TypeExampleList)
	}
	return true
}

// checkFeatures checks one map of the spec. sizes is the map that has the sizes for its decoded strings.
func (c *checker) checkFeatures(g Group, fs Features, m example.MessageType, sizes Features) {
	c.group = g
	used := map[string]keyClaim{}
	for name, f := range fs.sorted() {
		c.name = name
		switch f.(type) {
		case FixedLen, FixedLenSequence, VarLen, Sparse, Ragged:
		default:
			c.failf("%T is not a feature", f)
			continue
		}
		if !allowed(g, f, m) {
			c.failf("%s is not allowed in %s", kindName(f), g)
			continue
		}
		c.checkFeature(f)
		c.checkDecode(f, sizes)
		for _, u := range keyClaims(name, f) {
			c.claimKey(used, u)
		}
	}
}

// kindName returns the name of the kind in Spec JSON.
func kindName(f Feature) string {
	switch f.(type) {
	case FixedLen:
		return "fixed_len"
	case FixedLenSequence:
		return "fixed_len_sequence"
	case VarLen:
		return "var_len"
	case Sparse:
		return "sparse"
	}
	return "ragged"
}

func (c *checker) checkFeature(f Feature) {
	if d := f.dtype(); d < String || d > Int64 {
		c.failf("dtype is not set: want int64, float32 or string")
	}
	switch f := f.(type) {
	case FixedLen:
		n, ok := c.checkShape(f.Shape)
		if got, given := c.checkDefault(f.Default, f.DType); ok && given && got != n {
			c.failf("the default has %d values, shape %v wants %d", got, f.Shape, n)
		}
	case FixedLenSequence:
		if n, ok := c.checkShape(f.Shape); ok && n == 0 {
			c.failf("a block of shape %v has no values: blocks cannot be counted", f.Shape)
		}
		switch got, given := c.checkDefault(f.Default, f.DType); {
		case !given:
		case c.group == InSequence:
			c.failf("a default is not allowed in sequence: padding is 0 or empty")
		case got != 1:
			c.failf("the default has %d values: padding is one", got)
		}
	case Sparse:
		c.checkSparse(f)
	case Ragged:
		c.checkPartitions(f)
	}
}

// checkDepth checks a number of dimensions, partitions or keys.
func (c *checker) checkDepth(n int, what string) bool {
	if n > c.maxDepth {
		c.failf("%d %s: the parser's limit is %d", n, what, c.maxDepth)
	}
	return n <= c.maxDepth
}

// checkShape checks a shape and returns its number of values.
func (c *checker) checkShape(shape []int) (n int, ok bool) {
	if !c.checkDepth(len(shape), "dimensions") {
		return 0, false
	}
	n, ok = 1, true
	for i, d := range shape {
		if d < 0 {
			c.failf("dimension %d of shape %v is negative", i, shape)
			ok = false
		}
	}
	if !ok {
		return 0, false
	}
	limit, what := maxElements, "values"
	zero := slices.Contains(shape, 0)
	if zero {
		limit, what = maxEmpty, "empty rows"
	}
	for _, d := range shape {
		if d > 0 && n > limit/d {
			c.failf("shape %v has more than %d %s", shape, limit, what)
			return 0, false
		}
		n *= max(d, 1)
	}
	if zero {
		n = 0
	}
	return n, true
}

// checkDefault checks the kind of a default and returns its number of values; given is false without a default, or
// if its values are of several kinds.
func (c *checker) checkDefault(v example.Value, d DType) (n int, given bool) {
	switch k := v.Kind(); {
	case k == example.Malformed:
		c.failf("the default has values of several kinds")
		return 0, false
	case k != example.Unset && d.kind() != example.Unset && k != d.kind():
		c.failf("the default is %s, dtype %s wants %s", k, d, d.kind())
	}
	return v.Len(), v.Kind() != example.Unset
}

func (c *checker) checkSparse(f Sparse) {
	c.checkDepth(len(f.IndexKeys), "index keys")
	if len(f.IndexKeys) == 0 {
		c.failf("sparse without an index key")
	}
	if f.ValueKey == "" {
		c.failf("sparse without a value key")
	}
	if len(f.IndexKeys) != len(f.Size) {
		c.failf("%d index keys and %d sizes: want as many", len(f.IndexKeys), len(f.Size))
	}
	for _, n := range f.Size {
		if n < 0 {
			c.failf("size %v is negative", f.Size)
			break
		}
	}
}

func (c *checker) checkPartitions(f Ragged) {
	ps := f.Partitions
	if !c.checkDepth(len(ps), "partitions") {
		return
	}
	before := len(c.errs)
	for i, p := range ps {
		n, uniform := p.(UniformRowLength)
		switch name, _ := PartitionKey(p); {
		case name == "":
			c.failf("partition %d: %T is not a partition", i, p)
		case uniform && n <= 0:
			c.failf("partition %d: uniform_row_length must be at least 1, got %d", i, n)
		case uniform && n > maxElements:
			c.failf("partition %d: uniform_row_length %d is more than %d", i, n, maxElements)
		}
	}
	if len(c.errs) == before {
		c.checkShape(f.InnerShape())
	}
}

// A keyClaim is one key that a feature reads.
type keyClaim struct {
	key   string
	class string // "dense", "sparse" or "ragged": TensorFlow allows a key in one class only
	dtype DType
	by    string // name of the feature that reads the key
}

// keyClaims lists the keys that a feature reads.
func keyClaims(name string, f Feature) []keyClaim {
	one := func(key, class string, d DType) keyClaim { return keyClaim{key, class, d, name} }
	switch f := f.(type) {
	case FixedLen:
		return []keyClaim{one(name, "dense", f.DType)}
	case FixedLenSequence:
		return []keyClaim{one(name, "dense", f.DType)}
	case VarLen:
		return []keyClaim{one(name, "sparse", f.DType)}
	case Sparse:
		var us []keyClaim
		for _, k := range f.IndexKeys {
			us = append(us, one(k, "sparse", Int64))
		}
		return append(us, one(f.ValueKey, "sparse", f.DType))
	case Ragged:
		us := []keyClaim{one(f.valueKey(name), "ragged", f.DType)}
		for _, p := range f.Partitions {
			if _, ok := p.(UniformRowLength); !ok && p != nil {
				_, key := PartitionKey(p)
				us = append(us, one(key, "ragged", Int64))
			}
		}
		return us
	}
	return nil
}

// claimKey records a claim. It is an error if it conflicts with an earlier claim.
func (c *checker) claimKey(used map[string]keyClaim, u keyClaim) {
	first, ok := used[u.key]
	switch {
	case !ok:
		used[u.key] = u
	case first.class != u.class:
		c.failf("key %q is read as %s here and as %s by %q", u.key, u.class, first.class, first.by)
	case first.dtype != u.dtype && first.dtype.kind() != example.Unset && u.dtype.kind() != example.Unset:
		c.failf("key %q is read as %s here and as %s by %q", u.key, u.dtype, first.dtype, first.by)
	}
}
