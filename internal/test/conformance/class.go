package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/layout"
	"github.com/tfparse/tfparse/ragged/num"
	"github.com/tfparse/tfparse/ragged/text"
)

// A class is how TensorFlow words one kind of error, and the errors of ours that are of
// that kind. TensorFlow reads on behind bytes that we refuse, and the other way round, so
// most kinds have a second error beside the one that is meant.
type class struct {
	words *regexp.Regexp
	is    []error
}

// errBytes stands for every error about the encoding.
var errBytes = errors.New("an error about the bytes")

// parseClasses are the kinds of errors of the family parse.
var parseClasses = []class{
	{regexp.MustCompile(`Data types don't match`), []error{example.ErrKind, errBytes, feature.ErrCount}},
	{regexp.MustCompile(`is required but could not be found`), []error{feature.ErrMissing, errBytes}},
	{regexp.MustCompile(`values and partitions are not aligned`), []error{feature.ErrFrames, ragged.ErrPartition}},
	{regexp.MustCompile(`do not form a valid (RaggedTensor|RowPartition)`), []error{ragged.ErrPartition, feature.ErrFrames}},
	{regexp.MustCompile(`[Nn]umber of \w+ values != expected|Inconsistent (max )?number of elements|Unexpected number of elements|number of elements should be`),
		[]error{feature.ErrCount, errBytes, feature.ErrMissing}},
	{regexp.MustCompile(`Can't parse serialized Example|Could not parse example input|Invalid protocol message input`), []error{errBytes, feature.ErrCount}},
}

// checkParseClass compares the class of an error that is required with what TensorFlow
// said.
func checkParseClass(c *testkit.Case, got error) error {
	var said struct{ Message string }
	if w := c.Want(); w.Ours || json.Unmarshal(w.Error, &said) != nil {
		return nil
	}
	for _, k := range parseClasses {
		if !k.words.MatchString(said.Message) {
			continue
		}
		_, bytes := errors.AsType[*example.Error](got)
		if slices.ContainsFunc(k.is, func(e error) bool { return errors.Is(got, e) || e == errBytes && bytes }) {
			return nil
		}
		return fmt.Errorf("an error of another class: want %v, as %q, got %w", k.is, said.Message, got)
	}
	return nil
}

// raggedErrors are what operations on ragged tensors refuse their arguments with.
var raggedErrors = []error{
	ragged.ErrShape, ragged.ErrPartition, ragged.ErrIndex, num.ErrValue, text.ErrValue, text.ErrArgument, dataset.ErrArgument, errTypes,
}

// classified returns err, or a fault of the test if it is an error of none of the classes:
// a case that is to fail passes only with an error that a caller can tell apart.
func classified(err error, classes []error) error {
	if err == nil || errors.Is(err, testkit.ErrUnknown) || slices.ContainsFunc(classes, func(e error) bool { return errors.Is(err, e) }) {
		return err
	}
	return testkit.Fault(fmt.Errorf("an error of no class: %w", err))
}

// layoutClasses are the errors of each phase in which XLA and the other oracles fail. XLA
// reads some texts that make no shape, and finds that out when it validates them.
var layoutClasses = map[string][]error{
	"syntax":   {layout.ErrSyntax, layout.ErrInvalid},
	"validate": {layout.ErrSyntax, layout.ErrInvalid},
	"op":       {layout.ErrInvalid, layout.ErrRange, layout.ErrPadding, layout.ErrUnsupported, layout.ErrMismatch, ragged.ErrShape},
}

// checkLayoutClass compares the class of an error with the phase in which the oracle failed.
func checkLayoutClass(c *testkit.Case, got error) error {
	var said struct{ Phase string }
	if w := c.Want(); json.Unmarshal(w.Error, &said) != nil {
		return nil // ours: true
	}
	if is := layoutClasses[said.Phase]; is != nil && !slices.ContainsFunc(is, func(e error) bool { return errors.Is(got, e) }) {
		return fmt.Errorf("an error of another class: want one of %v, got %w", is, got)
	}
	return nil
}
