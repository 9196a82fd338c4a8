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

// A fault is why a request has no rows: {"error": …}. Members that do not apply are left out.
type fault struct {
	status int

	Code      string    `json:"code"`                  // for programs
	Message   string    `json:"message"`               // for people
	Record    *int      `json:"record,omitempty"`      // in the body, from 0
	Offset    *int      `json:"offset,omitempty"`      // of that record in the body, in bytes
	Part      string    `json:"part,omitempty"`        // of the message: "context", "feature_lists", "examples[3]"
	Feature   string    `json:"feature,omitempty"`     // in the spec
	Key       string    `json:"key,omitempty"`         // in the message
	Step      *int      `json:"step,omitempty"`        // of a feature list
	Partition *int      `json:"partition,omitempty"`   // row partition, 0 the outermost
	Value     *int      `json:"value_index,omitempty"` // in the list
	Byte      *int      `json:"byte,omitempty"`        // in the message
	Column    *int      `json:"column,omitempty"`      // in the line of JSON, in bytes from 1
	Input     string    `json:"input,omitempty"`       // of the model
	Want      string    `json:"want,omitempty"`
	Got       string    `json:"got,omitempty"`
	Findings  []finding `json:"findings,omitempty"` // against the schema
}

// body is the answer.
func (f *fault) body() []byte {
	b, err := json.Marshal(map[string]*fault{"error": f})
	if err != nil {
		return []byte(`{"error":{"code":"internal","message":"the error cannot be printed"}}` + "\n")
	}
	return append(b, '\n')
}

// in adds the record, and the byte of the body where it is unless it is negative.
func (f *fault) in(record, offset int) *fault {
	f.Record = &record
	if offset >= 0 {
		f.Offset = &offset
	}
	return f
}

// badData is the fault of data that cannot be parsed or do not fit the model, with the coordinates of its error.
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

// addPath adds the coordinates inside a record.
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

// overloaded is the fault of a request that was refused or that waited in vain. It may be sent again.
func overloaded(message string) *fault {
	return &fault{status: http.StatusServiceUnavailable, Code: "overloaded", Message: message}
}

// backendFault is the fault of a call that failed: 504 if it was too late, and otherwise 502. Even an INVALID_ARGUMENT of the
// model server is not the fault of the client: the request was checked against the signature.
func backendFault(err error) *fault {
	s := status.Convert(err)
	f := &fault{status: http.StatusBadGateway, Code: "backend", Message: "the model server answers " + s.Code().String() + ": " + s.Message()}
	if s.Code() == codes.DeadlineExceeded || s.Code() == codes.Canceled {
		f.status, f.Code, f.Message = http.StatusGatewayTimeout, "backend_timeout", "the model server did not answer before the deadline"
	}
	return f
}
