package record

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
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

// link adds what a chain of partitions, outermost first, says of values. find finds the
// entries of its keys.
func (c *Checker) link(t *table, find func(*table, string) int, links *[]link, valueKey string, partitions []feature.Partition) error {
	of, rows, block := find(t, valueKey), none, int64(1)
	var lengths []int64
	for _, p := range slices.Backward(partitions) {
		e, key, uniform := encodingOf(p)
		if e == none {
			if uniform <= 0 || block > (1<<40)/uniform {
				return fmt.Errorf("record: a uniform row length of %d for %q", uniform, valueKey)
			}
			block *= uniform
			lengths = append(lengths, uniform)
			continue
		}
		from := find(t, key)
		*links = append(*links, link{from: from, encoding: e, of: of, rows: rows, block: block, uniform: lengths})
		of, rows, block, lengths = from, e, 1, nil
	}
	if len(lengths) > 0 {
		*links = append(*links, link{from: -1, of: of, rows: rows, block: block, uniform: lengths})
	}
	return nil
}

// spec adds the ragged columns of a spec.
func (c *Checker) spec(spec feature.Spec) error {
	var errs []error
	for g, fs := range spec.Groups() {
		t, links := &c.features, &c.links
		switch {
		case g == feature.InSequence && c.message == example.TypeSequence:
			t, links = &c.lists, &c.listLinks
		case g == feature.InFeatures && c.message == example.TypeExample, g == feature.InContext && c.message == example.TypeSequence:
		default:
			errs = append(errs, fmt.Errorf("record: the spec has %s, and the records are of type %s", g, c.message))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(fs)) {
			r, ok := fs[name].(feature.Ragged)
			if !ok {
				continue
			}
			key := r.ValueKey
			if key == "" {
				key = name
			}
			errs = append(errs, c.link(t, (*table).key, links, key, r.Partitions))
		}
	}
	return errors.Join(errs...)
}

// tensors adds the ragged tensors of the schema.
func (c *Checker) tensors(schema *pb.Schema) error {
	var errs []error
	for _, g := range schema.GetTensorRepresentationGroup() {
		for _, e := range g.GetValue().GetTensorRepresentation() {
			if sparse := e.GetValue().GetSparseTensor(); sparse != nil {
				c.group(e.GetKey(), pb.AnomalyInfo_SPARSE_FEATURE_LENGTH_MISMATCH, append([]string{sparse.GetValueColumnName()}, sparse.GetIndexColumnNames()...), false)
			}
			r := e.GetValue().GetRaggedTensor()
			path, t, links := r.GetFeaturePath().GetStep(), &c.features, &c.links
			if len(path) == 2 && path[0] == sequenceStep && c.message == example.TypeSequence {
				path, t, links = path[1:], &c.lists, &c.listLinks
			}
			if len(path) != 1 {
				continue
			}
			var partitions []feature.Partition
			for _, p := range r.GetPartition() {
				switch k := p.GetKind().(type) {
				case *pb.TensorRepresentation_RaggedTensor_Partition_RowLength:
					partitions = append(partitions, feature.RowLengths(k.RowLength))
				case *pb.TensorRepresentation_RaggedTensor_Partition_UniformRowLength:
					partitions = append(partitions, feature.UniformRowLength(k.UniformRowLength))
				}
			}
			errs = append(errs, c.link(t, (*table).declared, links, path[0], partitions))
		}
	}
	return errors.Join(errs...)
}

// pairs adds what was found in records: what holds everywhere, and what holds so often
// that the rest looks like damage. What may be an accident is left out.
func (c *Checker) pairs(pairs []infer.Pair) error {
	for _, p := range pairs {
		if !p.Chosen && p.Against == 0 {
			continue
		}
		t, links := &c.features, &c.links
		if p.Group == feature.InSequence {
			t, links = &c.lists, &c.listLinks
		}
		if p.Group == feature.InExamples || p.Group == feature.InFeatures != (c.message == example.TypeExample) {
			return fmt.Errorf("record: a pair is of %s, and the records are of type %s", p.Group, c.message)
		}
		e, key, _ := encodingOf(p.Partition)
		l := link{from: t.key(key), encoding: e, of: t.key(p.Of), block: max(p.Block, 1), uniform: []int64{max(p.Block, 1)}, guessed: &p}
		if p.Rows != nil {
			l.rows, _, _ = encodingOf(p.Rows)
		}
		same := func(o link) bool {
			return o.from == l.from && o.encoding == l.encoding && o.of == l.of && o.rows == l.rows
		}
		if e != none && !slices.ContainsFunc(*links, same) {
			*links = append(*links, l)
		}
	}
	return nil
}

// finish marks the entries whose numbers the links need.
func (t *table) finish(links []link) {
	for _, l := range links {
		if l.from >= 0 {
			t.entries[l.from].numbers = true
		}
		if l.rows != none {
			t.entries[l.of].numbers = true
		}
		t.entries[l.of].lengthsOnly = true
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

// reported reports whether there is a finding already for what is wrong with a partition that
// not declared: numbers that partition nothing are one finding, however many features they
// were found to partition, and in however many ways. It names the one most like it in name.
func (s *scratch) reported(f Finding) bool {
	i := slices.IndexFunc(s.found, func(o Finding) bool {
		return o.Rule == f.Rule && o.Feature == f.Feature && o.Step == f.Step && o.ValueIndex == f.ValueIndex && o.Observed == f.Observed
	})
	if i < 0 {
		return false
	}
	if o := &s.found[i]; o.Pair != nil && likeness(f.Pair) > likeness(o.Pair) {
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
