package scan

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/tfrecord"
)

// Unknown is what is known of records of unknown messages.
type Unknown struct {
	File      string
	Records   int64
	Bytes     int64              // uncompressed, with their framing
	LooksLike string             // in the words of [detect.Identify] or [tfrecord.Identify]; "" unknown
	Sizes     *summary.Histogram // of the records; nil if there are none

	first tfrecord.Position
	open  bool // there may be more
}

// ErrUnknown is in the reason of a Fault about records of unknown messages.
var ErrUnknown = errors.New("unknown messages")

// unknownBytes is how many bytes of records are counted before a visitor that accepts no
// records of unknown messages gets them.
const unknownBytes = 256 << 20

// add counts a record. Records that look like different things look like nothing.
func (u *Unknown) add(rec []byte, pos tfrecord.Position, looks string) {
	if u.Records == 0 {
		u.first, u.LooksLike, u.Sizes = pos, looks, &summary.Histogram{}
	}
	if looks != u.LooksLike {
		u.LooksLike = ""
	}
	u.Records++
	u.Bytes += int64(len(rec)) + tfrecord.HeaderSize + tfrecord.FooterSize
	u.Sizes.Add(int64(len(rec)))
}

// fault is one Fault for all of the records.
func (u *Unknown) fault() *Fault {
	n := fmt.Sprintf("%d records", u.Records)
	if u.Records == 1 {
		n = "1 record"
	}
	if u.open {
		n = "at least " + n
	}
	f := &Fault{
		File: u.File, Class: ClassMessage, Record: -1, Offset: -1, Compressed: -1, LooksLike: u.LooksLike, Records: u.Records,
		Err: fmt.Errorf("%s of %w%s; %s", n, ErrUnknown, InBrackets(u.LooksLike), Remedy(u.LooksLike)),
	}
	if u.first.Record > 0 { // else it is about the file
		f.Record, f.Offset = u.first.Record, u.first.Offset
	}
	return f
}

// ForeignToSpec is Foreign where a spec says what t is, and not a flag.
func ForeignToSpec(t example.MessageType, rec []byte) error {
	err := Foreign(t, rec)
	if err == nil {
		return nil
	}
	if found, ok := detect.Detect([][]byte{rec}); ok {
		return fmt.Errorf("%w: %s, and the spec is for %s", ErrForeign, lookNames[found.String()], lookNames[t.String()])
	}
	return err
}

// Foreign returns an error that is ErrForeign, and says what the record is, if it is
// another message than t.
func Foreign(t example.MessageType, rec []byte) error {
	if !detect.Foreign(t, rec) {
		return nil
	}
	if found, ok := detect.Detect([][]byte{rec}); ok {
		return fmt.Errorf("%w: %s, not %s; --type %s reads it", ErrForeign, lookNames[found.String()], lookNames[t.String()], found)
	}
	looks := detect.Identify([][]byte{rec})
	how := "tfparse cat --type raw prints its bytes"
	if looks == predictionLog {
		how = "tfparse cat --type prediction_log prints it"
	}
	return fmt.Errorf("%w%s: unknown fields only, none of %s; %s", ErrForeign, InBrackets(looks), lookNames[t.String()], how)
}

// predictionLog is the word of [detect.Identify] for messages that tfparse cat prints.
const predictionLog = "prediction-log"

// Remedy says how records of unknown messages are printed.
func Remedy(looks string) string {
	if looks == predictionLog {
		return "tfparse cat --type prediction_log prints them"
	}
	return "tfparse cat --type raw prints their bytes"
}

// InBrackets puts what records look like in words and in brackets, behind a space; it
// returns "" if nothing is known.
func InBrackets(looks string) string {
	if looks == "" {
		return ""
	}
	name, ok := lookNames[looks]
	if !ok {
		name = looks
	}
	return " (" + name + ")"
}

// lookNames are the words of [detect.Identify], [example.MessageType] and
// [tfrecord.Identify] as messages say them.
var lookNames = map[string]string{
	"tensorboard-event": "TensorBoard event file",
	predictionLog:       "PredictionLog of TensorFlow Serving",
	"tensor":            "TensorProto, as in a snapshot of tf.data",
	"waymo-frame":       "Frame of the Waymo Open Dataset",
	"waymo-scenario":    "Scenario of the Waymo Open Dataset",
	"example":           "an Example",
	"sequence":          "a SequenceExample",
	"elwc":              "an ExampleListWithContext",
	"json":              "JSON",
	"html":              "HTML or XML",
	"png":               "PNG images",
	"jpeg":              "JPEG images",
	"gif":               "GIF images",
}
