package store

import (
	"context"
	"io/fs"
	"sync"
)

const (
	blockSize  = 256 << 10
	ownBlocks  = 2  // of each file, which need not be available
	mostBlocks = 32 // of one file: 8 MiB
)

var blocks = sync.Pool{New: func() any { return new([blockSize]byte) }}

// A readAhead reads a transfer ahead of its reader, into blocks. All files together have a limited number of blocks.
type readAhead struct {
	t     *transfer
	full  chan filled           // blocks with bytes, in order
	free  chan *[blockSize]byte // blocks that were read
	done  chan struct{}         // closed when nothing more is read
	taken int                   // blocks beyond ownBlocks

	// Of the reader.
	block *[blockSize]byte
	rest  []byte
	err   error
}

// A filled is a block, and the error that ends the transfer behind it.
type filled struct {
	block *[blockSize]byte
	n     int
	err   error
}

func newReadAhead(t *transfer) *readAhead {
	r := &readAhead{t: t, full: make(chan filled, mostBlocks+1), free: make(chan *[blockSize]byte, mostBlocks), done: make(chan struct{})}
	go r.fill()
	return r
}

// fill reads until the end.
func (r *readAhead) fill() {
	t := r.t
	defer close(r.done)
	defer t.close()
	for made := 0; ; {
		var b *[blockSize]byte
		select {
		case b = <-r.free:
		default:
			if made < ownBlocks || made < mostBlocks && r.take() {
				b = blocks.Get().(*[blockSize]byte)
				made++
				break
			}
			select {
			case b = <-r.free:
			case <-t.ctx.Done():
				r.full <- filled{err: context.Cause(t.ctx)}
				return
			}
		}
		// A block is handed over when it is full, or as soon as the reader waits: it gets the bytes that are there.
		n, err := 0, error(nil)
		for n < blockSize && err == nil {
			var k int
			k, err = t.Read(b[n:])
			n += k
			if len(r.full) == 0 && n > 0 {
				break
			}
		}
		r.full <- filled{b, n, err} // never blocks: it has room for all blocks, and an error without one
		if err != nil {
			return
		}
	}
}

// take takes a block of those that all files share.
func (r *readAhead) take() bool {
	if r.t.f.s.ahead.Add(-1) < 0 {
		r.t.f.s.ahead.Add(1)
		return false
	}
	r.taken++
	return true
}

// Read implements [io.Reader].
func (r *readAhead) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.block != nil {
			r.free <- r.block
			r.block = nil
		}
		if r.err != nil {
			return 0, r.err
		}
		next := <-r.full
		r.block, r.err = next.block, next.err
		if r.block != nil {
			r.rest = r.block[:next.n]
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// close ends the transfer and gives the blocks back.
func (r *readAhead) close() {
	r.t.stop()
	<-r.done
	if r.err == nil {
		r.err = fs.ErrClosed
	}
	if r.block != nil {
		blocks.Put(r.block)
		r.block, r.rest = nil, nil
	}
	if r.taken >= 0 {
		r.t.f.s.ahead.Add(int64(r.taken))
		r.taken = -1
	}
	for {
		select {
		case b := <-r.free:
			blocks.Put(b)
		case next := <-r.full:
			if next.block != nil {
				blocks.Put(next.block)
			}
		default:
			return
		}
	}
}
