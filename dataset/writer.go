package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/internal/atomicfile"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/tfrecord"
)

// CreateOptions are the settings of a [Writer]. A nil *CreateOptions and zero fields select the
// defaults.
type CreateOptions struct {
	Writer  tfrecord.WriterOptions // options of the writer of each shard
	Workers int                    // number of goroutines that compress and write; 0 means GOMAXPROCS
}

// A Writer writes records to the shards of a set, which appear under their names together when all
// shards are complete. The number of workers does not change the bytes of a shard.
//
// It belongs to one goroutine.
type Writer struct {
	ctx         context.Context              // ends the writing
	names       []string                     // names of the shards
	files       *atomicfile.Set              // the files, which are renamed together
	shards      []*outputShard               // the shards, by index
	nextShard   int                          // index of the shard for the next WriteRecord
	queues      []chan *shardChunk           // queue of each worker; nil: WriteShard writes records itself
	freeChunks  chan *shardChunk             // chunks that were written and can be filled again
	workersDone sync.WaitGroup               // waits for the workers
	firstErr    atomic.Pointer[fs.PathError] // the first error of writing
	closed      bool                         // Close or Abort was called
}

// outputShard is one file. Only one goroutine writes it.
type outputShard struct {
	name    string
	writer  *tfrecord.Writer // frames and compresses
	pending *shardChunk      // chunk that is being filled; nil: none
}

// shardChunk has records of one shard, for a worker.
type shardChunk struct {
	shard *outputShard // shard of the records
	data  []byte       // the records, one after the other
	ends  []int        // offset in data of the end of each record
}

// Sizes of buffers in bytes, and the length of a queue.
const (
	chunkSize    = 128 << 10 // maximum size of a chunk that does not end with a larger record
	totalBuffers = 32 << 20  // aim for the buffers of all shards together
	minBuffer    = 16 << 10  // minimum for one shard
	queuedChunks = 4         // capacity of the queue of a worker, in chunks
)

var errWriterClosed = errors.New("dataset: Writer is closed")

// Create returns a Writer for a set of shards. The name "train@16" is for train-00000-of-00016 to
// train-00015-of-00016, "train@16.gz" for names that end in .gz, and a name without @ for a single
// file. No file appears under these names before Close. After ctx is cancelled, the next method
// call fails, and Close removes the files.
func Create(ctx context.Context, name string, opts *CreateOptions) (*Writer, error) {
	names, err := filelist.ShardNames(name)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return CreateNamed(ctx, names, opts)
}

// CreateNamed is [Create] with the name of each shard.
func CreateNamed(ctx context.Context, names []string, opts *CreateOptions) (*Writer, error) {
	if len(names) == 0 {
		return nil, errors.New("dataset: want at least 1 shard, got 0 names")
	}
	var o CreateOptions
	if opts != nil {
		o = *opts
	}
	if o.Writer.BufferSize == 0 && len(names) > 1 {
		o.Writer.BufferSize = min(max(totalBuffers/len(names), minBuffer), 256<<10)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if err := tfrecord.NewWriter(io.Discard, &o.Writer).Close(); err != nil { // invalid settings fail before files are created
		return nil, err
	}
	files, err := atomicfile.CreateSet(names)
	if err != nil {
		return nil, err
	}
	w := &Writer{ctx: ctx, names: names, files: files}
	for i, f := range files.Files {
		w.shards = append(w.shards, &outputShard{name: names[i], writer: tfrecord.NewWriter(f, &o.Writer)})
	}
	if n := min(o.Workers, len(names)); n > 1 {
		w.startWorkers(n)
	}
	return w, nil
}

// startWorkers starts n workers.
func (w *Writer) startWorkers(n int) {
	w.freeChunks = make(chan *shardChunk, n*queuedChunks+len(w.shards))
	for range n {
		queue := make(chan *shardChunk, queuedChunks)
		w.queues = append(w.queues, queue)
		w.workersDone.Go(func() {
			for c := range queue {
				begin := 0
				for _, end := range c.ends {
					if w.firstErr.Load() == nil {
						w.noteError(c.shard.name, c.shard.writer.WriteRecord(c.data[begin:end]))
					}
					begin = end
				}
				select {
				case w.freeChunks <- c:
				default:
				}
			}
		})
	}
}

// noteError keeps the first error.
func (w *Writer) noteError(name string, err error) {
	if err != nil {
		w.firstErr.CompareAndSwap(nil, shardError(name, err))
	}
}

// shardError returns an error with the name of the shard in place of the hidden file.
func shardError(name string, err error) *fs.PathError {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return &fs.PathError{Op: "write", Path: name, Err: err}
}

// currentError returns why nothing more can be written, or nil.
func (w *Writer) currentError() error {
	switch e := w.firstErr.Load(); {
	case w.closed:
		return errWriterClosed
	case e != nil:
		return e
	}
	return w.ctx.Err()
}

// WriteRecord writes a record to the shards in turn. It does not keep record. An error of writing
// is an *fs.PathError with the name of the shard, perhaps of an earlier record; after it the Writer
// cannot be used any more.
func (w *Writer) WriteRecord(record []byte) error {
	i := w.nextShard
	w.nextShard++
	if w.nextShard == len(w.shards) {
		w.nextShard = 0
	}
	return w.WriteShard(i, record)
}

// KeyHash is a uniform hash of a key, to select a shard: the first eight bytes of SHA-256, big
// endian. It is the same in every version and on every machine, and other languages can compute it.
// Records of one key are in one shard with
//
//	w.WriteShard(int(dataset.KeyHash(key)%uint64(shards)), record)
func KeyHash(key []byte) uint64 {
	sum := sha256.Sum256(key)
	return binary.BigEndian.Uint64(sum[:])
}

// WriteShard writes a record to the shard with the given index, from 0. It does not keep record.
// Errors are those of WriteRecord.
func (w *Writer) WriteShard(shard int, record []byte) error {
	if err := w.currentError(); err != nil {
		return err
	}
	s := w.shards[shard]
	if w.queues == nil {
		if err := s.writer.WriteRecord(record); err != nil {
			w.noteError(s.name, err)
			return w.firstErr.Load()
		}
		return nil
	}
	c := s.pending
	if c == nil {
		select {
		case c = <-w.freeChunks:
			c.data, c.ends = c.data[:0], c.ends[:0]
		default:
			c = &shardChunk{}
		}
		c.shard, s.pending = s, c
	}
	c.data = append(c.data, record...)
	c.ends = append(c.ends, len(c.data))
	if limit := min(chunkSize, max(totalBuffers/len(w.shards), minBuffer)); len(c.data) >= limit {
		w.sendPending(shard)
	}
	return nil
}

// sendPending passes the pending records of a shard to its worker.
func (w *Writer) sendPending(shard int) {
	s := w.shards[shard]
	w.queues[shard%len(w.queues)] <- s.pending
	s.pending = nil
}

// Close writes what is buffered and gives the files their names. If anything fails, now or at an
// earlier write, or the context is cancelled, no file appears, and Close returns the error. After
// an earlier Close or Abort it does nothing.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	defer w.Abort()
	if err := w.currentError(); err != nil {
		return err
	}
	for i, s := range w.shards {
		if s.pending != nil {
			w.sendPending(i)
		}
	}
	w.stopWorkers()
	for _, s := range w.shards {
		w.noteError(s.name, s.writer.Close())
	}
	if err := w.currentError(); err != nil {
		return err
	}
	if err := w.files.Commit(); err != nil {
		return shardError(w.names[0], err)
	}
	return nil
}

// stopWorkers waits for the workers.
func (w *Writer) stopWorkers() {
	for _, q := range w.queues {
		close(q)
	}
	w.queues = nil
	w.workersDone.Wait()
}

// Abort drops the files: old files of these names remain. After Close it does nothing, so it can be
// deferred.
func (w *Writer) Abort() {
	if w.closed {
		return
	}
	w.closed = true
	w.noteError(w.names[0], errWriterClosed) // workers write nothing more
	w.stopWorkers()
	w.files.Abort()
}

// Drop is Abort at the end of the process: any goroutine may call it, and it does not wait for a
// write.
func (w *Writer) Drop() { w.files.Drop() }
