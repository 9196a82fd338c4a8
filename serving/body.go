package serving

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/record"
)

// A form is the format of the body of a request.
type form uint8

const (
	noForm   form = iota
	records       // a TFRecord stream of messages
	message       // one message
	jsonLine      // one record as JSON
	jsonRows      // one record as JSON on each line
)

// forms maps the media types of bodies to their formats. Messages have the type of the spec: Example, SequenceExample or
// ExampleListWithContext. JSON has the format of package raggedjson.
var forms = map[string]form{
	"application/x-tfrecord": records,
	"application/x-protobuf": message,
	"application/protobuf":   message,
	"application/json":       jsonLine,
	"application/x-ndjson":   jsonRows,
	"application/jsonl":      jsonRows,
}

// answer returns the media type of the answer to a body.
func (f form) answer() string {
	if f == records || f == jsonRows {
		return "application/x-ndjson"
	}
	return "application/json"
}

// formOf returns the form of a body from the headers Content-Type and Content-Encoding.
func formOf(h http.Header) (form, *fault) {
	if e := h.Get("Content-Encoding"); e != "" && e != "identity" {
		return noForm, &fault{status: http.StatusUnsupportedMediaType, Code: "unsupported_encoding", Message: fmt.Sprintf("Content-Encoding %q: want a body without compression", e)}
	}
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	f, ok := forms[t]
	if err != nil || !ok {
		return noForm, &fault{status: http.StatusUnsupportedMediaType, Code: "unsupported_type",
			Message: fmt.Sprintf("Content-Type %q: want one of %q", h.Get("Content-Type"), sortedNames(forms))}
	}
	return f, nil
}

// A call has the buffers and counts of one request; later requests reuse the buffers.
type call struct {
	form    form          // of body; noForm until the headers are read
	n       int           // number of records
	backend time.Duration // time of the model server

	body    []byte             // as received, at most Limits.Body bytes
	records [][]byte           // payloads of the records, which alias body; empty for JSON
	batch   *feature.Batch     // parsed records; strings alias body
	reader  *raggedjson.Reader // reads JSON
	scratch []byte             // a row of JSON as a record, for the checker
	feeds   []model.Feed       // inputs of the model
	request []byte             // encoded PredictRequest
	answer  []byte             // encoded PredictResponse
	out     []byte             // rows of the response; Service.answer takes them out before the call is reused
}

func newCall(p *feature.Parser) *call {
	return &call{batch: p.NewBatch(), reader: raggedjson.NewReader(p)}
}

func (c *call) reset() {
	c.form, c.n, c.backend = noForm, 0, 0
	c.body, c.records, c.out = c.body[:0], c.records[:0], c.out[:0]
	c.batch.Reset()
	c.reader.Reset()
}

// maxKept is the maximum size of the buffers that are kept for reuse, in bytes: those of one large request are freed.
const maxKept = 4 << 20

// release keeps the buffers of a call for another request, up to maxKept.
func (s *Service) release(c *call) {
	if cap(c.body)+c.batch.Size()+c.reader.Size()+cap(c.request)+cap(c.answer) <= maxKept {
		s.calls.Put(c)
	}
}

// keepRows keeps the buffer with the rows of an answer for another answer, up to maxKept.
func (s *Service) keepRows(out []byte) {
	if cap(out) <= maxKept {
		out = out[:0]
		s.rows.Put(&out)
	}
}

// read reads the body into c.body, until the deadline of ctx.
func (s *Service) read(ctx context.Context, w http.ResponseWriter, r *http.Request, c *call) *fault {
	control := http.NewResponseController(w)
	if deadline, ok := ctx.Deadline(); ok {
		control.SetReadDeadline(deadline)
	}
	buffer := bytes.NewBuffer(c.body[:0])
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, s.limits.Body))
	c.body = buffer.Bytes()
	if err == nil {
		control.SetReadDeadline(time.Time{}) // the server reads on, to see whether the client leaves
		return nil
	}
	w.Header().Set("Connection", "close") // do not wait for the rest of the body
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &fault{status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Message: fmt.Sprintf("the body is larger than %d bytes", s.limits.Body)}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &fault{status: http.StatusRequestTimeout, Code: "slow_body", Message: "the deadline passed before the body was complete"}
	}
	return s.ended(r, &fault{status: http.StatusBadRequest, Code: "bad_body", Message: "the body cannot be read: " + err.Error()})
}

// parse parses all records of the body into c.batch. It stops at the first fault.
func (s *Service) parse(c *call) *fault {
	switch c.form {
	case records:
		for at := 0; at < len(c.body); {
			payload, n, err := tfrecord.ConsumeRecord(c.body[at:])
			if err != nil {
				return brokenFrame(c, at, err)
			}
			if f := s.append(c, payload, at); f != nil {
				return f
			}
			at += n
		}
	case message:
		if f := s.append(c, c.body, 0); f != nil {
			return f
		}
	case jsonLine:
		if f := s.appendJSON(c, c.body, 0); f != nil {
			return f
		}
	case jsonRows:
		at := 0
		for line := range bytes.Lines(c.body) {
			if text := bytes.TrimSpace(line); len(text) > 0 {
				if f := s.appendJSON(c, text, at); f != nil {
					return f
				}
			}
			at += len(line)
		}
	}
	if c.n == 0 {
		return &fault{status: http.StatusBadRequest, Code: "no_records", Message: "the body holds no records"}
	}
	return s.appendRows(c)
}

// appendRows adds the rows that were read from JSON to the batch, which checks the limit of padding.
func (s *Service) appendRows(c *call) *fault {
	if c.reader.Len() == 0 {
		return nil
	}
	rows, err := c.reader.Batch()
	if err != nil {
		return badData("bad_record", err)
	}
	for i := range c.n {
		if err := c.batch.AppendRow(rows.Row(i)); err != nil {
			return badData("bad_record", err).inRecord(i, -1)
		}
	}
	return nil
}

// brokenFrame returns the fault of a TFRecord frame that cannot be read. at is the offset of the frame in the body.
func brokenFrame(c *call, at int, err error) *fault {
	f := badData("bad_frame", err)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		f.Message = "the body ends inside a record"
	}
	if looks := tfrecord.Identify(c.body[:min(len(c.body), 512)]); at == 0 && looks != "" && looks != "uncompressed" {
		f.Message = "not a TFRecord: it looks like " + looks
	}
	return f.inRecord(c.n, at)
}

// append adds a message to the batch. at is the offset of its record in the body.
func (s *Service) append(c *call, payload []byte, at int) *fault {
	if err := c.batch.Append(payload); err != nil {
		return badData("bad_record", err).inRecord(c.n, at)
	}
	c.records = append(c.records, payload)
	c.n++
	return s.checkLimits(c, c.batch.Size())
}

// appendJSON adds a row of JSON to the reader. at is the offset of the row in the body.
func (s *Service) appendJSON(c *call, text []byte, at int) *fault {
	if err := c.reader.Append(text); err != nil {
		return badData("bad_record", err).inRecord(c.n, at)
	}
	c.n++
	return s.checkLimits(c, c.reader.Size())
}

// checkLimits checks the limits of a batch after each record: the size in memory, and the number of records.
func (s *Service) checkLimits(c *call, size int) *fault {
	switch {
	case size > s.limits.Batch:
		return (&fault{status: http.StatusRequestEntityTooLarge, Code: "batch_too_large",
			Message: fmt.Sprintf("the records so far take more than %d bytes in memory", s.limits.Batch)}).inRecord(c.n-1, -1)
	case c.n > s.limits.Records:
		return &fault{status: http.StatusRequestEntityTooLarge, Code: "too_many_records", Message: fmt.Sprintf("want at most %d records", s.limits.Records)}
	}
	return nil
}

// check checks all records against the schema.
func (s *Service) check(c *call) *fault {
	if s.checker == nil {
		return nil
	}
	var found []finding
	total := 0
	for i := range c.n {
		var payload []byte
		if len(c.records) > 0 {
			payload = c.records[i]
		} else { // the row of JSON as a record
			var err error
			if c.scratch, err = c.batch.AppendRecord(c.scratch[:0], i); err != nil {
				return badData("bad_record", err).inRecord(i, -1)
			}
			payload = c.scratch
		}
		for _, f := range s.checker.Check(payload) {
			if f.Warning {
				continue
			}
			if len(c.records) == 0 {
				f.Offset = -1 // the client has no such record
			}
			s.metrics.findings.WithLabelValues(f.Rule).Inc()
			if total++; len(found) < maxFindings {
				found = append(found, finding{i, f})
			}
		}
	}
	if total == 0 {
		return nil
	}
	return &fault{status: http.StatusUnprocessableEntity, Code: "findings", Message: fmt.Sprintf("records do not fit the schema: findings: %d", total), Findings: found}
}

// maxFindings is the maximum number of findings in an answer.
const maxFindings = 100

// A finding is a finding of the checker, with the index of its record.
type finding struct {
	Record int `json:"record"` // index of the record in the body, from 0
	record.Finding
}
