package stats

import "github.com/tfparse/tfparse/validate/internal/sketch"

// chosen reports whether a record is in the sample that Options.SampleRate asks for, and
// counts it if it is not.
func (a *Accumulator) chosen(msg []byte) bool {
	in := a.opts.SampleRate == 1 || fraction(msg) < a.opts.SampleRate
	if !in {
		a.skipped++
	}
	return in
}

// fraction spreads records evenly from 0 to 1, which it does not reach: the same one is
// always at the same place.
func fraction(msg []byte) float64 {
	const bits = 53 // of a float64
	return float64(sketch.Hash(msg)>>(64-bits)) / (1 << bits)
}

// Skipped is how many records Options.SampleRate has left out.
func (a *Accumulator) Skipped() uint64 { return a.skipped }

// met is how many records were given to Add: those that were added, bad ones, and those that
// are not in the sample.
func (a *Accumulator) met() uint64 { return a.all.examples + a.bad + a.skipped }
