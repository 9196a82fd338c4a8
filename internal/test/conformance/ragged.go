package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// raggedFiles are the files of the family that are run, and raggedOps says how
// their operations are carried out. Who adds an operation adds a table.
var (
	raggedFiles = []string{
		"factories.jsonl", "convert.jsonl", "index.jsonl", "shape.jsonl", "printing.jsonl", "dynamic_shape.jsonl",
		"reduce.jsonl", "reduce_empty.jsonl", "lookup_count.jsonl", "broadcast.jsonl", "elementwise.jsonl", "strings.jsonl", "array.jsonl", "dataset.jsonl",
	}
	raggedOps = []map[string]raggedOp{
		raggedFactories, raggedConversions, raggedIndexing, raggedShapes, raggedPrinting, raggedDynamicShapes, raggedJoins, raggedReductions, raggedNumArrays,
		raggedArrays, raggedTakes, raggedElementwise, raggedMapping, raggedText, raggedDatasets,
	}
)

// raggedExceptions are the cases that we hold to be wrong.
var raggedExceptions = map[string]string{
	"printing.jsonl: tf.print: bytes": "TensorFlow prints the bytes; it was the program that made the case that could not store text that is not UTF-8",
}

// Ragged runs what TensorFlow's ragged operations gave.
func Ragged(t *testing.T) {
	s := &testkit.Suite{
		Family:     "ragged",
		Key:        "op",
		Members:    []string{"args", "kwargs"},
		Only:       raggedFiles,
		PerKey:     true,
		Exceptions: raggedExceptions,
	}
	for _, ops := range raggedOps {
		for name, op := range ops {
			s.Handle(name, testkit.Compare(func(c *testkit.Case) (testkit.Value, error) {
				got, err := runRagged(c, op)
				return got, classified(err, raggedErrors)
			}))
		}
	}
	s.Run(t)
}

// A raggedOp carries out one operation.
type raggedOp func(c *call) (testkit.Value, error)

// runRagged runs an operation and fails the case if it did not look at every
// argument.
func runRagged(c *testkit.Case, op raggedOp) (testkit.Value, error) {
	args, err := c.Values("args")
	if err != nil {
		return nil, err
	}
	kwargs, err := c.NamedValues("kwargs")
	if err != nil {
		return nil, err
	}
	k := &call{args: args, kwargs: kwargs, seen: map[string]bool{}}
	got, err := op(k)
	if k.fault != nil {
		return nil, testkit.Fault(k.fault)
	}
	if err == nil && k.positional < len(args) {
		return nil, testkit.Unknown("argument %d of %d", k.positional, len(args))
	}
	for _, name := range slices.Sorted(maps.Keys(kwargs)) {
		if err == nil && !k.seen[name] {
			return nil, testkit.Unknown("argument %q", name)
		}
	}
	return got, err
}

// A call is the arguments of an operation. Its methods take them by their position
// and their Python name. What cannot be read is a fault of the case, which the
// operation need not look at.
type call struct {
	args       []testkit.Value
	kwargs     map[string]testkit.Value
	positional int // how many positional arguments were looked at
	seen       map[string]bool
	fault      error
}

// value returns an argument, nil if it is absent or None.
func (c *call) value(i int, name string) testkit.Value {
	if i >= 0 && i < len(c.args) {
		c.positional = max(c.positional, i+1)
		return present(c.args[i])
	}
	c.seen[name] = true
	return present(c.kwargs[name])
}

// rest returns the positional arguments from i on.
func (c *call) rest(i int) []testkit.Value {
	c.positional = len(c.args)
	return c.args[min(i, len(c.args)):]
}

func present(v testkit.Value) testkit.Value {
	if _, null := v.(testkit.Null); null {
		return nil
	}
	return v
}

// fail notes that an argument is not what the operation takes.
func (c *call) fail(name string, v testkit.Value) {
	if c.fault == nil {
		c.fault = fmt.Errorf("argument %q: %s", name, testkit.Format(v))
	}
}

// int returns an argument that is an integer, or def if it is absent.
func (c *call) int(i int, name string, def int) int {
	return int(c.int64(i, name, int64(def)))
}

// int64 returns an argument that is an integer of any size, or def if it is absent.
func (c *call) int64(i int, name string, def int64) int64 {
	switch v := c.value(i, name).(type) {
	case nil:
		return def
	case testkit.Int:
		return int64(v)
	case testkit.Dense:
		if n, ok := asInt64s(v); ok && len(v.Shape) == 0 {
			return n[0]
		}
		c.fail(name, v)
	default:
		c.fail(name, v)
	}
	return def
}

// bool returns an argument that is a bool, or def if it is absent.
func (c *call) bool(i int, name string, def bool) bool {
	switch v := c.value(i, name).(type) {
	case nil:
		return def
	case testkit.Bool:
		return bool(v)
	default:
		c.fail(name, v)
		return def
	}
}

// string returns an argument that is text, or def if it is absent.
func (c *call) string(i int, name, def string) string {
	switch v := c.value(i, name).(type) {
	case nil:
		return def
	case testkit.String:
		return string(v)
	default:
		c.fail(name, v)
		return def
	}
}

// dtype returns an argument that is a dtype, or def if it is absent.
func (c *call) dtype(i int, name, def string) string {
	switch v := c.value(i, name).(type) {
	case nil:
		return def
	case testkit.DType:
		return string(v)
	default:
		c.fail(name, v)
		return def
	}
}

// ints returns an argument that is a vector of integers, nil if it is absent.
func (c *call) ints(i int, name string) []int {
	v := c.value(i, name)
	if v == nil {
		return nil
	}
	n, ok := asInts(v)
	if !ok {
		c.fail(name, v)
	}
	return n
}

// refuse is the outcome of a call that cannot be written in Go, because its types
// do not fit: where TensorFlow fails for the same reason, that is the same answer.
func refuse(format string, args ...any) (testkit.Value, error) {
	return nil, fmt.Errorf("%w: "+format, append([]any{errTypes}, args...)...)
}

var errTypes = errors.New("cannot be written in Go")
