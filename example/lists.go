package example

import "github.com/tfparse/tfparse/internal/wire"

// A FeatureListScanner walks the feature lists of a SequenceExample in wire order; a
// repeated name is returned each time. It is a value and allocates nothing.
// It checks the framing of the message and of the map of lists; what a list holds is
// checked by [FeatureList.Scan].
type FeatureListScanner struct{ s Scanner }

// ScanFeatureLists returns a FeatureListScanner. It checks the framing of the context as it
// comes by it.
func ScanFeatureLists(msg []byte) FeatureListScanner {
	return FeatureListScanner{s: Scanner{msg: msg, want: fieldLists, last: fieldLists}}
}

// Next advances to the next feature list. It returns false at the end of the
// message and at a fault; Err reports which.
func (s *FeatureListScanner) Next() bool { return s.s.Next() }

// Name returns the name of the list, any bytes; it aliases the message.
func (s *FeatureListScanner) Name() []byte { return s.s.Name() }

// List returns the list; it aliases the message.
func (s *FeatureListScanner) List() FeatureList {
	return FeatureList{b: s.s.msg[s.s.lo:s.s.hi:s.s.hi], off: s.s.lo}
}

// Err returns the fault that ended the scan, an *Error, or nil.
func (s *FeatureListScanner) Err() error { return s.s.Err() }

// FeatureList is a lent view of one encoded feature list: a sequence of features,
// each a step. It aliases the message, and nothing in it has been checked.
type FeatureList struct {
	b   []byte // the FeatureList message
	off int    // of b in the whole message
}

// FeatureListAt returns the feature list msg[lo:hi], for callers that know where it is. A [FeatureListScanner] finds it.
func FeatureListAt(msg []byte, lo, hi int) FeatureList {
	return FeatureList{b: msg[lo:hi:hi], off: lo}
}

// Scan returns a StepScanner over the steps.
func (f FeatureList) Scan() StepScanner { return StepScanner{b: f.b, off: f.off, index: -1} }

// Len counts the steps and checks their framing, not their content.
func (f FeatureList) Len() (int, error) {
	n, s := 0, f.Scan()
	for s.Next() {
		n++
	}
	return n, s.Err()
}

// sound checks the little that is asked of an earlier duplicate: framing, and
// that every step is well formed. See Replace.
func (f FeatureList) sound() error {
	s := f.Scan()
	for s.Next() {
		if _, err := s.Feature().sound(); err != nil {
			return s.in(err)
		}
	}
	return s.Err()
}

// Replace returns f as the list that stands for a name after an earlier one of
// the same name: f itself, or an error if the earlier one is not well formed. The
// last list of a name wins, also when it is empty; steps are never merged.
func (f FeatureList) Replace(earlier FeatureList) (FeatureList, error) {
	return f, earlier.sound()
}

// Offset reports where in the message the list begins.
func (f FeatureList) Offset() int { return f.off }

// Raw returns the encoded FeatureList message; it aliases the message.
func (f FeatureList) Raw() []byte { return f.b }

// A StepScanner walks the steps of one feature list. It is a value and
// allocates nothing. It checks the framing; a step is checked when it is
// decoded.
type StepScanner struct {
	b      []byte
	off    int
	pos    int
	lo, hi int
	index  int
	err    *Error
}

// Next advances to the next step. It returns false at the end of the list and
// at a fault; Err reports which.
func (s *StepScanner) Next() bool {
	for s.err == nil && s.pos < len(s.b) {
		if s.b[s.pos] == tag1 {
			if lo, hi := wire.Length(s.b, s.pos+1); lo > 0 {
				s.lo, s.hi, s.pos = lo, hi, hi
				s.index++
				return true
			}
		}
		f, next := wire.Next(s.b, s.pos)
		switch {
		case next < 0:
			s.fail(fieldError(s.b, s.off, s.pos, next))
		case f.Num != 1:
			s.pos = next
		case f.Type != wire.TypeBytes:
			s.fail(typeError(s.off, s.pos, "step", f.Type))
		default:
			s.lo, s.hi, s.pos = f.Lo, f.Hi, next
			s.index++
			return true
		}
	}
	return false
}

// Index is the number of the step, from 0.
func (s *StepScanner) Index() int { return s.index }

// Feature returns the step; it aliases the message.
func (s *StepScanner) Feature() Feature {
	return Feature{b: s.b[s.lo:s.hi:s.hi], off: s.off + s.lo, flags: inSequence | inStep}
}

// Err returns the fault that ended the scan, an *Error, or nil.
func (s *StepScanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// fail ends the scan where the next step would have been.
func (s *StepScanner) fail(e *Error) {
	e.Step = s.index + 1
	s.err = e
}

// in adds the number of the step to an error from its content.
func (s *StepScanner) in(err error) error {
	if e, ok := err.(*Error); ok && e.Step < 0 {
		e.Step = s.index
	}
	return err
}
