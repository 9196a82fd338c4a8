package partial

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/stats"
)

// A Result is the result of reading one file, or the merged result of several files. It is for one goroutine.
type Result struct {
	// Statistics are the statistics of the records; nil if no record was described.
	Statistics *stats.Accumulator `json:"-"`
	// Addresses are the addresses of the records in Statistics.
	Addresses scan.Addresses
	// Faults are the faults in the files.
	Faults scan.Faults
	// Findings are the findings about records; nil if records are not checked.
	Findings *record.Summary `json:"-"`
	// File is the summary of the file; nil for verbs with statistics. Merge ignores it.
	File *FileSummary

	Records int64 // number of intact records
	Files   int64 // number of files
}

// A FileSummary is what count and verify know of a file.
type FileSummary struct {
	Name      jsonscan.Name        // name of the file; in verify also of a shard set or dataset_info.json
	Opened    bool                 // the file could be opened
	Codec     tfrecord.Compression // Auto: unknown
	Stored    int64                // compressed size, in bytes
	Type      string               // type of the messages, or unknown; "": not known
	LooksLike string               // description of unknown messages; "": none
	Records   int64                // valid records: read, decoded, and according to --spec
	Bytes     int64                // uncompressed size of the frames of Records
	Count     int64                // intact frames, including payloads that were not read
	Faults    int                  // number of all faults; Result.Faults may have only the first
	Kinds     json.RawMessage      `json:",omitempty"` // from [summary.Table.AppendKinds]; nil: features were not counted
}

// New returns the empty result of one file. It keeps the first most faults of each kind.
func New(most int) *Result { return &Result{Faults: scan.Faults{Most: most}, Files: 1} }

// Merge appends the result of the files after those of r. It takes ownership of o. Statistics of different record types
// are an error.
func (r *Result) Merge(o *Result) error {
	r.Records += o.Records
	r.Files += o.Files
	r.Faults.Merge(&o.Faults)
	if r.Findings != nil && o.Findings != nil {
		r.Findings.Merge(o.Findings)
	}
	r.Addresses.Merge(&o.Addresses)
	if o.Statistics == nil {
		return nil
	}
	if r.Statistics == nil {
		r.Statistics = o.Statistics.Fresh()
	}
	if a, b := r.Statistics.Options().Message, o.Statistics.Options().Message; a != b {
		return scan.MixedTypes(a, b, "statistics need one type")
	}
	return r.Statistics.Merge(o.Statistics)
}

// resultJSON is the JSON form of a Result, without the statistics.
type resultJSON struct {
	*Result
	Findings json.RawMessage `json:",omitempty"` // [record.Summary.MarshalBinary] returns JSON
}

// MarshalBinary implements [encoding.BinaryMarshaler]. The form is the length of a resultJSON, the resultJSON, and the binary
// form of the statistics.
func (r *Result) MarshalBinary() ([]byte, error) {
	w := resultJSON{Result: r}
	if r.Findings != nil {
		var err error
		if w.Findings, err = r.Findings.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	head, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	b := append(binary.AppendUvarint(nil, uint64(len(head))), head...)
	if r.Statistics != nil {
		b, err = r.Statistics.AppendBinary(b)
	}
	return b, err
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. r does not refer to b.
func (r *Result) UnmarshalBinary(b []byte) error {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return errors.New("invalid result")
	}
	var out Result
	w := resultJSON{Result: &out}
	if err := json.Unmarshal(b[size:size+int(n)], &w); err != nil {
		return fmt.Errorf("invalid result: %w", err)
	}
	if w.Findings != nil {
		out.Findings = &record.Summary{}
		if err := out.Findings.UnmarshalBinary(w.Findings); err != nil {
			return fmt.Errorf("invalid result: %w", err)
		}
	}
	if b = b[size+int(n):]; len(b) > 0 {
		out.Statistics = &stats.Accumulator{}
		if err := out.Statistics.UnmarshalBinary(b); err != nil {
			return fmt.Errorf("invalid result: %w", err)
		}
	}
	*r = out
	return nil
}
