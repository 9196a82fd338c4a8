package feed

import (
	"context"
	"io"
	"iter"

	"github.com/tfparse/tfparse/tfrecord"
)

// A supply has the records of the files of one pass, each file by itself. Files are
// known by their place in the order of the pass.
type supply interface {
	// next returns the next record of file v, which has that place in the order until its
	// end. The error is io.EOF then.
	next(place, v int) (Item, error)
	// any returns a record of any file, and io.EOF when there are no more.
	any() (Item, error)
	// appendTo appends to dst up to n records of the file at a place, if they are at
	// hand.
	appendTo(dst []Item, place, n int) []Item
	close()
}

// A direct supply reads a file when it is asked for a record of it.
type direct struct {
	s     *Stream
	ctx   context.Context
	files []int      // of the pass, in order
	open  []*reading // by place in the order
	spare []*shelf
	at    int // for any: the file at hand
}

// A reading is a file that is being read.
type reading struct {
	file int
	src  *source
	*shelf
	run  *run                              // records of the slab at hand
	err  error                             // that the next call is to return
	next func() (tfrecord.Recovered, bool) // if damage is stepped over
	stop func()
}

func newDirect(ctx context.Context, s *Stream, files []int) *direct {
	return &direct{s: s, ctx: ctx, files: files, open: make([]*reading, max(s.cfg.Cycle, 1))}
}

func (d *direct) next(place, v int) (Item, error) {
	f := d.open[place]
	if f == nil {
		var err error
		if f, err = d.begin(v); err != nil {
			if !d.s.cfg.Recover || d.ctx.Err() != nil {
				return Item{}, d.s.fileError(d.files[v], err)
			}
			d.s.lost(notOpened(d.files[v], err))
			return Item{}, io.EOF
		}
		d.open[place] = f
	}
	if f.next == nil {
		it, err := f.record()
		if err != nil {
			return Item{}, d.end(place, err)
		}
		return it, nil
	}
	for {
		found, ok := f.next()
		if !ok {
			return Item{}, d.end(place, io.EOF)
		}
		if found.Lost == nil {
			return Item{found.Record, Place{f.file, found.Pos.Record, found.Pos.Offset}, nil}, nil
		}
		if d.ctx.Err() != nil {
			return Item{}, d.end(place, d.ctx.Err())
		}
		d.s.lost(lossOf(f.file, found))
	}
}

// record returns the next record, if damage is not stepped over.
func (f *reading) record() (Item, error) {
	if f.err != nil {
		return Item{}, f.err
	}
	rec, err := f.r.Next()
	if err != nil {
		return Item{}, err
	}
	if f.run == nil || f.run.slab != f.slab {
		f.turn()
	}
	f.run.left.Add(1)
	p := f.r.Pos()
	return Item{rec, Place{f.file, p.Record, p.Offset}, f.run}, nil
}

// turn begins the run of a new slab.
func (f *reading) turn() {
	f.settle()
	f.rest()
	m := f.mem
	m.mu.Lock()
	f.run = m.run(f.slab)
	m.mu.Unlock()
	f.run.left.Store(1)
}

// rest says that no more records come in the run at hand.
func (f *reading) rest() {
	if f.run != nil {
		f.mem.leave(f.run, 1)
		f.run = nil
	}
}

func (d *direct) appendTo(dst []Item, place, n int) []Item {
	f := d.open[place]
	if f == nil || f.next != nil {
		return dst
	}
	for ; n > 0; n-- {
		it, err := f.record()
		if err != nil {
			f.err = err
			break
		}
		dst = append(dst, it)
		if it.run != dst[0].run {
			break // what was read before is to be parsed before it leaves the caches
		}
	}
	return dst
}

// begin opens a file.
func (d *direct) begin(v int) (*reading, error) {
	c := &d.s.cfg
	f := &reading{file: d.files[v]}
	var err error
	if f.src, err = c.open(d.ctx, f.file, nil); err != nil {
		return nil, err
	}
	if c.Recover {
		opts := c.Reader
		opts.Name = c.Names[f.file]
		f.next, f.stop = iter.Pull(tfrecord.Recover(f.src, &opts))
		return f, nil
	}
	if n := len(d.spare); n > 0 {
		f.shelf, d.spare = d.spare[n-1], d.spare[:n-1]
	} else {
		f.shelf = newShelf(c, d.s.mem)
	}
	f.r.Reset(f.src, c.Names[f.file])
	return f, nil
}

// end closes a file and returns err, or why the file could not be closed.
func (d *direct) end(place int, err error) error {
	f := d.open[place]
	d.open[place] = nil
	if f.stop != nil {
		f.stop()
	} else {
		f.rest()
		f.clear()
		d.spare = append(d.spare, f.shelf)
	}
	if e := f.src.close(); e != nil && err == io.EOF {
		return d.s.fileError(f.file, e)
	}
	return err
}

func (d *direct) any() (Item, error) {
	for ; d.at < len(d.files); d.at++ {
		if it, err := d.next(0, d.at); err != io.EOF {
			return it, err
		}
	}
	return Item{}, io.EOF
}

func (d *direct) close() {
	for place, f := range d.open {
		if f != nil {
			d.end(place, nil)
		}
	}
}
