package tfrecord

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
)

// AppendText appends the index in text form to b: for every record its offset and its size
// with header and footer, in decimal, on a line of its own. It is what tfrecord2idx of
// NVIDIA DALI writes, and what DALI and the PyTorch package "tfrecord" read. They do not
// know compressed data, so an index of such data is an error.
//
//	0 21
//	21 16
func (x *Index) AppendText(b []byte) ([]byte, error) {
	if x.comp != None {
		return b, errors.New("tfrecord: an index of " + x.comp.String() + " data has no text form: its offsets are not those of bytes of the file")
	}
	offset := int64(0)
	for sizes := x.sizes; len(sizes) > 0; {
		n, k := binary.Uvarint(sizes)
		size := int64(n) + HeaderSize + FooterSize
		b = append(strconv.AppendInt(b, offset, 10), ' ')
		b = append(strconv.AppendInt(b, size, 10), '\n')
		offset, sizes = offset+size, sizes[k:]
	}
	return b, nil
}

// readTextIndex reads an index in text form, as AppendText makes it, to the end of br. The text says
// nothing about the data but where records are, so that is all that is compared with them. Pairs of numbers may be separated by
// any white space. They must describe all records in order, from offset 0 on: else an error
// wraps [ErrIndex].
func readTextIndex(br *bufio.Reader) (*Index, error) {
	x := &Index{comp: None, data: fingerprint{size: -1}}
	for {
		offset, err := textNumber(br)
		if err == io.EOF {
			return x, nil
		}
		var size int64
		if err == nil {
			size, err = textNumber(br)
		}
		switch {
		case err == io.EOF:
			return nil, badIndex("entry %d: an offset without a size", x.count)
		case errors.Is(err, strconv.ErrSyntax), errors.Is(err, strconv.ErrRange):
			return nil, badIndex("entry %d: %v", x.count, err)
		case err != nil:
			return nil, err
		case offset != x.stream:
			return nil, badIndex("entry %d: the record is at %d, want %d, the end of the one before it", x.count, offset, x.stream)
		case size < HeaderSize+FooterSize || size > math.MaxInt64-x.stream:
			return nil, badIndex("entry %d: %d bytes are no record", x.count, size)
		}
		x.add(size)
	}
}

// textNumber reads a number and the white space around it. The error is io.EOF when
// there is none.
func textNumber(br *bufio.Reader) (int64, error) {
	var digits []byte
	for {
		c, err := br.ReadByte()
		switch {
		case err == io.EOF && len(digits) > 0:
			return strconv.ParseInt(string(digits), 10, 64)
		case err != nil:
			return 0, err
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if len(digits) > 0 {
				return strconv.ParseInt(string(digits), 10, 64)
			}
		case len(digits) == 20: // longer than any number of 64 bits
			return 0, strconv.ErrRange
		default:
			digits = append(digits, c)
		}
	}
}
