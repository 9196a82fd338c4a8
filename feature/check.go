package feature

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
)

// maxElements bounds the values of one shape, so that counting them never
// overflows, whatever the platform.
const maxElements = math.MaxInt32

// maxEmpty bounds the product of the other sizes of a shape without values, such as
// [n 0]: they would be written as that number of empty lists.
const maxEmpty = 1 << 20

// Validate checks everything that can be checked without data. It reports all
// faults at once: the result is nil or the join of a *SpecError for each.
func (s Spec) Validate() error { return s.validate(math.MaxInt) }

// validate is Validate with a limit of how deep a feature may nest.
func (s Spec) validate(maxDepth int) error {
	c := checker{maxDepth: maxDepth}
	c.spec(s)
	return errors.Join(c.errs...)
}

// A checker collects the faults of a spec.
type checker struct {
	maxDepth int

	errs  []error
	group Group
	name  string // of the feature being checked
}

func (c *checker) failf(format string, args ...any) {
	c.errs = append(c.errs, &SpecError{Group: c.group, Feature: c.name, Err: fmt.Errorf(format, args...)})
}

func (c *checker) spec(s Spec) {
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
		whole("features stand beside context, sequence or examples: a record is one message")
	case len(s.Sequence) > 0 && s.Examples != nil:
		whole("sequence stands beside examples: a record is one message")
	}
	for g, fs := range s.Groups() {
		c.features(g, fs, s.Message())
	}
}

// allowed lists the kinds a group takes.
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

func (c *checker) features(g Group, fs Features, m example.MessageType) {
	c.group = g
	used := map[string]wireUse{}
	for name, f := range fs.sorted() {
		c.name = name
		switch f.(type) {
		case FixedLen, FixedLenSequence, VarLen, Sparse, Ragged:
		default:
			c.failf("%T is no kind of feature", f)
			continue
		}
		if !allowed(g, f, m) {
			c.failf("%s is not allowed in %s", kindName(f), g)
			continue
		}
		c.feature(f)
		for _, u := range wireUses(name, f) {
			c.share(used, u)
		}
	}
}

// kindName is the name of the kind in Spec JSON.
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

func (c *checker) feature(f Feature) {
	if d := f.dtype(); d < String || d > Int64 {
		c.failf("dtype is not set: want int64, float32 or string")
	}
	switch f := f.(type) {
	case FixedLen:
		n, ok := c.shape(f.Shape)
		if got, given := c.defaultValue(f.Default, f.DType); ok && given && got != n {
			c.failf("the default has %d values, shape %v wants %d", got, f.Shape, n)
		}
	case FixedLenSequence:
		if n, ok := c.shape(f.Shape); ok && n == 0 {
			c.failf("a block of shape %v has no values: blocks cannot be counted", f.Shape)
		}
		switch got, given := c.defaultValue(f.Default, f.DType); {
		case !given:
		case c.group == InSequence:
			c.failf("a default is not allowed in sequence: padding is 0 or empty")
		case got != 1:
			c.failf("the default has %d values: padding is one", got)
		}
	case Sparse:
		c.sparse(f)
	case Ragged:
		c.partitions(f)
	}
}

// depth checks how deep a feature nests.
func (c *checker) depth(n int, what string) bool {
	if n > c.maxDepth {
		c.failf("%d %s: the parser's limit is %d", n, what, c.maxDepth)
	}
	return n <= c.maxDepth
}

// shape checks a shape and returns its number of values.
func (c *checker) shape(shape []int) (n int, ok bool) {
	if !c.depth(len(shape), "dimensions") {
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

// defaultValue checks the kind of a default and returns its number of values; given
// is false if there is none, or none that can be counted.
func (c *checker) defaultValue(v example.Value, d DType) (n int, given bool) {
	switch k := v.Kind(); {
	case k == example.Malformed:
		c.failf("the default has values of several kinds")
		return 0, false
	case k != example.Unset && d.kind() != example.Unset && k != d.kind():
		c.failf("the default is %s, dtype %s wants %s", k, d, d.kind())
	}
	return v.Len(), v.Kind() != example.Unset
}

func (c *checker) sparse(f Sparse) {
	c.depth(len(f.IndexKeys), "index keys")
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

func (c *checker) partitions(f Ragged) {
	ps := f.Partitions
	if !c.depth(len(ps), "partitions") {
		return
	}
	before := len(c.errs)
	for i, p := range ps {
		n, uniform := p.(UniformRowLength)
		switch name, _ := PartitionKey(p); {
		case name == "":
			c.failf("partition %d: %T is no partition", i, p)
		case uniform && n <= 0:
			c.failf("partition %d: uniform_row_length must be at least 1, got %d", i, n)
		case uniform && n > maxElements:
			c.failf("partition %d: uniform_row_length %d is more than %d", i, n, maxElements)
		}
	}
	if len(c.errs) == before {
		c.shape(f.InnerShape())
	}
}

// A wireUse is one wire key that a feature reads.
type wireUse struct {
	key   string
	class string // TensorFlow parses the three classes apart, and they share no keys
	dtype DType
	by    string // the name of the feature
}

// wireUses lists the wire keys a feature reads.
func wireUses(name string, f Feature) []wireUse {
	one := func(key, class string, d DType) wireUse { return wireUse{key, class, d, name} }
	switch f := f.(type) {
	case FixedLen:
		return []wireUse{one(name, "dense", f.DType)}
	case FixedLenSequence:
		return []wireUse{one(name, "dense", f.DType)}
	case VarLen:
		return []wireUse{one(name, "sparse", f.DType)}
	case Sparse:
		var us []wireUse
		for _, k := range f.IndexKeys {
			us = append(us, one(k, "sparse", Int64))
		}
		return append(us, one(f.ValueKey, "sparse", f.DType))
	case Ragged:
		us := []wireUse{one(f.valueKey(name), "ragged", f.DType)}
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

// share notes a use and refuses one that TensorFlow cannot serve beside another.
func (c *checker) share(used map[string]wireUse, u wireUse) {
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
