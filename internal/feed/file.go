package feed

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Skipped is a skipped range of a file, or a file that could not be opened.
type Skipped struct {
	Position       // position of the first skipped record; Record is -1 if the file could not be opened
	End      int64 // end of the range; -1 if the rest of the file is lost
	Records  int64 // number of skipped records; -1 if unknown
	Err      error // a *tfrecord.Error, or the error of Config.Open
}

// chunk has consecutive records of one buffer, and the events before and after them.
type chunk struct {
	items   []Item     // in the order of the file
	buf     *Buffer    // the chunk is one user of it; nil without items
	begin   *FileBegin // event before the items; may be nil
	skipped *Skipped   // event after the items; may be nil
	end     *FileEnd   // event after all other events; may be nil
	err     error      // set in the last chunk of a file: io.EOF, or the error that ends the stream
}

// chunkPool holds free chunks.
var chunkPool = sync.Pool{New: func() any { return new(chunk) }}

// free gives back a chunk whose records were taken.
func (c *chunk) free() {
	if c.buf != nil {
		c.buf.release()
	}
	clear(c.items)
	*c = chunk{items: c.items[:0]}
	chunkPool.Put(c)
}

// errStopped ends reading when no more records are wanted.
var errStopped = errors.New("feed: stopped")

// fileReader reads one file after another into chunks. A file goes through these states:
//
//	opening      Config.Open fails     report the file as skipped, or end the stream
//	             it succeeds           reading: readStrict, readRecovering or readFormat
//	reading      a record              addRecord
//	             the buffer is full    nextBuffer: hand over the chunk, reserve budget
//	             before a read         hand over the chunk, because the read may take long
//	             a fault of a remote file, once per record
//	                                   rereading: open again, skip the records already read, continue
//	             a fault               addSkipped, or end the stream
//	             the end of the file   hand over the last chunk with FileEnd
//	stopped      handOver is nil: the receiver wants no more
//
// The receiver of the chunks is a coroutine or a goroutine of a chunkSource.
type fileReader struct {
	stream   *Stream             // its settings, budget and buffers
	reader   *tfrecord.Reader    // reused for every file
	buf      *Buffer             // buffer that is read into; the fileReader is one user
	prevBuf  *Buffer             // previous buffer, while the beginning of a record is copied from it
	bufSize  int                 // minimum size of the next buffer
	pending  *chunk              // chunk that is being filled; may be nil
	handOver func(*chunk) bool   // receives chunks; returns false if no more are wanted; nil after that
	reserve  func(n int64) error // charges n bytes to the budget, perhaps after waiting

	fileEnd    FileEnd                        // counts of the current file
	codecNoted bool                           // fileEnd has the codec
	start      startPoint                     // where reading begins in the current file
	reread     bool                           // the file is read again after a fault, and the faulty record is not read yet
	choose     func(record int64) Choice      // decides about records; nil: all following records are read
	reported   struct{ records, bytes int64 } // counts of the current file that Config.Progress has received
	seekFile   *os.File                       // the current file, if the Reader seeks in it without a source
}

func (s *Stream) newFileReader() *fileReader {
	f := &fileReader{stream: s}
	opts := s.cfg.Reader
	if opts.BufferSize == 0 {
		// A buffer holds one read, and a record that the previous read cut off.
		opts.BufferSize = min(defaultRead, s.cfg.BufferSize/5*4)
	}
	f.reader = tfrecord.NewReader(nil, &opts)
	recordhooks.SetMemory(f.reader, f.nextBuffer)
	return f
}

// readFile reads one file into chunks, the last of which has an error. It returns early if yield returns false.
func (f *fileReader) readFile(ctx context.Context, file int, begin startPoint, reserve func(int64) error, yield func(*chunk) bool) {
	f.reserve, f.handOver = reserve, yield
	f.fileEnd, f.codecNoted, f.seekFile, f.reread = FileEnd{File: file}, false, nil, false
	f.start, f.choose = begin, f.stream.chooserFor(file, begin)
	f.reported.records, f.reported.bytes = 0, 0
	err := f.openAndRead(ctx, file)
	for err == errReread {
		if err = f.flush(); err == nil {
			f.releaseBuffer(&f.prevBuf)
			f.releaseBuffer(&f.buf)
			f.fileEnd = FileEnd{File: file, Stored: f.fileEnd.Stored}
			err = f.reopenAndRead(ctx, file)
		}
	}
	if err != io.EOF {
		f.fileEnd.Err = err
	}
	end := f.fileEnd
	c := f.pendingChunk()
	c.end, c.err = &end, err
	f.flush()
	f.releaseBuffer(&f.prevBuf)
	f.releaseBuffer(&f.buf)
	f.reserve, f.handOver, f.choose, f.start = nil, nil, nil, startPoint{}
}

// releaseBuffer releases *b, unless it is nil, and sets it to nil.
func (f *fileReader) releaseBuffer(b **Buffer) {
	if *b != nil {
		(*b).release()
		*b = nil
	}
}

// openAndRead opens a file and reads it.
func (f *fileReader) openAndRead(ctx context.Context, file int) error {
	c := &f.stream.cfg
	src, err := c.openFile(ctx, file, f)
	f.pendingChunk().begin = &FileBegin{File: file, Opened: err == nil}
	if err != nil {
		if c.Recover && ctx.Err() == nil {
			f.addSkipped(&Skipped{Position{File: file, Record: -1}, -1, -1, err})
			return io.EOF
		}
		return f.stream.fileError(file, err)
	}
	return f.readRecords(ctx, file, src)
}

// reopenAndRead opens a file once more and reads it without reporting its beginning.
func (f *fileReader) reopenAndRead(ctx context.Context, file int) error {
	src, err := f.stream.cfg.openFile(ctx, file, f)
	if err != nil {
		return f.stream.fileError(file, err)
	}
	return f.readRecords(ctx, file, src)
}

// readRecords reads an open file, and closes it.
func (f *fileReader) readRecords(ctx context.Context, file int, src *source) (err error) {
	c := &f.stream.cfg
	var formatReader RecordReader
	if c.Format != nil {
		formatReader = c.Format(c.Names[file], src)
	}
	switch {
	case formatReader != nil:
		err = f.readFormat(ctx, file, formatReader)
	case c.Recover:
		f.reader.Reset(src, c.Names[file])
		err = f.readRecovering(ctx, file)
	default:
		f.reader.Reset(src.directReader(f), c.Names[file])
		err = f.readStrict(ctx, file)
	}
	if err == errReread {
		src.close()
		return err
	}
	if !f.codecNoted && formatReader == nil {
		f.noteCodec(err)
	}
	if e := src.close(); e != nil && err == io.EOF {
		err = f.stream.fileError(file, e)
	}
	return err
}

// readStrict reads up to the first fault.
func (f *fileReader) readStrict(ctx context.Context, file int) error {
	for {
		choice := ReadRest
		if f.choose != nil && recordhooks.HasNext(f.reader) {
			if f.handOver == nil {
				return errStopped
			}
			choice = f.chooseRecord(f.fileEnd.Records)
		}
		switch choice {
		case LeaveFile:
			return io.EOF
		case LeaveOut:
			if err := f.skipRecord(ctx); err != nil {
				return f.faultOrReread(file, choice, err)
			}
			continue
		}
		rec, err := f.reader.Next()
		f.releaseBuffer(&f.prevBuf)
		if err != nil {
			return f.faultOrReread(file, choice, err)
		}
		pos := f.reader.Pos()
		if err := f.addRecord(rec, Position{file, pos.Record, pos.Offset}); err != nil {
			return err
		}
		if choice == ReadRecord {
			f.flush() // the next choice may depend on this record
		}
		if f.handOver == nil {
			return errStopped
		}
	}
}

// noChoice means that Choose was not called for a record.
const noChoice Choice = -1

// errReread makes readFile read the file again.
var errReread = errors.New("feed: read again")

// startReread prepares a second reading of a remote file after a fault, because its bytes may have been damaged in
// transfer, and reports whether it did. The second reading skips the records before the fault. If the fault occurs
// again, this fault and later ones are damage of the file.
func (f *fileReader) startReread(file int, record int64, choice Choice, fault *tfrecord.Error) bool {
	if f.reread || fault.Class == 0 || !storage.Remote(f.stream.cfg.Names[file]) {
		return false
	}
	f.reread = true
	f.start.firstRecord, f.start.prevOffset = record, -1
	rest := f.choose
	f.choose = func(r int64) Choice {
		if r < record {
			return LeaveOut
		}
		f.choose = rest
		switch {
		case r == record && choice != noChoice:
			return choice
		case rest == nil:
			return ReadRest
		}
		return rest(r)
	}
	return true
}

// faultOrReread returns the error of the next record, or errReread.
func (f *fileReader) faultOrReread(file int, choice Choice, err error) error {
	if e, ok := errors.AsType[*tfrecord.Error](err); ok && f.startReread(file, f.fileEnd.Records, choice, e) {
		return errReread
	}
	return err
}

// chooseRecord returns the Choice about a record.
func (f *fileReader) chooseRecord(record int64) Choice {
	if f.choose == nil {
		return ReadRest
	}
	choice := f.choose(record)
	if choice == ReadRest {
		f.choose = nil
	}
	return choice
}

// skipRecord skips the next record. Every 1,024 records it reports progress and checks the context.
func (f *fileReader) skipRecord(ctx context.Context) error {
	if f.fileEnd.Records%1024 == 0 {
		if err := cmp.Or(f.flush(), ctx.Err()); err != nil {
			return err
		}
	}
	if err := f.reader.Skip(); err != nil {
		return err
	}
	f.fileEnd.Records++
	return f.start.checkOffset(f.reader.Pos().Record, f.reader.Pos().Offset)
}

// noteCodec records the codec at the end of the file or at its first fault. A file that is not a TFRecord has none.
func (f *fileReader) noteCodec(fault error) {
	f.fileEnd.Compression = f.reader.Compression()
	if e, ok := errors.AsType[*tfrecord.Error](fault); ok && e.Class == tfrecord.NotTFRecord {
		f.fileEnd.Compression = tfrecord.Auto
	}
}

// readRecovering reads up to the end of the file, and continues after faults.
func (f *fileReader) readRecovering(ctx context.Context, file int) error {
	for found := range f.reader.Recover() {
		f.releaseBuffer(&f.prevBuf)
		choice := ReadRest
		if found.Skipped == nil {
			choice = f.chooseRecord(found.Pos.Record)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case choice == LeaveFile:
			return io.EOF
		case choice == LeaveOut:
			f.fileEnd.Records++
			if err := f.start.checkOffset(found.Pos.Record, found.Pos.Offset); err != nil {
				return err
			}
		case found.Skipped != nil && found.Pos.Record < f.start.firstRecord: // the first reading reported it
		case found.Skipped != nil && f.startReread(file, found.Pos.Record, noChoice, found.Skipped.Err):
			return errReread
		case found.Skipped != nil:
			l := found.Skipped
			if !f.codecNoted || l.Err.Class == tfrecord.NotTFRecord {
				f.noteCodec(l.Err)
				f.codecNoted = true
			}
			f.addSkipped(&Skipped{Position{file, found.Pos.Record, l.Begin}, l.End, l.Records, l.Err})
		default:
			if err := f.addRecord(found.Record, Position{file, found.Pos.Record, found.Pos.Offset}); err != nil {
				return err
			}
			if choice == ReadRecord {
				f.flush()
			}
		}
		if f.handOver == nil {
			return errStopped
		}
	}
	return io.EOF
}

// nextBuffer is a [recordhooks.Memory]. It first hands over the pending records, because the budget may be free only
// after their receiver has released them.
func (f *fileReader) nextBuffer(n int) ([]byte, error) {
	if err := f.flush(); err != nil {
		return nil, err
	}
	f.releaseBuffer(&f.prevBuf)
	f.prevBuf, f.buf = f.buf, nil
	// If one record was larger than a buffer, others will be too. In larger buffers they are not moved from one
	// buffer to the next while they are read.
	if f.bufSize = max(f.bufSize, f.stream.cfg.BufferSize); n > f.bufSize && int64(n) <= f.stream.cfg.Budget/8 {
		f.bufSize = n
	}
	size := int64(max(n, f.bufSize))
	if err := f.reserve(size); err != nil {
		return nil, err
	}
	f.buf = f.stream.newBuffer(size)
	return f.buf.bytes, nil
}

// pendingChunk returns the chunk that is being filled.
func (f *fileReader) pendingChunk() *chunk {
	if f.pending == nil {
		f.pending = chunkPool.Get().(*chunk)
	}
	return f.pending
}

// addRecord adds a record unless Config.Filter rejects it. It returns an error of Filter, unless Config.Recover is
// set: then it skips the record.
func (f *fileReader) addRecord(rec []byte, at Position) error {
	if filter := f.stream.cfg.Filter; filter != nil && !f.start.reread {
		ok, err := filter(rec)
		if err != nil {
			err = &tfrecord.Error{Position: f.stream.namedPosition(at), Compressed: -1, Err: err}
			if !f.stream.cfg.Recover {
				return err
			}
			end := at.Offset + tfrecord.HeaderSize + int64(len(rec)) + tfrecord.FooterSize
			if f.stream.cfg.Format != nil {
				end = -1
			}
			f.addSkipped(&Skipped{at, end, 1, err})
		}
		if !ok || err != nil {
			f.fileEnd.Records++
			return nil
		}
	}
	if at.Record == f.start.firstRecord {
		f.reread = false // the faulty record was read again, without a fault
	}
	c := f.pendingChunk()
	if c.buf == nil {
		c.buf = f.buf
		c.buf.retain()
	}
	c.items = append(c.items, Item{rec, at, c.buf})
	f.fileEnd.Records++
	return nil
}

// addSkipped ends the chunk with a skipped range.
func (f *fileReader) addSkipped(s *Skipped) {
	f.pendingChunk().skipped = s
	f.flush()
}

// flush hands over the pending chunk. It is also called before every read from the file, so that the receiver gets
// the records of one read without waiting for the next.
func (f *fileReader) flush() error {
	f.showProgress()
	if c := f.pending; c != nil {
		f.pending = nil
		if f.handOver == nil {
			c.free()
		} else if !f.handOver(c) {
			f.handOver = nil // no more records are wanted
		}
	}
	if f.handOver == nil {
		return errStopped
	}
	return nil
}

// showProgress calls Config.Progress.
func (f *fileReader) showProgress() {
	show := f.stream.cfg.Progress
	if show == nil {
		return
	}
	bytes := f.fileEnd.Stored
	if f.seekFile != nil {
		if at, err := f.seekFile.Seek(0, io.SeekCurrent); err == nil {
			bytes = max(at, f.reported.bytes)
		}
	}
	if f.fileEnd.Records < f.reported.records {
		return // the file is read again
	}
	show(f.fileEnd.Records-f.reported.records, bytes-f.reported.bytes)
	f.reported.records, f.reported.bytes = f.fileEnd.Records, bytes
}
