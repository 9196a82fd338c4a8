package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/examples"
)

// TestValidationRecords runs the cases of validate_examples_in_tfrecord: statistics of
// the records that have a reason, one data set for each reason.
func TestValidationRecords(t *testing.T) {
	s := &testkit.Suite{Family: "validation", Key: "call", Only: []string{"records.jsonl"}, Members: []string{"note", "input", "schema", "options"}}
	s.Handle("validate_examples_in_tfrecord", validateExamples)
	s.Run(t)
}

func validateExamples(c *testkit.Case) error {
	var in struct {
		Of string `json:"records_of"`
	}
	schema := &metadatapb.Schema{}
	o, err := statsOptions(c)
	if err := errors.Join(err, c.Decode("input", &in), textOf(c, "schema", schema)); err != nil {
		return err
	}
	all, err := expectedStatistics(c.Dir)
	if err != nil {
		return testkit.Fault(err)
	}
	other := all[in.Of]
	if other == nil {
		return testkit.Fault(fmt.Errorf("there is no case %q", in.Of))
	}
	files, err := inputRecords(other)
	if err != nil {
		return err
	}
	run := func() (*metadatapb.DatasetFeatureStatisticsList, error) {
		sorter, err := examples.New(schema, &examples.Options{Stats: *o})
		if err != nil {
			return nil, err
		}
		for _, records := range files {
			for _, r := range records {
				if _, err := sorter.Add(r); err != nil {
					return nil, err
				}
			}
		}
		return sorter.Statistics()
	}
	got, err := run()
	return outcome(c, err, func() error { return expectStatistics(c, o, got, files) })
}
