package ordered

import "context"

// A Queue is a Pool for one goroutine, which submits values and uses the results, in the order
// of the values, while others are under way. The error of the work on a value ends the Queue.
type Queue[T any] struct {
	// Limit is the largest number of values under way, at most the limit that NewQueue was given.
	Limit int

	pool *Pool[T]
	use  func(T) error
}

// NewQueue starts a Queue, whose arguments are those of New and what is called with each value
// when the work on it is done: by Submit and Drain.
func NewQueue[T any](ctx context.Context, workers, limit int, start func() func(T) error, use func(T) error) *Queue[T] {
	return &Queue[T]{Limit: limit, pool: New(ctx, workers, limit, start), use: use}
}

// Submit gives a value to the workers, after it has used the oldest results if Limit values are
// under way.
func (q *Queue[T]) Submit(v T) error {
	for q.Len() >= max(q.Limit, 1) {
		if err := q.next(); err != nil {
			return err
		}
	}
	return q.pool.Submit(v)
}

// Drain uses all results.
func (q *Queue[T]) Drain() error {
	for q.Len() > 0 {
		if err := q.next(); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue[T]) next() error {
	v, err := q.pool.Next()
	if err != nil {
		return err
	}
	return q.use(v)
}

// Len returns how many values are under way.
func (q *Queue[T]) Len() int { return q.pool.Len() }

// Close ends the workers and drops what was not used.
func (q *Queue[T]) Close() { q.pool.Close() }
