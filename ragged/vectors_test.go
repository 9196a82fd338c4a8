//go:build !novectors

package ragged_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text"
)

// raggedOps are the operations of the family, in one table for each group.
var raggedOps = []map[string]raggedOp{
	raggedFactories, raggedConversions, raggedIndexing, raggedShapes, raggedPrinting, raggedDynamicShapes, raggedJoins, raggedReductions, raggedNumArrays,
	raggedArrays, raggedTakes, raggedElementwise, raggedMapping, raggedText, raggedDatasets,
}

// raggedExceptions are the cases whose expected results are wrong.
var raggedExceptions = map[string]string{
	"tf.print: bytes": "TensorFlow prints the bytes; it was the program that made the case that could not store text that is not UTF-8",
}

// TestVectors compares with results of TensorFlow's operations on ragged tensors, also for the
// packages below this one.
func TestVectors(t *testing.T) {
	s := &testkit.Suite{
		Family:     "ragged",
		Key:        "op",
		Members:    []string{"args", "kwargs"},
		PerKey:     true,
		MoreKeys:   true, // operators have a mirrored form, and many functions two names
		Exceptions: raggedExceptions,
	}
	for _, ops := range raggedOps {
		for name, op := range ops {
			s.Handle(name, testkit.Compare(func(c *testkit.Case) (testkit.Value, error) {
				got, err := runRagged(c, op)
				return got, classified(c, err)
			}))
		}
	}
	s.Run(t)
}

// A raggedOp runs one operation.
type raggedOp func(c *call) (testkit.Value, error)

// runRagged runs an operation. It fails the case if the operation did not read every argument.
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

// A call is the arguments of an operation. Its methods return an argument by position and Python
// name. An argument that cannot be read is recorded as a fault of the case, so the operation need
// not check it.
type call struct {
	args       []testkit.Value
	kwargs     map[string]testkit.Value
	positional int // number of positional arguments that were read
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

// fail records that the operation does not accept an argument.
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

// refuse is the outcome of a call that cannot be written in Go, because its types do not fit. It
// agrees with TensorFlow if TensorFlow fails for the same reason.
func refuse(format string, args ...any) (testkit.Value, error) {
	return nil, fmt.Errorf("%w: "+format, append([]any{errTypes}, args...)...)
}

var errTypes = errors.New("cannot be written in Go")

// raggedErrors are the errors with which operations on ragged tensors refuse arguments.
var raggedErrors = []error{
	ragged.ErrShape, ragged.ErrPartition, ragged.ErrIndex, ragged.ErrValue, text.ErrArgument, dataset.ErrArgument, errTypes,
}

// raggedDifferences are the classes of errors for arguments that TensorFlow accepts and we refuse.
var raggedDifferences = []testkit.Class{
	testkit.Words(`reads a value of the next row|reduces the axis twice`, ragged.ErrIndex),
	testkit.Words(`an id past num_segments|these are not row splits|unsorted ids do not describe|row_splits must start at 0`, ragged.ErrPartition),
	testkit.Words(`its index says row|partitions that do not chain|reverses once although the axis is listed twice|shapes that do not broadcast`, ragged.ErrShape),
}

// classified returns err, or a fault of the test if err has no class. A case that expects an error
// passes only if the caller can test for the error, and if the error has the class of the reason
// in the case.
func classified(c *testkit.Case, err error) error {
	if err == nil || errors.Is(err, testkit.ErrUnknown) {
		return err
	}
	if !slices.ContainsFunc(raggedErrors, func(e error) bool { return errors.Is(err, e) }) {
		return testkit.Fault(fmt.Errorf("an error of no class: %w", err))
	}
	if w := c.Want(); w.Fail && w.Ours {
		if wrong := testkit.CheckClass(c, raggedDifferences, err); wrong != nil {
			return testkit.Fault(wrong)
		}
	}
	return err
}
