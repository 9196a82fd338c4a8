package export

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/columnfile"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/message"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// npzFormat is the format .npz: a zip archive of NumPy arrays. The array NAME has the flat values of a column, and the arrays
// NAME/… its row splits and offsets. Each array is a buffer of an Awkward Array, and _form is the form of that array, so this
// expression returns the rows:
//
//	awkward.from_buffers(str(z["_form"]), int(z["_rows"]), z, buffer_key="{form_key}")
type npzFormat struct {
	parser *feature.Parser         // parser of the rows
	names  []string                // names of the columns in the archive, in the order of the parser
	kinds  map[string]example.Kind // without a spec: kinds of the features, which records may lack; nil with a spec
	dtypes map[string]tensor.DType // int64 features whose values are of Bool or Uint64
	labels map[string][]string     // names of the classes of int64 features, which are written as strings; nil: numbers are
	shared message.Shared          // names in records; all encoders share it
	atEnd  func(func())            // registers a function to be called when the verb ends
}

// Names of the arrays about all columns, and suffixes of the arrays of one column.
const (
	formArray     = "_form"        // the form for Awkward Array, as JSON
	rowsArray     = "_rows"        // number of rows
	splitsSuffix  = "/row_splits_" // with the ordinal of the partition, 0 the outermost
	offsetsSuffix = "/offsets"     // where each string begins in the bytes of NAME
	indicesSuffix = "/indices"     // indices of a Sparse feature
	presentSuffix = "/present"     // 1 for rows that have the feature; only written if a row lacks it
	shapeSuffix   = "/shape"       // shape of each row of a column of decoded tensors
)

// newNPZ returns the format of the export. A feature with a dtype that NumPy lacks is an error.
func (x *export) newNPZ() (*npzFormat, error) {
	a := &npzFormat{parser: x.parser, kinds: x.kinds, labels: x.classNames(), atEnd: x.env.AtEnd}
	_, a.dtypes = x.columns.types()
	columns := x.parser.NewBatch().Columns()
	for name, c := range columns.All() {
		if _, err := columns.Column(name); err != nil { // two groups have the name
			name = c.Group().String() + "/" + name
		}
		if decode := feature.DecodeOf(c.Spec()); decode != nil {
			if err := checkNumPy(decodedType(decode)); err != nil {
				return nil, cli.Usagef("feature %s: %v; use --drop", jsonscan.AppendName(nil, []byte(name)), err)
			}
		}
		if !utf8.ValidString(name) {
			text := jsonscan.AppendName(nil, []byte(name))
			name = string(text[1 : len(text)-1])
		}
		a.names = append(a.names, name)
	}
	return a, nil
}

// newEncoder implements [format]. With a spec the function finds tensors of a dtype that NumPy lacks; without one, which
// records have which features. The writer encodes the rows, because row splits depend on all rows before them.
func (a *npzFormat) newEncoder(example.MessageType) func(*part, func(int, error)) error {
	if a.kinds == nil {
		return func(p *part, refuse func(int, error)) error {
			i := -1
			for _, c := range p.rows.Columns().All() {
				i++
				if d, ok := feature.DecodeOf(c.Spec()).(feature.DecodeTensor); !ok || d.DType != tensor.Invalid {
					continue // newNPZ has checked the dtype
				}
				for row := range p.rows.Len() {
					t, _ := c.Decoded(row)
					if err := checkNumPy(t.DType); err != nil {
						refuse(row, fmt.Errorf("feature %s: %w", jsonscan.AppendName(nil, []byte(a.names[i])), err))
					}
				}
			}
			return nil
		}
	}
	columns := map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(a.kinds)) {
		columns[name] = i
	}
	table := message.NewTable(example.TypeExample, &a.shared)
	return func(p *part, _ func(int, error)) error {
		if p.present == nil {
			p.present = make([][]byte, len(columns))
		}
		for i := range p.present {
			p.present[i] = slices.Grow(p.present[i][:0], len(p.records))[:len(p.records)]
			clear(p.present[i])
		}
		for row, rec := range p.records {
			err := table.Read(rec, func(m *message.Table) bool {
				for _, entry := range m.Entries {
					i, ok := columns[m.Name(message.Features, entry.ID)]
					if ok && example.FeatureAt(m.Bytes, entry.Lo, entry.Hi).Kind() != example.Unset {
						p.present[i][row] = 1
					}
				}
				return true
			})
			if err != nil {
				return err // not reached: the parser has accepted the record
			}
		}
		return nil
	}
}

// column has the arrays of a column.
type column struct {
	name       string      // name of values
	values     *array      // flat values: numbers, or the bytes of strings
	offsets    *array      // where each string begins in values; nil for numbers
	labels     []string    // names of classes, written for numbers; nil: values are written as they are
	partitions []partition // the outermost first
	indices    *array      // indices of a Sparse feature; else nil
	present    *array      // 1 for rows with the feature; nil with a spec
	absent     bool        // a row lacks the feature, so present is written
	decoded    bool        // values are the elements of decoded tensors; the only partition has their numbers
	shapes     *array      // of a decoded column: the shape of each row; nil before the first row
	empty      int64       // of a decoded column: rows without strings, and so without dtype, before the first tensor
	fixed      bool        // of a decoded column: all tensors have the shape of shape
	shape      []int64     // of the first tensor
	inner      []int64     // dense dimensions of strings, which the shape of values does not have
}

// partition is a row partition of a column.
type partition struct {
	splits *array // nil: the partition is uniform
	length int    // length of the rows of a uniform partition
}

// newColumn returns the arrays of a column without rows.
func (a *npzFormat) newColumn(name string, c feature.Column) *column {
	k := &column{name: name}
	if a.kinds != nil {
		k.present = newArray(name+presentSuffix, tensor.Int8)
	}
	if decode := feature.DecodeOf(c.Spec()); decode != nil {
		k.decoded = true
		k.partitions = []partition{{splits: newSplits(name + splitsSuffix + "0")}}
		k.setType(decodedType(decode))
		return k
	}
	var dims []int64
	switch f := c.Spec().(type) {
	case feature.FixedLen:
		dims = toInt64s(f.Shape)
	case feature.FixedLenSequence:
		dims = toInt64s(f.Shape)
	case feature.Ragged:
		dims = toInt64s(f.InnerShape())
	case feature.Sparse:
		k.indices = newArray(name+indicesSuffix, tensor.Int64, int64(len(f.Size)))
	}
	for i := range c.RaggedRank() {
		l := partition{}
		if splits, length := c.Splits(i); splits == nil {
			l.length = length
		} else {
			l.splits = newSplits(name + splitsSuffix + strconv.Itoa(i))
		}
		k.partitions = append(k.partitions, l)
	}
	k.labels = a.labels[c.Name()]
	switch {
	case c.DType() == feature.String || k.labels != nil:
		k.setType(tensor.String)
		k.inner = dims
	case c.DType() == feature.Float32:
		k.values = newArray(name, tensor.Float32, dims...)
	default:
		k.values = newArray(name, cmp.Or(a.dtypes[c.Name()], tensor.Int64), dims...)
	}
	return k
}

// setType makes the arrays of values of a column without dense dimensions.
func (k *column) setType(dtype tensor.DType) {
	if dtype != tensor.String {
		k.values = newArray(k.name, dtype)
		return
	}
	k.values, k.offsets = newArray(k.name, tensor.Uint8), newSplits(k.name+offsetsSuffix)
}

// decodedType returns the dtype of decoded elements. DecodeTensor without a dtype takes that of the first row; a column without
// rows is float32.
func decodedType(decode feature.Decode) tensor.DType {
	switch d := decode.(type) {
	case feature.DecodeRaw:
		return cmp.Or(d.Bitcast, d.DType)
	case feature.DecodeTensor:
		return cmp.Or(d.DType, tensor.Float32)
	}
	return tensor.Float32
}

// toInt64s converts a shape.
func toInt64s(shape []int) (dims []int64) {
	for _, n := range shape {
		dims = append(dims, int64(n))
	}
	return dims
}

// arrays returns the arrays of the column in the archive.
func (k *column) arrays() (all []*array) {
	for _, a := range []*array{k.values, k.offsets, k.indices, k.shapes} {
		if a != nil {
			all = append(all, a)
		}
	}
	for _, l := range k.partitions {
		if l.splits != nil {
			all = append(all, l.splits)
		}
	}
	if k.absent {
		all = append(all, k.present)
	}
	return all
}

// appendRows appends the rows of a column of a batch. present says which records have the feature; it is nil with a spec.
func (k *column) appendRows(c feature.Column, rows int, present []byte) error {
	if k.present != nil {
		k.present.buf = append(k.present.buf, present...)
		k.present.n += int64(rows)
		k.absent = k.absent || slices.Contains(present, 0)
	}
	if k.decoded {
		for i := range rows {
			t, _ := c.Decoded(i)
			if err := k.appendTensor(t); err != nil {
				return &columnfile.RowError{Row: i, Err: err}
			}
		}
		return nil
	}
	items := int64(rows) // number of items of the partition
	for i, l := range k.partitions {
		if l.splits == nil {
			items *= int64(l.length)
			continue
		}
		splits, _ := c.Splits(i)
		l.splits.buf = slices.Grow(l.splits.buf, 8*len(splits))
		for j := 1; j < len(splits); j++ {
			l.splits.appendSplit(splits[j] - splits[j-1])
		}
		items = splits[len(splits)-1] - splits[0]
	}
	if t, ok := c.Indices(); ok {
		k.indices.appendInts(t.Values())
		k.indices.n += items
	}
	if v, ok := feature.FlatOf[int64](c); ok && k.labels != nil {
		for _, x := range v {
			k.appendStrings([]string{className(k.labels, x)})
		}
	} else if ok {
		if k.values.dtype == "bool" {
			for _, x := range v {
				k.values.buf = append(k.values.buf, byte(min(uint64(x), 1)))
			}
		} else {
			k.values.appendInts(v)
		}
		k.values.n += items
	} else if v, ok := feature.FlatOf[float32](c); ok {
		k.values.buf = wire.AppendPackedFloats(k.values.buf, v)
		k.values.n += items
	} else {
		v, _ := feature.FlatOf[string](c)
		k.appendStrings(v)
	}
	return nil
}

// appendStrings appends strings to the values.
func (k *column) appendStrings(v []string) {
	for _, s := range v {
		k.values.buf = append(k.values.buf, s...)
		k.values.n += int64(len(s))
		k.offsets.appendSplit(int64(len(s)))
	}
}

// appendTensor appends the tensor of a row of a decoded column. The first row sets dtype and rank.
func (k *column) appendTensor(t tensor.Tensor) error {
	if t.DType == tensor.Invalid { // the spec has no dtype, and the row no strings
		k.partitions[0].splits.appendSplit(0)
		k.fixed = false
		if k.shapes == nil {
			k.empty++
		} else {
			k.shapes.appendInts(make([]int64, k.shapes.shape[0]))
			k.shapes.n++
		}
		return nil
	}
	if k.shapes == nil {
		k.setType(t.DType)
		k.shapes = newArray(k.name+shapeSuffix, tensor.Int64, int64(len(t.Shape)))
		k.shapes.appendInts(make([]int64, k.empty*int64(len(t.Shape))))
		k.shapes.n = k.empty
		k.shape, k.fixed = t.Shape, k.empty == 0
	}
	one := newArray("", t.DType)
	switch {
	case one.descr != k.values.descr && !(t.DType == tensor.String && k.offsets != nil):
		return fmt.Errorf("want tensors of %s, as in the first row, got %s", k.values.dtype, t.DType)
	case int64(len(t.Shape)) != k.shapes.shape[0]:
		return fmt.Errorf("want tensors of rank %d, as in the first row, got %d", k.shapes.shape[0], len(t.Shape))
	}
	k.fixed = k.fixed && slices.Equal(t.Shape, k.shape)
	k.shapes.appendInts(t.Shape)
	k.shapes.n++
	k.partitions[0].splits.appendSplit(int64(t.Len()))
	if k.offsets != nil {
		k.appendStrings(t.Strings)
		return nil
	}
	k.values.buf = append(k.values.buf, t.Bytes...)
	k.values.n += int64(t.Len())
	return nil
}

// reshape gives the values of decoded tensors the shape [rows, ...] if all tensors have the same shape. Then they need no row
// splits, and no shapes. Strings stay lists, whose lengths differ.
func (k *column) reshape(rows int64) {
	if !k.fixed || k.offsets != nil || slices.Contains(k.shape, 0) {
		return
	}
	k.values.shape, k.values.n = k.shape, rows
	k.partitions, k.shapes = nil, nil
}

// form returns the form of the column for Awkward Array, as JSON.
func (k *column) form() map[string]any {
	f := map[string]any{"class": "NumpyArray", "primitive": k.values.dtype, "inner_shape": append([]int64{}, k.values.shape...), "form_key": k.values.name}
	list := func(offsets *array, content map[string]any) map[string]any {
		return map[string]any{"class": "ListOffsetArray", "offsets": "i64", "content": content, "form_key": offsets.name}
	}
	regular := func(size int64, content map[string]any) map[string]any {
		return map[string]any{"class": "RegularArray", "size": size, "content": content}
	}
	if k.offsets != nil {
		f["parameters"] = map[string]any{"__array__": "byte"}
		f = list(k.offsets, f)
		f["parameters"] = map[string]any{"__array__": "bytestring"}
	}
	for _, n := range slices.Backward(k.inner) {
		f = regular(n, f)
	}
	if k.indices != nil {
		indices := map[string]any{"class": "NumpyArray", "primitive": "int64", "inner_shape": k.indices.shape, "form_key": k.indices.name}
		f = map[string]any{"class": "RecordArray", "fields": []string{"indices", "values"}, "contents": []any{indices, f}}
	}
	for _, l := range slices.Backward(k.partitions) {
		if l.splits != nil {
			f = list(l.splits, f)
		} else {
			f = regular(int64(l.length), f)
		}
	}
	if k.absent {
		f = map[string]any{"class": "ByteMaskedArray", "mask": "i8", "valid_when": true, "content": f, "form_key": k.present.name}
	}
	return f
}

// npzWriter writes one archive. An array in a zip begins with its shape, so the arrays are in a temporary file until close.
type npzWriter struct {
	out     *cli.Output // the archive
	spool   *spool      // the arrays of all columns
	columns []*column   // in the order of the parser
	rows    int64       // number of rows so far
}

// newWriter implements [format].
func (a *npzFormat) newWriter(out *cli.Output) (fileWriter, error) {
	w := &npzWriter{out: out}
	used, streams, i := map[string]bool{formArray: true, rowsArray: true}, 0, 0
	for _, c := range a.parser.NewBatch().Columns().All() {
		k := a.newColumn(a.names[i], c.Ragged())
		w.columns = append(w.columns, k)
		i++
		all := append(k.arrays(), k.present)
		if k.decoded {
			all = append(all, &array{name: k.name + shapeSuffix})
		}
		for _, array := range all {
			switch {
			case array == nil:
			case len(array.name) > maxArrayName:
				return nil, cli.Usagef("feature %.40q…: a name of %d bytes is too long for .npz; use --drop", k.name, len(k.name))
			case used[array.name]:
				return nil, cli.Usagef("two arrays have the name %s; use --drop", jsonscan.AppendName(nil, []byte(array.name)))
			default:
				used[array.name] = true
				streams++
			}
		}
	}
	w.spool = newSpool(out.Name(), streams)
	a.atEnd(w.spool.close)
	return w, nil
}

// write implements [fileWriter].
func (w *npzWriter) write(p *part, _ string) error {
	i, rows := 0, p.rows.Len()
	for _, c := range p.rows.Columns().All() {
		var present []byte
		if p.present != nil {
			present = p.present[i]
		}
		k := w.columns[i]
		i++
		if err := k.appendRows(c.Ragged(), rows, present); err != nil {
			return fmt.Errorf("feature %s: %w", jsonscan.AppendName(nil, []byte(k.name)), err)
		}
		for _, a := range append(k.arrays(), k.present) {
			if a == nil {
				continue
			}
			if err := w.spool.flush(&a.stream); err != nil {
				return err
			}
		}
	}
	w.rows += int64(rows)
	return nil
}

// close implements [fileWriter].
func (w *npzWriter) close() error {
	names, forms := []string{}, []any{}
	var all []*array
	for _, k := range w.columns {
		k.reshape(w.rows)
		names, forms = append(names, k.name), append(forms, k.form())
		all = append(all, k.arrays()...)
	}
	text, err := json.Marshal(map[string]any{"class": "RecordArray", "fields": names, "contents": forms})
	if err != nil {
		return err
	}
	var utf32 []byte // the characters of a NumPy string
	runes := []rune(string(text))
	for _, r := range runes {
		utf32 = binary.LittleEndian.AppendUint32(utf32, uint32(r))
	}
	all = append(all,
		&array{name: formArray, descr: fmt.Sprintf("<U%d", len(runes)), n: -1, stream: stream{buf: utf32}},
		&array{name: rowsArray, descr: "<i8", n: -1, stream: stream{buf: binary.LittleEndian.AppendUint64(nil, uint64(w.rows))}})
	z := zip.NewWriter(w.out)
	for _, a := range all {
		if err := a.writeTo(z, w.spool); err != nil {
			return err
		}
	}
	return z.Close()
}
