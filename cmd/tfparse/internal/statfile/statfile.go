// Package statfile reads statistics of data sets from files, whatever their form:
// one TFRecord or several, plain binary, or text. What a file is, its content says.
package statfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/pbtext"
)

// ErrNone means that a file holds no statistics.
var ErrNone = errors.New("no statistics of a data set")

// maxSize bounds what is read of a file that is no TFRecord.
const maxSize = 1 << 28

// Read reads statistics: a TFRecord whose records are serialised
// DatasetFeatureStatisticsLists, one such list, or its text. Parts of one data set in
// several records are put together. A file of other records is ErrNone, after its
// first record; so is anything else.
func Read(name string) (*metadatapb.DatasetFeatureStatisticsList, error) {
	list, err := readRecords(name)
	if err == nil || !errors.Is(err, tfrecord.ErrNotTFRecord) {
		return list, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxSize {
		return nil, fmt.Errorf("%w: it is no TFRecord, and larger than %d bytes", ErrNone, maxSize)
	}
	if list, ok := Parse(b); ok {
		return list, nil
	}
	list = &metadatapb.DatasetFeatureStatisticsList{}
	if err := pbtext.Unmarshal(b, list); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return list, nil
}

func readRecords(name string) (*metadatapb.DatasetFeatureStatisticsList, error) {
	r, err := tfrecord.Open(name, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all := &metadatapb.DatasetFeatureStatisticsList{}
	for n := 0; ; n++ {
		rec, err := r.Next()
		if err == io.EOF && n > 0 {
			return all, nil
		}
		if err == io.EOF {
			return nil, ErrNone
		}
		if err != nil {
			return nil, err
		}
		part, ok := Parse(rec)
		if !ok {
			return nil, r.WrapError(ErrNone)
		}
		if err := unite(all, part); err != nil {
			return nil, r.WrapError(err)
		}
	}
}

// Parse reads a serialised list. It is not ok if the bytes are none, or say nothing
// that only statistics say: an Example may read as a list of nothing.
func Parse(b []byte) (*metadatapb.DatasetFeatureStatisticsList, bool) {
	list := &metadatapb.DatasetFeatureStatisticsList{}
	if proto.Unmarshal(b, list) != nil || len(list.ProtoReflect().GetUnknown()) > 0 {
		return nil, false
	}
	for _, d := range list.GetDatasets() {
		if len(d.ProtoReflect().GetUnknown()) == 0 && (d.GetNumExamples() > 0 || len(d.GetFeatures()) > 0) {
			return list, true
		}
	}
	return nil, false
}

// unite adds a part: the same data set with other features, or another one.
func unite(all, part *metadatapb.DatasetFeatureStatisticsList) error {
	for _, d := range part.GetDatasets() {
		var same *metadatapb.DatasetFeatureStatistics
		for _, o := range all.GetDatasets() {
			if o.GetName() == d.GetName() {
				same = o
			}
		}
		switch {
		case same == nil:
			all.Datasets = append(all.Datasets, d)
			continue
		case same.GetNumExamples() == 0:
			same.NumExamples = d.GetNumExamples()
		case d.GetNumExamples() != 0 && d.GetNumExamples() != same.GetNumExamples():
			return fmt.Errorf("parts of one data set have %d and %d examples", same.GetNumExamples(), d.GetNumExamples())
		}
		if same.GetWeightedNumExamples() == 0 {
			same.WeightedNumExamples = d.GetWeightedNumExamples()
		}
		same.Features = append(same.Features, d.GetFeatures()...)
		same.CrossFeatures = append(same.CrossFeatures, d.GetCrossFeatures()...)
	}
	return nil
}
