package store

import (
	"context"
	"io/fs"
	"sync"
)

const (
	blockSize = 256 << 10
	ownBlocks = 2  // blocks of each file that do not count against the limit
	maxBlocks = 32 // maximum number of blocks per file: 8 MiB
)

var blocks = sync.Pool{New: func() any { return new([blockSize]byte) }}

// readAhead reads a transfer ahead of its reader, into blocks. All files together have a limited number of blocks.
type readAhead struct {
	transfer *transfer             // read and closed by fill
	full     chan filledBlock      // blocks with data, in order
	free     chan *[blockSize]byte // blocks that the reader has finished
	done     chan struct{}         // closed when fill ends
	taken    int                   // number of blocks beyond ownBlocks; -1 after close

	// State of the reader.
	block *[blockSize]byte // the current block
	rest  []byte           // unread data of the block
	err   error            // error after the current block
}

// filledBlock is a block with data, and the error that follows the data.
type filledBlock struct {
	block *[blockSize]byte
	n     int // number of bytes
	err   error
}

func newReadAhead(t *transfer) *readAhead {
	r := &readAhead{transfer: t, full: make(chan filledBlock, maxBlocks+1), free: make(chan *[blockSize]byte, maxBlocks), done: make(chan struct{})}
	go r.fill()
	return r
}

// fill reads until the end of the transfer.
func (r *readAhead) fill() {
	t := r.transfer
	defer close(r.done)
	defer t.close()
	for made := 0; ; {
		var b *[blockSize]byte
		select {
		case b = <-r.free:
		default:
			if made < ownBlocks || made < maxBlocks && r.take() {
				b = blocks.Get().(*[blockSize]byte)
				made++
				break
			}
			select {
			case b = <-r.free:
			case <-t.ctx.Done():
				r.full <- filledBlock{err: context.Cause(t.ctx)}
				return
			}
		}
		// Send a full block; if the reader waits, send the block with the data so far.
		n, err := 0, error(nil)
		for n < blockSize && err == nil {
			var k int
			k, err = t.Read(b[n:])
			n += k
			if len(r.full) == 0 && n > 0 {
				break
			}
		}
		r.full <- filledBlock{b, n, err} // never blocks: the channel has capacity for all blocks and one error
		if err != nil {
			return
		}
	}
}

// take reserves one of the blocks that all files share.
func (r *readAhead) take() bool {
	if r.transfer.file.store.ahead.Add(-1) < 0 {
		r.transfer.file.store.ahead.Add(1)
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

// close ends the transfer and returns the blocks.
func (r *readAhead) close() {
	r.transfer.stop()
	<-r.done
	if r.err == nil {
		r.err = fs.ErrClosed
	}
	if r.block != nil {
		blocks.Put(r.block)
		r.block, r.rest = nil, nil
	}
	if r.taken >= 0 {
		r.transfer.file.store.ahead.Add(int64(r.taken))
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
