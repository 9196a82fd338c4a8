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

// CreateOptions are the settings of a [Writer]. A nil *CreateOptions and every zero field mean the
// default.
type CreateOptions struct {
	Writer  tfrecord.WriterOptions // of each shard
	Workers int                    // goroutines that compress and write; zero: one for each core
}

// A Writer writes records to the shards of a set, which appear under their names together, when all
// of them are complete. The bytes of a shard depend on its records alone, not on Workers.
//
// It belongs to one goroutine.
type Writer struct {
	ctx    context.Context
	names  []string
	files  *atomicfile.Set
	shards []*shard
	turn   int
	queues []chan *chunk // one for each worker; none: records are written at once
	free   chan *chunk
	done   sync.WaitGroup
	failed atomic.Pointer[fs.PathError]
	closed bool
}

// A shard is one file. Only one goroutine writes it.
type shard struct {
	name    string
	w       *tfrecord.Writer
	pending *chunk
}

// A chunk is some records of one shard, on the way to a worker.
type chunk struct {
	shard *shard
	data  []byte
	ends  []int
}

const (
	chunkSize    = 128 << 10
	setBuffers   = 32 << 20 // of all shards together
	leastBuffer  = 16 << 10
	chunksQueued = 4 // for each worker
)

var errCreatedClosed = errors.New("dataset: Writer is closed")

// Create returns a Writer for a set of shards. The name "train@16" stands for
// train-00000-of-00016 to train-00015-of-00016, "train@16.gz" for names that end in .gz, and a
// name without @ for a single file. Until Close no file appears under these names. When ctx is
// cancelled, the next method call fails, and Close removes the files.
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
		return nil, errors.New("dataset: a set of no files")
	}
	var o CreateOptions
	if opts != nil {
		o = *opts
	}
	if o.Writer.BufferSize == 0 && len(names) > 1 {
		o.Writer.BufferSize = min(max(setBuffers/len(names), leastBuffer), 256<<10)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if err := tfrecord.NewWriter(io.Discard, &o.Writer).Close(); err != nil { // settings that no codec takes
		return nil, err
	}
	files, err := atomicfile.CreateSet(names)
	if err != nil {
		return nil, err
	}
	w := &Writer{ctx: ctx, names: names, files: files}
	for i, f := range files.Files {
		w.shards = append(w.shards, &shard{name: names[i], w: tfrecord.NewWriter(f, &o.Writer)})
	}
	if n := min(o.Workers, len(names)); n > 1 {
		w.start(n)
	}
	return w, nil
}

// start starts the workers.
func (w *Writer) start(n int) {
	w.free = make(chan *chunk, n*chunksQueued+len(w.shards))
	for range n {
		queue := make(chan *chunk, chunksQueued)
		w.queues = append(w.queues, queue)
		w.done.Go(func() {
			for c := range queue {
				begin := 0
				for _, end := range c.ends {
					if w.failed.Load() == nil {
						w.note(c.shard.name, c.shard.w.WriteRecord(c.data[begin:end]))
					}
					begin = end
				}
				select {
				case w.free <- c:
				default:
				}
			}
		})
	}
}

// note keeps the first error.
func (w *Writer) note(name string, err error) {
	if err != nil {
		w.failed.CompareAndSwap(nil, shardError(name, err))
	}
}

// shardError names the shard, and not the hidden file that is written.
func shardError(name string, err error) *fs.PathError {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return &fs.PathError{Op: "write", Path: name, Err: err}
}

// err returns why nothing more can be written, or nil.
func (w *Writer) err() error {
	switch e := w.failed.Load(); {
	case w.closed:
		return errCreatedClosed
	case e != nil:
		return e
	}
	return w.ctx.Err()
}

// WriteRecord writes a record to the shard whose turn it is: each gets one after the other. It
// does not keep record. An error of writing is an *fs.PathError with the name of the shard, perhaps
// of an earlier record; after it the Writer is of no more use.
func (w *Writer) WriteRecord(record []byte) error {
	i := w.turn
	w.turn++
	if w.turn == len(w.shards) {
		w.turn = 0
	}
	return w.WriteShard(i, record)
}

// KeyHash is the hash that keys are distributed by, uniform over all numbers: the first eight bytes of
// SHA-256, big-endian. It is the same in every version and on every machine, and other languages
// compute it easily.
func KeyHash(key []byte) uint64 {
	sum := sha256.Sum256(key)
	return binary.BigEndian.Uint64(sum[:])
}

// WriteShard writes a record to a shard, counted from 0.
func (w *Writer) WriteShard(shard int, record []byte) error {
	if err := w.err(); err != nil {
		return err
	}
	s := w.shards[shard]
	if w.queues == nil {
		if err := s.w.WriteRecord(record); err != nil {
			w.note(s.name, err)
			return w.failed.Load()
		}
		return nil
	}
	c := s.pending
	if c == nil {
		select {
		case c = <-w.free:
			c.data, c.ends = c.data[:0], c.ends[:0]
		default:
			c = &chunk{}
		}
		c.shard, s.pending = s, c
	}
	c.data = append(c.data, record...)
	c.ends = append(c.ends, len(c.data))
	if limit := min(chunkSize, max(setBuffers/len(w.shards), leastBuffer)); len(c.data) >= limit {
		w.send(shard)
	}
	return nil
}

// send hands the pending records of a shard to its worker.
func (w *Writer) send(shard int) {
	s := w.shards[shard]
	w.queues[shard%len(w.queues)] <- s.pending
	s.pending = nil
}

// Close writes what is buffered and gives the files their names. If anything fails, now or at an
// earlier write, or the context is cancelled, none of them appears, and Close returns the error. A second
// Close, and one after Abort, does nothing.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	defer w.Abort()
	if err := w.err(); err != nil {
		return err
	}
	for i, s := range w.shards {
		if s.pending != nil {
			w.send(i)
		}
	}
	w.stop()
	for _, s := range w.shards {
		w.note(s.name, s.w.Close())
	}
	if err := w.err(); err != nil {
		return err
	}
	if err := w.files.Commit(); err != nil {
		return shardError(w.names[0], err)
	}
	return nil
}

// stop waits for the workers.
func (w *Writer) stop() {
	for _, q := range w.queues {
		close(q)
	}
	w.queues = nil
	w.done.Wait()
}

// Abort gives the set up: what is at its names stays. After Close it does nothing, so it can be
// deferred.
func (w *Writer) Abort() {
	if w.closed {
		return
	}
	w.closed = true
	w.note(w.names[0], errCreatedClosed) // workers write nothing more
	w.stop()
	w.files.Abort()
}

// Drop is Abort for the end of the process: any goroutine may call it, and it waits for no write.
func (w *Writer) Drop() { w.files.Drop() }
