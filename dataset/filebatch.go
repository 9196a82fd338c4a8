package dataset

import (
	"sync"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Batch is some records as columns, to be read only. It is the caller's: nothing ever
// writes to it, unless the caller gives it back by Release.
type Batch struct {
	rows   *rows // nil after Release
	names  []string
	memory *memory
}

// Len returns the number of rows.
func (b *Batch) Len() int { return b.rows.Len() }

// Columns returns the columns, to be ranged over, and to be looked up by name and group: see
// [feature.ColumnOf].
func (b *Batch) Columns() feature.Columns { return b.rows.Columns() }

// Position says where row i comes from. It panics if there is no such row.
func (b *Batch) Position(i int) tfrecord.Position {
	p := b.rows.at[i]
	return tfrecord.Position{Name: b.names[p.File], Record: p.Record, Offset: p.Offset}
}

// Release says that the batch is done with, so that its memory can serve another. The
// methods of the batch panic afterwards. Columns, and tensors taken from
// them, are no longer good, which race builds show by overwriting their values; strings
// stay good, unless they are parts of the records (feature.ParserOptions.AliasRecords). A
// second call does nothing. It may be called on any goroutine, also after
// the stream is closed. To call it is not required: batches that are never released
// are left to the garbage collector.
func (b *Batch) Release() {
	if b.rows == nil {
		return
	}
	b.memory.put(b.rows)
	b.rows = nil
}

// rows is the memory of a batch.
type rows struct {
	*feature.Batch
	at   []feed.Position
	held feed.PinnedBuffers // records that strings are parts of
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
func (r *rows) add(it *feed.Item) error {
	if err := r.Append(it.Record); err != nil {
		return err
	}
	r.at = append(r.at, it.Position)
	if r.Len() == r.grow {
		r.makeRoom()
	}
	return nil
}

// A memory has the rows of batches that were released.
type memory struct {
	parser *feature.Parser
	size   int        // rows of a full batch
	free   *sync.Pool // of *rows, also of other parsers
}

func (m *memory) get() *rows {
	r, ok := m.free.Get().(*rows)
	if !ok || r.Parser() != m.parser {
		r = &rows{Batch: m.parser.NewBatch()}
	}
	r.size, r.grow = m.size, growFirst
	return r
}

func (m *memory) put(r *rows) {
	r.Batch.Reset()
	r.at = r.at[:0]
	r.held.Release()
	m.free.Put(r)
}
