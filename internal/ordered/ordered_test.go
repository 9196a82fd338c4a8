package ordered_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/ordered"
)

var errOdd = errors.New("odd")

// square works on one number. Some numbers take longer than others.
func square(v *int) error {
	if rand.IntN(4) == 0 {
		time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
	}
	if *v%2 == 1 {
		return errOdd
	}
	*v *= *v
	return nil
}

// Results and errors are returned in the order of submission, for any number of workers, with two goroutines and
// with one.
func TestOrder(t *testing.T) {
	for workers := range 5 {
		for _, limit := range []int{1, 2, 9} {
			p := ordered.New(t.Context(), workers, limit, func() func(*int) error { return square })
			next := 0
			take := func() {
				t.Helper()
				v, err := p.Next()
				want, wantErr := next*next, error(nil)
				if next%2 == 1 {
					want, wantErr = next, errOdd
				}
				if v == nil || *v != want || err != wantErr {
					t.Fatalf("%d workers: result %d is %v, %v", workers, next, v, err)
				}
				next++
			}
			for i := range 50 {
				if p.Len() == limit {
					take()
				}
				if err := p.Submit(&i); err != nil {
					t.Fatal(err)
				}
			}
			for p.Len() > 0 {
				take()
			}
			go func() {
				for i := range 50 {
					p.Submit(new(i + 50))
				}
				p.Finish()
			}()
			for next < 100 {
				take()
			}
			if v, err := p.Next(); v != nil || err != io.EOF {
				t.Errorf("after the last: %v, %v", v, err)
			}
			if rest := p.Close(); len(rest) != 0 {
				t.Errorf("%d are left", len(rest))
			}
		}
	}
}

// No more items than the limit are in progress. Close returns the remaining ones, in order.
func TestLimit(t *testing.T) {
	var begun atomic.Int64
	p := ordered.New(t.Context(), 3, 4, func() func(int) error {
		return func(int) error { begun.Add(1); return nil }
	})
	for i := range 4 {
		p.Submit(i)
	}
	if p.Len() != 4 {
		t.Errorf("of 4 that may be under way are %d", p.Len())
	}
	if v, err := p.Next(); v != 0 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	p.Submit(4)
	rest := p.Close()
	for i, v := range rest {
		if v != i+1 {
			t.Errorf("left are %v", rest)
		}
	}
	if len(rest) != 4 || begun.Load() > 5 {
		t.Errorf("left are %v, and work was begun %d times", rest, begun.Load())
	}
}

// When the context ends, every waiting call returns its cause.
func TestCancel(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	p := ordered.New(ctx, 1, 1, func() func(int) error {
		return func(int) error { <-ctx.Done(); return nil }
	})
	if err := p.Submit(1); err != nil {
		t.Fatal(err)
	}
	go cancel(enough)
	if err := p.Submit(2); err != enough {
		t.Errorf("Submit: %v", err)
	}
	if _, err := p.Next(); err != nil && err != enough {
		t.Errorf("Next: %v", err)
	}
	p.Close()
}

// A Queue uses results in the order of submission, with no more items in progress than its limit. It stops at the
// first error of its work, and of the function that gets the results.
func TestQueue(t *testing.T) {
	for workers := range 4 {
		for limit := 1; limit <= 7; limit += 3 {
			next := 0
			var q *ordered.Queue[*int]
			q = ordered.NewQueue(t.Context(), workers, 7, func() func(*int) error {
				return func(v *int) error { _ = square(v); return nil }
			}, func(v *int) error {
				want := next
				if next%2 == 0 {
					want *= next
				}
				if *v != want || q.Len() >= limit {
					t.Errorf("%d workers: result %d is %d, with %d under way", workers, next, *v, q.Len())
				}
				next++
				if next == 90 {
					return errOdd
				}
				return nil
			})
			q.Limit = limit
			var err error
			for i := range 80 {
				if err = q.Submit(&i); err != nil {
					break
				}
			}
			if err == nil {
				err = q.Drain()
			}
			if err != nil || next != 80 || q.Len() != 0 {
				t.Errorf("%d workers: %v after %d results", workers, err, next)
			}
			for i := range 20 {
				if i += 80; err == nil {
					err = q.Submit(&i)
				}
			}
			if err != errOdd || next != 90 {
				t.Errorf("%d workers: %v after %d results", workers, err, next)
			}
			q.Close()
		}
		failing := ordered.NewQueue(t.Context(), workers, 2, func() func(int) error {
			return func(int) error { return errOdd }
		}, func(int) error { t.Error("a failed value is used"); return nil })
		if err := errors.Join(failing.Submit(1), failing.Drain()); !errors.Is(err, errOdd) {
			t.Errorf("%d workers: %v", workers, err)
		}
		failing.Close()
	}
}

// If the context ends while Next waits for a value, Close returns that value too.
func TestNothingIsLost(t *testing.T) {
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		begun := make(chan bool, 9)
		p := ordered.New(ctx, 2, 9, func() func(int) error {
			return func(int) error { begun <- true; <-ctx.Done(); return nil }
		})
		for i := range 9 {
			p.Submit(i)
		}
		<-begun
		go cancel()
		next := 0
		for {
			v, err := p.Next()
			if err != nil {
				break
			}
			if v != next {
				t.Fatalf("result %d is %d", next, v)
			}
			next++
		}
		if _, err := p.Next(); err != context.Canceled {
			t.Fatalf("then %v", err)
		}
		for _, v := range p.Close() {
			if v != next {
				t.Fatalf("%d is left where %d should be", v, next)
			}
			next++
		}
		if next != 9 {
			t.Fatalf("%d of 9 values", next)
		}
	}
}
