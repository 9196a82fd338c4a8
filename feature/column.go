package feature

// A column is the data of one plan: see there for the levels. Rows are added unit
// by unit; a record that fails is taken back by truncate.
type column struct {
	*plan
	ints      []int64 // the values are in one of these
	floats    []float32
	strings   []string
	index     []int64 // of a sparse column: len(indices) for each value
	levels    []level // outermost first
	longest   int     // of a padded column: the most blocks in a row
	candidate int     // the same, with the record at hand
}

// A level partitions what is below it into rows.
type level struct {
	splits []int64 // nil if all rows have one length
	length int64   // that length, or -1
	count  int     // rows, if they have one length
}

// newColumns makes a column for every plan.
func newColumns(plans []plan) []column {
	depth := 0
	for i := range plans {
		depth += len(plans[i].levels)
	}
	cols, levels, zeros := make([]column, len(plans)), make([]level, depth), make([]int64, depth)
	for i := range plans {
		p := &plans[i]
		n := len(p.levels)
		cols[i] = column{plan: p, levels: levels[:n:n]}
		levels = levels[n:]
		for l, length := range p.levels {
			cols[i].levels[l].length = length
			if length < 0 {
				cols[i].levels[l].splits = zeros[:1:1]
				zeros = zeros[1:]
			}
		}
	}
	return cols
}

// end ends a row of n items.
func (l *level) end(n int) {
	l.splits = append(l.splits, l.splits[len(l.splits)-1]+int64(n))
}

// limit returns where the first n rows end: the number of items in them.
func (l *level) limit(n int) int {
	if l.length >= 0 {
		return n * int(l.length)
	}
	return int(l.splits[n])
}

// rowsAt returns how many rows at a level belong to the first n records. Below the
// last level are cells.
func (c *column) rowsAt(level, n int) int {
	for i := range level {
		n = c.levels[i].limit(n)
	}
	return n
}

// truncate takes back everything but the first n records.
func (c *column) truncate(n int) {
	c.candidate = c.longest
	for i := range c.levels {
		l := &c.levels[i]
		items := l.limit(n)
		if l.length >= 0 {
			l.count = n
		} else {
			l.splits = l.splits[:n+1]
		}
		n = items
	}
	c.index = c.index[:n*len(c.indices)]
	n *= c.cell
	switch c.dtype {
	case Int64:
		c.ints = c.ints[:n]
	case Float32:
		c.floats = c.floats[:n]
	case String:
		clear(c.strings[n:]) // they keep blocks of the arena
		c.strings = c.strings[:n]
	}
}

// Take moves the rows to a new batch, which has no more memory than they need, and
// leaves this one as Reset does. To keep results and parse more, it is best to use
// one Batch that all records are appended to and that the results are taken from: the
// memory in which columns grow is then used again, and a result takes a few
// allocations, however many columns it has. The columns of a result share memory: one
// that is kept keeps all.
func (b *Batch) Take() *Batch {
	out := b.take()
	b.Reset()
	return out
}

// take is Take without the Reset. The batch is left as it is, but its arena begins anew.
func (b *Batch) take() *Batch {
	out := &Batch{p: b.p, n: b.n, cols: make([]column, len(b.cols))}
	var ints, floats, texts, depth int
	for i := range b.cols {
		c := &b.cols[i]
		ints += len(c.ints) + len(c.index)
		floats += len(c.floats)
		texts += len(c.strings)
		depth += len(c.levels)
		for _, l := range c.levels {
			ints += len(l.splits)
		}
	}
	s := slab{make([]int64, 0, ints), make([]float32, 0, floats), make([]string, 0, texts)}
	levels := make([]level, 0, depth)
	for i := range b.cols {
		c := b.cols[i]
		c.ints = carve(&s.ints, c.ints)
		c.index = carve(&s.ints, c.index)
		c.floats = carve(&s.floats, c.floats)
		c.strings = carve(&s.strings, c.strings)
		c.levels = carve(&levels, c.levels)
		for j := range c.levels {
			c.levels[j].splits = carve(&s.ints, c.levels[j].splits)
		}
		out.cols[i] = c
	}
	b.arena.reset()
	return out
}

// A slab is memory for the values of many columns.
type slab struct {
	ints    []int64
	floats  []float32
	strings []string
}

// carve copies v to the end of a slab that has room for it.
func carve[T any](s *[]T, v []T) []T {
	n := len(*s)
	*s = append(*s, v...)
	return (*s)[n:len(*s):len(*s)]
}
