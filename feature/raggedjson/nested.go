package raggedjson

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
)

// AppendNested appends a column of any dtype and form as JSON lists, nested like its rows:
// the text that [Printer.AppendRow] prints for the feature, for all rows together. It is for
// services that answer with a few columns. For a sparse feature it appends the values of each row
// without their indices. A nil opts means the defaults. The error is a [*recordjson.Error] for a
// value that the options reject; then dst is returned unchanged. It allocates the tensor of the
// column and nothing per value; for all columns of many batches a Printer is better.
func AppendNested(dst []byte, c feature.Column, opts *recordjson.Options) ([]byte, error) {
	if opts == nil {
		opts = &recordjson.Options{}
	}
	switch c.DType() {
	case feature.Int64:
		return appendNested(dst, c, func(dst []byte, v int64) ([]byte, error) { return recordjson.AppendInt64(dst, v, opts.Int64), nil })
	case feature.Float32:
		return appendNested(dst, c, func(dst []byte, v float32) ([]byte, error) { return recordjson.AppendFloat32(dst, v, opts.NaN) })
	}
	return appendNested(dst, c, func(dst []byte, v string) ([]byte, error) { return recordjson.AppendText(dst, v, opts.Bytes) })
}

func appendNested[T feature.Element](dst []byte, c feature.Column, value func([]byte, T) ([]byte, error)) ([]byte, error) {
	t, _ := feature.TensorOf[T](c.Ragged())
	var bad error
	i := 0
	out := t.AppendNested(dst, func(dst []byte, v T) []byte {
		dst, err := value(dst, v)
		if err != nil && bad == nil {
			path := example.PathTo(part(c.Group()), c.Name())
			path.Value = i
			bad = &recordjson.Error{Path: path, Err: err}
		}
		i++
		return dst
	})
	if bad != nil {
		return dst, bad
	}
	return out, nil
}
