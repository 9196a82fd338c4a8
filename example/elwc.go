package example

import (
	"strconv"

	"github.com/tfparse/tfparse/internal/wire"
)

// The fields of an ExampleListWithContext.
const (
	fieldExamples = 1
	fieldContext  = 2
)

// An ExampleScanner walks the encoded examples of an ExampleListWithContext in
// wire order. It is a value and allocates nothing. It checks the fields of the
// list; what it returns is checked by scanning it as an Example.
type ExampleScanner struct {
	msg      []byte
	pos      int
	tag      int // where the field of the example begins
	lo, hi   int
	ctxTag   int
	ctx, end int // bounds of the context
	index    int
	contexts int
	err      *Error
}

// ScanExamples returns an ExampleScanner.
func ScanExamples(msg []byte) ExampleScanner {
	return ExampleScanner{msg: msg, index: -1}
}

// Next advances to the next example. It returns false at the end of the
// message and at a fault; Err reports which.
func (s *ExampleScanner) Next() bool {
	for s.err == nil && s.pos < len(s.msg) {
		at := s.pos
		f, next := wire.Next(s.msg, at)
		if next < 0 {
			s.err = fieldError(s.msg, 0, at, next)
			return false
		}
		s.pos = next
		if f.Type != wire.TypeBytes {
			continue // no decoder takes it for an example or a context
		}
		switch f.Num {
		case fieldExamples:
			s.tag, s.lo, s.hi = at, f.Lo, f.Hi
			s.index++
			return true
		case fieldContext:
			s.ctxTag, s.ctx, s.end = at, f.Lo, f.Hi
			if s.contexts++; s.contexts > 1 {
				s.err = newError(0, at, ErrAmbiguous, "one context", "another, which TensorFlow takes instead and other decoders merge")
				s.err.Part = "context"
			}
		}
	}
	return false
}

// Index is the number of the example, from 0.
func (s *ExampleScanner) Index() int { return s.index }

// Example returns the encoded Example; it aliases the message.
func (s *ExampleScanner) Example() []byte { return s.msg[s.lo:s.hi:s.hi] }

// Offset reports where in the message the example begins.
func (s *ExampleScanner) Offset() int { return s.lo }

// Context returns the encoded context, an Example, and whether there is one.
// It may stand anywhere, so ask after the scan has run to its end. It aliases
// the message.
func (s *ExampleScanner) Context() (ctx []byte, ok bool) {
	return s.msg[s.ctx:s.end:s.end], s.contexts > 0
}

// ContextOffset reports where in the message the context begins.
func (s *ExampleScanner) ContextOffset() int { return s.ctx }

// Err returns the fault that ended the scan, an *Error, or nil.
func (s *ExampleScanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// inExample moves an error of an example inside the list to its place.
func inExample(err error, off int, part string) error {
	if e, ok := err.(*Error); ok {
		e.Enclose(part, off)
	}
	return err
}

// part names the example that the scanner is at.
func (s *ExampleScanner) part() string {
	return "examples[" + strconv.Itoa(s.index) + "]"
}
