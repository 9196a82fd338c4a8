package dataset

import (
	"sync"

	"github.com/tfparse/tfparse/dataset/internal/feed"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Batch is some records as columns. It is the caller's: nothing ever writes to it,
// unless the caller gives it back by Release.
type Batch struct {
	*feature.Batch // nil after Release
	rows           *rows
	names          []string
	pool           *pool
}

// Position says where row i comes from. It panics if there is no such row.
func (b *Batch) Position(i int) tfrecord.Position {
	p := b.rows.at[i]
	return tfrecord.Position{Name: b.names[p.File], Record: p.Record, Offset: p.Offset}
}

// Release says that the batch is done with, so that its memory can serve another. The
// batch is empty afterwards: its methods panic. Columns, and tensors taken from
// them, are no longer good, which race builds show by overwriting their values; strings
// stay good, unless they are parts of the records (feature.ParserOptions.AliasRecords). A
// second call does nothing. It may be called on any goroutine, also after
// the stream is closed. To call it is not required: batches that are never released
// are left to the garbage collector.
func (b *Batch) Release() {
	if b.rows == nil {
		return
	}
	b.pool.put(b.rows)
	b.Batch, b.rows = nil, nil
}

// rows is the memory of a batch.
type rows struct {
	*feature.Batch
	at   []feed.Place
	held feed.Held // records that strings are parts of
	size int       // rows of a full batch
	grow int       // with how many rows the columns are to grow; 0: they have grown
}

// growFirst is how many rows say what the others will be like.
const growFirst = 16

// makeRoom makes room for as many rows again, three times, and then for all: columns grow
// by no more than what came, and in few steps.
func (r *rows) makeRoom() {
	n := r.Len()
	r.Grow(min(3*n, r.size-n))
	if r.grow = 4 * n; r.grow >= r.size {
		r.grow = 0
	}
}

// add parses a record into one more row, unless it does not fit.
func (r *rows) add(it feed.Item) error {
	if err := r.Append(it.Record); err != nil {
		return err
	}
	r.at = append(r.at, it.Place)
	if r.Len() == r.grow {
		r.makeRoom()
	}
	return nil
}

func (r *rows) reset() {
	r.Batch.Reset()
	r.at = r.at[:0]
	r.held.Release()
}

// A pool is memory for batches that nobody uses.
type pool struct {
	parser *feature.Parser
	size   int // rows of a full batch
	most   int // that it keeps
	left   *feed.Leftovers[*rows]

	mu   sync.Mutex
	free []*rows
	over bool // the stream is closed: memory goes to left
}

func (p *pool) get() *rows {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		r := p.free[n-1]
		p.free = p.free[:n-1]
		return r
	}
	r, ok := p.left.Get()
	if !ok || r.Parser() != p.parser {
		r = &rows{Batch: p.parser.NewBatch()}
	}
	r.size, r.grow = p.size, growFirst
	return r
}

func (p *pool) put(r *rows) {
	r.reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		p.left.Put(r)
	} else if len(p.free) < p.most {
		p.free = append(p.free, r)
	}
}

// close leaves what is free, and what will be, to streams that follow.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, r := range p.free {
		p.left.Put(r)
	}
	p.free = nil
}
