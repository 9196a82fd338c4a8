package stats

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/internal/domain"
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// magic is the prefix of an encoded Accumulator; its last character is the version.
const magic = "tfparse stats B\n"

// AppendBinary appends the encoding of a, with its options, to b. The error is ErrFeatures if Add or Merge returned it.
func (a *Accumulator) AppendBinary(b []byte) ([]byte, error) {
	if a.runError != nil {
		return nil, a.runError
	}
	b = append(b, magic...)
	b = sketch.AppendString(b, string(a.encoded))
	for _, n := range []uint64{a.bad, a.skipped, a.sliceMemberships, a.slicedRecords} {
		b = sketch.AppendUint(b, n)
	}
	for i := range a.slicers {
		b = sketch.AppendBool(b, a.slicers[i].dropped)
	}
	ids := a.table.storedFields()
	needed, others := ids[:a.table.needed], ids[a.table.needed:]
	for _, id := range needed {
		b = sketch.AppendBool(b, a.table.fields[id].present)
	}
	b = sketch.AppendUint(b, uint64(len(others)))
	for _, id := range others {
		f := &a.table.fields[id]
		b = sketch.AppendString(sketch.AppendUint(b, uint64(f.group)), f.name)
	}
	b = sketch.AppendUint(b, uint64(len(a.sliceNames)))
	for _, d := range a.datasets() {
		b = d.appendState(b, ids)
	}
	return b, nil
}

// MarshalBinary returns the encoding of a.
func (a *Accumulator) MarshalBinary() ([]byte, error) { return a.AppendBinary(nil) }

// UnmarshalBinary decodes the output of MarshalBinary, options included, into a. It does not retain b. On an error,
// which is ErrState, a is unchanged.
func (a *Accumulator) UnmarshalBinary(b []byte) error {
	if name, rest, ok := bytes.Cut(b[:min(len(b), len(magic))], []byte("\n")); ok && len(rest) == 0 && bytes.HasPrefix(name, []byte(magic[:len(magic)-2])) && string(name)+"\n" != magic {
		return fmt.Errorf("%w: unsupported version %q, wanted %q", ErrState, name, magic[:len(magic)-1])
	}
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return fmt.Errorf("%w: unknown header", ErrState)
	}
	in := sketch.NewDecoder(b[len(magic):])
	o, err := decodeOptions([]byte(in.String()))
	if err != nil {
		return fmt.Errorf("%w: options: %w", ErrState, err)
	}
	out, err := newAccumulator(o)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	out.readState(in)
	if in.Err() != nil || in.Len() > 0 || out.limitError != nil {
		return fmt.Errorf("%w: truncated or damaged", ErrState)
	}
	*a = *out
	return nil
}

// readState decodes the state after the options.
func (a *Accumulator) readState(in *sketch.Decoder) {
	a.bad, a.skipped, a.sliceMemberships, a.slicedRecords = in.Uint(), in.Uint(), in.Uint(), in.Uint()
	for i := range a.slicers {
		a.slicers[i].dropped = in.Bool()
	}
	for id := range a.table.needed {
		if in.Bool() {
			_ = a.table.markPresent(int32(id), false) // an error is repeated by the next call
		}
	}
	for range in.Count(2) {
		g, name := group(in.Uint()&0xff), in.String()
		if g >= groups {
			in.Fail()
			return
		}
		if a.table.findField(g, name) >= 0 || a.table.markPresent(a.table.addField(g, name), false) != nil {
			in.Fail()
			return
		}
	}
	for i := range in.Count(1) + 1 {
		if in.Err() != nil {
			return
		}
		d := a.readDataset(in)
		switch {
		case i == 0:
			a.all = d
		case a.slices[d.name] != nil:
			in.Fail()
		default:
			a.slices[d.name] = d
			a.sliceNames = append(a.sliceNames, d.name)
			for _, i := range d.slicers {
				a.slicers[i].sliceCount++
			}
		}
	}
}

// appendState appends the encoding of d, with the columns of the given fields.
func (d *dataset) appendState(b []byte, fields []int32) []byte {
	b = sketch.AppendUint(sketch.AppendString(b, d.name), uint64(len(d.slicers)))
	for _, i := range d.slicers {
		b = sketch.AppendUint(b, uint64(i))
	}
	b = sketch.AppendUint(b, d.examples)
	for _, w := range d.weights {
		b = w.AppendState(b)
	}
	b = d.exampleCounts.appendState(b)
	for i := range d.pairs {
		b = d.pairs[i].appendState(b)
	}
	fields = slices.DeleteFunc(slices.Clone(fields), func(id int32) bool { return int(id) >= len(d.features) })
	b = sketch.AppendUint(b, uint64(len(fields)))
	for _, id := range fields {
		for _, c := range d.features[id].kinds {
			b = sketch.AppendBool(b, c != nil)
			if c != nil {
				b = c.appendState(b)
			}
		}
	}
	return b
}

// readDataset decodes a dataset.
func (a *Accumulator) readDataset(in *sketch.Decoder) *dataset {
	d := a.newDataset(in.String())
	for range in.Count(1) {
		i := in.Uint()
		if i >= uint64(len(a.slicers)) || len(d.slicers) > 0 && int(i) <= d.slicers[len(d.slicers)-1] || a.isDropped(int(i)) {
			in.Fail()
			return d
		}
		d.slicers = append(d.slicers, int(i))
	}
	d.examples = in.Uint()
	for i := range d.weights {
		d.weights[i] = in.Sum()
	}
	d.exampleCounts = readCommon(in)
	for i := range d.pairs {
		d.pairs[i] = readPairCounts(in, &a.pairs[i])
	}
	n := in.Count(len(featureColumns{}.kinds))
	if n > len(a.table.fields) {
		in.Fail()
		return d
	}
	for id := range n {
		d.features = append(d.features, featureColumns{})
		for kind := range d.features[id].kinds {
			if in.Bool() {
				f := &a.table.fields[id]
				c := newColumn(example.Kind(kind), &f.featureSchema, f.weight >= 0, a.opts)
				c.readState(in, a.opts)
				d.features[id].kinds[kind] = c
				a.countColumn(f.name)
			}
			if in.Err() != nil {
				return d
			}
		}
	}
	return d
}

// appendState appends the encoding of c.
func (c *column) appendState(b []byte) []byte {
	b = sketch.AppendUint(b, c.firstRecord)
	b = c.common.appendState(b)
	if n := c.numbers; n != nil {
		b = n.values.AppendState(b)
		if w := n.weighted; w != nil {
			b = w.ranks.AppendState(w.moments.AppendState(b))
		}
	}
	if l := c.labels; l != nil {
		b = sketch.AppendUint(sketch.AppendUint(b, l.totalBytes), l.invalidUTF8)
		b = l.counts.AppendState(b)
		if l.weights != nil {
			b = l.weights.AppendState(b)
		}
	}
	if x := c.blobs; x != nil {
		for _, v := range []uint64{x.count, x.total, x.least, x.most} {
			b = sketch.AppendUint(b, v)
		}
	}
	if c.domain != nil {
		b = c.domain.AppendState(b)
	}
	if c.checkCounts != nil {
		b = c.checkCounts.AppendState(b)
	}
	if c.tokens != nil {
		b = c.tokens.appendState(b)
	}
	return b
}

// readState decodes the output of appendState into c, which must be new.
func (c *column) readState(in *sketch.Decoder, o *Options) {
	c.firstRecord = in.Uint()
	c.common = readCommon(in)
	if n := c.numbers; n != nil {
		n.values.ReadState(in)
		if w := n.weighted; w != nil {
			w.moments = in.Moments()
			w.ranks = in.WeightedRanks(numbers.RankSize)
		}
	}
	if l := c.labels; l != nil {
		l.totalBytes, l.invalidUTF8 = in.Uint(), in.Uint()
		l.counts = *in.Labels(o.minLabels())
		if l.weights != nil {
			l.weights = in.Labels(o.minLabels())
		}
		if c.kind == example.FloatList && !l.areFloatKeys() {
			in.Fail()
		}
	}
	if x := c.blobs; x != nil {
		x.count, x.total, x.least, x.most = in.Uint(), in.Uint(), in.Uint(), in.Uint()
	}
	if c.domain != nil {
		c.domain = domain.Read(in)
	}
	if c.checkCounts != nil {
		c.checkCounts = domain.ReadCounts(in)
	}
	if c.tokens != nil {
		c.tokens = readTokens(in, c.kind, o)
	}
}

// areFloatKeys reports whether all keys are keys of addFloat.
func (l *labelCounts) areFloatKeys() bool {
	for _, from := range []*sketch.Labels{&l.counts, l.weights} {
		if from == nil {
			continue
		}
		fits := true
		from.Keys(func(key []byte) bool {
			fits = len(key) == 4
			return fits
		})
		if !fits {
			return false
		}
	}
	return true
}
