package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/nn"
	"github.com/tfparse/tfparse/ragged/num"
	"github.com/tfparse/tfparse/ragged/text"
)

// operands are the tensors that the operations work on: rows of 0 to 10
// values, 5 on average.
type operands struct {
	splits []int64
	a, b   ragged.Tensor[float32] // they share their rows
	equal  ragged.Tensor[float32] // the values and rows of b, but not the same partitions in memory
	column ragged.Tensor[float32] // one value for each row
	mask   ragged.Tensor[bool]
	rows   []int64 // a permutation
	ids    ragged.Tensor[int64]
	words  ragged.Tensor[string] // 1 to 24 bytes, one for each id
	table  ragged.Tensor[float32]
}

// Rows and width of the table of embeddings.
const tableRows, tableWidth = 100_000, 8

// prefixes are the beginnings of the words.
var prefixes = []string{"", "item-", "advertiser-", "session/start-page-"}

func newOperands(n int) (*operands, error) {
	rnd := rand.New(rand.NewPCG(1, 2))
	o := &operands{splits: make([]int64, n+1)}
	for i := range n {
		o.splits[i+1] = o.splits[i] + rnd.Int64N(11)
	}
	size := int(o.splits[n])
	p, err := ragged.FromRowSplits(o.splits)
	if err != nil {
		return nil, err
	}
	floats := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = rnd.Float32()
		}
		return v
	}
	mask, ids, words := make([]bool, size), make([]int64, size), make([]string, size)
	var arena strings.Builder
	for i := range size {
		mask[i] = rnd.IntN(2) == 0
		ids[i] = rnd.Int64N(tableRows)
	}
	ends := make([]int, size)
	for i, id := range ids {
		arena.WriteString(prefixes[id%int64(len(prefixes))])
		arena.WriteString(strconv.FormatInt(id, 10))
		ends[i] = arena.Len()
	}
	all, from := arena.String(), 0
	for i, to := range ends {
		words[i], from = all[from:to], to
	}
	o.rows = make([]int64, n)
	for i, row := range rnd.Perm(n) {
		o.rows[i] = int64(row)
	}
	o.a, err = ragged.New(floats(size), nil, p)
	if err == nil {
		o.b, err = ragged.New(floats(size), nil, p)
	}
	if err == nil {
		o.equal = o.b.Clone()
		o.mask, err = ragged.New(mask, nil, p)
	}
	if err == nil {
		o.ids, err = ragged.New(ids, nil, p)
	}
	if err == nil {
		o.words, err = ragged.New(words, nil, p)
	}
	if err == nil {
		o.column, err = ragged.Dense(floats(n), n, 1)
	}
	if err == nil {
		o.table, err = ragged.Dense(floats(tableRows*tableWidth), tableRows, tableWidth)
	}
	return o, err
}

// write writes the operands to files of plain numbers, for TensorFlow.
func (o *operands) write(dir string) error {
	for name, v := range map[string]any{
		"splits": o.splits, "a": o.a.Values(), "b": o.b.Values(), "column": o.column.Values(),
		"mask": o.mask.Values(), "rows": o.rows, "ids": o.ids.Values(), "table": o.table.Values(),
	} {
		b, err := binary.Append(nil, binary.NativeEndian, v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A checksum describes a result: the sum of the values as float64, the number of values, and the sum of the row
// splits or coordinates.
type checksum struct {
	Values float64 `json:"values"`
	Count  int     `json:"count"`
	Places int64   `json:"places"`
}

// near reports whether checksums are equal. Values may differ a little: the sides add float32 values in a different
// order.
func (t checksum) near(u checksum) bool {
	return t.Count == u.Count && t.Places == u.Places && math.Abs(t.Values-u.Values) <= 1e-6*math.Abs(u.Values)
}

func checksumOf[T int64 | float32](t ragged.Tensor[T]) checksum {
	s := checksum{Count: t.Size()}
	for _, v := range t.Values() {
		s.Values += float64(v)
	}
	for _, p := range t.Partitions() {
		for _, split := range p.AppendSplits(nil) {
			s.Places += split
		}
	}
	return s
}

// An operation is a row of the table. Its run returns a function that computes the checksum of the result.
type operation struct {
	name string
	run  func(o *operands) (func() checksum, error)
}

func result[T int64 | float32](t ragged.Tensor[T], err error) (func() checksum, error) {
	return func() checksum { return checksumOf(t) }, err
}

var operations = []operation{
	{"row-wise sum", func(o *operands) (func() checksum, error) { return result(num.Sum(o.a, num.Over(1))) }},
	{"add, broadcast", func(o *operands) (func() checksum, error) { return result(num.Add(o.a, o.column)) }},
	{"add, same shape", func(o *operands) (func() checksum, error) { return result(num.Add(o.a, o.b)) }},
	{"add, equal rows", func(o *operands) (func() checksum, error) { return result(num.Add(o.a, o.equal)) }},
	{"concat rows", func(o *operands) (func() checksum, error) { return result(ragged.Concat(0, o.a, o.b)) }},
	{"concat in rows", func(o *operands) (func() checksum, error) { return result(ragged.Concat(1, o.a, o.b)) }},
	{"boolean mask", func(o *operands) (func() checksum, error) { return result(array.BooleanMask(o.a, o.mask)) }},
	{"gather", func(o *operands) (func() checksum, error) {
		return result(array.Gather(o.a, ragged.Vector(o.rows...), nil))
	}},
	{"to dense", func(o *operands) (func() checksum, error) { return result(o.a.ToDense(ragged.Tensor[float32]{}, nil)) }},
	{"to sparse", func(o *operands) (func() checksum, error) {
		s := o.a.Sparse()
		return func() checksum {
			t := checksumOf(ragged.Vector(s.Values...))
			for _, c := range s.Indices {
				t.Places += c
			}
			return t
		}, nil
	}},
	{"hash buckets", func(o *operands) (func() checksum, error) { return result(text.HashBucketFast(o.words, 1_000_003)) }},
	{"embedding lookup", func(o *operands) (func() checksum, error) { return result(nn.Lookup(o.table, o.ids, nil)) }},
	{"embedding mean", func(o *operands) (func() checksum, error) { return result(nn.LookupRows(o.table, o.ids, nil)) }},
}

// raggedTable measures operations on ragged tensors against TensorFlow's eager ones.
func raggedTable(c *config) error {
	o, err := newOperands(c.rows)
	if err != nil {
		return err
	}
	w, err := c.worker()
	if err != nil {
		return err
	}
	if w != nil {
		if err := o.write(w.dir); err != nil {
			return err
		}
		if _, err := w.ask(request{"op": "ragged.load", "dir": w.dir, "prefixes": prefixes, "width": tableWidth}); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.out, "\noperations on ragged tensors: %d rows, %d values, one thread, %s time\n\n", o.a.Len(), o.a.Size(), c.clock)
	fmt.Fprintf(c.out, "%-18s %12s %12s %8s\n", "operation", "tfparse", "TensorFlow", "ratio")
	var ratios []float64
	for _, op := range operations {
		if !c.wanted(op.name) {
			continue
		}
		ratio, err := raggedRow(c, w, op, o)
		if err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
		ratios = append(ratios, ratio)
	}
	if w != nil && len(ratios) > 0 {
		slices.Sort(ratios)
		fmt.Fprintf(c.out, "\nthe lowest ratio is %.2f, the median %.2f\n", ratios[0], ratios[len(ratios)/2])
	}
	return nil
}

func raggedRow(c *config, w *worker, op operation, o *operands) (ratio float64, err error) {
	sides := []side{{"tfparse", c.clock.timed(func() error {
		_, err := op.run(o)
		return err
	})}}
	if w != nil {
		sum, err := op.run(o)
		if err != nil {
			return 0, err
		}
		a, err := w.ask(request{"op": "ragged.sum", "name": op.name})
		if err != nil {
			return 0, err
		}
		var theirs checksum
		if err := json.Unmarshal(a.Sum, &theirs); err != nil {
			return 0, err
		}
		if ours := sum(); !ours.near(theirs) {
			return 0, fmt.Errorf("the sides differ: tfparse %+v, TensorFlow %+v", ours, theirs)
		}
		sides = append(sides, side{"TensorFlow", w.timed(request{"op": "ragged.run", "name": op.name, "clock": c.clock})})
	}
	times, err := alternate(c.turns, sides)
	if err != nil {
		return 0, err
	}
	if w == nil {
		fmt.Fprintf(c.out, "%-18s %9.2f ms %12s %8s\n", op.name, ms(times[0]), "-", "-")
		return 0, nil
	}
	ratio = times[1].Seconds() / times[0].Seconds()
	fmt.Fprintf(c.out, "%-18s %9.2f ms %9.2f ms %7.2fx\n", op.name, ms(times[0]), ms(times[1]), ratio)
	return ratio, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
