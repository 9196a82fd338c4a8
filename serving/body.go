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

// A form is what a body holds.
type form uint8

const (
	noForm   form = iota
	records       // a TFRecord stream of messages
	message       // one message
	jsonLine      // one record as JSON
	jsonRows      // one record as JSON on each line
)

// forms are the media types of bodies. The messages are those of the spec: Examples, SequenceExamples or
// ExampleListWithContexts. JSON is that of package raggedjson.
var forms = map[string]form{
	"application/x-tfrecord": records,
	"application/x-protobuf": message,
	"application/protobuf":   message,
	"application/json":       jsonLine,
	"application/x-ndjson":   jsonRows,
	"application/jsonl":      jsonRows,
}

// answer is the media type of an answer.
func (f form) answer() string {
	if f == records || f == jsonRows {
		return "application/x-ndjson"
	}
	return "application/json"
}

// formOf reads the Content-Type.
func formOf(h http.Header) (form, *fault) {
	if e := h.Get("Content-Encoding"); e != "" && e != "identity" {
		return noForm, &fault{status: http.StatusUnsupportedMediaType, Code: "unsupported_encoding", Message: fmt.Sprintf("Content-Encoding %q: bodies are not compressed here", e)}
	}
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	f, ok := forms[t]
	if err != nil || !ok {
		return noForm, &fault{status: http.StatusUnsupportedMediaType, Code: "unsupported_type",
			Message: fmt.Sprintf("Content-Type %q: want one of %q", h.Get("Content-Type"), sortedNames(forms))}
	}
	return f, nil
}

// A call is the memory of one request, which a later one uses again.
type call struct {
	form    form
	n       int           // records
	backend time.Duration // that the model server took

	body    []byte
	records [][]byte           // views of body; empty for JSON
	batch   *feature.Batch     // its strings are views of body
	reader  *raggedjson.Reader // for JSON
	scratch []byte
	feeds   []model.Feed
	request []byte // PredictRequest
	answer  []byte // PredictResponse
	out     []byte // rows of the answer; predict takes them
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

// maxKept bounds the memory of a call that is kept, so that one large request does not hold it for ever.
const maxKept = 4 << 20

// release keeps the memory of a call for another request.
func (s *Service) release(c *call) {
	if cap(c.body)+c.batch.Size()+c.reader.Size()+cap(c.request)+cap(c.answer) <= maxKept {
		s.calls.Put(c)
	}
}

// keepRows keeps the memory of the rows of an answer for another one.
func (s *Service) keepRows(out []byte) {
	if cap(out) <= maxKept {
		out = out[:0]
		s.rows.Put(&out)
	}
}

// read reads the body, until the deadline of ctx.
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
	w.Header().Set("Connection", "close") // the rest of the body is not waited for
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &fault{status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Message: fmt.Sprintf("the body is larger than %d bytes", s.limits.Body)}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &fault{status: http.StatusRequestTimeout, Code: "slow_body", Message: "the deadline passed before the body was complete"}
	}
	return s.ended(r, &fault{status: http.StatusBadRequest, Code: "bad_body", Message: "the body cannot be read: " + err.Error()})
}

// parse makes c.batch of the body, all of it or nothing.
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

// appendRows adds the rows that were read from JSON to the batch, which limits its padding.
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
			return badData("bad_record", err).in(i, -1)
		}
	}
	return nil
}

// brokenFrame is the fault of a TFRecord that cannot be read.
func brokenFrame(c *call, at int, err error) *fault {
	f := badData("bad_frame", err)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		f.Message = "the body ends inside a record"
	}
	if looks := tfrecord.Identify(c.body[:min(len(c.body), 512)]); at == 0 && looks != "" && looks != "uncompressed" {
		f.Message = "not a TFRecord: it looks like " + looks
	}
	return f.in(c.n, at)
}

// append adds a message to the batch. Its record begins at a byte of the body.
func (s *Service) append(c *call, payload []byte, at int) *fault {
	if err := c.batch.Append(payload); err != nil {
		return badData("bad_record", err).in(c.n, at)
	}
	c.records = append(c.records, payload)
	c.n++
	return s.room(c, c.batch.Size())
}

// appendJSON adds a row of JSON to the batch.
func (s *Service) appendJSON(c *call, text []byte, at int) *fault {
	if err := c.reader.Append(text); err != nil {
		return badData("bad_record", err).in(c.n, at)
	}
	c.n++
	return s.room(c, c.reader.Size())
}

// room checks the limits of a batch after each record: the size in memory, and the number of records.
func (s *Service) room(c *call, size int) *fault {
	switch {
	case size > s.limits.Batch:
		return (&fault{status: http.StatusRequestEntityTooLarge, Code: "batch_too_large",
			Message: fmt.Sprintf("the records up to this one take more than %d bytes in memory", s.limits.Batch)}).in(c.n-1, -1)
	case c.n > s.limits.Records:
		return &fault{status: http.StatusRequestEntityTooLarge, Code: "too_many_records", Message: fmt.Sprintf("want at most %d records", s.limits.Records)}
	}
	return nil
}

// check compares all records with the schema.
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
				return badData("bad_record", err).in(i, -1)
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

// maxFindings is how many findings an answer has.
const maxFindings = 100

// A finding is one of the checker, with its record.
type finding struct {
	Record int `json:"record"` // in the body, from 0
	record.Finding
}
