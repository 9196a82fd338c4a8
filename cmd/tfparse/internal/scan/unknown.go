package scan

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/tfrecord"
)

// Unknown describes the records of unknown messages in a file.
type Unknown struct {
	File      string             // name of the input
	Records   int64              // number of records
	Bytes     int64              // size of the frames, uncompressed
	LooksLike string             // common format, a name of [detect.Identify] or [tfrecord.Identify]; "" unknown
	Sizes     *summary.Histogram // sizes of the records; nil without records

	first tfrecord.Position // position of the first record
	open  bool              // the file may have more such records
}

// ErrUnknown is wrapped by the error of a Fault about unknown messages.
var ErrUnknown = errors.New("unknown messages")

// unknownBytes is the size of unknown messages after which a fault is reported before the end of the file.
const unknownBytes = 256 << 20

// add counts a record. LooksLike becomes "" if the records have different formats.
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

// fault returns one Fault for all records.
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
	if u.first.Record > 0 { // else the fault is about the file
		f.Record, f.Offset = u.first.Record, u.first.Offset
	}
	return f
}

// ForeignToSpec is Foreign for a type that a spec sets.
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

// Foreign returns an error that wraps ErrForeign and names the format if a record is another message than t.
func Foreign(t example.MessageType, rec []byte) error {
	if !detect.Foreign(t, rec) {
		return nil
	}
	if found, ok := detect.Detect([][]byte{rec}); ok {
		return fmt.Errorf("%w: %s, not %s; --type %s reads it", ErrForeign, lookNames[found.String()], lookNames[t.String()], found)
	}
	looks := detect.Identify([][]byte{rec})
	how := "tfparse cat --type raw prints its bytes"
	if other := otherTypes[looks]; other != example.TypeAuto {
		how = fmt.Sprintf("tfparse cat --type %s prints it", typeName(other))
	}
	return fmt.Errorf("%w%s: unknown fields only, none of %s; %s", ErrForeign, InBrackets(looks), lookNames[t.String()], how)
}

// predictionLog is the name of [detect.Identify] for messages that tfparse cat prints.
const predictionLog = "prediction-log"

// Remedy returns the advice for printing unknown messages.
func Remedy(looks string) string {
	if otherTypes[looks] != example.TypeAuto {
		return "tfparse cat prints them"
	}
	return "tfparse cat --type raw prints their bytes"
}

// InBrackets returns a format in words, in parentheses after a space; "" for an unknown format.
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

// lookNames maps the names of [detect.Identify], [example.MessageType] and [tfrecord.Identify] to words for messages.
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
