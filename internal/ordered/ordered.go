// Package ordered runs work on several goroutines and returns the results in the order in which the work was submitted.
//
// A Pool connects a goroutine that submits with one that takes results; a Queue is for one goroutine that does both. A value goes
// through these states:
//
//	submitted    Submit has put its task into results and into tasks, and waits while results is full
//	running      a worker has received the task from tasks
//	done         the worker has closed task.done
//	returned     Next has received the task from results, and waited for done
//
// Finish closes results: Next returns io.EOF after the last value. When the context ends, workers stop between two tasks, and Submit
// and Next return its cause. Close waits for the workers and returns the values that Next has not returned, in order, in any state.
package ordered

import (
	"context"
	"io"
	"sync"
)

// A Pool is a worker pool for values of type T. Only one goroutine may call Submit, Len and Finish; only one
// goroutine, perhaps the same, may call Next.
type Pool[T any] struct {
	ctx          context.Context    // ends with the context of New, or at Close
	cancel       context.CancelFunc // ends ctx; called by Close
	inline       func(T) error      // without workers: does the work in Submit; else nil
	tasks        chan *task[T]      // for the workers
	results      chan *task[T]      // for Next, in the order of Submit
	interrupted  *task[T]           // task that Next had taken when the context ended; Close returns its value
	contextEnded bool               // Next has returned the cause of ctx
	running      sync.WaitGroup     // the workers
}

// task is one value on its way through a Pool.
type task[T any] struct {
	value T
	err   error         // error of the work; set before done is closed
	done  chan struct{} // closed when the work is done
}

// New starts a pool of workers. limit, at least 1, is the maximum number of values that are submitted and not yet
// taken by Next. Every worker calls start once, and the returned function for one value after another: start can
// allocate memory that one worker uses alone. Without workers Submit itself does the work. The pool must be closed;
// it also stops when ctx is done.
func New[T any](ctx context.Context, workers, limit int, start func() func(T) error) *Pool[T] {
	p := &Pool[T]{tasks: make(chan *task[T], limit), results: make(chan *task[T], limit)}
	p.ctx, p.cancel = context.WithCancel(ctx)
	if workers == 0 {
		p.inline = start()
	}
	for range workers {
		p.running.Go(func() { p.runTasks(start()) })
	}
	return p
}

// runTasks is one worker.
func (p *Pool[T]) runTasks(do func(T) error) {
	for {
		select {
		case t := <-p.tasks:
			t.err = do(t.value)
			close(t.done)
		case <-p.ctx.Done():
			return
		}
	}
}

// Submit passes a value to the workers. It waits while the pool is full. The error is the cause of the context;
// then the caller keeps the value.
func (p *Pool[T]) Submit(v T) error {
	t := &task[T]{value: v, done: make(chan struct{})}
	if p.inline != nil {
		t.err = p.inline(v)
		close(t.done)
	}
	select {
	case p.results <- t:
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
	if p.inline == nil {
		select {
		case p.tasks <- t:
		case <-p.ctx.Done(): // Close returns it
		}
	}
	return nil
}

// Len returns the number of values that were submitted and not yet taken by Next.
func (p *Pool[T]) Len() int { return len(p.results) }

// Finish ends the submissions: Next returns io.EOF after the last value.
func (p *Pool[T]) Finish() { close(p.results) }

// Next waits for the oldest value that was not returned yet, and returns it with the error of its work. After the
// context ended, it may return the zero value and the cause of the context instead; then every later call does,
// too.
func (p *Pool[T]) Next() (v T, err error) {
	if p.contextEnded { // the selects below would choose at random
		return v, context.Cause(p.ctx)
	}
	select {
	case t, ok := <-p.results:
		if !ok {
			return v, io.EOF
		}
		select {
		case <-t.done:
			return t.value, t.err
		case <-p.ctx.Done():
			p.interrupted = t
		}
	case <-p.ctx.Done():
	}
	p.contextEnded = true
	return v, context.Cause(p.ctx)
}

// Close ends the workers, waits for them, and returns the values that Next has not returned, in order: the work on some of them is
// done, on others not begun.
func (p *Pool[T]) Close() (rest []T) {
	p.cancel()
	p.running.Wait()
	if p.interrupted != nil {
		rest, p.interrupted = append(rest, p.interrupted.value), nil
	}
	for {
		select {
		case t, ok := <-p.results:
			if !ok {
				return rest
			}
			rest = append(rest, t.value)
		default:
			return rest
		}
	}
}

// A Queue is a Pool for one goroutine, which submits values and uses the results in order while later values are in progress. The
// error of the work on a value ends the Queue.
type Queue[T any] struct {
	// Limit is the maximum number of values in progress, at most the limit of NewQueue.
	Limit int

	pool *Pool[T]
	use  func(T) error // called with each value when its work is done
}

// NewQueue starts a Queue. Its arguments are those of New, and use, which Submit and Drain call with each value when the work on it is
// done.
func NewQueue[T any](ctx context.Context, workers, limit int, start func() func(T) error, use func(T) error) *Queue[T] {
	return &Queue[T]{Limit: limit, pool: New(ctx, workers, limit, start), use: use}
}

// Submit passes a value to the workers. If Limit values are in progress it uses the oldest results first.
func (q *Queue[T]) Submit(v T) error {
	for q.Len() >= max(q.Limit, 1) {
		if err := q.useOldest(); err != nil {
			return err
		}
	}
	return q.pool.Submit(v)
}

// Drain uses all results.
func (q *Queue[T]) Drain() error {
	for q.Len() > 0 {
		if err := q.useOldest(); err != nil {
			return err
		}
	}
	return nil
}

// useOldest waits for the oldest result and uses it.
func (q *Queue[T]) useOldest() error {
	v, err := q.pool.Next()
	if err != nil {
		return err
	}
	return q.use(v)
}

// Len returns the number of values in progress.
func (q *Queue[T]) Len() int { return q.pool.Len() }

// Close ends the workers and drops unused results.
func (q *Queue[T]) Close() { q.pool.Close() }
