package explain

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/detect"
	"github.com/tfparse/tfparse/internal/nearest"
)

// Other says that a record looks like another message than the spec is for, if that
// may be why the parser refuses it: the record does not decode, or something is
// missing. Otherwise it returns "". It is a guess: a record does not name its message type.
func Other(err error, record []byte, spec example.MessageType) string {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok || !e.Whole && !errors.Is(e, feature.ErrMissing) {
		return ""
	}
	looks, ok := detect.Detect([][]byte{record})
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
		return fmt.Errorf("%w (%s)", err, other)
	}
	return near(err, rec, b.Parser().Message())
}

// near adds to an error about a key that a record does not have which of its names is most like it.
func near(err error, rec []byte, t example.MessageType) error {
	e, ok := errors.AsType[*feature.Error](err)
	if !ok || e.Whole || e.Key == "" || e.Group == feature.InExamples {
		return err
	}
	var names []string
	if e.Group == feature.InSequence {
		lists, _ := example.CollectFeatureLists(nil, rec)
		for _, list := range lists {
			names = append(names, string(list.Name))
		}
	} else {
		entries, _ := t.Collect(nil, rec)
		for _, entry := range entries {
			names = append(names, string(entry.Name))
		}
	}
	if slices.Contains(names, e.Key) {
		return err
	}
	if question := nearest.Question(e.Key, names); question != "" {
		return fmt.Errorf("%w; the record has no feature %q%s", err, e.Key, question)
	}
	return err
}
