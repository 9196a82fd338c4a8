package partial

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/stats"
)

// A Result is the result of reading one file, or the merged result of several files. It is for one goroutine.
type Result struct {
	// Statistics are the statistics of the records; nil if no record was described.
	Statistics *stats.Accumulator
	// Addresses are the addresses of the records in Statistics.
	Addresses scan.Addresses
	// Faults are the faults in the files.
	Faults scan.Faults
	// Findings are the findings about records; nil if records are not checked.
	Findings *record.Summary
	// Counts are the numbers of records of each file, in order; nil for verbs that do not count.
	Counts []Count
	// Verified is the summary of verify; nil for other verbs. Merge ignores it.
	Verified *Verified

	Records int64 // number of intact records
	Files   int64 // number of files
}

// A Count is the number of records in a file.
type Count struct {
	File    string
	Opened  bool  // false: the file could not be read, and Records is 0
	Records int64 // number of intact records

	Unknown   bool   // the first records hold unknown messages
	LooksLike string // format of the unknown messages; "" if it is not known
}

// Verified is the summary of verify for a file, besides its records and faults.
type Verified struct {
	Codec     tfrecord.Compression `json:"codec,omitempty"`
	Stored    int64                `json:"stored"`         // size of the file in bytes
	Bytes     int64                `json:"bytes"`          // size of the frames in bytes
	Type      string               `json:"type,omitempty"` // of the messages; "" without records
	LooksLike string               `json:"looks_like,omitempty"`
	Faults    int                  `json:"faults"`          // number of all faults; Result.Faults may have only the first
	Kinds     json.RawMessage      `json:"kinds,omitempty"` // from [summary.Table.AppendKinds]
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
	r.Counts = append(r.Counts, o.Counts...)
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

// wireResult is the JSON form of a Result, without the statistics.
type wireResult struct {
	Faults    *scan.Faults    `json:"faults"`
	Findings  json.RawMessage `json:"findings,omitempty"`
	Counts    []wireCount     `json:"counts,omitempty"`
	Verified  *Verified       `json:"verified,omitempty"`
	Addresses *scan.Addresses `json:"addresses"`
	Records   int64           `json:"records"`
	Files     int64           `json:"files"`
}

// wireCount is the JSON form of a Count. File is bytes, since JSON strings are UTF-8.
type wireCount struct {
	File      []byte `json:"file"`
	Opened    bool   `json:"opened"`
	Records   int64  `json:"records"`
	Unknown   bool   `json:"unknown,omitempty"`
	LooksLike string `json:"looks_like,omitempty"`
}

// MarshalBinary implements [encoding.BinaryMarshaler]. The form is the length of a wireResult in JSON, the wireResult,
// and the binary form of the statistics.
func (r *Result) MarshalBinary() ([]byte, error) {
	w := wireResult{Faults: &r.Faults, Addresses: &r.Addresses, Verified: r.Verified, Records: r.Records, Files: r.Files}
	if r.Findings != nil {
		var err error
		if w.Findings, err = r.Findings.MarshalBinary(); err != nil { // JSON
			return nil, err
		}
	}
	for _, c := range r.Counts {
		w.Counts = append(w.Counts, wireCount{[]byte(c.File), c.Opened, c.Records, c.Unknown, c.LooksLike})
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
	w := wireResult{Faults: &out.Faults, Addresses: &out.Addresses}
	if err := json.Unmarshal(b[size:size+int(n)], &w); err != nil {
		return fmt.Errorf("invalid result: %w", err)
	}
	out.Verified = w.Verified
	out.Records, out.Files = w.Records, w.Files
	for _, c := range w.Counts {
		out.Counts = append(out.Counts, Count{string(c.File), c.Opened, c.Records, c.Unknown, c.LooksLike})
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
