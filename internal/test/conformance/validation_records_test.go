package conformance

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/examples"
)

// validateExamples runs a case of validate_examples_in_tfrecord: statistics of the records
// that have a reason, one data set for each reason.
func validateExamples(c *testkit.Case) error {
	var in struct {
		Of string `json:"records_of"`
	}
	schema := &metadatapb.Schema{}
	o, err := statsOptions(c)
	if err := errors.Join(err, c.Decode("input", &in), textOf(c, "schema", schema)); err != nil {
		return err
	}
	other := statisticsCases[in.Of]
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
