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

// Other returns a message if the record looks like another message type than that of the spec, and err may be a
// consequence: the record does not decode, or a feature is missing. Otherwise it returns "". It is a guess, since a
// record does not state its type.
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

// AppendRecord parses a record into a batch. Its errors suggest another message type or a similar name, if there is one.
func AppendRecord(b *feature.Batch, rec []byte) error {
	err := b.Append(rec)
	if err == nil {
		return nil
	}
	if other := Other(err, rec, b.Parser().Message()); other != "" {
		return fmt.Errorf("%w (%s)", err, other)
	}
	return addSuggestion(err, rec, b.Parser().Message())
}

// addSuggestion adds the most similar name in the record to an error about a missing key.
func addSuggestion(err error, rec []byte, t example.MessageType) error {
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
