package filter

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/internal/expression"
)

// A SyntaxError says what is wrong with an expression, and where.
type SyntaxError struct {
	Column  int // counted in characters, from 1
	Message string
}

// Error gives the column and the message.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("filter: column %d: %s", e.Column, e.Message)
}

// syntaxError is an error of an expression with its column.
func syntaxError(expr string, err error) error {
	if e, ok := errors.AsType[*expression.Error](err); ok {
		return &SyntaxError{e.Column(expr), e.Message}
	}
	return err
}
