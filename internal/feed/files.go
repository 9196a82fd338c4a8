package feed

import (
	"context"
	"io"
	"iter"
	"sync"
)

// A files has the chunks of the files of one epoch. Files are known by their place in the
// order of the epoch.
type files interface {
	// next returns the next chunk of file v. The error is that
	// of the stream: of the end of its context, or errPaused.
	next(v int) (*chunk, error)
	close()
}

// pulled reads a file when its next chunk is asked for, without goroutines.
type pulled struct {
	s     *Stream
	files []int
	from  map[int]from // by place: files that do not begin at their first record
	open  map[int]*pull
}

type pull struct {
	next func() (*chunk, bool)
	stop func()
}

func (p *pulled) next(v int) (*chunk, error) {
	f := p.open[v]
	if f == nil {
		f = &pull{}
		f.next, f.stop = iter.Pull(func(yield func(*chunk) bool) {
			r := p.s.getReader()
			defer p.s.putReader(r)
			r.read(p.s.ctx, p.files[v], p.from[v], p.reserve, yield)
		})
		p.open[v] = f
	}
	c, _ := f.next()
	if c.err != nil {
		f.stop()
		delete(p.open, v)
	}
	return c, nil
}

// reserve does not wait: nothing could release memory meanwhile.
func (p *pulled) reserve(n int64) error {
	p.s.budget.take(n)
	return nil
}

func (p *pulled) close() {
	for _, f := range p.open {
		f.stop()
	}
}

// ahead has a goroutine for each open file, which reads before it is asked for.
type ahead struct {
	s       *Stream
	ctx     context.Context
	cancel  context.CancelFunc
	files   []int
	from    map[int]from // by place: files that do not begin at their first record
	queue   []int        // places, in the order in which they are read
	all     []*pipe      // by place
	started int          // how many of queue are being read, or were
	ended   int          // how many were read to their end by the stream
	running sync.WaitGroup
}

// A pipe connects the goroutine of a file with the stream.
type pipe struct {
	chunks chan *chunk
	urgent chan struct{} // received from by a reader that waits for the budget: it is not to wait
}

// chunksAhead is how many chunks of one file are read before they are asked for: enough to
// keep a parser busy while a reader waits, and few enough to stay in a cache.
const chunksAhead = 4

func newAhead(s *Stream, files, queue []int, from map[int]from) *ahead {
	a := &ahead{s: s, files: files, queue: queue, from: from, all: make([]*pipe, len(files))}
	a.ctx, a.cancel = context.WithCancel(s.ctx)
	a.start()
	return a
}

func newPipe() *pipe { return &pipe{make(chan *chunk, chunksAhead), make(chan struct{})} }

// start begins to read as many files as may be open.
func (a *ahead) start() {
	for a.started < len(a.queue) && a.started-a.ended < a.s.cfg.Readers {
		v := a.queue[a.started]
		a.started++
		a.all[v] = newPipe()
		a.running.Go(func() { a.read(a.all[v], a.files[v], a.from[v]) })
	}
}

func (a *ahead) read(p *pipe, file int, begin from) {
	r := a.s.getReader()
	defer a.s.putReader(r)
	reserve := func(n int64) error { return a.s.budget.wait(a.ctx, n, p.urgent) }
	r.read(a.ctx, file, begin, reserve, func(c *chunk) bool {
		select {
		case p.chunks <- c:
			return true
		case <-a.ctx.Done():
			c.release()
			return false
		}
	})
}

func (a *ahead) next(v int) (*chunk, error) {
	p := a.all[v]
	for {
		// A reader that waits for the budget continues, unless memory will be released: see package comment.
		var urgent chan struct{}
		if a.s.busy.Load() == 0 {
			urgent = p.urgent
		}
		select {
		case c := <-p.chunks:
			if c.err == io.EOF {
				a.ended++
				a.start()
			}
			return c, nil
		case urgent <- struct{}{}:
		case <-a.s.freed:
		case <-a.s.paused:
			return nil, ErrPaused
		case <-a.ctx.Done():
			return nil, context.Cause(a.ctx)
		}
	}
}

// close ends the readers and waits for them.
func (a *ahead) close() {
	a.cancel()
	a.running.Wait()
	for _, p := range a.all {
		for p != nil && len(p.chunks) > 0 {
			(<-p.chunks).release()
		}
	}
}
