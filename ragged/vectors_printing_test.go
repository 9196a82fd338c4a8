//go:build !novectors

package ragged_test

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

var raggedPrinting = map[string]raggedOp{
	"str":               printOp,
	"repr":              printOp,
	"tf.print":          tfPrint,
	"tf.strings.format": tfFormat,
}

// printOp writes a value as Python's str does.
func printOp(c *call) (testkit.Value, error) {
	s, err := stringOf(c.value(0, ""))
	return testkit.String(s), err
}

func stringOf(v testkit.Value) (string, error) {
	switch v := v.(type) {
	case testkit.RowPartition:
		p, err := toPartition(v.Partition)
		return p.String(), err
	case testkit.DynamicShape:
		s, err := toShape(v)
		return s.String(), err
	case testkit.Dense, testkit.Ragged, testkit.Sparse:
		k, err := coreOf(v)
		if err != nil {
			return "", err
		}
		return k.text(v)
	}
	return "", testkit.Unknown("text of %s", testkit.Format(v))
}

// text is the long form.
func (core[T]) text(v testkit.Value) (string, error) {
	if _, ok := v.(testkit.Sparse); ok {
		s, err := toSparse[T](v)
		return s.String(), err
	}
	t, err := toTensor[T](v)
	if err != nil {
		return "", err
	}
	if got := fmt.Sprintf("%+v", t); got != t.String() {
		return "", fmt.Errorf("%%+v gives another text than String: %s", got)
	}
	return t.String(), nil
}

// summary is the short form.
func (core[T]) summary(v testkit.Value, n int) (string, error) {
	t, err := toTensor[T](v)
	return t.Summary(n), err
}

// summarize returns the text of a printed value. Tensors in it are abbreviated to at most n items
// at each end of every axis.
func summarize(v testkit.Value, n int) (string, error) {
	switch v := v.(type) {
	case testkit.String:
		return string(v), nil
	case testkit.Int:
		return fmt.Sprint(int(v)), nil
	case testkit.Ragged:
		k, err := coreOf(v)
		if err != nil {
			return "", err
		}
		return k.summary(v, n)
	case testkit.Dense: // no business of ours
		if v.DType == "string" {
			return fmt.Sprintf("%q", v.Values), nil
		}
		return fmt.Sprint(v.Values), nil
	}
	return "", testkit.Unknown("text of %s", testkit.Format(v))
}

// items returns the argument "summarize".
func items(c *call) (int, error) {
	n := c.int(-1, "summarize", 3)
	if n < -1 || n == 0 {
		return 0, fmt.Errorf("%w: no number of items: %d", errTypes, n)
	}
	return n, nil
}

func tfPrint(c *call) (testkit.Value, error) {
	n, err := items(c)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, v := range c.rest(0) {
		s, err := summarize(v, n)
		if err != nil {
			return nil, err
		}
		words = append(words, s)
	}
	return testkit.String(strings.Join(words, c.string(-1, "sep", " ")) + c.string(-1, "end", "\n")), nil
}

func tfFormat(c *call) (testkit.Value, error) {
	n, err := items(c)
	if err != nil {
		return nil, err
	}
	template, placeholder := c.string(0, "template", ""), c.string(-1, "placeholder", "{}")
	inputs := testkit.List{c.value(1, "inputs")}
	if list, ok := inputs[0].(testkit.List); ok {
		inputs = list
	}
	parts := strings.Split(template, placeholder)
	if len(parts) != len(inputs)+1 {
		return refuse("%d placeholders for %d inputs", len(parts)-1, len(inputs))
	}
	out := parts[0]
	for i, v := range inputs {
		s, err := summarize(v, n)
		if err != nil {
			return nil, err
		}
		out += s + parts[i+1]
	}
	return number(out), nil
}
