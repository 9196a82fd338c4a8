package featurepb

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/pbtext"
)

const maxFaults = 100 // maximum number of faults reported for one document

// faults collects the errors in a document.
type faults struct {
	what     string  // name of the document: "schema"
	errs     []error // the errors of the first maxFaults faults
	count    int     // number of all faults
	defaults int     // total number of values in defaults
}

func (f *faults) addf(format string, args ...any) {
	f.count++
	if f.count <= maxFaults {
		f.errs = append(f.errs, fmt.Errorf("%s: %w", f.what, fmt.Errorf(format, args...)))
	}
}

func (f *faults) err() error {
	if f.count > maxFaults {
		return errors.Join(append(slices.Clip(f.errs), fmt.Errorf("%s: %d more faults", f.what, f.count-maxFaults))...)
	}
	return errors.Join(f.errs...)
}

// decode fills m from text or binary and adds the faults. It returns false if the
// message cannot be used.
func (f *faults) decode(b []byte, m proto.Message) bool {
	_, err := pbtext.Read(b, m)
	if err == nil {
		return true
	}
	unknown, ok := errors.AsType[*pbtext.UnknownError](err)
	if !ok {
		f.addf("%w", err)
		return false
	}
	for _, fault := range unknown.Faults { // continue, so that other faults are reported too
		f.addf("%s", fault)
	}
	return true
}

// size returns a dimension or a row length as an int; ok is false if it is negative or too large.
func size(n int64) (int, bool) {
	return int(n), n >= 0 && n <= math.MaxInt32
}
