// Package examples sorts records by what is wrong with them, and makes statistics of
// each sort: what TensorFlow Data Validation calls validate_examples_in_tfrecord.
//
// It asks the rules of package validate/anomaly about every record, as TensorFlow Data
// Validation does, which is slow; package validate/record asks in its own way, at once.
package examples

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/stats"
)

// Options say how records are sorted.
type Options struct {
	// Stats are the options of the statistics that are made. Their schema is the one
	// that records are compared with.
	Stats stats.Options

	// Environment is one of the default environments of the schema, or empty.
	Environment string
}

// A Sorter takes records. It belongs to one goroutine.
type Sorter struct {
	schema *pb.Schema
	each   stats.Options
	opts   Options
	sorts  map[string]*stats.Accumulator
	order  []string // of the reasons, as they were met
	found  uint64
}

// New returns a Sorter for a schema, which it copies. The error is that of stats.New.
func New(schema *pb.Schema, opts *Options) (*Sorter, error) {
	s := &Sorter{schema: proto.CloneOf(schema), sorts: map[string]*stats.Accumulator{}}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.Stats.Schema = s.schema
	s.opts.Stats.Slices, s.opts.Stats.SlicingConfig = nil, nil
	s.opts.Stats.DesiredBatchSize = 1 // as it reads them
	s.each = s.opts.Stats
	s.each.UseSketchBasedTopKUniques = true // as for every single record there
	_, err := stats.New(&s.opts.Stats)
	return s, err
}

// Add takes a record, and returns the reasons that are found: the path of a feature and
// the type of an anomaly, joined with "_". It keeps nothing of the record. An error is
// that of stats.Accumulator.Add; then the record is not taken.
func (s *Sorter) Add(record []byte) ([]string, error) {
	one, err := stats.New(&s.each)
	if err == nil {
		err = one.Add(record)
	}
	if err != nil {
		return nil, err
	}
	list, err := one.Statistics()
	if err != nil {
		return nil, err
	}
	a, err := anomaly.ValidateInstance(list, s.schema, &anomaly.Options{Compat: s.opts.Stats.TFDV, Environment: s.opts.Environment})
	if err != nil {
		return nil, err
	}
	var reasons []string
	for _, e := range a.GetAnomalyInfo() {
		for _, r := range e.GetValue().GetReason() {
			reasons = append(reasons, fmt.Sprintf("%s_%v", e.GetKey(), r.GetType()))
		}
	}
	for _, reason := range reasons {
		if s.sorts[reason] == nil {
			if s.sorts[reason], err = stats.New(&s.opts.Stats); err != nil {
				return nil, err
			}
			s.order = append(s.order, reason)
		}
		if err := s.sorts[reason].Add(record); err != nil {
			return nil, err
		}
	}
	if len(reasons) > 0 {
		s.found++
	}
	return reasons, nil
}

// Found is how many records have a reason.
func (s *Sorter) Found() uint64 { return s.found }

// Statistics returns one data set for every reason, in the order in which they were
// met: the records that have it. Without any there is one that is empty.
func (s *Sorter) Statistics() (*pb.DatasetFeatureStatisticsList, error) {
	list := &pb.DatasetFeatureStatisticsList{}
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
		list.Datasets = []*pb.DatasetFeatureStatistics{{}}
	}
	return list, nil
}
