package refparser

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// A Row is one record: for every group and name the column's value in ragged form
// and without the axis of rows, as nested []any of int64, float32 and string. A
// Sparse feature is a list of Entry.
type Row map[feature.Group]map[string]any

// An Entry is one value of a Sparse feature.
type Entry struct {
	Index []int64
	Value any
}

// Parse parses one record. The spec is sound.
func Parse(spec feature.Spec, record []byte) (Row, error) {
	row := Row{}
	for g := range spec.Groups() {
		row[g] = map[string]any{}
	}
	switch spec.Message() {
	case example.TypeExample:
		m, err := decodeMessage(record, false)
		if err != nil {
			return nil, err
		}
		return row, features(row[feature.InFeatures], spec.Features, unit{features: m.features})
	case example.TypeSequence:
		m, err := decodeMessage(record, true)
		if err != nil {
			return nil, err
		}
		if err := features(row[feature.InContext], spec.Context, unit{features: m.features, sequence: true}); err != nil {
			return nil, err
		}
		return row, lists(row[feature.InSequence], spec.Sequence, m.lists)
	}
	return row, exampleList(row, spec, record)
}

func exampleList(row Row, spec feature.Spec, record []byte) error {
	for name := range spec.Examples {
		row[feature.InExamples][name] = []any{}
	}
	fs, err := split(record)
	var contexts [][]byte
	for _, f := range fs {
		if f.typ != protowire.BytesType {
			continue
		}
		switch f.num {
		case 1:
			m, err := decodeMessage(f.body, false)
			if err != nil {
				return err
			}
			one := map[string]any{}
			if err := features(one, spec.Examples, unit{features: m.features}); err != nil {
				return err
			}
			for name, v := range one {
				row[feature.InExamples][name] = append(row[feature.InExamples][name].([]any), v)
			}
		case 2:
			if contexts = append(contexts, f.body); len(contexts) > 1 {
				return bad("two contexts")
			}
		}
	}
	if err != nil {
		return err
	}
	m, err := decodeMessage(slices.Concat(contexts...), false)
	if err != nil {
		return err
	}
	return features(row[feature.InContext], spec.Context, unit{features: m.features})
}

// A unit is what features are read from: a record, an example in a list, or one
// step, whose features are decoded already.
type unit struct {
	features map[string][][]byte
	sequence bool
	step     map[string][]byte
}

// get returns the values under a key. present is false if it is absent or, in an
// Example, has no kind.
func (u unit) get(key string, d feature.DType) (values []any, present bool, err error) {
	var l list
	if u.step != nil {
		l, err = resolve(u.step[key], true)
		present = true
	} else if seen := u.features[key]; seen != nil {
		l, err = last(seen, u.sequence)
		present = l != nil || u.sequence
	}
	if err != nil {
		return nil, present, err
	}
	want := map[feature.DType]protowire.Number{feature.String: 1, feature.Float32: 2, feature.Int64: 3}[d]
	if k := kindOf(l); k != 0 && k != want {
		return nil, present, fmt.Errorf("%w: %q has %d values of kind %d, not %d", ErrKind, key, length(l), k, want)
	}
	switch l := l.(type) {
	case [][]byte:
		for _, v := range l {
			values = append(values, string(v))
		}
	case []float32:
		for _, v := range l {
			values = append(values, v)
		}
	case []int64:
		for _, v := range l {
			values = append(values, v)
		}
	}
	return values, present, nil
}

// data is get for int64.
func (u unit) data(key string) ([]int64, error) {
	values, _, err := u.get(key, feature.Int64)
	out := []int64{}
	for _, v := range values {
		out = append(out, v.(int64))
	}
	return out, err
}

// sound checks what is asked of duplicates before anything else is.
func (u unit) sound(keys map[string]bool) error {
	for key, seen := range u.features {
		for _, b := range seen[:len(seen)-1] {
			if _, _, err := conforming(b); keys[key] && err != nil {
				return err
			}
		}
	}
	return nil
}

func features(row map[string]any, fs feature.Features, u unit) error {
	if err := u.sound(keys(fs)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fs)) {
		v, err := value(name, fs[name], u)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		row[name] = v
	}
	return nil
}

// keys returns the keys that features read.
func keys(fs feature.Features) map[string]bool {
	out := map[string]bool{}
	for name, f := range fs {
		for _, k := range keysOf(name, f) {
			out[k] = true
		}
	}
	return out
}

func keysOf(name string, f feature.Feature) []string {
	switch f := f.(type) {
	case feature.Sparse:
		return append([]string{f.ValueKey}, f.IndexKeys...)
	case feature.Ragged:
		out := []string{cmp.Or(f.ValueKey, name)}
		for i := range f.Partitions {
			if kind, key := partition(f.Partitions[i]); kind != "uniform" {
				out = append(out, key)
			}
		}
		return out
	}
	return []string{name}
}

func partition(p feature.Partition) (kind, key string) {
	switch p := p.(type) {
	case feature.RowSplits:
		return "splits", string(p)
	case feature.RowLengths:
		return "lengths", string(p)
	case feature.RowStarts:
		return "starts", string(p)
	case feature.RowLimits:
		return "limits", string(p)
	case feature.ValueRowIDs:
		return "ids", string(p)
	}
	return "uniform", ""
}

// value is what one unit has for a feature.
func value(name string, f feature.Feature, u unit) (any, error) {
	switch f := f.(type) {
	case feature.FixedLen:
		values, present, err := u.get(name, f.DType)
		if err != nil {
			return nil, err
		}
		if !present {
			values = defaults(f.Default)
			if len(values) == 0 {
				return nil, ErrMissing
			}
		}
		if len(values) != product(f.Shape) {
			return nil, ErrCount
		}
		return reshape(values, f.Shape), nil
	case feature.FixedLenSequence:
		values, _, err := u.get(name, f.DType)
		if err != nil {
			return nil, err
		}
		n := product(f.Shape)
		if u.step != nil {
			if len(values) != n {
				return nil, ErrCount
			}
			return reshape(values, f.Shape), nil
		}
		if len(values)%n != 0 {
			return nil, ErrCount
		}
		return blocks(values, n, f.Shape), nil
	case feature.VarLen:
		values, _, err := u.get(name, f.DType)
		return append([]any{}, values...), err
	case feature.Sparse:
		return sparse(f, u)
	}
	return ragged(name, f.(feature.Ragged), u)
}

func defaults(v example.Value) []any {
	var out []any
	for _, x := range v.Int64s {
		out = append(out, x)
	}
	for _, x := range v.Floats {
		out = append(out, x)
	}
	for _, x := range v.Bytes {
		out = append(out, string(x))
	}
	return out
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func blocks(values []any, n int, shape []int) []any {
	out := []any{}
	for i := 0; i < len(values); i += n {
		out = append(out, reshape(values[i:i+n], shape))
	}
	return out
}

func reshape(values []any, shape []int) any {
	if len(shape) == 0 {
		return values[0]
	}
	out := []any{}
	n := product(shape[1:])
	for i := range shape[0] {
		out = append(out, reshape(values[i*n:(i+1)*n], shape[1:]))
	}
	return out
}

func sparse(f feature.Sparse, u unit) (any, error) {
	values, _, err := u.get(f.ValueKey, f.DType)
	if err != nil {
		return nil, err
	}
	entries := []Entry{}
	for _, v := range values {
		entries = append(entries, Entry{Value: v})
	}
	for d, key := range f.IndexKeys {
		ix, err := u.data(key)
		if err != nil {
			return nil, err
		}
		if len(ix) != len(entries) {
			return nil, ErrIndex
		}
		for i, x := range ix {
			if x < 0 || x >= f.Size[d] {
				return nil, ErrIndex
			}
			entries[i].Index = append(entries[i].Index, x)
		}
	}
	if !f.Sorted {
		slices.SortStableFunc(entries, func(a, b Entry) int { return slices.Compare(a.Index, b.Index) })
	}
	return entries, nil
}

// ragged cuts values into rows, from the innermost partition to the outermost.
func ragged(name string, f feature.Ragged, u unit) (any, error) {
	values, _, err := u.get(cmp.Or(f.ValueKey, name), f.DType)
	if err != nil {
		return nil, err
	}
	items := append([]any{}, values...)
	for _, p := range slices.Backward(f.Partitions) {
		kind, key := partition(p)
		var data []int64
		if kind != "uniform" {
			if data, err = u.data(key); err != nil {
				return nil, err
			}
		}
		lengths, ok := rowLengths(kind, data, p, int64(len(items)))
		if !ok {
			return nil, ErrPartition
		}
		rows := []any{}
		at := int64(0)
		for _, n := range lengths {
			rows = append(rows, slices.Clone(items[at:at+n]))
			at += n
		}
		items = rows
	}
	return items, nil
}

// rowLengths returns the lengths of the rows that partition data cut n items into.
func rowLengths(kind string, data []int64, p feature.Partition, n int64) (out []int64, ok bool) {
	var bounds []int64
	switch kind {
	case "uniform":
		length := int64(p.(feature.UniformRowLength))
		for range n / length {
			out = append(out, length)
		}
		return out, n%length == 0
	case "lengths":
		left := n
		for _, x := range data {
			if x < 0 || x > left {
				return nil, false
			}
			left -= x
		}
		return data, left == 0
	case "ids":
		if int64(len(data)) != n || !slices.IsSorted(data) || n > 0 && data[0] < 0 {
			return nil, false
		}
		for _, id := range data {
			for int64(len(out)) <= id {
				out = append(out, 0)
			}
			out[id]++
		}
		return out, true
	case "splits":
		if bounds = data; len(data) == 0 {
			bounds = []int64{0}
		}
	case "limits":
		bounds = append([]int64{0}, data...)
	case "starts":
		if bounds = append(slices.Clone(data), n); len(data) == 0 {
			bounds = []int64{0}
		}
	}
	if bounds[0] != 0 || bounds[len(bounds)-1] != n || !slices.IsSorted(bounds) {
		return nil, false
	}
	for i := range bounds[1:] {
		out = append(out, bounds[i+1]-bounds[i])
	}
	return out, true
}

// lists reads the feature lists of a SequenceExample.
func lists(row map[string]any, fs feature.Features, lists map[string][][]byte) error {
	for key, seen := range lists {
		for _, b := range seen[:len(seen)-1] {
			if !keys(fs)[key] {
				continue
			}
			steps, err := steps(b)
			if err != nil {
				return err
			}
			for _, f := range steps {
				if _, _, err := conforming(f); err != nil {
					return err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fs)) {
		v, err := sequence(name, fs[name], lists)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		row[name] = v
	}
	return nil
}

// steps splits a FeatureList. If it is not sound it returns the steps before the
// fault, too.
func steps(b []byte) ([][]byte, error) {
	fs, err := split(b)
	var out [][]byte
	for _, f := range fs {
		if f.num != 1 {
			continue
		}
		if f.typ != protowire.BytesType {
			return out, bad("a step of another wire type")
		}
		out = append(out, f.body)
	}
	return out, err
}

// sequence steps through all lists of one feature at once.
func sequence(name string, f feature.Feature, lists map[string][][]byte) (any, error) {
	ks := keysOf(name, f)
	if q, ok := f.(feature.FixedLenSequence); ok && !q.AllowMissing && lists[name] == nil {
		return nil, ErrMissing
	}
	all, faults := make([][][]byte, len(ks)), make([]error, len(ks))
	for i, k := range ks {
		if seen := lists[k]; seen != nil {
			all[i], faults[i] = steps(seen[len(seen)-1])
		}
	}
	out := []any{}
	for n := 0; ; n++ {
		u := unit{step: map[string][]byte{}}
		for i, k := range ks {
			if n >= len(all[i]) && faults[i] != nil {
				return nil, faults[i]
			}
			if (n < len(all[i])) != (n < len(all[0])) {
				return nil, ErrSteps
			}
			if n < len(all[i]) {
				u.step[k] = all[i][n]
			}
		}
		if n >= len(all[0]) {
			return out, nil
		}
		v, err := value(name, f, u)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}
