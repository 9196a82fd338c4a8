package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// An encoding is what the numbers of a partition say.
type encoding uint8

const (
	none encoding = iota // there are no numbers: the length of the rows is given
	splits
	lengths
	limits
	starts
	rowIDs
)

var encodingNames = [...]string{splits: "row_splits", lengths: "row_lengths", limits: "row_limits", starts: "row_starts", rowIDs: "value_row_ids"}

// A link says that one feature partitions the values of another, or the rows of one that is
// a partition itself.
type link struct {
	from     int // the entry of the partition; -1 if it has none
	encoding encoding
	of       int         // the entry of what is partitioned
	rows     encoding    // whose rows are partitioned; none: its values
	block    int64       // how many of them are one item
	uniform  []int64     // the uniform row lengths whose product is block, innermost first
	guessed  *infer.Pair // set if it was found and not declared
}

// encodingOf reads a partition: its encoding and key, or its uniform row length.
func encodingOf(p feature.Partition) (e encoding, key string, uniform int64) {
	switch p := p.(type) {
	case feature.RowSplits:
		return splits, string(p), 0
	case feature.RowLengths:
		return lengths, string(p), 0
	case feature.RowLimits:
		return limits, string(p), 0
	case feature.RowStarts:
		return starts, string(p), 0
	case feature.ValueRowIDs:
		return rowIDs, string(p), 0
	case feature.UniformRowLength:
		return none, "", int64(p)
	}
	return none, "", 0
}

// addLinks adds what a chain of partitions, outermost first, says of values. find finds the
// entries of its keys.
func (p *part) addLinks(find func(key string) int, valueKey string, partitions []feature.Partition) error {
	of, rows, block := find(valueKey), none, int64(1)
	var lengths []int64
	for _, partition := range slices.Backward(partitions) {
		e, key, uniform := encodingOf(partition)
		if e == none {
			if uniform <= 0 || block > (1<<40)/uniform {
				return fmt.Errorf("record: a uniform row length of %d for %q", uniform, valueKey)
			}
			block *= uniform
			lengths = append(lengths, uniform)
			continue
		}
		from := find(key)
		p.addLink(link{from: from, encoding: e, of: of, rows: rows, block: block, uniform: lengths})
		of, rows, block, lengths = from, e, 1, nil
	}
	if len(lengths) > 0 {
		p.addLink(link{from: -1, of: of, rows: rows, block: block, uniform: lengths})
	}
	return nil
}

func (p *part) addLink(l link) {
	if l.from >= 0 {
		p.entries[l.from].linked = true
	}
	p.entries[l.of].linked = true
	p.links = append(p.links, l)
}

// addSpec adds the ragged columns of a spec.
func (u *unit) addSpec(spec feature.Spec) error {
	var errs []error
	for g, fs := range spec.Groups() {
		p := u.part(g)
		if p == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			if r, ok := fs[name].(feature.Ragged); ok {
				errs = append(errs, p.addLinks(p.key, cmp.Or(r.ValueKey, name), r.Partitions))
			}
		}
	}
	return errors.Join(errs...)
}

// declareTensors adds the ragged and sparse tensors of the schema.
func (u *unit) declareTensors(schema *pb.Schema) error {
	var errs []error
	for _, g := range schema.GetTensorRepresentationGroup() {
		for _, e := range g.GetValue().GetTensorRepresentation() {
			if sparse := e.GetValue().GetSparseTensor(); sparse != nil {
				u.addGroup(e.GetKey(), pb.AnomalyInfo_SPARSE_FEATURE_LENGTH_MISMATCH, append([]string{sparse.GetValueColumnName()}, sparse.GetIndexColumnNames()...))
			}
			r := e.GetValue().GetRaggedTensor()
			path, p := r.GetFeaturePath().GetStep(), &u.features
			if len(path) == 2 && path[0] == view.SequenceStep && u.message == example.TypeSequence {
				path, p = path[1:], &u.lists
			}
			if len(path) != 1 {
				continue
			}
			var partitions []feature.Partition
			for _, partition := range r.GetPartition() {
				switch k := partition.GetKind().(type) {
				case *pb.TensorRepresentation_RaggedTensor_Partition_RowLength:
					partitions = append(partitions, feature.RowLengths(k.RowLength))
				case *pb.TensorRepresentation_RaggedTensor_Partition_UniformRowLength:
					partitions = append(partitions, feature.UniformRowLength(k.UniformRowLength))
				}
			}
			errs = append(errs, p.addLinks(p.declared, path[0], partitions))
		}
	}
	return errors.Join(errs...)
}

// addPairs adds what was found in records: what holds everywhere, and what holds so often
// that the rest looks like damage. What may be an accident is left out.
func (u *unit) addPairs(pairs []infer.Pair) {
	for i := range pairs {
		pair := pairs[i]
		p := u.part(pair.Group)
		e, key, _ := encodingOf(pair.Partition)
		if p == nil || e == none || !pair.Chosen && pair.Against == 0 {
			continue
		}
		l := link{from: p.key(key), encoding: e, of: p.key(pair.Of), block: max(pair.Block, 1), uniform: []int64{max(pair.Block, 1)}, guessed: &pair}
		if pair.Rows != nil {
			l.rows, _, _ = encodingOf(pair.Rows)
		}
		same := func(o link) bool {
			return o.from == l.from && o.encoding == l.encoding && o.of == l.of && o.rows == l.rows
		}
		if !slices.ContainsFunc(p.links, same) {
			p.addLink(l)
		}
	}
}

// checkLink checks a link between two features, or steps of feature lists; without a kind they have no values. It returns
// false if the link does not hold, or nothing can be said because a feature has a finding of its own.
func (p *part) checkLink(s *scratch, l link, from, of example.Feature, step int) bool {
	n, err := of.Len()
	if err != nil {
		return false
	}
	if kind := from.Kind(); kind != example.Int64List && kind != example.Unset {
		if kind != example.Malformed {
			p.broken(s, l, &fault{-1, kindName(example.Int64List) + " for " + encodingNames[l.encoding], kindName(kind), true}, step)
		}
		return false
	}
	if s.from, err = from.AppendInt64s(s.from[:0]); err != nil {
		return false
	}
	s.of = s.of[:0]
	if l.rows != none {
		if s.of, err = of.AppendInt64s(s.of); err != nil {
			return false
		}
	}
	f := l.holds(s.from, int64(n), s.of)
	if f == nil {
		return true
	}
	p.broken(s, l, f, step)
	return false
}

// checkSteps checks a link of feature lists step by step, up to the first one where it does not hold.
func (p *part) checkSteps(s *scratch, l link) {
	list, _ := s.finder.Lists.Value(l.of)
	of, from := list.Scan(), example.StepScanner{}
	if l.from >= 0 {
		partition, _ := s.finder.Lists.Value(l.from)
		from = partition.Scan()
	}
	for step := 0; ; step++ {
		more, moreFrom := of.Next(), l.from >= 0 && from.Next()
		switch {
		case !more && !moreFrom:
			return
		case l.from >= 0 && more != moreFrom:
			p.broken(s, l, &fault{-1, "the same number of steps", "another", false}, step)
			return
		}
		var f example.Feature
		if l.from >= 0 {
			f = from.Feature()
		}
		if !p.checkLink(s, l, f, of.Feature(), step) {
			return
		}
	}
}

// A fault is why a list of numbers is no partition, or does not fit.
type fault struct {
	at        int // the value that shows it; -1 if it is all of them
	want, got string
	own       bool // the numbers are no partition, whatever they partition
}

// partition reads numbers as a partition: how many items it partitions into how many rows. Without
// numbers it is one of nothing.
func partition(e encoding, x []int64) (items, rows int64, f *fault) {
	n := int64(len(x))
	if n == 0 {
		return 0, 0, nil
	}
	switch e {
	case lengths:
		for i, v := range x {
			if v < 0 {
				return 0, 0, &fault{i, "a length that is not negative", strconv.FormatInt(v, 10), true}
			}
			if items += v; items < 0 {
				return 0, 0, &fault{i, "lengths that add up", "a sum beyond 2^63", true}
			}
		}
		return items, n, nil
	case splits, starts:
		if x[0] != 0 {
			return 0, 0, &fault{0, "0 first", strconv.FormatInt(x[0], 10), true}
		}
	}
	last := int64(0)
	for i, v := range x {
		if v < last {
			return 0, 0, &fault{i, "at least " + strconv.FormatInt(last, 10) + ", as before", strconv.FormatInt(v, 10), true}
		}
		last = v
	}
	switch e {
	case splits:
		return last, n - 1, nil
	case rowIDs:
		return n, last + 1, nil
	}
	return last, n, nil
}

// holds checks a link: x are the numbers of the partition, n and y the number of
// values and the numbers of what is partitioned.
func (l link) holds(x []int64, n int64, y []int64) *fault {
	if l.rows != none {
		var f *fault
		if _, n, f = partition(l.rows, y); f != nil {
			return nil // which has a finding of its own
		}
	}
	if n%l.block != 0 {
		return &fault{-1, "a multiple of " + strconv.FormatInt(l.block, 10), strconv.FormatInt(n, 10) + " " + l.things(), false}
	}
	if l.from < 0 {
		return nil
	}
	items, _, f := partition(l.encoding, x)
	if f != nil {
		return f
	}
	if n /= l.block; items == n || l.encoding == starts && len(x) > 0 && items < n {
		return nil
	}
	return &fault{-1, strconv.FormatInt(n, 10) + " " + l.things() + " in all", encodingNames[l.encoding] + " for " + strconv.FormatInt(items, 10), false}
}

// things names what is partitioned.
func (l link) things() string {
	switch {
	case l.from >= 0 && l.block > 1:
		return "rows of " + strconv.FormatInt(l.block, 10)
	case l.rows != none:
		return "rows"
	}
	return "values"
}

// broken adds a finding for a link that does not hold: at the partition, if it has numbers.
func (p *part) broken(s *scratch, l link, f *fault, step int) {
	where, want := l.of, f.want
	if l.from >= 0 {
		where = l.from
		want += " (of " + strconv.Quote(p.entries[l.of].path) + ")"
	}
	offset := -1
	if step >= 0 {
		if list, ok := s.finder.Lists.Value(where); ok {
			offset = list.Offset()
		}
	} else if v, ok := s.finder.Features.Value(where); ok {
		offset = v.Offset()
	}
	found := Finding{Rule: Ragged, Feature: p.entries[where].path, Step: step, ValueIndex: f.at, Count: 1, Offset: offset, Expected: want, Observed: f.got, Warning: l.guessed != nil, Pair: l.guessed}
	if l.guessed == nil || !f.own || !s.reported(found) {
		s.add(found)
	}
}

// reported reports whether there is a finding already for what is wrong with a partition that
// not declared: numbers that partition nothing are one finding, however many features they
// were found to partition, and in however many ways. It names the one most like it in name.
func (s *scratch) reported(f Finding) bool {
	found := s.found()
	i := slices.IndexFunc(found, func(o Finding) bool {
		return o.Rule == f.Rule && o.Feature == f.Feature && o.Step == f.Step && o.ValueIndex == f.ValueIndex && o.Observed == f.Observed
	})
	if i < 0 {
		return false
	}
	if o := &found[i]; o.Pair != nil && likeness(f.Pair) > likeness(o.Pair) {
		o.Expected, o.Pair = f.Expected, f.Pair
	}
	return true
}

// likeness is how many bytes the two names of a pair begin with alike.
func likeness(p *infer.Pair) (n int) {
	_, key, _ := encodingOf(p.Partition)
	for n < min(len(key), len(p.Of)) && key[n] == p.Of[n] {
		n++
	}
	return n
}
