package cli

import (
	"bytes"
	"encoding/json"

	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tfrecord"
)

// Known returns a pointer to v, or nil for what is not known.
func Known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// JSONNames returns names of files as reports in JSON print them.
func JSONNames(names []string) (all []jsonscan.Name) {
	for _, n := range names {
		all = append(all, jsonscan.Name(n))
	}
	return all
}

// CodecName is the name of a codec in reports, or nil where it is not known.
func CodecName(c tfrecord.Compression) *string { return Known(c.String(), c != tfrecord.Auto) }

// AppendJSON appends v, which is one that can be.
func AppendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // names of files are for people too
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// JSON adds a report as one line.
func (o *Output) JSON(report any) { o.Buf = append(AppendJSON(o.Buf, report), '\n') }
