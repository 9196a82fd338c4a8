package scan

import (
	"errors"
	"io"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/ordered"
)

// A Batch is some records in a row, all of one file, and what a worker has made of them.
type Batch[R any] struct {
	Records []Record
	Type    example.MessageType
	// Next is the first record that was not worked on. A worker that leaves some, because the result is large, is called again
	// after the result was emitted.
	Next    int
	Result  R
	Misfits []BatchMisfit // records that the worker has refused, in order

	before   []func() error // to be done before the result is emitted: what happened before the first record
	size     int            // what the records take, in bytes
	bytes    []byte         // of the records
	selected bool           // --where was evaluated
}

// A BatchMisfit is a record that a worker has refused.
type BatchMisfit struct {
	At    int // where in the result it would have been
	Fault *Fault
}

// Refuse notes that a record of the batch has no place in the result, where that would have been at a byte.
func (b *Batch[R]) Refuse(at int, rec *Record, err error) {
	b.Misfits = append(b.Misfits, BatchMisfit{at, Misfit(rec.Position, err)})
}

// Sizes of batches.
const (
	batchBytes  = 64 << 10  // of text
	sumBytes    = 128 << 10 // of sums
	perRecord   = 32        // bytes that a record takes besides its own
	longRecord  = 64 << 10  // a longer one is worked on where it is
	mostPending = 256       // events between batches that are kept before they are dealt with
	// Workers is how many goroutines format text, at most.
	Workers = 8
)

// A mapper divides records into batches for workers. Where a batch ends depends on the records alone, so that neither results
// nor the order of what is reported depend on the number of workers.
type mapper[R any] struct {
	src   *Source
	start func() func(*Batch[R]) error // for each goroutine
	emit  func(*Batch[R]) error        // in order, on the goroutine that reads
	begin func(*Batch[R])              // of an empty batch; may be nil
	look  func(Record) error           // is given each record where it is read; may be nil
	size  int                          // of a batch
	each  bool                         // the work on a batch may be done record by record

	queue   *ordered.Queue[*Batch[R]] // nil: the work is done where records are read
	own     func(*Batch[R]) error     // work, for the goroutine that reads
	current *Batch[R]
	events  []func() error // after the batches under way
	spare   []*Batch[R]
}

// Map has workers work on the records, and calls emit for the results in the order of the records. newWorker is called by each
// goroutine for each type of records. emit deals with the misfits, by [Source.Report]. After the last record, or an error, Map closes
// the source.
func Map[R any](src *Source, workers int, newWorker func(example.MessageType) func(*Batch[R]), emit func(*Batch[R]) error) error {
	m := &mapper[R]{src: src, emit: emit, size: batchBytes}
	m.start = func() func(*Batch[R]) error {
		last := example.TypeAuto
		var work func(*Batch[R])
		return func(b *Batch[R]) error {
			if work == nil || b.Type != last {
				last, work = b.Type, newWorker(b.Type)
			}
			b.selectRecords(src)
			work(b)
			return nil
		}
	}
	return m.run(workers)
}

// A Sum says how records are summed up: those of a batch by one goroutine, and the batches in order.
type Sum[S any] struct {
	Workers int
	Size    int                           // bytes of records in a batch; 0: 128 KiB
	Before  func(rec Record) error        // is given each record before that, on the goroutine of the verb; may be nil
	Fresh   func(example.MessageType) S   // an empty sum for records of a type
	Add     func(sum S, rec Record) error // on any goroutine; the error says why the record is refused
	// Merge takes the sum of the next records, after those that were refused were dealt with.
	Merge func(S) error
}

// Run sums up the records of a source. After the last record, or an error, it closes the source.
func (s *Sum[S]) Run(src *Source) error {
	m := &mapper[S]{src: src, size: sumBytes, each: true, look: s.Before, begin: func(b *Batch[S]) { b.Result = s.Fresh(b.Type) }}
	if s.Size > 0 {
		m.size = s.Size
	}
	m.emit = func(b *Batch[S]) error {
		if err := src.Report(b.Misfits); err != nil {
			return err
		}
		return s.Merge(b.Result)
	}
	m.start = func() func(*Batch[S]) error {
		return func(b *Batch[S]) error {
			b.selectRecords(src)
			for ; b.Next < len(b.Records); b.Next++ {
				rec := &b.Records[b.Next]
				err := rec.Err
				if err == nil {
					err = s.Add(b.Result, *rec)
				}
				if err != nil {
					b.Refuse(0, rec, err)
				}
			}
			return nil
		}
	}
	return m.run(s.Workers)
}

// Report deals with records that a worker has refused.
func (s *Source) Report(misfits []BatchMisfit) error {
	for _, m := range misfits {
		if err := s.refuse(m.Fault); err != nil {
			return err
		}
	}
	return nil
}

func (m *mapper[R]) run(workers int) error {
	defer m.src.Close()
	if workers > 1 {
		ahead := 2 * workers
		if m.size > sumBytes { // which take more memory
			ahead = workers + 1
		}
		m.queue = ordered.NewQueue(m.src.ctx, workers, ahead, m.start, m.use)
		defer m.queue.Close()
	}
	m.own = m.start()
	for {
		ev, err := m.src.next(false)
		switch {
		case err != nil: // what was read before comes first
			if failed := m.drain(); failed != nil {
				err = failed
			}
			if err == io.EOF || errors.Is(err, ErrStop) {
				return nil
			}
			return err
		case ev.kind == evRecord:
			err = m.add(ev)
		case ev.kind == evLimit:
			if err = m.drain(); err == nil && m.src.left == 0 { // else some were refused
				return nil
			}
		default:
			err = m.then(*ev)
		}
		if errors.Is(err, ErrStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// add adds a record to the current batch.
func (m *mapper[R]) add(ev *event) error {
	t := m.src.file.Type
	if m.look != nil {
		if err := m.look(Record{Bytes: ev.rec, Position: ev.pos, Type: t}); err != nil {
			return m.then(event{kind: evRefused, fault: Misfit(ev.pos, err)})
		}
	}
	// Raw records are only counted, which takes less time than a copy.
	here := m.each && (m.queue == nil || t == example.TypeRaw)
	alone := !here && len(ev.rec) > max(m.size, longRecord)
	if alone {
		if err := m.drain(); err != nil {
			return err
		}
	}
	b := m.current
	if b == nil {
		b = m.batch(t)
	}
	rec := Record{Bytes: ev.rec, Position: ev.pos, Type: t}
	switch {
	case here:
		b.Records, b.Next, b.selected = append(b.Records[:0], rec), 0, false
		if err := m.own(b); err != nil {
			return err
		}
	case alone:
		b.Records = append(b.Records, rec)
		m.current = nil
		if err := m.own(b); err != nil {
			return err
		}
		return m.use(b)
	default:
		if cap(b.bytes) == 0 {
			b.bytes = make([]byte, 0, m.size+m.size/4)
		}
		begin := len(b.bytes)
		b.bytes = append(b.bytes, ev.rec...)
		rec.Bytes = b.bytes[begin:len(b.bytes):len(b.bytes)] // stays good if the buffer is replaced
		b.Records = append(b.Records, rec)
	}
	if b.size += len(ev.rec) + perRecord; b.size < m.size {
		return nil
	}
	return m.submit()
}

// batch begins a batch.
func (m *mapper[R]) batch(t example.MessageType) *Batch[R] {
	b := &Batch[R]{}
	if n := len(m.spare); n > 0 {
		b, m.spare = m.spare[n-1], m.spare[:n-1]
		clear(b.Records)
		*b = Batch[R]{Records: b.Records[:0], Result: b.Result, Misfits: b.Misfits[:0], bytes: b.bytes[:0]}
	}
	if b.Type = t; m.begin != nil {
		m.begin(b)
	}
	m.current = b
	return b
}

// submit ends the current batch.
func (m *mapper[R]) submit() error {
	b := m.current
	if b == nil {
		return nil
	}
	m.current = nil
	b.before, m.events = m.events, nil
	if m.queue != nil {
		return m.queue.Submit(b)
	}
	if err := m.own(b); err != nil {
		return err
	}
	return m.use(b)
}

// use emits a result, and does what a worker has left of the batch.
func (m *mapper[R]) use(b *Batch[R]) error {
	for _, event := range b.before {
		if err := event(); err != nil {
			return err
		}
	}
	for {
		if err := m.emit(b); err != nil {
			return err
		}
		if b.Next >= len(b.Records) {
			break
		}
		b.Misfits = b.Misfits[:0]
		if err := m.own(b); err != nil {
			return err
		}
	}
	clear(b.Misfits) // which may be as large as the records
	if b.before = nil; len(b.bytes) <= 4*m.size {
		m.spare = append(m.spare, b)
	}
	return nil
}

// then deals with an event after the records so far, and before those that follow.
func (m *mapper[R]) then(ev event) error {
	if err := m.submit(); err != nil {
		return err
	}
	if len(m.events) == 0 && (m.queue == nil || m.queue.Len() == 0) {
		return m.src.handle(&ev)
	}
	if m.src.ignores(&ev) {
		return nil
	}
	m.events = append(m.events, func() error { return m.src.handle(&ev) })
	if len(m.events) < mostPending {
		return nil
	}
	return m.drain()
}

// drain emits all results so far, and deals with the events.
func (m *mapper[R]) drain() error {
	err := m.submit()
	if err == nil && m.queue != nil {
		err = m.queue.Drain()
	}
	events := m.events
	m.events = nil
	for _, event := range events {
		if err == nil {
			err = event()
		}
	}
	return err
}

// selectRecords leaves out the records that --where does not select, if that is left to workers, and looks for features that flags
// name.
func (b *Batch[R]) selectRecords(src *Source) {
	if b.selected || !src.inWorkers {
		return
	}
	b.selected = true
	if src.opts.Sought.Missing() {
		for i := range b.Records {
			src.opts.Sought.Look(b.Type, b.Records[i].Bytes)
		}
	}
	if src.where == nil {
		return
	}
	selected := b.Records[:0]
	for _, rec := range b.Records {
		ok, err := src.where.match(b.Type, rec.Bytes)
		if rec.Err = err; ok || err != nil {
			selected = append(selected, rec)
		}
	}
	b.Records = selected
}
