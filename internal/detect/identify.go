package detect

import (
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/wire"
)

// Identify recognizes records of other message types by their fields. It returns a short
// word:
//
//	tensorboard-event   Event, in TensorBoard's event files
//	prediction-log      PredictionLog, of TensorFlow Serving's logs and warmup files
//	tensor              TensorProto, in snapshots of tf.data
//	waymo-frame         Frame, of the Waymo Open Dataset
//	waymo-scenario      Scenario, of the Waymo Open Dataset
//
// or "" if it does not recognize the records or they have several types. Empty records are
// ignored.
func Identify(records [][]byte) string {
	for _, k := range messageShapes {
		all, some := true, false
		for _, r := range records {
			if len(r) == 0 {
				continue
			}
			if some, all = true, k.matches(r); !all {
				break
			}
		}
		if all && some {
			return k.token
		}
	}
	return ""
}

// messageShapes lists the shapes that Identify compares, by its result.
var messageShapes = []struct {
	token   string
	matches func(msg []byte) bool
}{
	{"tensorboard-event", event.matches},
	{"prediction-log", isPredictionLog},
	{"tensor", tensor.matches},
	{"waymo-frame", frame.matches},
	{"waymo-scenario", scenario.matches},
}

// shape lists the fields of a message type. It must be complete: a message with any other field
// does not match, so that messages are not mistaken for one another.
type shape []fields

// fields describes the fields with the numbers from first to last.
type fields struct {
	first, last int32                  // field numbers
	types       typeSet                // allowed wire types
	least, most int                    // number of these fields in a message, all together
	holds       func(body []byte) bool // checks the body of a TypeBytes field; nil: any body
}

// A typeSet is a set of wire types.
type typeSet uint8

const (
	bytesType = typeSet(1) << wire.TypeBytes
	varint    = typeSet(1) << wire.TypeVarint
	fixed64   = typeSet(1) << wire.TypeFixed64
	fixed32   = typeSet(1) << wire.TypeFixed32
	number    = varint | fixed64 | fixed32 | bytesType // a numeric field, packed or not
)

const many = 1 << 30 // no limit

var (
	event = shape{
		{1, 1, fixed64, 1, 1, nil},     // wall_time
		{2, 2, varint, 0, 1, nil},      // step
		{3, 9, bytesType, 0, 1, nil},   // file_version, graph_def, summary, …: one of them
		{10, 10, bytesType, 0, 1, nil}, // source_metadata
	}

	tensor = shape{
		{1, 1, varint, 1, 1, nil}, // dtype
		{2, 2, bytesType, 1, 1, shape{{2, 2, bytesType, 0, many, dim.matches}, {3, 3, varint, 0, 1, nil}}.matches}, // tensor_shape
		{3, 3, varint, 0, 1, nil},         // version_number
		{4, 4, bytesType, 0, 1, nil},      // tensor_content
		{5, 7, number, 0, many, nil},      // values of all types, here and below
		{8, 8, bytesType, 0, many, nil},   //
		{9, 13, number, 0, many, nil},     //
		{14, 15, bytesType, 0, many, nil}, //
		{16, 17, number, 0, many, nil},    //
		{18, 18, bytesType, 0, 1, nil},    //
	}
	dim = shape{{1, 1, varint, 0, 1, nil}, {2, 2, bytesType, 0, 1, nil}}

	// Frame and Scenario need the fields that every known writer fills.
	frame = shape{
		{1, 1, bytesType, 1, 1, shape{{1, 1, bytesType, 1, 1, isText}, {2, 4, bytesType, 0, many, nil}}.matches}, // context
		{2, 2, varint, 1, 1, nil}, // timestamp_micros
		{3, 3, bytesType, 1, 1, shape{{1, 1, fixed64 | bytesType, 1, many, nil}}.matches}, // pose
		{4, 11, bytesType, 0, many, nil}, // images, lasers, labels, …
	}
	scenario = shape{
		{1, 1, fixed64 | bytesType, 1, many, nil}, // timestamps_seconds
		{2, 2, bytesType, 1, many, track.matches}, // tracks
		{4, 4, number, 0, many, nil},              // objects_of_interest
		{5, 5, bytesType, 1, 1, isText},           // scenario_id
		{6, 6, varint, 0, 1, nil},                 // sdc_track_index
		{7, 8, bytesType, 0, many, nil},           // dynamic_map_states, map_features
		{10, 10, varint, 0, 1, nil},               // current_time_index
		{11, 13, bytesType, 0, many, nil},         // tracks_to_predict, …
	}
	track = shape{{1, 2, varint, 0, 2, nil}, {3, 3, bytesType, 0, many, nil}}

	modelSpec = shape{
		{1, 1, bytesType, 1, 1, isText},                                   // name
		{2, 2, bytesType, 0, 1, shape{{1, 1, varint, 0, 1, nil}}.matches}, // version
		{3, 4, bytesType, 0, 2, isText},                                   // signature_name, version_label
	}
	// A PredictionLog has a request, which names a model, and the response.
	predictionLog = shape{
		{1, 1, bytesType, 0, 1, logMetadata.matches},
		{2, 3, bytesType, 0, 1, logOf(shape{{1, 1, bytesType, 1, 1, modelSpec.matches}, {2, 2, bytesType, 1, 1, nil}}.matches)},  // classify_log, regress_log
		{4, 4, bytesType, 0, 1, logOf(shape{{1, 1, bytesType, 1, many, startsWithModel}, {2, 2, bytesType, 0, 1, nil}}.matches)}, // multi_inference_log
		{5, 7, bytesType, 0, 1, logOf(startsWithModel)}, // session_run_log, predict_log, predict_streamed_log
	}
	logMetadata = shape{{1, 1, bytesType, 0, 1, modelSpec.matches}, {2, 7, varint | bytesType, 0, many, nil}, {8, 8, varint, 0, 1, nil}}
)

func logOf(request func(msg []byte) bool) func(msg []byte) bool {
	// logOf returns a check for one log of a PredictionLog whose request passes a check.
	return shape{{1, 1, bytesType, 1, many, request}, {2, 2, bytesType, 0, many, nil}}.matches
}

// matches reports whether a message has only fields of the shape, and as many of each as the shape
// requires.
func (s shape) matches(msg []byte) bool {
	var counts [16]int
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if next < 0 {
			return false
		}
		i = next
		k := 0
		for k < len(s) && (f.Num < s[k].first || f.Num > s[k].last) {
			k++
		}
		if k == len(s) || s[k].types>>f.Type&1 == 0 {
			return false
		}
		if f.Type == wire.TypeBytes && s[k].holds != nil && !s[k].holds(msg[f.Lo:f.Hi]) {
			return false
		}
		if counts[k]++; counts[k] > s[k].most {
			return false
		}
	}
	for k := range s {
		if counts[k] < s[k].least {
			return false
		}
	}
	return true
}

// isPredictionLog recognizes a PredictionLog: optional metadata and exactly one log. A
// classify_log also decodes as the feature lists of a SequenceExample, with the model's name as the
// name of a list.
func isPredictionLog(msg []byte) bool {
	if !predictionLog.matches(msg) {
		return false
	}
	logs := 0
	for i := 0; i < len(msg); {
		f, next := wire.Next(msg, i)
		if i = next; f.Num > 1 {
			logs++
		}
	}
	return logs == 1
}

// startsWithModel reports whether the first field of a message is a ModelSpec, as in requests to
// TensorFlow Serving.
func startsWithModel(msg []byte) bool {
	f, next := wire.Next(msg, 0)
	return next > 0 && f.Num == 1 && f.Type == wire.TypeBytes && modelSpec.matches(msg[f.Lo:f.Hi])
}

// isText reports whether b is one line of text and not empty.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == 0x7f {
			return false
		}
	}
	return len(b) > 0 && utf8.Valid(b)
}
