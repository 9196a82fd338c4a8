package recordscan

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// IndexedOptions say how WalkIndexed reads.
type IndexedOptions struct {
	Index string // file of the index, in either form, where there is one input; "": the one beside it, if there is one

	// Warn is called with a message about inputs that were modified at another time than their indexes say.
	Warn func(message string)

	// Choose returns for each input which records are read, given how many each has, in ranges counted from 0.
	Choose func(counts []int64) ([][]Range, error)

	modified []string // inputs that Warn is about
}

// warnModTime warns once of all files that were modified at another time than their indexes say.
func warnModTime(warn func(message string), modified []string) {
	if len(modified) == 0 || warn == nil {
		return
	}
	name, others := modified[0], ""
	if n := len(modified) - 1; n > 0 {
		others = fmt.Sprintf(" (and %d more)", n)
	}
	warn(fmt.Sprintf("%s%s: modified at another time than the index says, as a copy is; its size, its ends and some records fit, so the index is used; tfparse index makes it again", name, others))
}

// WalkIndexed calls v for chosen records of regular files, without reading those before them. An input
// that cannot be opened or indexed is a fault, and has no records.
func WalkIndexed(ctx context.Context, in []Input, opts *Options, how *IndexedOptions, v Visitor) error {
	counts := make([]int64, len(in))
	files := make([]*tfrecord.IndexedFile, len(in)) // those that stay open
	indexes := make([]*tfrecord.Index, len(in))     // of those that are closed, where they were made here
	faults := make([]error, len(in))
	defer func() {
		for _, x := range files {
			if x != nil {
				x.Close()
			}
		}
	}()
	for i, input := range in {
		if err := ctx.Err(); err != nil {
			return err
		}
		if faults[i] = input.Err; input.Err != nil {
			continue
		}
		x, err := openIndexed(ctx, input.Name, opts, how, nil)
		if faults[i] = err; err != nil {
			continue
		}
		if files[i], counts[i] = x, x.Len(); i >= mostOpen {
			if how.Index == "" && !HasIndex(input.Name) {
				indexes[i] = x.Index()
			}
			files[i] = nil
			x.Close()
		}
	}
	warnModTime(how.Warn, how.modified)
	chosen, err := how.Choose(counts)
	if err != nil {
		return err
	}
	for i, input := range in {
		f := &File{Name: input.Name, Opened: faults[i] == nil, Count: counts[i]}
		if err := v.Begin(f); err != nil {
			return stopped(err)
		}
		err := faults[i]
		if err == nil {
			if err := walkRanges(ctx, f, files[i], indexes[i], chosen[i], opts, how, v); err != nil {
				return stopped(err)
			}
		} else if err := v.Skipped(FaultOf(input.Name, err, nil)); err != nil {
			return stopped(err)
		}
		if err := v.End(f); err != nil {
			return stopped(err)
		}
	}
	return nil
}

// stopped is the error of a scan that a Visitor ended.
func stopped(err error) error {
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// mostOpen is how many files stay open between the look at their indexes and the reading of their records.
const mostOpen = 64

// walkRanges calls v for the records of one file, which is opened again if x is nil.
func walkRanges(ctx context.Context, f *File, x *tfrecord.IndexedFile, index *tfrecord.Index, ranges []Range, opts *Options, how *IndexedOptions, v Visitor) (err error) {
	if len(ranges) == 0 {
		return nil
	}
	if x == nil {
		if x, err = openIndexed(ctx, f.Name, opts, how, index); err != nil {
			return v.Skipped(FaultOf(f.Name, err, nil))
		}
		defer x.Close()
	}
	index = x.Index()
	f.Codec = index.Compression()
	var b []byte
	for _, r := range ranges {
		if r.First >= r.End {
			continue
		}
		if err := index.Load(r.First, r.End); err != nil {
			return v.Skipped(FaultOf(f.Name, err, nil))
		}
		first, _ := index.Entry(r.First)
		last, size := index.Entry(r.End - 1)
		opts.Progress.More(last + size - first)
		for i := r.First; i < r.End; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			off, size := index.Entry(i)
			opts.Progress.Bytes(int(size))
			opts.Progress.Records(1)
			if b, err = x.AppendAt(b[:0], i); err == nil {
				err = v.Record(b[:len(b):len(b)], x.Pos(i))
			} else {
				err = v.Skipped(FaultOf(f.Name, err, &tfrecord.SkippedRange{Begin: off, End: off + size, Records: 1}))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// openIndexed opens a file by its index: one that is given, that of how, that beside it, or one that is made.
func openIndexed(ctx context.Context, name string, opts *Options, how *IndexedOptions, index *tfrecord.Index) (*tfrecord.IndexedFile, error) {
	var err error
	switch {
	case index != nil:
	case how.Index != "":
		index, err = ReadIndexFile(how.Index)
		opts.Progress.More(-sizeOf(name))
	case !HasIndex(name):
		index, err = BuildIndex(ctx, name, opts)
	default:
		opts.Progress.More(-sizeOf(name))
	}
	if err != nil {
		return nil, err
	}
	x, err := tfrecord.OpenIndexedFile(name, &tfrecord.IndexedOptions{
		Index: index, Partial: true, Compression: opts.Reader.Compression, MaxRecordSize: opts.Reader.MaxRecordSize,
		OnModTime: func(error) {
			if !slices.Contains(how.modified, name) {
				how.modified = append(how.modified, name)
			}
		}})
	switch {
	case errors.Is(err, tfrecord.ErrIndex) && how.Index == "":
		// The Fault says the name already.
		return nil, fmt.Errorf("%s; tfparse index %s makes it again", strings.TrimPrefix(err.Error(), name+": "), name)
	case errors.Is(err, tfrecord.ErrIndex):
		return nil, fmt.Errorf("%s: %s", how.Index, strings.TrimPrefix(err.Error(), name+": "))
	}
	return x, err
}

// sizeOf returns the size of a regular file, else 0.
func sizeOf(name string) int64 {
	size, _ := Input{Name: name}.size()
	return size
}

// HasIndex reports whether there is an index beside a file.
func HasIndex(name string) bool {
	_, err := storage.Stat(name + tfrecord.IndexExtension)
	return err == nil
}

// BuildIndex makes the index of a regular file, and shows the progress.
func BuildIndex(ctx context.Context, name string, opts *Options) (*tfrecord.Index, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p := &progressAt{f, ctx, opts.Progress, info.Size(), 0}
	x, err := tfrecord.BuildIndex(p, info.Size(), &tfrecord.IndexOptions{
		Name: name, Compression: opts.Reader.Compression, MaxRecordSize: opts.Reader.MaxRecordSize, ModTime: info.ModTime()})
	if err == nil {
		opts.Progress.Bytes(int(p.size - p.at))
	}
	return x, err
}

// A progressAt shows how far in a file the reading is. What is skipped counts as read. The end is not
// counted: its checksum is computed first.
type progressAt struct {
	io.ReaderAt
	ctx      context.Context
	progress *console.Progress
	size, at int64
}

func (p *progressAt) ReadAt(b []byte, off int64) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.ReaderAt.ReadAt(b, off)
	if end := off + int64(n); end > p.at && end < p.size {
		p.progress.Bytes(int(end - p.at))
		p.at = end
	}
	return n, err
}

// ReadIndexFile reads an index in either form. An error names the file. Of one that is no index, which may be
// the data, only the beginning is read.
func ReadIndexFile(name string) (*tfrecord.Index, error) {
	f, err := storage.Open(name)
	var x *tfrecord.Index
	if err == nil {
		defer f.Close()
		r := bufio.NewReader(f)
		if b, _ := r.Peek(1); len(b) == 0 || b[0] >= '0' && b[0] <= '9' {
			x, err = tfrecord.ReadTextIndex(r)
		} else {
			x, err = tfrecord.ReadIndex(r)
		}
	}
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // a Fault has the name of the data in its place
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}
