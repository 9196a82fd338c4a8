package cli

import (
	"errors"
	"fmt"
)

// A specError is a spec that makes no sense. Every fault is a message of its own.
type specError struct {
	name   string
	faults []error
}

func (e *specError) Error() string { return fmt.Sprintf("%s: %v", e.name, errors.Join(e.faults...)) }

// messages returns the faults, each with the name of the spec.
func (e *specError) messages() []string {
	all := make([]string, len(e.faults))
	for i, fault := range e.faults {
		all[i] = fmt.Sprintf("%s: %v", e.name, fault)
	}
	return all
}

// BadSpec makes a specError of all that an error joins.
func BadSpec(name string, err error) error { return &specError{name: name, faults: Joined(err)} }

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
