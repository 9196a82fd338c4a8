package export

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
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

// newNPZ returns the format of the export.
func (x *export) newNPZ() *npzFormat {
	a := &npzFormat{parser: x.parser, kinds: x.kinds, atEnd: x.env.AtEnd}
	columns := x.parser.NewBatch().Columns()
	for name, c := range columns.All() {
		if _, err := columns.Column(name); err != nil { // two groups have the name
			name = c.Group().String() + "/" + name
		}
		if !utf8.ValidString(name) {
			text := jsonscan.AppendName(nil, []byte(name))
			name = string(text[1 : len(text)-1])
		}
		a.names = append(a.names, name)
	}
	return a
}

// newEncoder implements [format]. The function finds which records have which features. The writer encodes the rows, because
// row splits depend on all rows before them.
func (a *npzFormat) newEncoder(example.MessageType) func(*part, func(int, error)) error {
	if a.kinds == nil {
		return func(*part, func(int, error)) error { return nil }
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

// array is one array of an archive.
type array struct {
	name   string  // name in the archive, without .npy
	dtype  string  // element type in Awkward Array: "int64"
	descr  string  // element type in NumPy: "<i8"
	shape  []int64 // shape of an item of the first axis
	n      int64   // length of the first axis; -1 for a scalar
	last   int64   // of row splits and offsets: the last element
	stream         // the elements, in row-major order, little-endian
}

// newArray returns an empty array of numbers.
func newArray(name string, dtype tensor.DType, shape ...int64) *array {
	text := strings.TrimPrefix(dtype.String(), "q") // quantized integers have the type of plain integers
	class, order := text[0], "<"
	if dtype.Size() == 1 {
		order = "|"
	}
	return &array{name: name, dtype: text, descr: fmt.Sprintf("%s%c%d", order, class, dtype.Size()), shape: shape}
}

// newSplits returns an array of row splits or offsets, which has a 0 at its beginning.
func newSplits(name string) *array {
	a := newArray(name, tensor.Int64)
	a.buf, a.n = make([]byte, 8), 1
	return a
}

// appendSplit appends the split after n more items.
func (a *array) appendSplit(n int64) {
	a.last += n
	a.buf = binary.LittleEndian.AppendUint64(a.buf, uint64(a.last))
	a.n++
}

// appendInts appends integers.
func (a *array) appendInts(v []int64) {
	a.buf = slices.Grow(a.buf, 8*len(v))
	for _, x := range v {
		a.buf = binary.LittleEndian.AppendUint64(a.buf, uint64(x))
	}
}

// column has the arrays of a column.
type column struct {
	name       string      // name of values
	values     *array      // flat values: numbers, or the bytes of strings
	offsets    *array      // where each string begins in values; nil for numbers
	partitions []partition // the outermost first
	indices    *array      // indices of a Sparse feature; else nil
	present    *array      // 1 for rows with the feature; nil with a spec
	absent     bool        // a row lacks the feature, so present is written
	decoded    bool        // values are the elements of decoded tensors; the only partition has their numbers
	shapes     *array      // of a decoded column: the shape of each row; nil before the first row
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
	switch c.DType() {
	case feature.String:
		k.setType(tensor.String)
		k.inner = dims
	case feature.Float32:
		k.values = newArray(name, tensor.Float32, dims...)
	default:
		k.values = newArray(name, tensor.Int64, dims...)
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
	if v, ok := feature.FlatOf[int64](c); ok {
		k.values.appendInts(v)
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
	if k.shapes == nil {
		k.setType(t.DType)
		k.shapes = newArray(k.name+shapeSuffix, tensor.Int64, int64(len(t.Shape)))
	}
	one := newArray("", t.DType)
	switch {
	case t.DType == tensor.BFloat16:
		return errors.New("NumPy has no bfloat16")
	case one.descr != k.values.descr && !(t.DType == tensor.String && k.offsets != nil):
		return fmt.Errorf("want tensors of %s, as in the first row, got %s", k.values.dtype, t.DType)
	case int64(len(t.Shape)) != k.shapes.shape[0]:
		return fmt.Errorf("want tensors of rank %d, as in the first row, got %d", k.shapes.shape[0], len(t.Shape))
	}
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
	z := zip.NewWriter(w.out)
	form := map[string]any{"class": "RecordArray", "fields": []string{}, "contents": []any{}}
	for _, k := range w.columns {
		form["fields"] = append(form["fields"].([]string), k.name)
		form["contents"] = append(form["contents"].([]any), k.form())
		for _, a := range k.arrays() {
			entry, err := w.create(z, a)
			if err != nil {
				return err
			}
			if err := w.spool.copyTo(entry, &a.stream); err != nil {
				return err
			}
		}
	}
	text, err := json.Marshal(form)
	if err != nil {
		return err
	}
	var utf32 []byte // the characters of a NumPy string
	runes := []rune(string(text))
	for _, r := range runes {
		utf32 = binary.LittleEndian.AppendUint32(utf32, uint32(r))
	}
	for _, a := range []*array{
		{name: formArray, descr: fmt.Sprintf("<U%d", len(runes)), n: -1, stream: stream{buf: utf32}},
		{name: rowsArray, descr: "<i8", n: -1, stream: stream{buf: binary.LittleEndian.AppendUint64(nil, uint64(w.rows))}},
	} {
		entry, err := w.create(z, a)
		if err != nil {
			return err
		}
		if _, err := entry.Write(a.buf); err != nil {
			return err
		}
	}
	return z.Close()
}

// create begins an array in a zip, and writes its header.
func (w *npzWriter) create(z *zip.Writer, a *array) (io.Writer, error) {
	entry, err := z.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: zip.Store})
	if err != nil {
		return nil, err
	}
	shape := ""
	if a.n >= 0 {
		shape = fmt.Sprintf("%d,", a.n)
	}
	for _, n := range a.shape {
		shape += fmt.Sprintf("%d,", n)
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a.descr, shape)
	const magic = "\x93NUMPY\x01\x00"
	size := (len(magic) + 2 + len(head) + 1 + 63) / 64 * 64 // the elements begin at a multiple of 64
	b := binary.LittleEndian.AppendUint16([]byte(magic), uint16(size-len(magic)-2))
	b = append(append(b, head...), bytes.Repeat([]byte(" "), size-len(magic)-2-len(head)-1)...)
	_, err = entry.Write(append(b, '\n'))
	return entry, err
}
