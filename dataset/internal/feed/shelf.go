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
	slab  *slab                        // that is read into
	old   *slab                        // the one before, of which the beginning of a record is still to be copied
	claim func(n int64) (*slab, error) // returns a slab of n bytes and more. mem.mu is held
}

func newShelf(c *Config, m *memory) *shelf {
	s := &shelf{mem: m}
	opts := c.Reader
	opts.Memory = s.memory
	if opts.BufferSize == 0 {
		// A slab has the records of a read, and the end of one that began before.
		opts.BufferSize = min(defaultRead, m.size/5*4)
	}
	s.r = tfrecord.NewReader(nil, &opts)
	return s
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
