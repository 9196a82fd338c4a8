package main

import (
	"bytes"
	"encoding/json"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordjson"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
)

// A faultReport is a fault as reports in JSON print it. Fields are nil where a
// thing is not known.
type faultReport struct {
	Class     *string `json:"class"`
	Record    *int64  `json:"record"`
	Offset    *int64  `json:"offset"`
	Message   string  `json:"message"`
	LooksLike *string `json:"looks_like"`
}

func reportOf(f *walk.Fault) faultReport {
	return faultReport{
		Class:     known(f.Class, f.Class != ""),
		Record:    known(f.Record, f.Record >= 0),
		Offset:    known(f.Offset, f.Offset >= 0),
		Message:   f.Detail(),
		LooksLike: known(f.LooksLike, f.LooksLike != ""),
	}
}

// known returns a pointer to v, or nil for what is not known.
func known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// jsonNames returns names of files as reports in JSON print them.
func jsonNames(names []string) (all []recordjson.Name) {
	for _, n := range names {
		all = append(all, recordjson.Name(n))
	}
	return all
}

func codecName(c tfrecord.Compression) *string { return known(c.String(), c != tfrecord.Auto) }

// appendJSON appends v, which is one that can be.
func appendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // names of files are for people too
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// json adds a report as one line.
func (o *output) json(report any) { o.buf = append(appendJSON(o.buf, report), '\n') }
