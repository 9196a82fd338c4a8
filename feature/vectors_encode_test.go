package feature_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestVectorsEncode runs the cases of the family encode, whose records this package wrote and TensorFlow read. This
// package reads the same values as TensorFlow, and encoding them again gives the same bytes.
func TestVectorsEncode(t *testing.T) {
	testkit.OneGoroutine(t)
	s := &testkit.Suite{Family: "encode", Key: "call", Members: testkit.ParseMembers}
	for call, how := range map[string]parseCall{
		"parse_example":                 {},
		"parse_single_example":          {single: true},
		"parse_sequence_example":        {sequence: true},
		"parse_single_sequence_example": {sequence: true, single: true},
	} {
		s.Handle(call, func(c *testkit.Case) error { return errors.Join(how.run(c), encodeAgain(c)) })
	}
	s.Run(t)
}

func encodeAgain(c *testkit.Case) error {
	var records [][]byte
	var raw json.RawMessage
	if err := errors.Join(c.Decode("records", &records), c.Decode("spec", &raw)); err != nil {
		return err
	}
	parser, err := newParser(raw)
	if err != nil {
		return err
	}
	batch, err := parser.Parse(records...)
	if err != nil {
		return err
	}
	again, err := batch.Encode()
	if err != nil {
		return err
	}
	if !slices.EqualFunc(again, records, bytes.Equal) {
		return fmt.Errorf("encoded again: %x, was %x", again, records)
	}
	return nil
}
