package raggedjson

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
)

// AppendNested appends a column of any dtype and form as JSON lists, nested as its rows are:
// what [Printer.AppendRow] prints for the feature, for all rows together. It is for services
// that answer with a few columns. Of a sparse feature it has the values of each row, without
// their indices. A nil opts means the defaults; the error is a [*recordjson.Error] for a
// value that the options refuse, and then dst is returned as it came. It allocates what the
// tensor of the column takes, and nothing for a value; for all columns of many batches a
// Printer does better.
func AppendNested(dst []byte, c feature.Column, opts *recordjson.Options) ([]byte, error) {
	if opts == nil {
		opts = &recordjson.Options{}
	}
	var err error
	out := dst
	values := 0
	failed := func(e error) {
		if e != nil && err == nil {
			err = &recordjson.Error{Path: example.Path{Part: part(c.Group()), Feature: c.Name(), Value: example.At(values)}, Err: e}
		}
		values++
	}
	c = c.Ragged()
	switch c.DType() {
	case feature.Int64:
		t, _ := c.Int64()
		out = t.AppendNested(out, func(dst []byte, v int64) []byte { return recordjson.AppendInt64(dst, v, opts.Int64) })
	case feature.Float32:
		t, _ := c.Float32()
		out = t.AppendNested(out, func(dst []byte, v float32) []byte {
			dst, e := recordjson.AppendFloat32(dst, v, opts.NaN)
			failed(e)
			return dst
		})
	case feature.String:
		t, _ := c.Strings()
		out = t.AppendNested(out, func(dst []byte, v string) []byte {
			dst, e := recordjson.AppendText(dst, v, opts.Bytes)
			failed(e)
			return dst
		})
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}
