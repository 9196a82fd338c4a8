package tfrecordio

import (
	"context"
	"io"
)

// Open opens the file within a DoFn, as Read does. What is read is compressed if the file is. The file must not be Missing.
func (f File) Open(ctx context.Context) (io.ReadCloser, error) {
	src, err := open(ctx, f.Name)
	if err != nil {
		return nil, err // not src, which is a nil pointer in an interface
	}
	return src, nil
}
