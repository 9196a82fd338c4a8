// Package ordered does work on several goroutines and returns the results in the order in
// which the work was submitted.
//
// With a Pool, one goroutine submits work and another takes the results: Submit waits while as
// much is under way as may be. With a Queue, one goroutine does both.
package ordered

import (
	"context"
	"io"
	"sync"
)

// A Pool is goroutines that work on values of type T. Submit, Len and Finish are for one
// goroutine, Next for one, which may be the same.
type Pool[T any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	inline  func(T) error  // without goroutines: called by Submit
	queue   chan *task[T]  // for the workers
	order   chan *task[T]  // for Next
	left    *task[T]       // that Next took and did not return
	ended   bool           // Next has returned the cause of the end of ctx
	running sync.WaitGroup // the workers
}

// A task is one value on its way through a Pool.
type task[T any] struct {
	value T
	err   error
	done  chan struct{} // closed when the work is done
}

// New starts a pool of workers. No more than limit values are submitted and not yet
// taken by Next; limit is at least 1. Every worker calls start once, and the function that
// this returns for one value after another: start may make memory that a worker alone uses.
// Without workers Submit itself does the work. The pool must be closed; it also stops when
// ctx is done.
func New[T any](ctx context.Context, workers, limit int, start func() func(T) error) *Pool[T] {
	p := &Pool[T]{queue: make(chan *task[T], limit), order: make(chan *task[T], limit)}
	p.ctx, p.cancel = context.WithCancel(ctx)
	if workers == 0 {
		p.inline = start()
	}
	for range workers {
		p.running.Go(func() { p.work(start()) })
	}
	return p
}

func (p *Pool[T]) work(do func(T) error) {
	for {
		select {
		case t := <-p.queue:
			t.err = do(t.value)
			close(t.done)
		case <-p.ctx.Done():
			return
		}
	}
}

// Submit gives a value to the workers. It waits while the pool is full; the error is the cause
// of the end of the context, and the value remains the caller's then.
func (p *Pool[T]) Submit(v T) error {
	t := &task[T]{value: v, done: make(chan struct{})}
	if p.inline != nil {
		t.err = p.inline(v)
		close(t.done)
	}
	select {
	case p.order <- t:
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
	if p.inline == nil {
		select {
		case p.queue <- t:
		case <-p.ctx.Done(): // Close returns it
		}
	}
	return nil
}

// Len returns how many values Next can be called for without another Submit.
func (p *Pool[T]) Len() int { return len(p.order) }

// Finish says that nothing more is submitted: Next returns io.EOF after what was.
func (p *Pool[T]) Finish() { close(p.order) }

// Next waits for the oldest value that was not returned yet, and returns it with the error of
// its work. The error is the cause of the end of the context if the value is the zero value; once
// Next has returned that, it returns nothing else.
func (p *Pool[T]) Next() (v T, err error) {
	if p.ended { // the selects below would choose at random
		return v, context.Cause(p.ctx)
	}
	select {
	case t, ok := <-p.order:
		if !ok {
			return v, io.EOF
		}
		select {
		case <-t.done:
			return t.value, t.err
		case <-p.ctx.Done():
			p.left = t
		}
	case <-p.ctx.Done():
	}
	p.ended = true
	return v, context.Cause(p.ctx)
}

// Close ends the workers, waits for them, and returns the values that Next did not, in order:
// the work on some of them is done, on others not begun.
func (p *Pool[T]) Close() (rest []T) {
	p.cancel()
	p.running.Wait()
	if p.left != nil {
		rest, p.left = append(rest, p.left.value), nil
	}
	for {
		select {
		case t, ok := <-p.order:
			if !ok {
				return rest
			}
			rest = append(rest, t.value)
		default:
			return rest
		}
	}
}
