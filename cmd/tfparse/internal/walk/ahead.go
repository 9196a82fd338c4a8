package walk

import (
	"context"
	"errors"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/tfrecord"
)

// An Ahead shows the first records of inputs to one Visitor, and then all to others, and
// reads them once: what it has shown it keeps until it is told again.
type Ahead struct {
	ctx   context.Context
	in    []inputs.Input
	opts  *Options
	tapes []*tape // of the first inputs
	kept  int     // bytes of records
	most  int
	block []byte // has the last of them
}

// NewAhead returns one that has read nothing. It must be closed.
func NewAhead(ctx context.Context, in []inputs.Input, opts *Options) *Ahead {
	return &Ahead{ctx: ctx, in: in, opts: opts}
}

// Read walks until v returns ErrStop, or there are so many bytes of records to be kept,
// or nothing is left.
func (a *Ahead) Read(v Visitor, most int) error {
	a.most = most
	for i := range a.in {
		t := &tape{a: a, v: v, paused: make(chan struct{}), resume: make(chan Visitor), done: make(chan struct{})}
		var ctx context.Context
		ctx, t.cancel = context.WithCancel(a.ctx)
		t.ctx = ctx
		a.tapes = append(a.tapes, t)
		go func() {
			defer close(t.done)
			t.err = Walk(ctx, a.in[i:i+1], a.opts, t)
		}()
		select {
		case <-t.paused:
			return nil
		case <-t.done:
			if t.err != nil {
				return t.err
			}
		}
	}
	return nil
}

// Walk walks input i, from its beginning. It is called once for each, on any goroutine.
func (a *Ahead) Walk(ctx context.Context, i int, v Visitor) error {
	if i >= len(a.tapes) {
		return Walk(ctx, a.in[i:i+1], a.opts, v)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t := a.tapes[i]
	defer context.AfterFunc(ctx, t.cancel)()
	select {
	case <-t.done:
		if t.err != nil {
			return t.err
		}
		if err := t.play(v); err != nil && !errors.Is(err, ErrStop) {
			return err
		}
		return nil
	case t.resume <- v:
		<-t.done
		return t.err
	}
}

// Close ends what is still under way.
func (a *Ahead) Close() {
	for _, t := range a.tapes {
		t.cancel()
		<-t.done
	}
}

// A tape is what was shown of an input: the Visitor of its walk. When it has shown enough
// it waits for another Visitor, tells it all of that, and goes on.
type tape struct {
	a      *Ahead
	ctx    context.Context
	cancel context.CancelFunc
	v      Visitor
	live   bool // nothing is kept any more
	file   *File
	events [][]taped

	paused chan struct{} // closed when it waits
	resume chan Visitor
	done   chan struct{} // closed when the walk has ended
	err    error
}

// A taped is something that happened.
type taped struct {
	what  happening
	rec   []byte
	pos   tfrecord.Position
	fault *Fault
}

type happening uint8

const (
	begun happening = iota
	recordRead
	faultMet
	ended
)

func (t *tape) Begin(f *File) error {
	t.file = f
	return t.happen(taped{what: begun})
}

func (t *tape) Record(rec []byte, pos tfrecord.Position) error {
	return t.happen(taped{what: recordRead, rec: rec, pos: pos})
}

func (t *tape) Lost(fault *Fault) error { return t.happen(taped{what: faultMet, fault: fault}) }
func (t *tape) End(*File) error         { return t.happen(taped{what: ended}) }

// happen tells of something, and keeps it as long as it is ahead.
func (t *tape) happen(e taped) error {
	if t.live {
		return t.tell(t.v, e)
	}
	e.rec = t.a.keep(e.rec)
	last := len(t.events) - 1
	if last < 0 || len(t.events[last]) == cap(t.events[last]) {
		t.events = append(t.events, make([]taped, 0, 256))
		last++
	}
	t.events[last] = append(t.events[last], e)
	err := t.tell(t.v, e)
	if err != nil && !errors.Is(err, ErrStop) || err == nil && t.a.kept < t.a.most {
		return err
	}
	close(t.paused)
	select {
	case t.v = <-t.resume:
		t.live = true
		return t.play(t.v)
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

// keep copies a record.
func (a *Ahead) keep(rec []byte) []byte {
	const size = 256 << 10
	if cap(a.block)-len(a.block) < len(rec) {
		a.block = make([]byte, 0, max(size, len(rec)))
	}
	a.kept += len(rec)
	lo := len(a.block)
	a.block = append(a.block, rec...)
	return a.block[lo:len(a.block):len(a.block)]
}

func (t *tape) tell(v Visitor, e taped) error {
	switch e.what {
	case begun:
		return v.Begin(t.file)
	case recordRead:
		return v.Record(e.rec, e.pos)
	case faultMet:
		return v.Lost(e.fault)
	}
	return v.End(t.file)
}

// play tells all that is kept, and lets go of it.
func (t *tape) play(v Visitor) error {
	events := t.events
	t.events = nil
	for i, some := range events {
		for _, e := range some {
			if err := t.tell(v, e); err != nil {
				return err
			}
		}
		events[i] = nil
	}
	return nil
}
