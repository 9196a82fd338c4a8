package export

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/tensor"
)

// maxArrayName is the maximum length of the name of an array in a zip, in bytes.
const maxArrayName = math.MaxUint16 - len(".npy")

// checkNumPy returns an error for a dtype that NumPy lacks.
func checkNumPy(d tensor.DType) error {
	switch d {
	case tensor.BFloat16, tensor.Float8E5M2, tensor.Float8E4M3FN, tensor.Int4, tensor.Uint4:
		return fmt.Errorf("NumPy has no %v", d)
	}
	return nil
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

// writeTo writes the array to an archive, after its header.
func (a *array) writeTo(z *zip.Writer, s *spool) error {
	entry, err := z.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: zip.Store})
	if err != nil {
		return err
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
	if _, err = entry.Write(append(b, '\n')); err != nil {
		return err
	}
	return s.copyTo(entry, &a.stream)
}
