package conformance

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/stats"
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
		opts := o.Options
		opts.Schema = schema
		sorter, err := newSorter(&opts)
		if err != nil {
			return nil, err
		}
		for _, records := range files {
			for _, r := range records {
				if err := sorter.add(r); err != nil {
					return nil, err
				}
			}
		}
		return sorter.statistics()
	}
	got, err := run()
	if err != nil {
		return err
	}
	return expectStatistics(c, o, got, nil, nil) // each data set has other records
}

// A sorter sorts records by their anomalies and makes statistics of each sort, as
// validate_examples_in_tfrecord does. It belongs to one goroutine.
type sorter struct {
	each  stats.Options // of the statistics of a single record
	opts  stats.Options // of the statistics of a sort
	sorts map[string]*stats.Accumulator
	order []string // of the reasons, as they were met
}

// newSorter returns a sorter for the schema of the options.
func newSorter(opts *stats.Options) (*sorter, error) {
	s := &sorter{opts: *opts, sorts: map[string]*stats.Accumulator{}}
	s.opts.Slices = nil
	s.each = s.opts
	_, err := stats.New(&s.opts)
	return s, err
}

// add adds a record to the statistics of each of its reasons: the path of a feature and
// the type of an anomaly, joined with "_".
func (s *sorter) add(record []byte) error {
	one, err := stats.New(&s.each)
	if err == nil {
		err = one.Add(record)
	}
	if err != nil {
		return err
	}
	list, err := one.Statistics()
	if err != nil {
		return err
	}
	a, err := anomaly.Validate(list, s.opts.Schema, &anomaly.Options{Compat: true})
	if err != nil {
		return err
	}
	var reasons []string
	for _, e := range a.GetAnomalyInfo() {
		for _, r := range e.GetValue().GetReason() {
			if !ofDataSets[r.GetType()] {
				reasons = append(reasons, fmt.Sprintf("%s_%v", e.GetKey(), r.GetType()))
			}
		}
	}
	for _, reason := range reasons {
		if s.sorts[reason] == nil {
			if s.sorts[reason], err = stats.New(&s.opts); err != nil {
				return err
			}
			s.order = append(s.order, reason)
		}
		if err := s.sorts[reason].Add(record); err != nil {
			return err
		}
	}
	return nil
}

// ofDataSets are the types of anomalies that validate_instance leaves out: they make no sense for one record.
var ofDataSets = map[metadatapb.AnomalyInfo_Type]bool{
	metadatapb.AnomalyInfo_FEATURE_TYPE_LOW_FRACTION_PRESENT:         true,
	metadatapb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_PRESENT:           true,
	metadatapb.AnomalyInfo_FEATURE_TYPE_NOT_PRESENT:                  true,
	metadatapb.AnomalyInfo_SCHEMA_TRAINING_SERVING_SKEW:              true,
	metadatapb.AnomalyInfo_COMPARATOR_CONTROL_DATA_MISSING:           true,
	metadatapb.AnomalyInfo_COMPARATOR_TREATMENT_DATA_MISSING:         true,
	metadatapb.AnomalyInfo_COMPARATOR_L_INFTY_HIGH:                   true,
	metadatapb.AnomalyInfo_COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH: true,
	metadatapb.AnomalyInfo_COMPARATOR_LOW_NUM_EXAMPLES:               true,
	metadatapb.AnomalyInfo_COMPARATOR_HIGH_NUM_EXAMPLES:              true,
	metadatapb.AnomalyInfo_NO_DATA_IN_SPAN:                           true,
	metadatapb.AnomalyInfo_DATASET_LOW_NUM_EXAMPLES:                  true,
	metadatapb.AnomalyInfo_DATASET_HIGH_NUM_EXAMPLES:                 true,
}

// statistics returns one data set for every reason, in the order in which they were
// met: the records that have it. Without any there is one that is empty.
func (s *sorter) statistics() (*metadatapb.DatasetFeatureStatisticsList, error) {
	list := &metadatapb.DatasetFeatureStatisticsList{}
	for _, reason := range s.order {
		part, err := s.sorts[reason].Statistics()
		if err != nil {
			return nil, err
		}
		d := part.GetDatasets()[0]
		d.Name = reason
		list.Datasets = append(list.Datasets, d)
	}
	if len(list.Datasets) == 0 {
		list.Datasets = []*metadatapb.DatasetFeatureStatistics{{}}
	}
	return list, nil
}
