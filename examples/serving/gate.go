package main

import "context"

// A gate bounds how many requests there are. A request enters, or is refused; then it sends its body, which may be
// slow, and waits for a slot, in which it is parsed and at the model server. So slow clients hold no slot, and memory is
// bounded by the number of places.
type gate struct {
	places chan struct{} // one token for each request inside
	slots  chan struct{} // one token for each request that runs
}

func newGate(running, waiting int) *gate {
	return &gate{places: make(chan struct{}, running+waiting), slots: make(chan struct{}, running)}
}

// enter takes a place, if one is free.
func (g *gate) enter() bool {
	select {
	case g.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g *gate) leave() { <-g.places }

// wait takes a slot, when one is free. It returns false if ctx ends first.
func (g *gate) wait(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case g.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (g *gate) done() { <-g.slots }

// drained returns when all requests have left. No other enters from then on.
func (g *gate) drained() {
	for range cap(g.places) {
		g.places <- struct{}{}
	}
}
