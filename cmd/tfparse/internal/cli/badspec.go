package cli

import (
	"fmt"
	"strings"
)

// usageErrors are mistakes on the command line, or in a file that it names, which only the input shows. Each is
// a message of its own.
type usageErrors struct{ messages []string }

func (e *usageErrors) Error() string { return strings.Join(e.messages, "; ") }

// UsageErrors makes an error of usage of several messages.
func UsageErrors(messages []string) error { return &usageErrors{messages} }

// BadSpec is the error of a spec that makes no sense: a message for each error that err joins.
func BadSpec(name string, err error) error {
	e := &usageErrors{}
	for _, fault := range Joined(err) {
		e.messages = append(e.messages, fmt.Sprintf("%s: %v", name, fault))
	}
	return e
}

// Joined returns the errors that are joined in err, also those in joined ones; none for nil.
func Joined(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, Joined(err)...)
	}
	return all
}
