package serving

import (
	"encoding/json"
	"errors"
	"net/http"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
)

// statusClientLeft is the status of a request whose client closed the connection, for metrics and logs.
const statusClientLeft = 499

// A fault is the error answer to a request, {"error": …}: the reason why there are no rows. Members that do not apply are
// left out.
type fault struct {
	status int // HTTP status

	Code      string    `json:"code"`                  // name of the error, for programs
	Message   string    `json:"message"`               // text of the error, for people
	Record    *int      `json:"record,omitempty"`      // index of the record in the body, from 0
	Offset    *int      `json:"offset,omitempty"`      // offset of that record in the body, in bytes
	Part      string    `json:"part,omitempty"`        // part of the message: "context", "feature_lists", "examples[3]"
	Feature   string    `json:"feature,omitempty"`     // name of the feature in the spec
	Key       string    `json:"key,omitempty"`         // name of the feature in the message
	Step      *int      `json:"step,omitempty"`        // index of the step in a feature list
	Partition *int      `json:"partition,omitempty"`   // index of the row partition; 0 is the outermost
	Value     *int      `json:"value_index,omitempty"` // index of the value in the list
	Byte      *int      `json:"byte,omitempty"`        // byte offset in the message
	Column    *int      `json:"column,omitempty"`      // column in the line of JSON, in bytes, from 1
	Input     string    `json:"input,omitempty"`       // input of the model
	Want      string    `json:"want,omitempty"`
	Got       string    `json:"got,omitempty"`
	Findings  []finding `json:"findings,omitempty"` // findings of the check against the schema
}

// body returns the body of the answer.
func (f *fault) body() []byte {
	b, err := json.Marshal(map[string]*fault{"error": f})
	if err != nil {
		return []byte(`{"error":{"code":"internal","message":"the error cannot be printed"}}` + "\n")
	}
	return append(b, '\n')
}

// inRecord adds the index of the record and, unless it is negative, the offset of the record in the body.
func (f *fault) inRecord(record, offset int) *fault {
	f.Record = &record
	if offset >= 0 {
		f.Offset = &offset
	}
	return f
}

// badData returns the fault of data that cannot be parsed or do not fit the model, with the position that err has.
func badData(code string, err error) *fault {
	f := &fault{status: http.StatusBadRequest, Code: code, Message: err.Error()}
	if errors.Is(err, feature.ErrLimit) {
		f.status = http.StatusRequestEntityTooLarge
	}
	if e, ok := errors.AsType[*feature.Error](err); ok {
		f.addPath(e.Path)
		f.Want, f.Got = e.Want, e.Got
	} else if e, ok := errors.AsType[*example.Error](err); ok {
		f.addPath(e.Path)
	} else if e, ok := errors.AsType[*recordjson.Error](err); ok {
		f.addPath(e.Path)
		f.Column = &e.Column
	} else if e, ok := errors.AsType[*model.InputError](err); ok {
		f.Input, f.Feature, f.Want, f.Got = e.Input, e.Column, e.Want, e.Got
	}
	return f
}

// addPath adds the position inside a record.
func (f *fault) addPath(p example.Path) {
	f.Part, f.Feature, f.Key = p.Part, p.Feature, p.Key
	for _, x := range []struct {
		to   **int
		from int
	}{{&f.Step, p.Step}, {&f.Partition, p.Partition}, {&f.Value, p.Value}, {&f.Byte, p.Byte}} {
		if x.from >= 0 {
			*x.to = &x.from
		}
	}
}

// overloaded returns the fault of a request that was refused or got no slot in time. The client may send it again.
func overloaded(message string) *fault {
	return &fault{status: http.StatusServiceUnavailable, Code: "overloaded", Message: message}
}

// backendFault returns the fault of a call of the model server that failed: 504 after the deadline, else 502. Even an
// INVALID_ARGUMENT of the model server is not an error of the client: the request was checked against the signature.
func backendFault(err error) *fault {
	s := status.Convert(err)
	f := &fault{status: http.StatusBadGateway, Code: "backend", Message: "the model server answers " + s.Code().String() + ": " + s.Message()}
	if s.Code() == codes.DeadlineExceeded || s.Code() == codes.Canceled {
		f.status, f.Code, f.Message = http.StatusGatewayTimeout, "backend_timeout", "the model server did not answer before the deadline"
	}
	return f
}
