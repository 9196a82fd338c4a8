package store

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"
)

// upload sends one object to a server. Its methods are called by one goroutine at a time.
type upload interface {
	// putWhole creates the object in one request.
	putWhole(ctx context.Context, data []byte) error
	// putPart sends the next part. The first call starts an upload in parts.
	putPart(ctx context.Context, data []byte) error
	// putLast sends the rest, at most partSize bytes. A backend may defer this to complete.
	putLast(ctx context.Context, data []byte) error
	// complete creates the object from all parts.
	complete(ctx context.Context) error
	// minPartSize returns the minimum size of all parts except the last. It divides partSize.
	minPartSize() int
	// cancel removes the parts.
	cancel(ctx context.Context) error
	// remove removes the object that putWhole or complete created, unless another object has replaced it.
	remove(ctx context.Context) error
}

const (
	// partSize is the size of the parts of an object. S3 requires at least 5 MiB and at most 10,000 parts; Google a multiple of 256 KiB.
	partSize = 8 << 20
	partStep = 256 << 10
	// partsTogether is the memory that the parts of all outputs may use before parts become smaller, since all outputs of a set of
	// shards are open at once. Each output has two parts: one is filled while the other is sent.
	partsTogether = 256 << 20
	// cleanUp is the time limit of the requests that remove parts and objects.
	cleanUp = 5 * time.Second
)

// output is a storage.Output. It collects a part while it sends the previous one.
type output struct {
	store  *cachedStore       // has the cache, which forgets the object, and the limits of parts
	at     address            // of the object
	upload upload             // sends requests, with mu held
	stop   context.CancelFunc // cancels ctx
	ctx    context.Context    // of the requests that send data; Abort ends it

	buf     []byte     // the current part
	limit   int        // maximum size of the current part
	spare   []byte     // memory of the previous part
	parts   int        // number of parts started
	sending chan error // result of the part that is being sent; nil: none
	err     error      // first error; nothing is sent after an error
	size    int64      // total number of bytes
	mu      sync.Mutex // held during requests, so that Abort and Undo wait for the end of a request
	staged  bool       // Stage was called
	made    bool       // the object exists, or may exist
	done    bool       // Commit succeeded
	dropped bool       // Abort was called
	closed  bool       // no longer counted in client.outputs
}

func newOutput(s *cachedStore, at address, u upload) *output {
	o := &output{store: s, at: at, upload: u}
	o.ctx, o.stop = context.WithCancel(context.Background())
	s.outputs.Add(1)
	return o
}

// close removes the output from client.outputs, once.
func (o *output) close() {
	if !o.closed {
		o.closed = true
		o.store.outputs.Add(-1)
	}
}

// sizeOfPart returns the size of the next part.
func (o *output) sizeOfPart() int {
	share := partsTogether / 2 / max(o.store.outputs.Load(), 1)
	return min(max(int(share)/partStep*partStep, o.upload.minPartSize()), o.store.partSize)
}

// errAborted is the error of an output after Abort.
var errAborted = errors.New("the output was aborted")

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

// send starts to send the current part, after the previous one has been sent.
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
		sent <- o.upload.putPart(o.ctx, data)
	}()
	return nil
}

// wait waits until the previous part has been sent.
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
	return o.fail(o.upload.putLast(o.ctx, o.buf))
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
	// If the response is lost, the object may still exist: Undo removes it.
	o.made = true
	if o.parts == 0 {
		err = o.upload.putWhole(o.ctx, o.buf)
	} else {
		err = o.upload.complete(o.ctx)
	}
	o.store.forget(o.at.name)
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
	err := o.upload.remove(ctx)
	o.store.forget(o.at.name)
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
	if o.made { // the object may exist
		o.made = false
		ctx, cancel := background(cleanUp)
		defer cancel()
		o.upload.remove(ctx)
	}
	ctx, cancel := background(cleanUp)
	defer cancel()
	// If this fails, the parts stay until the server removes them by its own rules; they have no name.
	o.upload.cancel(ctx)
}
