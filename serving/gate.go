package serving

import (
	"context"
	"time"
)

// A gate limits the number of requests. A request takes a place, or is refused. With a place it sends its body, which may be
// slow; takes a slot, in which it is parsed and at the model server; gives the slot back; and reads its answer, which may be
// slow too. So slow clients hold no slot, and memory is bounded by the number of places.
type gate struct {
	places chan struct{} // one token for each request inside
	slots  chan struct{} // one token for each request that runs
}

func newGate(running, waiting int) *gate {
	return &gate{places: make(chan struct{}, running+waiting), slots: make(chan struct{}, running)}
}

// enter takes a place and returns true, or returns false if no place is free.
func (g *gate) enter() bool {
	select {
	case g.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g *gate) leave() { <-g.places }

// wait takes a slot: at once, or within half of the time until the deadline of ctx. It returns false if no slot becomes free
// in that time, or if ctx ends. A request that got its slot later would miss its deadline. Under overload all requests would,
// since the next slot goes to the request that has waited longest.
func (g *gate) wait(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case g.slots <- struct{}{}:
		return true
	default:
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	select {
	case g.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (g *gate) done() { <-g.slots }

// drained returns when all requests have left. No request can enter after that.
func (g *gate) drained() {
	for range cap(g.places) {
		g.places <- struct{}{}
	}
}
