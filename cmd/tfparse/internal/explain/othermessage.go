package explain

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// Other says that a record looks like another message than the spec is for, if that
// may be why the parser refuses it: the record does not decode, or something is
// missing. Otherwise it returns "". It is a guess: a record does not name its message type.
func Other(err error, record []byte, spec example.MessageType) string {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok || !e.Whole && !errors.Is(e, feature.ErrMissing) {
		return ""
	}
	looks, ok := example.Detect([][]byte{record})
	if !ok || looks == spec {
		return ""
	}
	return fmt.Sprintf("it looks like a record of type %s, and the spec is for type %s", looks, spec)
}

// AppendRecord parses a record into a batch.
func AppendRecord(b *feature.Batch, rec []byte) error {
	err := b.Append(rec)
	if err == nil {
		return nil
	}
	if other := Other(err, rec, b.Parser().Message()); other != "" {
		err = fmt.Errorf("%w (%s)", err, other)
	}
	return err
}
