package featurepb

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/pbtext"
)

const maxFaults = 100 // reported of one document

// faults collects what is wrong with a document.
type faults struct {
	what     string // the document: "schema"
	errs     []error
	count    int
	defaults int // values of them
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

// decode fills m from text or binary and notes the faults. It returns false if
// nothing can be said of the content.
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
	for _, fault := range unknown.Faults { // they do not hide the other faults
		f.addf("%s", fault)
	}
	return true
}

// size returns a dimension or a row length as an int, if it is one.
func size(n int64) (int, bool) {
	return int(n), n >= 0 && n <= math.MaxInt32
}
