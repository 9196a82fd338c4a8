package quality

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
)

// Which records a contentSample looks at: the first ones, which are kept until statistics are made of them.
const (
	contentRecords = 16
	contentBytes   = 1 << 20
)

// A contentSample says what the byte strings in the first records hold, as info does. Statistics have no place for it: their bytes are
// the same for any division of the records among goroutines and machines.
type contentSample struct {
	table *summary.Table // nil: there was no record
	bytes int            // of the records
}

// add adds one of the first records, and reports whether the next one is wanted.
func (s *contentSample) add(rec scan.Record) (more bool) {
	if s.table == nil {
		s.table = summary.NewTable(rec.Type)
		s.table.Look = true
	}
	s.bytes += len(rec.Bytes)
	if rec.Type == s.table.Type() {
		_ = s.table.Add(rec.Bytes) // a record that does not decode is reported when statistics are made
	}
	return s.table.Records < contentRecords && s.bytes < contentBytes
}

// A featureContent is what the byte strings of a feature hold, as parts of stats have it. The path is bytes, since JSON has no
// strings but UTF-8.
type featureContent struct {
	Path    []byte `json:"path"` // as the statistics name the feature
	Content string `json:"content"`
}

// contents returns what the byte strings of each feature hold, of those that have any.
func (s *contentSample) contents() (all []featureContent) {
	if s.table == nil {
		return nil
	}
	for _, f := range s.table.Features() {
		path := []string{f.Name}
		switch f.Part {
		case summary.Lists:
			path = []string{"##SEQUENCE##", f.Name}
		case summary.Examples:
			path = []string{"##EXAMPLES##", f.Name}
		}
		if content := f.Contents.String(); content != "" {
			all = append(all, featureContent{[]byte(statsource.PathName(path)), content})
		}
	}
	return all
}
