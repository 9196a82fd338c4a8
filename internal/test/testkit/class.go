package testkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// A Class is one kind of error: how another implementation words it, or the reason that a
// case gives for a difference, and the errors of ours that are of this kind. Other
// implementations read on behind bytes that we refuse, and the other way round, so most
// kinds have a second error beside the one that is meant.
type Class struct {
	Words *regexp.Regexp
	Is    []error
}

// Words returns a Class: messages that match pattern, and our errors that are or wrap one of errs.
func Words(pattern string, errs ...error) Class { return Class{regexp.MustCompile(pattern), errs} }

// CheckClass compares the class of an error with what the case says about the one that it
// requires: why we differ, or else the message of the implementation that was asked. The
// first class whose words are found counts. A text that has no class is an unknown case.
func CheckClass(c *Case, classes []Class, got error) error {
	w := c.Want()
	said := w.Why
	if !w.Ours {
		var e struct{ Message string }
		if err := json.Unmarshal(w.Error, &e); err != nil {
			return Fault(err)
		}
		said = e.Message
	}
	for _, k := range classes {
		if !k.Words.MatchString(said) {
			continue
		}
		if !slices.ContainsFunc(k.Is, func(e error) bool { return errors.Is(got, e) }) {
			return fmt.Errorf("an error of another class: want one of %q, as %q, got: %w", k.Is, said, got)
		}
		return nil
	}
	return Unknown("no class of errors for %q, got: %v", said, got)
}
