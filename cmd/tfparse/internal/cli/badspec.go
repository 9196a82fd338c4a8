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
func BadSpec(name string, err error) error {
	e := &specError{name: name}
	var add func(err error)
	add = func(err error) {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range joined.Unwrap() {
				add(err)
			}
			return
		}
		e.faults = append(e.faults, err)
	}
	add(err)
	return e
}
