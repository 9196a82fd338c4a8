package scan

import (
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

// An indexedReader reads chosen records of regular files, without those before them. An input that cannot be opened or indexed is a
// fault, and has no records.
type indexedReader struct {
	*readSettings
	ctx  context.Context
	in   []Input
	name string               // of the file of the index, in either form, where there is one input; "": the one beside it, if it is there
	warn func(message string) // is given a message about inputs that were modified at another time than their indexes say
	// choose returns for each input which records are read, given how many each has, in ranges counted from 0.
	choose func(counts []int64) ([][]Range, error)

	modified []string // inputs that warn is about
	pull     func() (*event, error, bool)
	stop     func()
}

// next implements [reader].
func (x *indexedReader) next() (*event, error) {
	ev, err, ok := x.pull()
	if !ok {
		return nil, io.EOF
	}
	return ev, err
}

// close implements [reader].
func (x *indexedReader) close() { x.stop() }

// warnModTime warns once of all files that were modified at another time than their indexes say.
func warnModTime(warn func(message string), modified []string) {
	if len(modified) == 0 {
		return
	}
	name, others := modified[0], ""
	if n := len(modified) - 1; n > 0 {
		others = fmt.Sprintf(" (and %d more)", n)
	}
	warn(fmt.Sprintf("%s%s: modified at another time than the index says, as a copy is; its size, its ends and some records fit, so the index is used; tfparse index makes it again", name, others))
}

// mostOpen is how many files stay open between the look at their indexes and the reading of their records.
const mostOpen = 64

// walk calls yield for the events of the inputs; after an error for none.
func (x *indexedReader) walk(yield func(*event, error) bool) {
	counts := make([]int64, len(x.in))
	files := make([]*tfrecord.Indexed, len(x.in)) // those that stay open
	indexes := make([]*tfrecord.Index, len(x.in)) // of those that are closed, where they were made here
	faults := make([]error, len(x.in))
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}()
	for i, input := range x.in {
		if err := x.ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		if faults[i] = input.Err; input.Err != nil {
			continue
		}
		f, err := x.open(input.Name, nil)
		if faults[i] = err; err != nil {
			continue
		}
		if files[i], counts[i] = f, f.Len(); i >= mostOpen {
			if x.name == "" && !HasIndex(input.Name) {
				indexes[i] = f.Index()
			}
			files[i] = nil
			f.Close()
		}
	}
	warnModTime(x.warn, x.modified)
	chosen, err := x.choose(counts)
	if err != nil {
		yield(nil, err)
		return
	}
	for i, input := range x.in {
		f := &File{Name: input.Name, Index: i, Opened: faults[i] == nil, Count: counts[i]}
		if !yield(&event{kind: evBegin, file: f}, nil) {
			return
		}
		err := faults[i]
		if err == nil {
			if !x.ranges(f, files[i], indexes[i], chosen[i], yield) {
				return
			}
		} else if !x.fault(f, err, nil, yield) {
			return
		}
		if !yield(&event{kind: evEnd, file: f}, nil) {
			return
		}
	}
}

// fault yields what is wrong with a file.
func (x *indexedReader) fault(f *File, err error, skipped *tfrecord.SkippedRange, yield func(*event, error) bool) bool {
	return yield(&event{kind: evFault, file: f, fault: FaultOf(f.Name, err, skipped)}, nil)
}

// ranges yields the records of one file, which is opened again if at is nil.
func (x *indexedReader) ranges(f *File, at *tfrecord.Indexed, index *tfrecord.Index, ranges []Range, yield func(*event, error) bool) bool {
	if len(ranges) == 0 {
		return true
	}
	if at == nil {
		var err error
		if at, err = x.open(f.Name, index); err != nil {
			return x.fault(f, err, nil, yield)
		}
		defer at.Close()
	}
	index = at.Index()
	f.Codec = index.Compression()
	ev := event{kind: evRecord}
	for _, r := range ranges {
		if r.First >= r.End {
			continue
		}
		if err := index.Load(r.First, r.End); err != nil {
			return x.fault(f, err, nil, yield)
		}
		first, _ := index.Entry(r.First)
		last, size := index.Entry(r.End - 1)
		x.progress.More(last + size - first)
		for i := r.First; i < r.End; i++ {
			if err := x.ctx.Err(); err != nil {
				yield(nil, err)
				return false
			}
			off, size := index.Entry(i)
			x.progress.Bytes(int(size))
			x.progress.Records(1)
			b, err := at.AppendAt(ev.rec[:0], i)
			if err != nil {
				if !x.fault(f, err, &tfrecord.SkippedRange{Begin: off, End: off + size, Records: 1}, yield) {
					return false
				}
				continue
			}
			ev.kind, ev.rec, ev.pos = evRecord, b[:len(b):len(b)], at.Pos(i)
			if !yield(&ev, nil) {
				return false
			}
		}
	}
	return true
}

// open opens a file by its index: one that is given, that of the flag, that beside it, or one that is made.
func (x *indexedReader) open(name string, index *tfrecord.Index) (*tfrecord.Indexed, error) {
	var err error
	switch {
	case index != nil:
	case x.name != "":
		index, err = ReadIndexFile(x.name)
		x.progress.More(-sizeOf(name))
	case !HasIndex(name):
		index, err = BuildIndex(x.ctx, name, &x.reader, x.progress)
	default:
		x.progress.More(-sizeOf(name))
	}
	if err != nil {
		return nil, err
	}
	f, err := tfrecord.OpenIndexedFile(name, &tfrecord.IndexedOptions{
		Index: index, Partial: true, Compression: x.reader.Compression, MaxRecordSize: x.reader.MaxRecordSize,
		OnModTime: func(error) {
			if !slices.Contains(x.modified, name) {
				x.modified = append(x.modified, name)
			}
		}})
	switch {
	case errors.Is(err, tfrecord.ErrIndex) && x.name == "":
		// The Fault says the name already.
		return nil, fmt.Errorf("%s; tfparse index %s makes it again", strings.TrimPrefix(err.Error(), name+": "), name)
	case errors.Is(err, tfrecord.ErrIndex):
		return nil, fmt.Errorf("%s: %s", x.name, strings.TrimPrefix(err.Error(), name+": "))
	}
	return f, err
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
func BuildIndex(ctx context.Context, name string, opts *tfrecord.ReaderOptions, p *console.Progress) (*tfrecord.Index, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	at := &progressAt{f, ctx, p, info.Size(), 0}
	x, err := tfrecord.BuildIndex(at, info.Size(), &tfrecord.IndexOptions{
		Name: name, Compression: opts.Compression, MaxRecordSize: opts.MaxRecordSize, ModTime: info.ModTime()})
	if err == nil {
		p.Bytes(int(at.size - at.at))
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
		x, err = tfrecord.ReadIndex(f)
	}
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // a Fault has the name of the data in its place
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}
