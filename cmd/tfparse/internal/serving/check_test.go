package serving

import (
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestUnfitInput checks that an input is reported even if its first mismatch comes after the list of records is full.
func TestUnfitInput(t *testing.T) {
	r := &checkReport{Unfit: new(int64), inputErrors: map[string]*model.InputError{}}
	misfit := func(record int64, input string) {
		err := &model.InputError{Input: input, Want: "2 rows", Got: "1", Err: model.ErrFit}
		r.addMismatch(scan.Misfit(tfrecord.Position{Record: record}, err))
	}
	for i := range int64(maxMismatches) {
		misfit(i, "a")
	}
	misfit(maxMismatches, "b")
	for _, name := range []string{"a", "b", "c"} {
		r.addInput(name, nil, nil)
	}
	if len(r.Mismatches) != maxMismatches || *r.Unfit != maxMismatches+1 {
		t.Errorf("%d listed of %d", len(r.Mismatches), *r.Unfit)
	}
	for i, fit := range []bool{false, false, true} {
		if r.Inputs[i].Fits != fit || (r.Inputs[i].Want == "") != fit {
			t.Errorf("%+v", r.Inputs[i])
		}
	}
}
