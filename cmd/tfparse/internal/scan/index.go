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

// An indexedReader reads selected records of regular files by index. An input that cannot be opened or indexed is a
// fault and has no records.
type indexedReader struct {
	*readSettings
	ctx  context.Context      // cancels the reading
	in   []Input              // the inputs, read in this order
	name string               // file with the index of the only input; "": the file beside the input, or an index made here
	warn func(message string) // prints a warning about modification times
	// choose returns the ranges to read of each input. counts are the numbers of records.
	choose func(counts []int64) ([][]Range, error)

	modified []string                     // inputs whose modification time differs from the index
	pull     func() (*event, error, bool) // next value of yieldEvents
	stop     func()                       // ends yieldEvents
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

// warnModTime prints one warning about all files whose modification time differs from the index.
func warnModTime(warn func(message string), modified []string) {
	if len(modified) == 0 {
		return
	}
	name, others := modified[0], ""
	if n := len(modified) - 1; n > 0 {
		others = fmt.Sprintf(" (and %d more)", n)
	}
	warn(fmt.Sprintf("%s%s: the modification time differs from the index; tfparse index rebuilds it", name, others))
}

// maxOpenFiles is the number of files that stay open between the reading of their indexes and of their records.
const maxOpenFiles = 64

// yieldEvents calls yield for the events of the inputs. It stops after an error.
func (x *indexedReader) yieldEvents(yield func(*event, error) bool) {
	counts := make([]int64, len(x.in))
	files := make([]*tfrecord.Indexed, len(x.in)) // files that stay open
	indexes := make([]*tfrecord.Index, len(x.in)) // indexes made here for files that are closed
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
		if files[i], counts[i] = f, f.Len(); i >= maxOpenFiles {
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
			if !x.yieldRanges(f, files[i], indexes[i], chosen[i], yield) {
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

// fault yields a fault of a file.
func (x *indexedReader) fault(f *File, err error, skipped *tfrecord.SkippedRange, yield func(*event, error) bool) bool {
	return yield(&event{kind: evFault, file: f, fault: FaultOf(f.Name, err, skipped)}, nil)
}

// yieldRanges yields the records of a file in ranges. It opens the file again if at is nil.
func (x *indexedReader) yieldRanges(f *File, at *tfrecord.Indexed, index *tfrecord.Index, ranges []Range, yield func(*event, error) bool) bool {
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

// open opens a file with index; if index is nil, with the index of --index, the one beside the file, or a new one.
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
		// The Fault has the name.
		return nil, fmt.Errorf("%s; tfparse index %s rebuilds it", strings.TrimPrefix(err.Error(), name+": "), name)
	case errors.Is(err, tfrecord.ErrIndex):
		return nil, fmt.Errorf("%s: %s", x.name, strings.TrimPrefix(err.Error(), name+": "))
	}
	return f, err
}

// sizeOf returns the size of a regular file; 0 for other files.
func sizeOf(name string) int64 {
	size, _ := Input{Name: name}.size()
	return size
}

// HasIndex reports whether a file has an index beside it.
func HasIndex(name string) bool {
	_, err := storage.Stat(name + tfrecord.IndexExtension)
	return err == nil
}

// BuildIndex builds the index of a regular file, and shows progress.
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

// A progressAt is a file that shows the progress of reading. Skipped bytes count as read. The last bytes are not
// counted, since the checksum of the end is computed first.
type progressAt struct {
	io.ReaderAt
	ctx      context.Context
	progress *console.Progress
	size, at int64 // size of the file, and end of the bytes read so far
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

// ReadIndexFile reads an index in either format. Errors name the file. Of another file, which may be the data, it reads
// only the beginning.
func ReadIndexFile(name string) (*tfrecord.Index, error) {
	f, err := storage.Open(name)
	var x *tfrecord.Index
	if err == nil {
		defer f.Close()
		x, err = tfrecord.ReadIndex(f)
	}
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // the name in a Fault is that of the data
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}
