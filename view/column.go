package view

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/ragged"
)

// maxColumnText is the number of characters of a string in a column.
const maxColumnText = 200

// A columnAnswer is a parsed column of one record as JSON: flat values, and the row splits that divide them.
type columnAnswer struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Kind       string            `json:"kind"`
	DType      string            `json:"dtype"`
	Shape      string            `json:"shape"` // with the lengths of ragged rows: [3, (2, 0, 1), 4]
	Key        string            `json:"key"`   // of the flat values
	KeyID      string            `json:"key_id"`
	Partitions []partitionAnswer `json:"partitions"`  // outermost first
	RowSplits  [][]int64         `json:"row_splits"`  // of the first partitions; the others are uniform and in InnerShape
	InnerShape []int64           `json:"inner_shape"` // of one item of the innermost row
	Values     []string          `json:"values"`
	Names      []string          `json:"names,omitempty"` // class names of the values, "" without one; nil: there are no classes
	At         []int             `json:"at"`              // byte of each value in the record, -1 for a default; nil: unknown
	Indices    [][]string        `json:"indices,omitempty"`
	Size       []string          `json:"size,omitempty"` // dense shape of a sparse column
	Shown      int               `json:"shown"`
	N          int               `json:"n"`    // number of flat values
	Rows       int               `json:"rows"` // number of rows of the outermost partition
	Cut        bool              `json:"cut,omitempty"`
	Decoded    bool              `json:"decoded,omitempty"` // values are elements of the arrays in the strings
	Picture    *string           `json:"picture"`
	Default    bool              `json:"default"` // the feature is absent, and the values are the spec's default
}

// A partitionAnswer is a row partition as JSON.
type partitionAnswer struct {
	Kind   string  `json:"kind"` // such as row_lengths; steps or examples
	Key    *string `json:"key"`
	KeyID  *string `json:"key_id"`
	Length *int64  `json:"length,omitempty"` // of a uniform partition
	N      int     `json:"n"`                // number of rows
}

// The names of groups in specs and in IDs.
var columnGroups = map[feature.Group]string{
	feature.InFeatures: groupFeatures, feature.InContext: groupContext, feature.InSequence: groupLists, feature.InExamples: groupExamples,
}

// answerColumns parses a record and describes each column. The error says why the record does not fit the spec.
func (h *Handler) answerColumns(msg []byte, p valuePlace, q *quota) ([]columnAnswer, error) {
	columns, err := h.parser.ParseSingle(msg)
	if err != nil {
		return nil, err
	}
	var answers []columnAnswer
	for _, c := range columns.All() {
		answers = append(answers, h.answerColumn(msg, c, p, q))
	}
	return answers, nil
}

func (h *Handler) answerColumn(msg []byte, c feature.Column, p valuePlace, q *quota) columnAnswer {
	group, key := columnGroups[c.Group()], valueKey(c)
	a := columnAnswer{
		ID: featureID(group, c.Name()), Name: visibleText(c.Name()), Kind: columnKind(c.Spec()), DType: c.DType().String(),
		Key: visibleText(key), KeyID: featureID(group, key), Partitions: []partitionAnswer{}, RowSplits: [][]int64{}, InnerShape: []int64{}, Values: []string{},
	}
	if t, ok := c.Decoded(0); ok {
		a.Decoded, a.DType = true, t.DType.String()
		a.InnerShape = append(a.InnerShape, t.Shape...)
		if _, fixed := c.Spec().(feature.FixedLen); !fixed && len(t.Shape) > 0 {
			a.InnerShape = a.InnerShape[1:]
		}
		if isPicture(&t) {
			link := fmt.Sprintf("api/picture?file=%d&record=%d&column=%s", p.file, p.record, url.QueryEscape(a.ID))
			a.Picture = &link
		}
		a.addRows(c, partitionsOf[string](c), t.Len(), q)
		a.Values = elementTexts(&t, a.Shown)
	} else {
		for _, n := range specShape(c.Spec()) {
			a.InnerShape = append(a.InnerShape, int64(n))
		}
		switch c.DType() {
		case feature.Int64:
			addValues(&a, c, q, func(v int64) string { return strconv.FormatInt(v, 10) })
			a.addNames(c, h.opts.Classes[key])
		case feature.Float32:
			addValues(&a, c, q, floatText)
		default:
			addValues(&a, c, q, func(v string) string { return shortText(v, maxColumnText) })
		}
		a.addPositions(h.kind, msg, c, key)
	}
	a.addIndices(c)
	q.spend(len(a.Values) * numberSize)
	return a
}

// valueKey returns the key of the flat values.
func valueKey(c feature.Column) string {
	switch f := c.Spec().(type) {
	case feature.Sparse:
		return f.ValueKey
	case feature.Ragged:
		if f.ValueKey != "" {
			return f.ValueKey
		}
	}
	return c.Name()
}

// columnKind returns the name of a kind of feature in specs.
func columnKind(f feature.Feature) string {
	switch f.(type) {
	case feature.FixedLen:
		return "fixed_len"
	case feature.FixedLenSequence:
		return "fixed_len_sequence"
	case feature.VarLen:
		return "var_len"
	case feature.Sparse:
		return "sparse"
	}
	return "ragged"
}

// specShape returns the shape of an item of the innermost row.
func specShape(f feature.Feature) []int {
	switch f := f.(type) {
	case feature.FixedLen:
		return f.Shape
	case feature.FixedLenSequence:
		return f.Shape
	case feature.Ragged:
		return f.InnerShape()
	}
	return nil
}

func addValues[T feature.Element](a *columnAnswer, c feature.Column, q *quota, text func(T) string) {
	flat, _ := feature.FlatOf[T](c)
	a.addRows(c, partitionsOf[T](c), len(flat), q)
	for _, v := range flat[:a.Shown] {
		a.Values = append(a.Values, text(v))
	}
}

// addNames adds the names of the classes of the shown values.
func (a *columnAnswer) addNames(c feature.Column, classes []string) {
	if classes == nil {
		return
	}
	flat, _ := feature.FlatOf[int64](c)
	for _, v := range flat[:a.Shown] {
		name := ""
		if v >= 0 && v < int64(len(classes)) {
			name = classes[v]
		}
		a.Names = append(a.Names, name)
	}
}

// addRows adds the partitions and their row splits, for n flat values. Rows and values beyond maxNumbers are left out: then
// the splits end where the values end.
func (a *columnAnswer) addRows(c feature.Column, parts []ragged.Partition, n int, q *quota) {
	cell := 1
	for _, size := range a.InnerShape {
		cell *= int(size)
	}
	a.N = n
	items := 0 // number of items of the rows so far, and how many of them are shown
	if cell > 0 {
		items = n / cell
	}
	if len(parts) > 0 {
		items = parts[0].NumRows()
	}
	a.Rows = items
	limit := min(maxNumbers, q.numbers())
	shown := min(items, limit)
	a.Cut = shown < items
	for i, p := range parts {
		splits := p.Rows(0, shown).AppendSplits(make([]int64, 0, shown+1))
		if items = int(splits[shown]); i == len(parts)-1 && cell > 1 {
			limit /= cell
		}
		if shown = min(items, limit); shown < items {
			a.Cut = true
			for j := range splits {
				splits[j] = min(splits[j], int64(shown))
			}
		}
		q.spend(len(splits) * numberSize)
		a.RowSplits = append(a.RowSplits, splits)
	}
	if len(parts) == 0 && cell > 1 { // whole cells only
		shown = min(items, limit/cell)
		a.Cut = shown < items
	}
	if a.Shown = shown * cell; a.Shown == 0 && len(parts) == 0 {
		a.Shown = min(n, limit)
	}
	a.addPartitions(c, parts, n, cell)
}

// partitionsOf returns the partitions of a column of one record.
func partitionsOf[T feature.Element](c feature.Column) []ragged.Partition {
	if c.RaggedRank() == 0 {
		return nil
	}
	t, _ := feature.TensorOf[T](c.Ragged())
	return t.Partitions()
}

// addPartitions names the partitions: the steps or examples, then those of the spec.
func (a *columnAnswer) addPartitions(c feature.Column, parts []ragged.Partition, n, cell int) {
	dims := []string{}
	if _, fixed := c.Spec().(feature.FixedLen); !fixed || len(parts) > 0 || c.Group() == feature.InExamples {
		dims = append(dims, strconv.Itoa(a.Rows))
	}
	for _, p := range parts {
		dims = append(dims, lengthsText(p))
	}
	for _, size := range a.InnerShape {
		dims = append(dims, strconv.FormatInt(size, 10))
	}
	a.Shape = "[" + strings.Join(dims, ", ") + "]"
	i := 0
	rowsOf := func() int { // number of rows of partition i
		if i < len(parts) {
			return parts[i].NumRows()
		}
		rows := 0
		if cell > 0 {
			rows = n / cell
		}
		for _, size := range a.InnerShape[:i-len(parts)] {
			rows *= int(size)
		}
		return rows
	}
	if outer := map[feature.Group]string{feature.InSequence: "steps", feature.InExamples: "examples"}[c.Group()]; outer != "" && len(parts) > 0 {
		a.Partitions = append(a.Partitions, partitionAnswer{Kind: outer, N: rowsOf()})
		i++
	}
	f, _ := c.Spec().(feature.Ragged)
	for _, p := range f.Partitions {
		kind, key := feature.PartitionKey(p)
		answer := partitionAnswer{Kind: kind, N: rowsOf()}
		if length, ok := p.(feature.UniformRowLength); ok {
			answer.Length = (*int64)(&length)
		} else {
			name, id := visibleText(key), featureID(columnGroups[c.Group()], key)
			answer.Key, answer.KeyID = &name, &id
		}
		a.Partitions = append(a.Partitions, answer)
		i++
	}
}

// lengthsText returns the row length of a uniform partition, or the first lengths of the rows of another one.
func lengthsText(p ragged.Partition) string {
	if n, ok := p.UniformLen(); ok {
		return strconv.Itoa(n)
	}
	const most = 8
	lengths := make([]string, 0, most+1)
	for row := range min(p.NumRows(), most) {
		lengths = append(lengths, strconv.Itoa(p.RowLen(row)))
	}
	if p.NumRows() > most {
		lengths = append(lengths, "…")
	}
	return "(" + strings.Join(lengths, ", ") + ")"
}

// addIndices adds the indices of a sparse column. The positions of its values are unknown, since the parser sorts them.
func (a *columnAnswer) addIndices(c feature.Column) {
	f, ok := c.Spec().(feature.Sparse)
	if !ok {
		return
	}
	for _, n := range f.Size {
		a.Size = append(a.Size, strconv.FormatInt(n, 10))
	}
	t, _ := c.Indices()
	all, dims := t.Values(), len(f.Size)
	a.Indices = make([][]string, a.Shown)
	for i := range a.Indices {
		for _, v := range all[i*dims : (i+1)*dims] {
			a.Indices[i] = append(a.Indices[i], strconv.FormatInt(v, 10))
		}
	}
}

// addPositions finds the byte of each shown value in the record.
func (a *columnAnswer) addPositions(kind example.MessageType, msg []byte, c feature.Column, key string) {
	if _, ok := c.Spec().(feature.Sparse); ok {
		return
	}
	fixed, isFixed := c.Spec().(feature.FixedLen)
	cell := 1
	for _, n := range specShape(c.Spec()) {
		cell *= n
	}
	at := make([]int, 0, a.Shown)
	values, defaults := 0, 0
	addUnit := func(f example.Feature, offset int) {
		n := 0
		for lo := range featureValues(f) {
			if n++; len(at) == a.Shown {
				break
			}
			at = append(at, offset+f.Offset()+lo)
		}
		values += n
		if isFixed && fixed.Default.Len() > 0 && n == 0 { // the value is the default
			defaults++
			for range min(cell, a.Shown-len(at)) {
				at = append(at, -1)
			}
		}
	}
	switch c.Group() {
	case feature.InSequence:
		list, _ := collectLists(msg).lookUp(key)
		for s := list.Scan(); s.Next(); {
			addUnit(s.Feature(), 0)
		}
	case feature.InExamples:
		for s := example.ScanExamples(msg); s.Next(); {
			f, _, _ := example.TypeExample.Lookup(s.Example(), key)
			addUnit(f, s.Offset())
		}
	default:
		f, _, _ := kind.Lookup(msg, key)
		addUnit(f, 0)
	}
	a.Default = defaults > 0 && values == 0
	if len(at) == a.Shown && !a.Default {
		a.At = at
	}
}
