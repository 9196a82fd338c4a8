package sketch

// Spare is the memory of tables of Labels that nobody needs any more: what is counted, merged and begun again
// and again takes no other. The zero value has none.
type Spare struct {
	tables []table
	size   int
}

// Keep takes the memory of the table of l, which must not be used any more, if there are at most so many bytes
// of it then.
func (s *Spare) Keep(l *Labels, most int) {
	size := l.table.held()
	if size == 0 || s.size+size > most {
		return
	}
	s.size += size
	l.table.reset()
	s.tables = append(s.tables, l.table)
	l.table = table{}
}

// Give gives l, which is empty, the memory that was kept last.
func (s *Spare) Give(l *Labels) {
	if last := len(s.tables) - 1; last >= 0 {
		l.table, s.tables = s.tables[last], s.tables[:last]
		s.size -= l.table.held()
	}
}

// Bytes is how much memory there is.
func (s *Spare) Bytes() int { return s.size }

// held is how much memory slots and items have.
func (t *table) held() int {
	n := 4 * cap(t.slots)
	for _, page := range t.items {
		n += itemSize * cap(page)
	}
	return n
}
