package store

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"
)

// An upload is an object under way, at a server. Its methods are called by one goroutine at a time.
type upload interface {
	// whole makes the object in one request.
	whole(ctx context.Context, data []byte) error
	// part sends the next part. The first call begins an object of parts.
	part(ctx context.Context, data []byte) error
	// last sends what is left, at most partSize bytes, as far as that can be done before finish.
	last(ctx context.Context, data []byte) error
	// finish makes the object of all parts.
	finish(ctx context.Context) error
	// least is the size that parts before the last must have, a divisor of partSize.
	least() int
	// cancel drops the parts.
	cancel(ctx context.Context) error
	// remove removes the object that whole or finish has made, if no other has taken its place.
	remove(ctx context.Context) error
}

const (
	// partSize is the size of the parts of an object. S3 wants 5 MiB at least and 10,000 of them at most; Google a multiple of 256 KiB.
	partSize = 8 << 20
	partStep = 256 << 10
	// partsTogether is how much memory the parts of all outputs may take before parts are smaller: a set of shards is written
	// with all of them open. Each output has two parts, one that is filled and one that is sent.
	partsTogether = 256 << 20
	// cleanUp is how long the requests may take that remove what is not wanted.
	cleanUp = 5 * time.Second
)

// An output is a storage.Output. It gathers a part while it sends the one before.
type output struct {
	s    *system
	at   address
	u    upload
	stop context.CancelFunc // of ctx
	ctx  context.Context

	buf     []byte     // the part at hand
	limit   int        // its size
	spare   []byte     // of the part before
	parts   int        // begun
	sending chan error // of the part that is being sent; nil: none
	err     error      // after which nothing is sent
	size    int64
	mu      sync.Mutex // of a call of the server that is under way: Abort and Undo wait for its end
	staged  bool
	made    bool // the object is there, or may be
	done    bool // Commit has succeeded
	dropped bool
	closed  bool // it is not among the outputs of the client
}

func newOutput(s *system, at address, u upload) *output {
	o := &output{s: s, at: at, u: u}
	o.ctx, o.stop = context.WithCancel(context.Background())
	s.outputs.Add(1)
	return o
}

// close is called once, when no more is written.
func (o *output) close() {
	if !o.closed {
		o.closed = true
		o.s.outputs.Add(-1)
	}
}

// sizeOfPart is that of the next part.
func (o *output) sizeOfPart() int {
	share := partsTogether / 2 / max(o.s.outputs.Load(), 1)
	return min(max(int(share)/partStep*partStep, o.u.least()), o.s.partSize)
}

// errAborted is the error of an output after Abort.
var errAborted = errors.New("writing was given up")

func (o *output) fail(err error) error {
	if o.ctx.Err() != nil {
		err = errAborted
	}
	if err != nil && o.err == nil {
		o.err = pathError("write", o.at.name, err)
	}
	return o.err
}

// Write implements [storage.Output].
func (o *output) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if err := o.fail(nil); err != nil {
			return 0, err
		}
		if len(o.buf) > 0 && len(o.buf) == o.limit {
			if err := o.send(); err != nil {
				return 0, err
			}
		}
		if len(o.buf) == 0 {
			o.limit = o.sizeOfPart()
		}
		n := min(len(p), o.limit-len(o.buf))
		if need := len(o.buf) + n; need > cap(o.buf) { // append would take more than the limit
			o.buf = append(make([]byte, 0, min(max(2*cap(o.buf), need), o.limit)), o.buf...)
		}
		o.buf = append(o.buf, p[:n]...)
		p = p[n:]
		o.size += int64(n)
	}
	return written, nil
}

// send begins to send the part at hand, after the one before.
func (o *output) send() error {
	if err := o.wait(); err != nil {
		return err
	}
	o.parts++
	data := o.buf
	o.buf, o.spare = o.spare[:0], data
	sent := make(chan error, 1)
	o.sending = sent
	go func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		sent <- o.u.part(o.ctx, data)
	}()
	return nil
}

// wait waits for the part that is being sent.
func (o *output) wait() error {
	if o.sending != nil {
		err := <-o.sending
		o.sending = nil
		return o.fail(err)
	}
	return o.fail(nil)
}

// Stage implements [storage.Output].
func (o *output) Stage() error {
	if o.staged {
		return o.fail(nil)
	}
	o.staged = true
	if err := o.wait(); err != nil || o.parts == 0 {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.fail(o.u.last(o.ctx, o.buf))
}

// Commit implements [storage.Output].
func (o *output) Commit() error {
	if !o.staged {
		return pathError("write", o.at.name, errors.New("Commit before Stage"))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.fail(nil); err != nil {
		return err
	}
	if o.made || o.dropped {
		return pathError("write", o.at.name, fs.ErrClosed)
	}
	var err error
	// A request whose answer is lost may have made the object: Undo removes it.
	o.made = true
	if o.parts == 0 {
		err = o.u.whole(o.ctx, o.buf)
	} else {
		err = o.u.finish(o.ctx)
	}
	o.s.forget(o.at.name)
	o.buf, o.spare = nil, nil
	o.close()
	o.done = err == nil
	return o.fail(err)
}

// Undo implements [storage.Output].
func (o *output) Undo() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.made {
		return nil
	}
	o.made = false
	ctx, cancel := background(cleanUp)
	defer cancel()
	err := o.u.remove(ctx)
	o.s.forget(o.at.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return pathError("remove", o.at.name, err)
	}
	return nil
}

// Abort implements [storage.Output].
func (o *output) Abort() {
	o.stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dropped || o.done {
		return
	}
	o.dropped = true
	o.close()
	if o.made { // perhaps
		o.made = false
		ctx, cancel := background(cleanUp)
		defer cancel()
		o.u.remove(ctx)
	}
	ctx, cancel := background(cleanUp)
	defer cancel()
	// Where this fails, parts stay at the server until it removes them by its own rules; they have no name.
	o.u.cancel(ctx)
}
