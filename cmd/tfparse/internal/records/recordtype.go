package records

import (
	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/predictionlog"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/tfrecord"
)

// A recordType is the value of --type for verbs that print records: a type of package example, or prediction_log.
type recordType example.MessageType

// typePredictionLog is the type of TensorFlow Serving's request logs.
const typePredictionLog = recordType(example.TypeRaw + 1)

var recordTypes = func() (names []string) {
	for t := example.TypeAuto; t <= example.TypeRaw; t++ {
		names = append(names, t.String())
	}
	return append(names, "prediction_log")
}()

func (t recordType) MarshalText() ([]byte, error) { return []byte(recordTypes[t]), nil }

func (t *recordType) UnmarshalText(text []byte) error { return cli.SetName(t, recordTypes, text) }

// addFlag defines --type.
func (t *recordType) addFlag(fs *pflag.FlagSet) {
	cli.EnumVar(fs, t, "type", recordTypes, "message `TYPE`: "+cli.OneOf(recordTypes))
}

// messageType returns the type for reading records: raw for typePredictionLog.
func (t recordType) messageType() example.MessageType {
	return min(example.MessageType(t), example.TypeRaw)
}

// A linePrinter prints records as JSON lines.
type linePrinter interface {
	Append(dst, rec []byte, pos tfrecord.Position) ([]byte, error)
}

// newPrinter returns a printer of records of type t.
func (p *printOptions) newPrinter(t example.MessageType) linePrinter {
	if p.typ == typePredictionLog {
		return predictionlog.NewPrinter(&p.opts)
	}
	return recordjson.NewPrinter(t, &p.opts)
}
