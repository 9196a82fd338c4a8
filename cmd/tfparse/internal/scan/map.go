package scan

import (
	"cmp"
	"errors"
	"io"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/ordered"
)

// A Batch is consecutive records of one file, and the result of a worker for them.
type Batch[R any] struct {
	Records []Record            // at least one
	Type    example.MessageType // of all records
	File    int                 // index of the input; 0 in a random order
	// Next is the index of the first record that was not processed. A worker may leave records because the result is
	// large. It is called again for them after the result was emitted.
	Next    int
	Result  R             // of the records before Next
	Misfits []BatchMisfit // records that the worker refused, in order

	before   []func() error // events before the first record; called before the result is emitted
	size     int            // size of the records in memory, in bytes
	bytes    []byte         // holds the bytes of the records
	selected bool           // --where was evaluated
}

// A BatchMisfit is a record that a worker refused.
type BatchMisfit struct {
	At    int // position in the result where the record would be
	Fault *Fault
}

// Refuse adds a record to Misfits. at is the byte of the result where the record would be.
func (b *Batch[R]) Refuse(at int, rec *Record, err error) {
	b.Misfits = append(b.Misfits, BatchMisfit{at, Misfit(rec.Position, err)})
}

// Sizes of batches.
const (
	batchBytes  = 64 << 10  // bytes of records per batch, for Map
	sumBytes    = 128 << 10 // bytes of records per batch, for Sum
	perRecord   = 32        // memory of a record besides its bytes
	longRecord  = 64 << 10  // a longer record is not copied but processed at once
	mostPending = 256       // maximum number of pending events
	// Workers is the maximum number of goroutines that format text.
	Workers = 8
)

// A mapper divides records into batches for workers. The end of a batch depends on the records only. So neither the
// results nor the order of reports depend on the number of workers.
type mapper[R any] struct {
	src   *Source                      // the records
	start func() func(*Batch[R]) error // returns the function that processes a batch; called by each goroutine
	emit  func(*Batch[R]) error        // called for each processed batch, in order, on the goroutine that reads
	begin func(*Batch[R])              // called for each empty batch; may be nil
	look  func(Record) error           // called for each record on the goroutine that reads; may be nil
	size  int                          // bytes of records per batch
	each  bool                         // a batch may be processed record by record

	queue   *ordered.Queue[*Batch[R]] // processes batches; nil: the goroutine that reads does
	own     func(*Batch[R]) error     // processes a batch on the goroutine that reads
	current *Batch[R]                 // the batch being filled; nil: none
	events  []func() error            // pending events after the last submitted batch
	spare   []*Batch[R]               // free list of batches
}

// Map processes the records on several goroutines, and calls emit for the results in the order of the records. Each
// goroutine calls newWorker for each record type. emit handles the misfits with [Source.Report]. Map closes the source.
func Map[R any](src *Source, workers int, newWorker func(example.MessageType) func(*Batch[R]), emit func(*Batch[R]) error) error {
	m := &mapper[R]{src: src, emit: emit, size: cmp.Or(src.opts.BatchBytes, batchBytes)}
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

// A Sum sums up records: goroutines sum up batches, whose sums are merged in order.
type Sum[S any] struct {
	Workers int                           // number of goroutines; below 2: work runs in the goroutine of Run
	Size    int                           // bytes of records per batch; 0: 128 KiB
	Before  func(rec Record) error        // called for each record on the goroutine of the verb, before Add; may be nil
	Fresh   func(example.MessageType) S   // returns an empty sum for records of a type
	Add     func(sum S, rec Record) error // adds a record, on any goroutine; the error is the reason to refuse it
	// Merge merges the sum of the next batch, after its misfits were handled. If it resets the sum and returns true, a later
	// batch of the same type reuses the sum, with its buffers and names.
	Merge func(S) (reuse bool, err error)
}

// Run sums up the records of a source, and closes it.
func (s *Sum[S]) Run(src *Source) error {
	m := &mapper[S]{src: src, size: sumBytes, each: true, look: s.Before}
	merged := map[example.MessageType][]S{} // sums to be reused
	m.begin = func(b *Batch[S]) {
		all := merged[b.Type]
		if n := len(all) - 1; n >= 0 {
			b.Result, merged[b.Type] = all[n], all[:n]
		} else {
			b.Result = s.Fresh(b.Type)
		}
	}
	if s.Size > 0 {
		m.size = s.Size
	}
	m.emit = func(b *Batch[S]) error {
		if err := src.Report(b.Misfits); err != nil {
			return err
		}
		reuse, err := s.Merge(b.Result)
		if reuse {
			merged[b.Type] = append(merged[b.Type], b.Result)
		}
		return err
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

// Report handles records that a worker refused.
func (s *Source) Report(misfits []BatchMisfit) error {
	for _, m := range misfits {
		if err := s.refuse(m.Fault); err != nil {
			return err
		}
	}
	return nil
}

// run reads the records and processes all batches.
func (m *mapper[R]) run(workers int) error {
	defer m.src.Close()
	if workers > 1 {
		ahead := 2 * workers
		if m.size > sumBytes { // large batches take more memory
			ahead = workers + 1
		}
		m.queue = ordered.NewQueue(m.src.env.Ctx, workers, ahead, m.start, m.emitBatch)
		defer m.queue.Close()
	}
	m.own = m.start()
	for {
		ev, err := m.src.next(false)
		switch {
		case err != nil: // first emit the records before the error
			if failed := m.drain(); failed != nil {
				err = failed
			}
			if err == io.EOF || errors.Is(err, ErrStop) {
				return nil
			}
			return err
		case ev.kind == evRecord:
			err = m.addRecord(ev)
		case ev.kind == evLimit:
			if err = m.drain(); err == nil && m.src.left == 0 { // refused records do not count: go on
				return nil
			}
		default:
			err = m.addEvent(*ev)
		}
		if errors.Is(err, ErrStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// addRecord adds a record to the current batch.
func (m *mapper[R]) addRecord(ev *event) error {
	t := m.src.file.Type
	if m.look != nil {
		if err := m.look(Record{Bytes: ev.rec, Position: ev.pos, Type: t}); err != nil {
			return m.addEvent(event{kind: evRefused, fault: Misfit(ev.pos, err)})
		}
	}
	// Raw records are only counted, which is faster than copying them.
	here := m.each && (m.queue == nil || t == example.TypeRaw)
	alone := !here && len(ev.rec) > max(m.size, longRecord)
	if alone {
		if err := m.drain(); err != nil {
			return err
		}
	}
	b := m.current
	if b == nil {
		b = m.newBatch(t)
	}
	rec := Record{Bytes: ev.rec, Position: ev.pos, Type: t, Ordinal: m.src.Read - 1}
	b.File = m.src.file.Index
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
		return m.emitBatch(b)
	default:
		if cap(b.bytes) == 0 {
			b.bytes = make([]byte, 0, m.size+m.size/4)
		}
		begin := len(b.bytes)
		b.bytes = append(b.bytes, ev.rec...)
		rec.Bytes = b.bytes[begin:len(b.bytes):len(b.bytes)] // stays valid if append moves the buffer
		b.Records = append(b.Records, rec)
	}
	if b.size += len(ev.rec) + perRecord; b.size < m.size {
		return nil
	}
	return m.submit()
}

// newBatch begins a batch.
func (m *mapper[R]) newBatch(t example.MessageType) *Batch[R] {
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
	return m.emitBatch(b)
}

// emitBatch emits a result, and processes the records that the worker has left.
func (m *mapper[R]) emitBatch(b *Batch[R]) error {
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
	clear(b.Misfits) // errors may be as large as the records
	if b.before = nil; len(b.bytes) <= 4*m.size {
		m.spare = append(m.spare, b)
	}
	return nil
}

// addEvent handles an event between the records so far and those that follow.
func (m *mapper[R]) addEvent(ev event) error {
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

// drain emits all results so far, and handles the pending events.
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

// selectRecords applies --where and searches features, if that was left to the workers.
func (b *Batch[R]) selectRecords(src *Source) {
	if b.selected || !src.inWorkers {
		return
	}
	b.selected = true
	if src.opts.FeatureSearch.Missing() {
		for i := range b.Records {
			src.opts.FeatureSearch.Look(b.Type, b.Records[i].Bytes)
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
