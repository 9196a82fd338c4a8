package numbers

// Spare is the memory of chunks that nobody needs any more: what is merged and begun again and
// again takes no other. The zero value has none.
type Spare struct {
	ints   [][]int64
	floats [][]float32
	size   int
}

// Keep takes the memory of the chunk of n, which must not be used any more, if there are at
// most so many bytes of it then.
func (s *Spare) Keep(n *Numbers, most int) {
	size := 8*cap(n.ints) + 4*cap(n.floats)
	if size == 0 || s.size+size > most {
		return
	}
	s.size += size
	if n.float {
		s.floats = append(s.floats, n.floats[:0])
	} else {
		s.ints = append(s.ints, n.ints[:0])
	}
	n.ints, n.floats = nil, nil
}

// Give gives n, which is empty, the memory that was kept last.
func (s *Spare) Give(n *Numbers) {
	if last := len(s.floats) - 1; n.float && last >= 0 {
		n.floats, s.floats = s.floats[last], s.floats[:last]
	}
	if last := len(s.ints) - 1; !n.float && last >= 0 {
		n.ints, s.ints = s.ints[last], s.ints[:last]
	}
	s.size -= 8*cap(n.ints) + 4*cap(n.floats)
}

// Bytes is how much memory there is.
func (s *Spare) Bytes() int { return s.size }
