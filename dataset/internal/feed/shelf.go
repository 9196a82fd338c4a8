package feed

import "github.com/tfparse/tfparse/tfrecord"

// defaultRead is how much is read at once: so much stays in the caches next to a
// processor until it is parsed.
const defaultRead = 256 << 10

// A shelf is a tfrecord.Reader and the slabs that it reads into: records stay where
// they were read to.
type shelf struct {
	r     *tfrecord.Reader
	mem   *memory
	slab  *Slab                        // that is read into
	old   *Slab                        // the one before, of which the beginning of a record is still to be copied
	claim func(n int64) (*Slab, error) // returns a slab of n bytes and more. mem.mu is held
}

func newShelf(c *Config, m *memory) *shelf {
	s := &shelf{mem: m}
	s.claim = s.atOnce
	opts := c.Reader
	opts.Memory = s.memory
	if opts.BufferSize == 0 {
		// A slab has the records of a read, and the end of one that began before.
		opts.BufferSize = min(defaultRead, m.size/5*4)
	}
	s.r = tfrecord.NewReader(nil, &opts)
	return s
}

// atOnce is a claim that does not wait for room in the budget.
func (s *shelf) atOnce(n int64) (*Slab, error) { return s.mem.slab(n), nil }

// newRun begins a run of what is read into.
func (s *shelf) newRun() *run {
	s.mem.mu.Lock()
	defer s.mem.mu.Unlock()
	return s.mem.run(s.slab)
}

// memory is tfrecord.ReaderOptions.Memory.
func (s *shelf) memory(n int) ([]byte, error) {
	s.mem.mu.Lock()
	defer s.mem.mu.Unlock()
	next, err := s.claim(int64(n))
	if err != nil {
		return nil, err
	}
	if s.old != nil {
		s.mem.release(s.old)
	}
	s.old, s.slab = s.slab, next
	return next.buf, nil
}

// settle gives back the slab that was read into before. The reader has returned: it has
// copied what it wants of it.
func (s *shelf) settle() {
	if s.old != nil {
		s.mem.mu.Lock()
		s.mem.release(s.old)
		s.mem.mu.Unlock()
		s.old = nil
	}
}

// clear gives both slabs back.
func (s *shelf) clear() {
	s.settle()
	s.old, s.slab = s.slab, nil
	s.settle()
}
