package stats

import "github.com/tfparse/tfparse/validate/internal/sketch"

// chosen reports whether a record is in the sample that Options.SampleRate asks for, and
// counts it if it is not. With TFDV that is found out for the first record of a batch, and
// then for all others of it.
func (a *Accumulator) chosen(msg []byte) bool {
	rate := a.opts.SampleRate
	if rate == 1 {
		return true
	}
	in := false
	if b := &a.batch; !a.opts.TFDV {
		in = fraction(msg) < rate
	} else {
		if b.rows+b.leftOut == 0 {
			b.dropped = fraction(msg) >= rate
		}
		if in = !b.dropped; !in {
			b.leftOut = (b.leftOut + 1) % uint64(a.opts.DesiredBatchSize)
		}
	}
	if !in {
		a.skipped++
	}
	return in
}

// domains reports whether semantic domains are looked for in a record, of which
// Options.SemanticDomainStatsSampleRate is the part. It is another part than that of
// SampleRate, of which it is a part. With TFDV the first record of a batch decides.
func (a *Accumulator) domains(msg []byte) bool {
	rate := a.opts.SemanticDomainStatsSampleRate
	switch {
	case !a.opts.EnableSemanticDomainStats || rate == 1:
		return true
	case !a.opts.TFDV:
		return spread(again(sketch.Hash(msg))) < rate
	case a.batch.rows == 0:
		a.batch.domains = spread(again(sketch.Hash(msg))) < rate
	}
	return a.batch.domains
}

// again makes another hash of a hash.
func again(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// fraction spreads records evenly from 0 to 1, which it does not reach: the same one is
// always at the same place.
func fraction(msg []byte) float64 { return spread(sketch.Hash(msg)) }

// spread is where a hash is between 0 and 1.
func spread(h uint64) float64 {
	const bits = 53 // of a float64
	return float64(h>>(64-bits)) / (1 << bits)
}

// Skipped is how many records Options.SampleRate has left out.
func (a *Accumulator) Skipped() uint64 { return a.skipped }

// met is how many records were given to Add: those that were added, bad ones, and those that
// are not in the sample.
func (a *Accumulator) met() uint64 { return a.all.examples + a.bad + a.skipped }
