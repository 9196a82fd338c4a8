package feed

import (
	"context"
	"io"
	"iter"
	"sync"
)

// chunkSource returns the chunks of the files of one epoch. The place of a file is its index in the order of the
// epoch.
type chunkSource interface {
	// nextChunk returns the next chunk of the file at place v. The error is ErrPaused or the cause of the context.
	nextChunk(v int) (*chunk, error)
	closeFiles() // closeFiles ends all reading and waits for it.
}

// coroutineFiles reads a file when its next chunk is asked for, without goroutines.
type coroutineFiles struct {
	stream *Stream
	order  []int              // index in Config.Names by place
	starts map[int]startPoint // by place: files that do not begin at their first record
	active map[int]*coroutine // by place: files that are being read
}

// coroutine is the reader of one file, from [iter.Pull].
type coroutine struct {
	next func() (*chunk, bool)
	stop func()
}

func (p *coroutineFiles) nextChunk(v int) (*chunk, error) {
	f := p.active[v]
	if f == nil {
		f = &coroutine{}
		f.next, f.stop = iter.Pull(func(yield func(*chunk) bool) {
			r := p.stream.getReader()
			defer p.stream.putReader(r)
			r.readFile(p.stream.ctx, p.order[v], p.starts[v], p.reserve, yield)
		})
		p.active[v] = f
	}
	c, _ := f.next()
	if c.err != nil {
		f.stop()
		delete(p.active, v)
	}
	return c, nil
}

// reserve does not wait: nothing could release memory meanwhile.
func (p *coroutineFiles) reserve(n int64) error {
	p.stream.budget.reserveNow(n)
	return nil
}

func (p *coroutineFiles) closeFiles() {
	for _, f := range p.active {
		f.stop()
	}
}

// goroutineFiles reads ahead with a goroutine for each open file.
type goroutineFiles struct {
	stream  *Stream            // has Config, budget and free readers
	ctx     context.Context    // ends the goroutines
	cancel  context.CancelFunc // ends ctx; called by closeFiles
	order   []int              // index in Config.Names by place
	starts  map[int]startPoint // by place: files that do not begin at their first record
	queue   []int              // places, in the order in which they are read
	pipes   []*pipe            // by place; nil before its file is opened
	started int                // number of files of queue that were begun
	ended   int                // number of files of queue that the stream has read to the end
	running sync.WaitGroup     // the goroutines
}

// pipe connects the goroutine of a file with the stream.
type pipe struct {
	chunks chan *chunk   // in the order of the file
	urgent chan struct{} // unbuffered; a send makes a waiting reader exceed the budget
}

// chunksAhead is the number of chunks of one file that are read ahead: enough to keep a parser busy while a reader
// waits, and few enough to stay in a cache.
const chunksAhead = 4

func startGoroutines(s *Stream, files, queue []int, from map[int]startPoint) *goroutineFiles {
	a := &goroutineFiles{stream: s, order: files, queue: queue, starts: from, pipes: make([]*pipe, len(files))}
	a.ctx, a.cancel = context.WithCancel(s.ctx)
	a.startReaders()
	return a
}

func newPipe() *pipe { return &pipe{make(chan *chunk, chunksAhead), make(chan struct{})} }

// startReaders begins to read as many files as may be open.
func (a *goroutineFiles) startReaders() {
	for a.started < len(a.queue) && a.started-a.ended < a.stream.cfg.Readers {
		v := a.queue[a.started]
		a.started++
		a.pipes[v] = newPipe()
		a.running.Go(func() { a.readFile(a.pipes[v], a.order[v], a.starts[v]) })
	}
}

func (a *goroutineFiles) readFile(p *pipe, file int, begin startPoint) {
	r := a.stream.getReader()
	defer a.stream.putReader(r)
	reserve := func(n int64) error { return a.stream.budget.reserveWaiting(a.ctx, n, p.urgent) }
	r.readFile(a.ctx, file, begin, reserve, func(c *chunk) bool {
		select {
		case p.chunks <- c:
			return true
		case <-a.ctx.Done():
			c.free()
			return false
		}
	})
}

func (a *goroutineFiles) nextChunk(v int) (*chunk, error) {
	p := a.pipes[v]
	for {
		// If no busy Block will release memory, a waiting reader may exceed the budget: see the package comment.
		var urgent chan struct{}
		if a.stream.busyBlocks.Load() == 0 {
			urgent = p.urgent
		}
		select {
		case c := <-p.chunks:
			if c.err == io.EOF {
				a.ended++
				a.startReaders()
			}
			return c, nil
		case urgent <- struct{}{}:
		case <-a.stream.freed:
		case <-a.stream.paused:
			return nil, ErrPaused
		case <-a.ctx.Done():
			return nil, context.Cause(a.ctx)
		}
	}
}

// closeFiles ends the readers and waits for them.
func (a *goroutineFiles) closeFiles() {
	a.cancel()
	a.running.Wait()
	for _, p := range a.pipes {
		for p != nil && len(p.chunks) > 0 {
			(<-p.chunks).free()
		}
	}
}
