package records

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/predictionlog"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// A recordType is what --type of a verb that prints records names: a type of package example, or a message
// that is only printed.
type recordType example.MessageType

// typePredictionLog is requests to TensorFlow Serving.
const typePredictionLog = recordType(example.TypeRaw + 1)

var recordTypes = func() (names []string) {
	for t := example.TypeAuto; t <= example.TypeRaw; t++ {
		names = append(names, t.String())
	}
	return append(names, "prediction_log")
}()

func (t recordType) MarshalText() ([]byte, error) { return []byte(recordTypes[t]), nil }

func (t *recordType) UnmarshalText(text []byte) error { return cli.SetName(t, recordTypes, text) }

// add defines --type.
func (t *recordType) add(fs *pflag.FlagSet) {
	cli.EnumVar(fs, t, "type", recordTypes, "message `TYPE`: "+cli.OneOf(recordTypes))
}

// message is the type by which records are read.
func (t recordType) message() example.MessageType {
	return min(example.MessageType(t), example.TypeRaw)
}

// A linePrinter prints records as JSON lines.
type linePrinter interface {
	Append(dst, rec []byte, pos tfrecord.Position) ([]byte, error)
}

// printer returns what prints records of a type that was found or named.
func (p *printing) printer(t example.MessageType) linePrinter {
	if p.typ == typePredictionLog {
		return predictionlog.NewPrinter(&p.opts)
	}
	return recordjson.NewPrinter(t, &p.opts)
}
