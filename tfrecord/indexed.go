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

// IndexedOptions are the settings of [OpenIndexed]. A nil *IndexedOptions and zero fields select
// the defaults.
type IndexedOptions struct {
	Name          string      // name of the data, for the positions in errors
	Compression   Compression // zero: the codec of Index; without Index: detect the codec
	MaxRecordSize int64       // limit on the size of a payload; zero: [MaxRecordSize]
	Index         *Index      // index of the data; nil: build it, which reads the data once
	ModTime       time.Time   // when the data were last modified, to compare with Index; zero: unknown
	// Partial makes OpenIndexedFile read only the needed parts of a large index of uncompressed data,
	// for programs that read a few records. Entries are available after [Index.Load].
	Partial bool
	// OnModTime, if not nil, accepts an Index of data that were last modified at another time, such as copies. The
	// size and both ends of the data must match, and records at up to 64 places, or after checkpoints, must be
	// where the index has them. It is called with the error that would be returned without it. A change elsewhere
	// that keeps the size is not detected: the ordinals of records may be wrong then, and each record is still a
	// record of the data whose checksums match.
	OnModTime func(error)
}

// An Indexed is a stream whose records can be read in any order. It is safe for concurrent use if
// its [io.ReaderAt] is.
//
// In uncompressed data a record costs one read of its size. In compressed data it costs decoding
// from the checkpoint before it: a block in snappy, about 1 MiB in gzip and zlib, a frame in zstd,
// which may be the whole stream. Records that are read in order are decoded once.
type Indexed struct {
	data         io.ReaderAt // the file, compressed or not
	size         int64       // size of data in bytes
	name         string      // for positions
	maxPayload   int64       // limit on the size of a payload
	index        *Index      // offsets and sizes of the records; it fits data
	decoders     decoderPool // idle decoders, for compressed data
	rereadFaults bool        // data come over a network, which may damage them: read again before a fault is reported
	closers      []io.Closer // what OpenIndexedFile opened: the data, and a partial index
}

// OpenIndexed opens size bytes of data in r for reading records in any order.
//
// An index in the options is compared with the data; if it does not fit, the error wraps
// [ErrIndex]. Without an index the data are read once, as [BuildIndex] does. The data must not change
// while they are in use. All records are verified by their checksums, so a change leads to errors
// and never to wrong records.
func OpenIndexed(r io.ReaderAt, size int64, opts *IndexedOptions) (*Indexed, error) {
	var o IndexedOptions
	if opts != nil {
		o = *opts
	}
	x := &Indexed{data: r, size: size, name: o.Name, maxPayload: MaxRecordSize, index: o.Index, rereadFaults: storage.Remote(o.Name)}
	if o.MaxRecordSize > 0 {
		x.maxPayload = o.MaxRecordSize
	}
	x.maxPayload = min(x.maxPayload, math.MaxInt-HeaderSize-FooterSize)
	var err error
	switch {
	case o.Index == nil:
		x.index, err = BuildIndex(r, size, &IndexOptions{Name: o.Name, Compression: o.Compression, MaxRecordSize: o.MaxRecordSize, ModTime: o.ModTime})
		if err != nil {
			return nil, err
		}
	case o.Compression != Auto && o.Compression != o.Index.codec:
		err = outdatedIndex("it was made for codec %v, want %v", o.Index.codec, o.Compression)
	default:
		err = o.Index.checkData(r, size, o.ModTime)
		if o.OnModTime != nil && errors.Is(err, ErrModTime) {
			other := nameError(o.Name, err)
			if err = x.spotCheck(); err == nil {
				o.OnModTime(other)
			}
		}
	}
	if err != nil {
		return nil, nameError(o.Name, err)
	}
	return x, nil
}

// spotCheck returns an error unless the headers of some records, spread over the data, are where
// the index has them. In compressed data it takes the records after checkpoints, so that it decodes
// little.
func (x *Indexed) spotCheck() error {
	const places = 64
	n := x.index.count
	if x.index.codec != None {
		n = int64(len(x.index.checkpoints))
	}
	for k := range min(n, places) {
		i := k * max(n-1, 0) / max(min(n, places)-1, 1)
		if x.index.codec != None {
			at := x.index.checkpoints[i].offset
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
		if _, err := x.readStream(h[:], off, e); err != nil {
			return outdatedIndex("data modified: record %d is not at %#x: %v", i, off, err)
		}
		if got := binary.LittleEndian.Uint64(h[:]); binary.LittleEndian.Uint32(h[8:]) != lengthCRC(got) || got != uint64(size-HeaderSize-FooterSize) {
			return outdatedIndex("data modified: record %d of %d bytes is not at %#x", i, size, off)
		}
	}
	return nil
}

// nameError puts the name of the data or of the index in front of an error without a position.
func nameError(name string, err error) error {
	if name == "" {
		return fmt.Errorf("tfrecord: %w", err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Index returns the index, which can be written to a file.
func (x *Indexed) Index() *Index { return x.index }

// Len returns the number of records.
func (x *Indexed) Len() int64 { return x.index.count }

// Pos returns the position of record i, as errors have it. It panics if there is no record i.
func (x *Indexed) Pos(i int64) Position {
	off, _ := x.index.Entry(i)
	return Position{Name: x.name, Record: i, Offset: off}
}

// AppendAt appends record i to dst and returns the extended slice, which belongs to the caller. It
// panics if there is no record i.
//
// Both checksums of the record are compared. An error is an [*Error], or an error of reading a
// partial index; dst is then returned unchanged. It wraps [ErrIndex] if there is a valid record of
// another size.
func (x *Indexed) AppendAt(dst []byte, i int64) ([]byte, error) {
	b, err := x.appendAt(dst, i)
	if e, ok := errors.AsType[*Error](err); ok && e.Class != 0 && x.rereadFaults {
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
	if want > x.maxPayload {
		return fail(TooLong, tooLongError(uint64(want), x.maxPayload))
	}
	at := len(dst)
	b := dst
	// In uncompressed data the sizes in the index fit the size of the data. In compressed data memory grows with
	// the bytes that have arrived.
	for have := int64(0); have < size; have = int64(len(b) - at) {
		step := size - have
		if x.index.codec != None {
			step = min(step, max(have, 64<<10))
		}
		b = slices.Grow(b, int(step))
		n, err := x.readStream(b[len(b):len(b)+int(step)], off+have, e)
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
		if have == 0 { // the header comes first: it confirms or refutes the size
			h := b[at:]
			n := binary.LittleEndian.Uint64(h)
			if !validHeader(h) {
				return fail(LengthCRC, lengthError(h))
			}
			if n != uint64(want) {
				return fail(0, outdatedIndex("the record has %d bytes, want %d", n, want))
			}
		}
	}
	p := b[at+HeaderSize : len(b)-FooterSize]
	if stored, computed := binary.LittleEndian.Uint32(b[len(b)-FooterSize:]), maskedCRC(p); stored != computed {
		return fail(PayloadCRC, checksumError(ErrDataChecksum, stored, computed))
	}
	n := copy(b[at:], p)
	return b[:at+n], nil
}

// readStream fills p from offset off of the uncompressed stream. io.EOF means that the stream ends
// before p is full; for other errors it sets the class in e.
func (x *Indexed) readStream(p []byte, off int64, e *Error) (int, error) {
	if x.index.codec == None {
		return readAt(x.data, p, off)
	}
	return x.readCompressed(p, off, e)
}

// OpenIndexedFile opens a file for reading records in any order. Unless opts has an index, it uses
// the index file beside the data, whose name ends in [IndexExtension], or builds an index if there
// is none. An index that does not fit is an error that wraps [ErrIndex].
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
		err = nameError(o.Name, errors.New("not a regular file"))
	}
	var parted storage.File
	if err == nil && o.Index == nil {
		o.Index, parted, err = readIndexFile(name+IndexExtension, o.Partial)
	}
	var x *Indexed
	if err == nil {
		if !storage.Remote(name) { // in a store it is the time of the upload, which differs for a copy
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
	x.closers = append(x.closers, f)
	if parted != nil {
		x.closers = append(x.closers, parted)
	}
	return x, nil
}

// readIndexFile reads the index file called name. It returns nil if there is none. parted is the
// open file if the index is partial.
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
			x, err = openPartialIndex(f, info.Size(), name)
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
		if pe, ok := errors.AsType[*fs.PathError](err); ok { // nameError adds the name
			err = pe.Err
		}
		return nil, nil, nameError(name, err)
	}
	return x, nil, nil
}

// Close closes the files of [OpenIndexedFile]. After [OpenIndexed] it does nothing: the data belong
// to the caller.
func (x *Indexed) Close() error {
	var err error
	for _, f := range x.closers {
		err = errors.Join(err, f.Close())
	}
	return err
}
