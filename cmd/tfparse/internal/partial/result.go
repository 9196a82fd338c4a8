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

// A Result is what the work on a file gave, or that on several files merged. It belongs to one goroutine.
type Result struct {
	// Statistics are those of the records, nil if there are none to describe.
	Statistics *stats.Accumulator
	// Addresses are those of the records that were given to Statistics.
	Addresses scan.Addresses
	// Faults are those of the files.
	Faults scan.Faults
	// Findings are those about records; nil if these are not checked.
	Findings *record.Summary
	// Counts are those of the files, in their order, where records are counted.
	Counts []Count
	// Verified has the observations of verify about the file; nil for other verbs. It is not merged.
	Verified *Verified

	Records int64 // intact ones
	Files   int64
}

// A Count says how many records a file has.
type Count struct {
	File    string
	Opened  bool  // else there are no records because it could not be read
	Records int64 // intact ones

	Unknown   bool   // the first records are other messages than those of the command
	LooksLike string // of unknown messages; "" if that is not known either
}

// Verified has the observations of verify about a file, besides its records and faults.
type Verified struct {
	Codec     tfrecord.Compression `json:"codec,omitempty"`
	Stored    int64                `json:"stored"`         // bytes of the file
	Bytes     int64                `json:"bytes"`          // of the records, with framing
	Type      string               `json:"type,omitempty"` // of the messages; "" without records
	LooksLike string               `json:"looks_like,omitempty"`
	Faults    int                  `json:"faults"` // in all; Result.Faults may have only the first
	Kinds     json.RawMessage      `json:"kinds,omitempty"`
}

// New returns an empty result of one file, which keeps at most most faults of each sort, the first ones.
func New(most int) *Result { return &Result{Faults: scan.Faults{Most: most}, Files: 1} }

// Merge adds the result of the files after those of r; o is not used again. Statistics of different types of records are an error.
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
		return fmt.Errorf("the files hold records of type %s and of type %s: statistics are of one", a, b)
	}
	return r.Statistics.Merge(o.Statistics)
}

// wireResult is the form of all but statistics.
type wireResult struct {
	Faults    *scan.Faults    `json:"faults"`
	Findings  json.RawMessage `json:"findings,omitempty"`
	Counts    []wireCount     `json:"counts,omitempty"`
	Verified  *Verified       `json:"verified,omitempty"`
	Addresses *scan.Addresses `json:"addresses"`
	Records   int64           `json:"records"`
	Files     int64           `json:"files"`
}

// wireCount is the form of a Count. Names are bytes: JSON has no others than UTF-8.
type wireCount struct {
	File      []byte `json:"file"`
	Opened    bool   `json:"opened"`
	Records   int64  `json:"records"`
	Unknown   bool   `json:"unknown,omitempty"`
	LooksLike string `json:"looks_like,omitempty"`
}

// MarshalBinary implements [encoding.BinaryMarshaler]: the length of the JSON of all but statistics, the JSON, and the bytes form of
// the accumulator.
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

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It copies.
func (r *Result) UnmarshalBinary(b []byte) error {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return errors.New("result: not one")
	}
	var out Result
	w := wireResult{Faults: &out.Faults, Addresses: &out.Addresses}
	if err := json.Unmarshal(b[size:size+int(n)], &w); err != nil {
		return fmt.Errorf("result: not one: %w", err)
	}
	out.Verified = w.Verified
	out.Records, out.Files = w.Records, w.Files
	for _, c := range w.Counts {
		out.Counts = append(out.Counts, Count{string(c.File), c.Opened, c.Records, c.Unknown, c.LooksLike})
	}
	if w.Findings != nil {
		out.Findings = &record.Summary{}
		if err := out.Findings.UnmarshalBinary(w.Findings); err != nil {
			return fmt.Errorf("result: not one: %w", err)
		}
	}
	if b = b[size+int(n):]; len(b) > 0 {
		out.Statistics = &stats.Accumulator{}
		if err := out.Statistics.UnmarshalBinary(b); err != nil {
			return fmt.Errorf("result: not one: %w", err)
		}
	}
	*r = out
	return nil
}
