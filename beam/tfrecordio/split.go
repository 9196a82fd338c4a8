package tfrecordio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	register.DoFn3x1[context.Context, File, func(span), error](&splitFn{})
	register.Emitter1[span]()
}

// defaultSplit is what a worker reads in a fraction of a second, and many times what it costs to begin.
const defaultSplit = 64 << 20

// split returns the parts of files, spread over the workers.
func split(s beam.Scope, files beam.PCollection, opts *ReadOptions) beam.PCollection {
	fn := &splitFn{Size: optionsOf(opts).SplitSize}
	if fn.Size == 0 {
		fn.Size = defaultSplit
	}
	if c := optionsOf(opts).Compression; fn.Size < 0 || c != tfrecord.Auto && c != tfrecord.None {
		fn.Size = 0
		return beam.ParDo(s, fn, files)
	}
	return beam.Reshuffle(s, beam.ParDo(s, fn, files))
}

// splitFn divides a file at record boundaries where an index lies beside it.
type splitFn struct {
	Size int64 // of a part, about; 0: all of the file
}

// ProcessElement implements the DoFn.
func (fn *splitFn) ProcessElement(ctx context.Context, f File, emit func(span)) error {
	var parts []span
	if fn.Size > 0 && f.Missing == "" {
		var err error
		if parts, err = divide(ctx, f, fn.Size); err != nil {
			// What is wrong with the file itself is for the reader to say.
			log.Warnf(ctx, "tfrecordio: reading in one part: %v", err)
		}
	}
	if len(parts) == 0 {
		parts = []span{{File: f}}
	}
	for _, p := range parts {
		emit(p)
	}
	return nil
}

// divide returns the parts of a file, none if it has to be read as a whole.
func divide(ctx context.Context, f File, size int64) (parts []span, err error) {
	src, err := open(ctx, f.Name)
	if err != nil {
		return nil, nil // as above
	}
	defer src.Close()
	if src.at == nil || src.size <= size {
		return nil, nil
	}
	x, err := indexOf(ctx, f.Name, src)
	if err != nil || x == nil || x.Compression() != tfrecord.None {
		return nil, err
	}
	for begin, first := int64(0), int64(0); begin < src.size; {
		next, end := x.Len(), src.size
		// A short rest goes with the part before it.
		if src.size-begin > size+size/4 {
			if next = x.Find(begin+size-1) + 1; next < x.Len() {
				end, _ = x.Entry(next)
			}
		}
		parts = append(parts, span{File: f, Begin: begin, End: end, First: first, Size: src.size})
		begin, first = end, next
	}
	return parts, nil
}

// indexOf returns the index that lies beside a file, nil if there is none. It fits the file, as far
// as can be said without reading all of it.
func indexOf(ctx context.Context, name string, src *source) (*tfrecord.Index, error) {
	in, err := open(ctx, name+tfrecord.IndexExtension)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer in.Close()
	x, err := tfrecord.ReadIndex(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name+tfrecord.IndexExtension, err)
	}
	// A copy of the file has another time; then the index is compared with the data at some places.
	_, err = tfrecord.OpenIndexed(src.at, src.size, &tfrecord.IndexedOptions{Name: name, Index: x, ModTime: src.mod, OnModTime: func(error) {}})
	return x, err
}
