package feed

import "context"

// A Stream that is shared has many takers, who take records in turns: each calls Begin,
// takes what it wants, and calls End. What it does with the records it does outside, and
// says so by Done and Finish.

// Share makes a Stream that nobody read from yet one for many takers. Stop or the end of
// the context ends it for them.
func (s *Stream) Share() {
	s.ctx, s.cancel = context.WithCancelCause(s.ctx)
	s.unwatch = context.AfterFunc(s.ctx, func() {
		s.mem.mu.Lock()
		defer s.mem.mu.Unlock()
		s.mem.turn.Broadcast()
	})
}

// Stop makes the takers' calls return err. Close is to follow when they have.
func (s *Stream) Stop(err error) { s.cancel(err) }

// Begin waits until nobody else has the turn, and has it then. It also waits while the
// budget is spent on records of those who had a turn and did not call Finish yet,
// unless atOnce is true. Meanwhile it may read ahead. The error is that of the context.
func (s *Stream) Begin(atOnce bool) error {
	m := s.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		switch {
		case s.ctx.Err() != nil:
			return context.Cause(s.ctx)
		case !s.taken && (atOnce || s.out == 0 || m.used < m.limit):
			s.taken = true
			s.out++
			return nil
		case s.help == nil || !s.help():
			m.turn.Wait()
		}
	}
}

// End ends the turn.
func (s *Stream) End() {
	m := s.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	s.taken = false
	m.turn.Broadcast()
}

// Finish says that the records of a turn are done with, or put back.
func (s *Stream) Finish() {
	m := s.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	s.out--
	m.turn.Broadcast()
}
