package tfrecord

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
)

// IndexedOptions are the settings of [OpenIndexed]. A nil *IndexedOptions and every
// zero field mean the default.
type IndexedOptions struct {
	Name          string      // of the data, for the positions in errors
	Compression   Compression // zero: find out from the first bytes; with an Index, what that says
	MaxRecordSize int64       // limit on a payload; zero: the constant of that name
	Index         *Index      // of the data; nil: read them once and make it
	ModTime       time.Time   // when the data were last modified, to compare with Index; zero: unknown
	// Partial is for some records of many: OpenIndexedFile reads of a large index of uncompressed data only what they need.
	// Its entries are there after [Index.Load].
	Partial bool
	// OnModTime, if not nil, accepts an Index of data that were last modified at another time, as copies
	// are. Their size and ends must be those that the index was made for, and records at up to 64
	// places, or checkpoints, must be where the index has them. It is called with the error that
	// there would be. A change elsewhere that keeps the size is not found then: the ordinals of
	// records may be wrong, but each record is a record of the data, and its checksums are compared.
	OnModTime func(error)
}

// An Indexed is a stream whose records can be read in any order. It is safe for
// concurrent use, as far as the [io.ReaderAt] is that it reads.
//
// Where nothing is compressed, a record costs one read of its size. In
// compressed data it costs decoding from the checkpoint before it: in snappy a block, in
// gzip and zlib about 1 MiB, in zstd a frame, which may be all of the stream. Records that are read in order are
// decoded once.
type Indexed struct {
	r     io.ReaderAt
	size  int64
	name  string
	limit int64
	index *Index
	idle  cursors
	again bool        // a fault may be one of the network: what is wrong is read once more
	files []io.Closer // what OpenIndexedFile opened: the data, and an index that is read in parts
}

// OpenIndexed returns the records of size bytes of data in r for access in any order.
//
// With an index in the options the data are compared with it, and one that does
// not fit is an error that wraps [ErrIndex]. Without one the data are read
// once, as [BuildIndex] does. The data must not change while they are in use; what is
// read is checked, so a change gives errors, and never other records.
func OpenIndexed(r io.ReaderAt, size int64, opts *IndexedOptions) (*Indexed, error) {
	var o IndexedOptions
	if opts != nil {
		o = *opts
	}
	x := &Indexed{r: r, size: size, name: o.Name, limit: MaxRecordSize, index: o.Index, again: storage.Remote(o.Name)}
	if o.MaxRecordSize > 0 {
		x.limit = o.MaxRecordSize
	}
	x.limit = min(x.limit, math.MaxInt-HeaderSize-FooterSize)
	var err error
	switch {
	case o.Index == nil:
		x.index, err = BuildIndex(r, size, &IndexOptions{Name: o.Name, Compression: o.Compression, MaxRecordSize: o.MaxRecordSize, ModTime: o.ModTime})
		if err != nil {
			return nil, err
		}
	case o.Compression != Auto && o.Compression != o.Index.comp:
		err = indexFault("it was made for %v, and not for %v", o.Index.comp, o.Compression)
	default:
		err = o.Index.check(r, size, o.ModTime)
		if o.OnModTime != nil && errors.Is(err, ErrModTime) {
			other := named(o.Name, err)
			if err = x.spotCheck(); err == nil {
				o.OnModTime(other)
			}
		}
	}
	if err != nil {
		return nil, named(o.Name, err)
	}
	return x, nil
}

// spotCheck returns an error unless the headers of some records, spread over the data, are where the index
// has them. In compressed data they are those behind checkpoints, so that little is decoded.
func (x *Indexed) spotCheck() error {
	const places = 64
	n := x.index.count
	if x.index.comp != None {
		n = int64(len(x.index.points))
	}
	for k := range min(n, places) {
		i := k * max(n-1, 0) / max(min(n, places)-1, 1)
		if x.index.comp != None {
			at := x.index.points[i].plain
			if i = x.index.Find(at); i < x.index.count {
				if off, _ := x.index.Entry(i); off < at {
					i++
				}
			}
			if i == x.index.count {
				continue
			}
		}
		if err := x.index.Load(i, i+1); err != nil {
			return err
		}
		off, size := x.index.Entry(i)
		e := &Error{Position: Position{Name: x.name, Record: i, Offset: off}}
		var h [HeaderSize]byte
		if _, err := x.read(h[:], off, e); err != nil {
			return indexFault("the data were modified, and record %d is not at %#x: %v", i, off, err)
		}
		if got := binary.LittleEndian.Uint64(h[:]); binary.LittleEndian.Uint32(h[8:]) != lengthCRC(got) || got != uint64(size-HeaderSize-FooterSize) {
			return indexFault("the data were modified, and record %d of %d bytes is not at %#x", i, size, off)
		}
	}
	return nil
}

// named puts the name of the data or of the index in front of an error about all of it.
func named(name string, err error) error {
	if name == "" {
		return fmt.Errorf("tfrecord: %w", err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Index returns the index, which can be written for the next time.
func (x *Indexed) Index() *Index { return x.index }

// Len returns the number of records.
func (x *Indexed) Len() int64 { return x.index.count }

// Pos returns the position of record i, as errors have it. It panics if there is no record i.
func (x *Indexed) Pos(i int64) Position {
	off, _ := x.index.Entry(i)
	return Position{Name: x.name, Record: i, Offset: off}
}

// AppendAt appends record i to dst and returns the extended slice, which belongs to
// the caller. It panics if there is no record i.
//
// Both checksums of the record are compared, whatever the index says. An error is
// an [*Error], or of reading a part of the index; dst is then returned as it was. It wraps [ErrIndex] where a sound
// record of another size is.
func (x *Indexed) AppendAt(dst []byte, i int64) ([]byte, error) {
	b, err := x.appendAt(dst, i)
	if e, ok := errors.AsType[*Error](err); ok && e.Class != 0 && x.again {
		b, err = x.appendAt(dst, i)
	}
	return b, err
}

func (x *Indexed) appendAt(dst []byte, i int64) ([]byte, error) {
	if err := x.index.Load(i, i+1); err != nil {
		return dst, err
	}
	off, size := x.index.Entry(i)
	e := &Error{Position: Position{Name: x.name, Record: i, Offset: off}, Compressed: -1}
	fail := func(class Class, err error) ([]byte, error) {
		e.Class, e.Err = class, err
		return dst, e
	}
	want := size - HeaderSize - FooterSize
	if want > x.limit {
		return fail(TooLong, tooLongFault(uint64(want), x.limit))
	}
	at := len(dst)
	b := dst
	// Where nothing is compressed the size was compared with that of the data. Otherwise
	// memory grows with what has arrived.
	for have := int64(0); have < size; have = int64(len(b) - at) {
		step := size - have
		if x.index.comp != None {
			step = min(step, max(have, 64<<10))
		}
		b = slices.Grow(b, int(step))
		n, err := x.read(b[len(b):len(b)+int(step)], off+have, e)
		b = b[:len(b)+n]
		if err != nil {
			if err == io.EOF {
				if have += int64(n); have < HeaderSize {
					return fail(Truncated, truncatedHeader(int(have)))
				}
				return fail(Truncated, truncatedRecord(have-HeaderSize, want+FooterSize))
			}
			e.Err = err
			return dst, e
		}
		if have == 0 { // the header first: it says whether the size is to be believed
			h := b[at:]
			n := binary.LittleEndian.Uint64(h)
			if !soundHeader(h) {
				return fail(LengthCRC, lengthFault(h))
			}
			if n != uint64(want) {
				return fail(0, indexFault("the record has %d bytes, and the index states %d", n, want))
			}
		}
	}
	p := b[at+HeaderSize : len(b)-FooterSize]
	if stored, computed := binary.LittleEndian.Uint32(b[len(b)-FooterSize:]), maskedCRC(p); stored != computed {
		return fail(PayloadCRC, checksumFault(ErrDataChecksum, stored, computed))
	}
	n := copy(b[at:], p)
	return b[:at+n], nil
}

// read fills p with the uncompressed stream from off on. io.EOF says that the stream ends before p is full;
// of other errors the class is set in e.
func (x *Indexed) read(p []byte, off int64, e *Error) (int, error) {
	if x.index.comp == None {
		return readAt(x.r, p, off)
	}
	return x.decode(p, off, e)
}

// OpenIndexedFile opens a file of records for access in any order. Unless opts has an
// index, that is read from the file with the name of the data and [IndexExtension], if there is one, and made
// by reading the data if there is none. An index that does not fit is an error that
// wraps [ErrIndex].
func OpenIndexedFile(name string, opts *IndexedOptions) (*Indexed, error) {
	var o IndexedOptions
	if opts != nil {
		o = *opts
	}
	f, err := storage.Open(name)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = name
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = named(o.Name, errors.New("not a regular file, which access in any order needs"))
	}
	var parted storage.File
	if err == nil && o.Index == nil {
		o.Index, parted, err = readIndexFile(name+IndexExtension, o.Partial)
	}
	var x *Indexed
	if err == nil {
		if !storage.Remote(name) { // there it is the time of the upload, which is another for a copy
			o.ModTime = fi.ModTime()
		}
		x, err = OpenIndexed(f, fi.Size(), &o)
	}
	if err != nil {
		f.Close()
		if parted != nil {
			parted.Close()
		}
		return nil, err
	}
	x.files = append(x.files, f)
	if parted != nil {
		x.files = append(x.files, parted)
	}
	return x, nil
}

// readIndexFile reads the index of that name, nil if there is none. One that is read in parts stays open.
func readIndexFile(name string, partial bool) (x *Index, parted storage.File, err error) {
	f, err := storage.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	if partial {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && info.Mode().IsRegular() {
			x, err = readIndexParts(f, info.Size(), name)
		}
		if x != nil {
			return x, f, nil
		}
	}
	defer f.Close()
	if err == nil {
		x, err = ReadIndex(f)
	}
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok { // it would be taken for one about the data
			err = pe.Err
		}
		return nil, nil, named(name, err)
	}
	return x, nil, nil
}

// Close closes the files of [OpenIndexedFile]. After [OpenIndexed] it does nothing: there the data are the caller's.
func (x *Indexed) Close() error {
	var err error
	for _, f := range x.files {
		err = errors.Join(err, f.Close())
	}
	return err
}
