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

// An encoding is one of TensorFlow's encodings of a row partition.
type encoding uint8

const (
	noEncoding encoding = iota // a uniform row length, without numbers in the record
	splits
	lengths
	limits
	starts
	rowIDs
)

var encodingNames = [...]string{splits: "row_splits", lengths: "row_lengths", limits: "row_limits", starts: "row_starts", rowIDs: "value_row_ids"}

// A link is one level of a ragged feature: a feature that partitions a target, which is the
// values of another feature or the rows of another partition.
type link struct {
	from           int         // entry of the partition; -1 for uniform row lengths only
	encoding       encoding    // encoding of the partition; noEncoding if from is -1
	target         int         // entry of the target
	targetEncoding encoding    // encoding of the target, if its rows are partitioned; noEncoding: its values are partitioned
	block          int64       // number of values or rows per item of the partition
	uniform        []int64     // uniform row lengths whose product is block, innermost first
	inferred       *infer.Pair // the pair of Options.Pairs; nil: the link is declared
}

// encodingOf returns the encoding and the key of a partition, or its uniform row length.
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
		return noEncoding, "", int64(p)
	}
	return noEncoding, "", 0
}

// addLinks adds the links of a ragged feature. partitions are outermost first; find returns the
// entry of a key.
func (p *entryTable) addLinks(find func(key string) int, valueKey string, partitions []feature.Partition) error {
	of, rows, block := find(valueKey), noEncoding, int64(1)
	var lengths []int64
	for _, partition := range slices.Backward(partitions) {
		e, key, uniform := encodingOf(partition)
		if e == noEncoding {
			if uniform <= 0 || block > (1<<40)/uniform {
				return fmt.Errorf("record: feature %q: invalid uniform row length %d", valueKey, uniform)
			}
			block *= uniform
			lengths = append(lengths, uniform)
			continue
		}
		from := find(key)
		p.addLink(link{from: from, encoding: e, target: of, targetEncoding: rows, block: block, uniform: lengths})
		of, rows, block, lengths = from, e, 1, nil
	}
	if len(lengths) > 0 {
		p.addLink(link{from: -1, target: of, targetEncoding: rows, block: block, uniform: lengths})
	}
	return nil
}

func (p *entryTable) addLink(l link) {
	if l.from >= 0 {
		p.entries[l.from].linked = true
	}
	p.entries[l.target].linked = true
	p.links = append(p.links, l)
}

// addSpec adds links for the ragged columns of a spec.
func (u *unit) addSpec(spec feature.Spec) error {
	var errs []error
	for g, fs := range spec.Groups() {
		p := u.tableOf(g)
		if p == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			if r, ok := fs[name].(feature.Ragged); ok {
				errs = append(errs, p.addLinks(p.entryForName, cmp.Or(r.ValueKey, name), r.Partitions))
			}
		}
	}
	return errors.Join(errs...)
}

// declareTensors adds links and groups for the ragged and sparse tensors of the schema.
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
			errs = append(errs, p.addLinks(p.entryForStep, path[0], partitions))
		}
	}
	return errors.Join(errs...)
}

// addPairs adds links for inferred pairs that hold in all records, or in so many records that the
// exceptions are probably damaged. It skips pairs that may hold by accident.
func (u *unit) addPairs(pairs []infer.Pair) {
	for i := range pairs {
		pair := pairs[i]
		p := u.tableOf(pair.Group)
		e, key, _ := encodingOf(pair.Partition)
		if p == nil || e == noEncoding || !pair.Chosen && pair.Against == 0 {
			continue
		}
		l := link{from: p.entryForName(key), encoding: e, target: p.entryForName(pair.Of), block: max(pair.Block, 1), uniform: []int64{max(pair.Block, 1)}, inferred: &pair}
		if pair.Rows != nil {
			l.targetEncoding, _, _ = encodingOf(pair.Rows)
		}
		same := func(o link) bool {
			return o.from == l.from && o.encoding == l.encoding && o.target == l.target && o.targetEncoding == l.targetEncoding
		}
		if !slices.ContainsFunc(p.links, same) {
			p.addLink(l)
		}
	}
}

// checkLink checks a link between two features, or between two steps of feature lists. A feature
// of kind Unset has no values. It returns false if the link does not hold, or if it cannot be
// checked because a feature is invalid, which another finding reports.
func (p *entryTable) checkLink(s *scratch, l link, from, of example.Feature, step int) bool {
	n, err := of.Len()
	if err != nil {
		return false
	}
	if kind := from.Kind(); kind != example.Int64List && kind != example.Unset {
		if kind != example.Malformed {
			p.addLinkFinding(s, l, &partitionFault{-1, kindName(example.Int64List) + " for " + encodingNames[l.encoding], kindName(kind), true}, step)
		}
		return false
	}
	if s.from, err = from.AppendInt64s(s.from[:0]); err != nil {
		return false
	}
	s.target = s.target[:0]
	if l.targetEncoding != noEncoding {
		if s.target, err = of.AppendInt64s(s.target); err != nil {
			return false
		}
	}
	f := l.findFault(s.from, int64(n), s.target)
	if f == nil {
		return true
	}
	p.addLinkFinding(s, l, f, step)
	return false
}

// checkSteps checks a link of feature lists step by step. It stops at the first step in which the
// link does not hold.
func (p *entryTable) checkSteps(s *scratch, l link) {
	list, _ := s.finder.Lists.Value(l.target)
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
			p.addLinkFinding(s, l, &partitionFault{-1, "the same number of steps", "another number", false}, step)
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

// A partitionFault is the reason why numbers are not a partition of a target.
type partitionFault struct {
	index     int // index of the wrong number; -1: the numbers are wrong together
	want, got string
	invalid   bool // the numbers are not a partition of any target
}

// readPartition returns the number of items and rows of a partition with the numbers x. A partition
// without numbers has no rows.
func readPartition(e encoding, x []int64) (items, rows int64, f *partitionFault) {
	n := int64(len(x))
	if n == 0 {
		return 0, 0, nil
	}
	switch e {
	case lengths:
		for i, v := range x {
			if v < 0 {
				return 0, 0, &partitionFault{i, "a length that is not negative", strconv.FormatInt(v, 10), true}
			}
			if items += v; items < 0 {
				return 0, 0, &partitionFault{i, "lengths that add up", "a sum beyond 2^63", true}
			}
		}
		return items, n, nil
	case splits, starts:
		if x[0] != 0 {
			return 0, 0, &partitionFault{0, "0 first", strconv.FormatInt(x[0], 10), true}
		}
	}
	last := int64(0)
	for i, v := range x {
		if v < last {
			return 0, 0, &partitionFault{i, "at least " + strconv.FormatInt(last, 10) + ", as before", strconv.FormatInt(v, 10), true}
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

// findFault checks a link and returns nil if it holds. x are the numbers of the partition, n is the
// number of the target's values, and y are the numbers of the target if the target is a partition.
func (l link) findFault(x []int64, n int64, y []int64) *partitionFault {
	if l.targetEncoding != noEncoding {
		var f *partitionFault
		if _, n, f = readPartition(l.targetEncoding, y); f != nil {
			return nil // the link of the target has a finding
		}
	}
	if n%l.block != 0 {
		return &partitionFault{-1, "a multiple of " + strconv.FormatInt(l.block, 10), strconv.FormatInt(n, 10) + " " + l.itemName(), false}
	}
	if l.from < 0 {
		return nil
	}
	items, _, f := readPartition(l.encoding, x)
	if f != nil {
		return f
	}
	if n /= l.block; items == n || l.encoding == starts && len(x) > 0 && items < n {
		return nil
	}
	return &partitionFault{-1, strconv.FormatInt(n, 10) + " " + l.itemName() + " in all", encodingNames[l.encoding] + " for " + strconv.FormatInt(items, 10), false}
}

// itemName names the items of the partition in findings.
func (l link) itemName() string {
	switch {
	case l.from >= 0 && l.block > 1:
		return "rows of " + strconv.FormatInt(l.block, 10)
	case l.targetEncoding != noEncoding:
		return "rows"
	}
	return "values"
}

// addLinkFinding adds a finding for a link that does not hold. The finding is about the partition,
// or about the target if the partition has no numbers.
func (p *entryTable) addLinkFinding(s *scratch, l link, f *partitionFault, step int) {
	where, want := l.target, f.want
	if l.from >= 0 {
		where = l.from
		want += " (of " + strconv.Quote(p.entries[l.target].path) + ")"
	}
	offset := -1
	if step >= 0 {
		if list, ok := s.finder.Lists.Value(where); ok {
			offset = list.Offset()
		}
	} else if v, ok := s.finder.Features.Value(where); ok {
		offset = v.Offset()
	}
	found := Finding{Rule: Ragged, Feature: p.entries[where].path, Step: step, ValueIndex: f.index, Count: 1, Offset: offset, Expected: want, Observed: f.got, Warning: l.inferred != nil, Pair: l.inferred}
	if l.inferred == nil || !f.invalid || !s.mergeDuplicate(found) {
		s.addFinding(found)
	}
}

// mergeDuplicate reports whether f repeats an existing finding about an inferred partition. Numbers
// that are not a partition get one finding, even if several pairs contain them. The finding
// keeps the pair whose two names have the longest common prefix.
func (s *scratch) mergeDuplicate(f Finding) bool {
	found := s.messageFindings()
	i := slices.IndexFunc(found, func(o Finding) bool {
		return o.Rule == f.Rule && o.Feature == f.Feature && o.Step == f.Step && o.ValueIndex == f.ValueIndex && o.Observed == f.Observed
	})
	if i < 0 {
		return false
	}
	if o := &found[i]; o.Pair != nil && commonPrefix(f.Pair) > commonPrefix(o.Pair) {
		o.Expected, o.Pair = f.Expected, f.Pair
	}
	return true
}

// commonPrefix returns the length of the common prefix of the two names of a pair, in bytes.
func commonPrefix(p *infer.Pair) (n int) {
	_, key, _ := encodingOf(p.Partition)
	for n < min(len(key), len(p.Of)) && key[n] == p.Of[n] {
		n++
	}
	return n
}
